BEGIN TRANSACTION;
CREATE TABLE clock (
	id INTEGER NOT NULL, 
	t BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "clock" VALUES(1,1796037096565);
CREATE TABLE commits (
	id TEXT NOT NULL, 
	parent TEXT, 
	depth INTEGER NOT NULL, 
	user_id TEXT NOT NULL, 
	thread_id TEXT NOT NULL, 
	turn_id TEXT NOT NULL, 
	checkpoint_id TEXT, 
	run_id TEXT, 
	recorded_at BIGINT NOT NULL, 
	extractor TEXT, 
	failure TEXT, 
	pending BOOLEAN NOT NULL, 
	tail JSON NOT NULL, 
	changes JSON NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "commits" VALUES('b540856c-0d6d-50db-800d-d16de635bcb5',NULL,0,'alice','monday','1d81be28-49cc-5ffa-93ee-dcde1024f993','1f1ecaec-ea3a-6599-8004-16fc165f37b5',NULL,1796037096059,'rules-1',NULL,0,'["a3b6f148-215c-5655-97d7-cd1b7ae9c256"]','{"commit_id": "b540856c-0d6d-50db-800d-d16de635bcb5", "turn_id": "1d81be28-49cc-5ffa-93ee-dcde1024f993", "episodes": 1, "facts": [{"op": "add", "text": "\u7528\u6237\u53eb\u5c0f\u6797", "reason": "new", "touches": []}, {"op": "add", "text": "\u7528\u6237\u5bf9\u82b1\u751f\u8fc7\u654f", "reason": "new", "touches": []}], "failure": null}');
INSERT INTO "commits" VALUES('715a8188-02a5-5782-89ae-6abf7f77ef57','b540856c-0d6d-50db-800d-d16de635bcb5',1,'alice','monday','7d121b74-ef5e-5f4b-b056-1670a890808b','1f1ecaec-edbc-6b94-800b-4f0b3b833b5d',NULL,1796037096422,'rules-1',NULL,0,'["a3b6f148-215c-5655-97d7-cd1b7ae9c256", "f9bbc0f1-a047-5e3e-93b1-bb40bf957a9c"]','{"commit_id": "715a8188-02a5-5782-89ae-6abf7f77ef57", "turn_id": "7d121b74-ef5e-5f4b-b056-1670a890808b", "episodes": 1, "facts": [{"op": "add", "text": "The user lives in Lisbon", "reason": "new", "touches": []}], "failure": null}');
INSERT INTO "commits" VALUES('57d6d584-61eb-53d9-8bbc-c0815eb89d58','715a8188-02a5-5782-89ae-6abf7f77ef57',2,'alice','monday','8fd0b91c-0730-5b04-ba8a-fa8c6de71dfc','1f1ecaec-ef21-6b8c-8012-5959170423e3',NULL,1796037096565,'rules-1',NULL,0,'["f9bbc0f1-a047-5e3e-93b1-bb40bf957a9c", "56e30c25-fd5b-5df2-8656-3768ad48c8c8"]','{"commit_id": "57d6d584-61eb-53d9-8bbc-c0815eb89d58", "turn_id": "8fd0b91c-0730-5b04-ba8a-fa8c6de71dfc", "episodes": 1, "facts": [{"op": "supersede", "text": "\u7528\u6237\u4f4f\u5728\u6ce2\u5c14\u56fe", "reason": "takes the place of: The user lives in Lisbon", "touches": ["9867d4ef-e54e-5684-9752-6928094c458f"]}], "failure": null}');
CREATE TABLE ended (
	record_id TEXT NOT NULL, 
	event_id TEXT NOT NULL, 
	standing TEXT NOT NULL, 
	PRIMARY KEY (record_id, event_id)
);
CREATE TABLE events (
	id TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	recorded_at BIGINT NOT NULL, 
	kind TEXT NOT NULL, 
	target TEXT, 
	subject TEXT, 
	attribute TEXT, 
	value TEXT, 
	polarity INTEGER, 
	note TEXT, 
	ended_at BIGINT, 
	PRIMARY KEY (id)
);
CREATE TABLE heads (
	thread_id TEXT NOT NULL, 
	head TEXT, 
	PRIMARY KEY (thread_id)
);
INSERT INTO "heads" VALUES('monday','57d6d584-61eb-53d9-8bbc-c0815eb89d58');
CREATE TABLE intervals (
	record_id TEXT NOT NULL, 
	start BIGINT NOT NULL, 
	"end" BIGINT NOT NULL, 
	user_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	standing TEXT, 
	ended_by TEXT, 
	PRIMARY KEY (record_id, start)
);
INSERT INTO "intervals" VALUES('1f0f9fbd-970b-5b36-bb83-6a117400c538',1796037096059,4503599627370496,'alice','fact',NULL,NULL);
INSERT INTO "intervals" VALUES('41d090f7-3c42-5582-a0e5-de8cfba8ed11',1796037096059,4503599627370496,'alice','fact',NULL,NULL);
INSERT INTO "intervals" VALUES('a3b6f148-215c-5655-97d7-cd1b7ae9c256',1796037096059,4503599627370496,'alice','episode',NULL,NULL);
INSERT INTO "intervals" VALUES('9867d4ef-e54e-5684-9752-6928094c458f',1796037096422,1796037096565,'alice','fact','superseded','35db4cfa-9e25-552d-935c-7b08b32efbeb');
INSERT INTO "intervals" VALUES('f9bbc0f1-a047-5e3e-93b1-bb40bf957a9c',1796037096422,4503599627370496,'alice','episode',NULL,NULL);
INSERT INTO "intervals" VALUES('35db4cfa-9e25-552d-935c-7b08b32efbeb',1796037096565,4503599627370496,'alice','fact',NULL,NULL);
INSERT INTO "intervals" VALUES('56e30c25-fd5b-5df2-8656-3768ad48c8c8',1796037096565,4503599627370496,'alice','episode',NULL,NULL);
CREATE TABLE leases (
	thread_id TEXT NOT NULL, 
	run_id TEXT NOT NULL, 
	host TEXT NOT NULL, 
	pid INTEGER NOT NULL, 
	process_started TEXT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	PRIMARY KEY (thread_id)
);
CREATE TABLE lives (
	origin TEXT NOT NULL, 
	start BIGINT NOT NULL, 
	"end" BIGINT NOT NULL, 
	PRIMARY KEY (origin, start)
);
INSERT INTO "lives" VALUES('b540856c-0d6d-50db-800d-d16de635bcb5',1796037096059,4503599627370496);
INSERT INTO "lives" VALUES('715a8188-02a5-5782-89ae-6abf7f77ef57',1796037096422,4503599627370496);
INSERT INTO "lives" VALUES('57d6d584-61eb-53d9-8bbc-c0815eb89d58',1796037096565,4503599627370496);
CREATE TABLE messages (
	thread_id TEXT NOT NULL, 
	message_id TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	ordinal INTEGER NOT NULL, 
	speaker TEXT NOT NULL, 
	text TEXT NOT NULL, 
	said_at TEXT, 
	turn_id TEXT NOT NULL, 
	recorded_at BIGINT NOT NULL, 
	hidden_by TEXT, 
	PRIMARY KEY (thread_id, message_id)
);
INSERT INTO "messages" VALUES('monday','20e04525-b3a5-5d7a-ab95-90c6fcda61de','alice',0,'user','我叫小林，我对花生过敏','2026-11-30T11:11:35.075000+00:00','1d81be28-49cc-5ffa-93ee-dcde1024f993',1796037096059,NULL);
INSERT INTO "messages" VALUES('monday','lc_run--01a22c27-30e8-732c-843f-704683d94d4b-0','alice',1,'assistant','记下了。
（我不是语言模型，只会存下你说的话，并原样列出想起的内容。）','2026-11-30T11:11:35.075000+00:00','1d81be28-49cc-5ffa-93ee-dcde1024f993',1796037096059,NULL);
INSERT INTO "messages" VALUES('monday','dc3f8a40-edbf-5cbf-bdff-9125a8162dfd','alice',2,'user','I live in Lisbon.','2026-11-30T11:11:36.306000+00:00','7d121b74-ef5e-5f4b-b056-1670a890808b',1796037096422,NULL);
INSERT INTO "messages" VALUES('monday','lc_run--01a22c27-33a3-718e-b8ef-42ab511eded1-0','alice',3,'assistant','Noted.
(I am not a language model: I only keep what you say and list what was recalled.)','2026-11-30T11:11:36.306000+00:00','7d121b74-ef5e-5f4b-b056-1670a890808b',1796037096422,NULL);
INSERT INTO "messages" VALUES('monday','b10a3a86-9130-557e-8d5f-da7f3890de16','alice',4,'user','不对，我住在波尔图','2026-11-30T11:11:36.529000+00:00','8fd0b91c-0730-5b04-ba8a-fa8c6de71dfc',1796037096565,NULL);
INSERT INTO "messages" VALUES('monday','lc_run--01a22c27-346d-75ad-922d-e4de10f63612-0','alice',5,'assistant','记下了。
（我不是语言模型，只会存下你说的话，并原样列出想起的内容。）','2026-11-30T11:11:36.529000+00:00','8fd0b91c-0730-5b04-ba8a-fa8c6de71dfc',1796037096565,NULL);
CREATE TABLE migrations (
	name TEXT NOT NULL, 
	recorded_at BIGINT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "migrations" VALUES('m001_tables',1796037088511);
INSERT INTO "migrations" VALUES('m002_usage',1796037088512);
INSERT INTO "migrations" VALUES('m003_sessions',1796037088530);
CREATE TABLE outbox (
	seq INTEGER NOT NULL, 
	record_id TEXT NOT NULL, 
	start BIGINT NOT NULL, 
	what TEXT NOT NULL, 
	PRIMARY KEY (seq)
);
CREATE TABLE records (
	id TEXT NOT NULL, 
	origin TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	text TEXT NOT NULL, 
	subject TEXT, 
	attribute TEXT, 
	value TEXT, 
	polarity INTEGER NOT NULL, 
	confidence FLOAT NOT NULL, 
	importance FLOAT NOT NULL, 
	said_at TEXT, 
	occurred_at TEXT, 
	expires_at TEXT, 
	thread_id TEXT, 
	turn_id TEXT, 
	commit_id TEXT, 
	checkpoint_id TEXT, 
	message_ids JSON NOT NULL, 
	spans JSON NOT NULL, 
	speaker TEXT NOT NULL, 
	extractor TEXT, 
	sources JSON NOT NULL, 
	tags JSON NOT NULL, 
	language TEXT, 
	near JSON NOT NULL, 
	recorded_at BIGINT NOT NULL, 
	ordinal INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "records" VALUES('a3b6f148-215c-5655-97d7-cd1b7ae9c256','b540856c-0d6d-50db-800d-d16de635bcb5','alice','episode','我叫小林，我对花生过敏',NULL,NULL,NULL,1,1.0,0.5,'2026-11-30T11:11:35.075000+00:00',NULL,NULL,'monday','1d81be28-49cc-5ffa-93ee-dcde1024f993','b540856c-0d6d-50db-800d-d16de635bcb5','1f1ecaec-ea3a-6599-8004-16fc165f37b5','["20e04525-b3a5-5d7a-ab95-90c6fcda61de"]','[[0, 11]]','user',NULL,'[]','[]','zh','[]',1796037096059,0);
INSERT INTO "records" VALUES('41d090f7-3c42-5582-a0e5-de8cfba8ed11','b540856c-0d6d-50db-800d-d16de635bcb5','alice','fact','用户叫小林','user','name','小林',1,0.9,0.95,'2026-11-30T11:11:35.075000+00:00',NULL,NULL,'monday','1d81be28-49cc-5ffa-93ee-dcde1024f993','b540856c-0d6d-50db-800d-d16de635bcb5','1f1ecaec-ea3a-6599-8004-16fc165f37b5','["20e04525-b3a5-5d7a-ab95-90c6fcda61de"]','[[0, 4]]','user','rules-1','[]','[]','zh','[]',1796037096059,1);
INSERT INTO "records" VALUES('1f0f9fbd-970b-5b36-bb83-6a117400c538','b540856c-0d6d-50db-800d-d16de635bcb5','alice','fact','用户对花生过敏','user','allergy','花生',1,0.9,0.95,'2026-11-30T11:11:35.075000+00:00',NULL,NULL,'monday','1d81be28-49cc-5ffa-93ee-dcde1024f993','b540856c-0d6d-50db-800d-d16de635bcb5','1f1ecaec-ea3a-6599-8004-16fc165f37b5','["20e04525-b3a5-5d7a-ab95-90c6fcda61de"]','[[5, 11]]','user','rules-1','[]','[]','zh','[]',1796037096059,2);
INSERT INTO "records" VALUES('f9bbc0f1-a047-5e3e-93b1-bb40bf957a9c','715a8188-02a5-5782-89ae-6abf7f77ef57','alice','episode','I live in Lisbon.',NULL,NULL,NULL,1,1.0,0.5,'2026-11-30T11:11:36.306000+00:00',NULL,NULL,'monday','7d121b74-ef5e-5f4b-b056-1670a890808b','715a8188-02a5-5782-89ae-6abf7f77ef57','1f1ecaec-edbc-6b94-800b-4f0b3b833b5d','["dc3f8a40-edbf-5cbf-bdff-9125a8162dfd"]','[[0, 17]]','user',NULL,'[]','[]','en','["a3b6f148-215c-5655-97d7-cd1b7ae9c256"]',1796037096422,0);
INSERT INTO "records" VALUES('9867d4ef-e54e-5684-9752-6928094c458f','715a8188-02a5-5782-89ae-6abf7f77ef57','alice','fact','The user lives in Lisbon','user','home','Lisbon',1,0.9,0.8,'2026-11-30T11:11:36.306000+00:00',NULL,NULL,'monday','7d121b74-ef5e-5f4b-b056-1670a890808b','715a8188-02a5-5782-89ae-6abf7f77ef57','1f1ecaec-edbc-6b94-800b-4f0b3b833b5d','["dc3f8a40-edbf-5cbf-bdff-9125a8162dfd"]','[[0, 16]]','user','rules-1','[]','[]','en','[]',1796037096422,1);
INSERT INTO "records" VALUES('56e30c25-fd5b-5df2-8656-3768ad48c8c8','57d6d584-61eb-53d9-8bbc-c0815eb89d58','alice','episode','不对，我住在波尔图',NULL,NULL,NULL,1,1.0,0.5,'2026-11-30T11:11:36.529000+00:00',NULL,NULL,'monday','8fd0b91c-0730-5b04-ba8a-fa8c6de71dfc','57d6d584-61eb-53d9-8bbc-c0815eb89d58','1f1ecaec-ef21-6b8c-8012-5959170423e3','["b10a3a86-9130-557e-8d5f-da7f3890de16"]','[[0, 9]]','user',NULL,'[]','[]','zh','["a3b6f148-215c-5655-97d7-cd1b7ae9c256", "f9bbc0f1-a047-5e3e-93b1-bb40bf957a9c"]',1796037096565,0);
INSERT INTO "records" VALUES('35db4cfa-9e25-552d-935c-7b08b32efbeb','57d6d584-61eb-53d9-8bbc-c0815eb89d58','alice','fact','用户住在波尔图','user','home','波尔图',1,0.9,0.8,'2026-11-30T11:11:36.529000+00:00',NULL,NULL,'monday','8fd0b91c-0730-5b04-ba8a-fa8c6de71dfc','57d6d584-61eb-53d9-8bbc-c0815eb89d58','1f1ecaec-ef21-6b8c-8012-5959170423e3','["b10a3a86-9130-557e-8d5f-da7f3890de16"]','[[3, 9]]','user','rules-1','[]','[]','zh','[]',1796037096565,1);
CREATE TABLE refs (
	commit_id TEXT NOT NULL, 
	n INTEGER NOT NULL, 
	PRIMARY KEY (commit_id)
);
INSERT INTO "refs" VALUES('b540856c-0d6d-50db-800d-d16de635bcb5',1);
INSERT INTO "refs" VALUES('715a8188-02a5-5782-89ae-6abf7f77ef57',1);
INSERT INTO "refs" VALUES('57d6d584-61eb-53d9-8bbc-c0815eb89d58',1);
CREATE TABLE spellings (
	seq INTEGER NOT NULL, 
	user_id TEXT NOT NULL, 
	thread_id TEXT NOT NULL, 
	message_id TEXT NOT NULL, 
	spelled TEXT NOT NULL, 
	PRIMARY KEY (seq)
);
INSERT INTO "spellings" VALUES(1,'alice','monday','20e04525-b3a5-5d7a-ab95-90c6fcda61de','我叫小林,我对花生过敏');
INSERT INTO "spellings" VALUES(2,'alice','monday','lc_run--01a22c27-30e8-732c-843f-704683d94d4b-0','记下了。 (我不是语言模型,只会存下你说的话,并原样列出想起的内容。)');
INSERT INTO "spellings" VALUES(3,'alice','monday','dc3f8a40-edbf-5cbf-bdff-9125a8162dfd',' i live in lisbon.');
INSERT INTO "spellings" VALUES(4,'alice','monday','lc_run--01a22c27-33a3-718e-b8ef-42ab511eded1-0',' noted. ( i am not a language model: i only keep what you say and list what was recalled.)');
INSERT INTO "spellings" VALUES(5,'alice','monday','b10a3a86-9130-557e-8d5f-da7f3890de16','不对,我住在波尔图');
INSERT INTO "spellings" VALUES(6,'alice','monday','lc_run--01a22c27-346d-75ad-922d-e4de10f63612-0','记下了。 (我不是语言模型,只会存下你说的话,并原样列出想起的内容。)');
CREATE TABLE statements (
	id TEXT NOT NULL, 
	origin TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	attribute TEXT NOT NULL, 
	value TEXT, 
	polarity INTEGER NOT NULL, 
	asserts BOOLEAN NOT NULL, 
	by_person BOOLEAN NOT NULL, 
	op TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	confidence FLOAT NOT NULL, 
	at BIGINT NOT NULL, 
	recorded_at BIGINT NOT NULL, 
	ordinal INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "statements" VALUES('41d090f7-3c42-5582-a0e5-de8cfba8ed11','b540856c-0d6d-50db-800d-d16de635bcb5','alice','user','name','小林',1,1,0,'add','new',0.9,1796037095075,1796037096059,1);
INSERT INTO "statements" VALUES('1f0f9fbd-970b-5b36-bb83-6a117400c538','b540856c-0d6d-50db-800d-d16de635bcb5','alice','user','allergy','花生',1,1,0,'add','new',0.9,1796037095075,1796037096059,2);
INSERT INTO "statements" VALUES('9867d4ef-e54e-5684-9752-6928094c458f','715a8188-02a5-5782-89ae-6abf7f77ef57','alice','user','home','Lisbon',1,1,0,'add','new',0.9,1796037096306,1796037096422,1);
INSERT INTO "statements" VALUES('35db4cfa-9e25-552d-935c-7b08b32efbeb','57d6d584-61eb-53d9-8bbc-c0815eb89d58','alice','user','home','波尔图',1,1,0,'supersede','takes the place of: The user lives in Lisbon',0.9,1796037096529,1796037096565,1);
CREATE TABLE threads (
	thread_id TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	created BIGINT NOT NULL, 
	updated BIGINT NOT NULL, 
	messages INTEGER NOT NULL, 
	deleted BIGINT, 
	title TEXT, 
	PRIMARY KEY (thread_id)
);
INSERT INTO "threads" VALUES('monday','alice',1796037095048,1796037096565,6,NULL,NULL);
CREATE TABLE undone (
	commit_id TEXT NOT NULL, 
	recorded_at BIGINT NOT NULL, 
	PRIMARY KEY (commit_id)
);
CREATE TABLE usage (
	commit_id TEXT NOT NULL, 
	what TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	thread_id TEXT NOT NULL, 
	turn_id TEXT NOT NULL, 
	calls INTEGER NOT NULL, 
	input_tokens BIGINT NOT NULL, 
	output_tokens BIGINT NOT NULL, 
	recorded_at BIGINT NOT NULL, 
	PRIMARY KEY (commit_id, what)
);
INSERT INTO "usage" VALUES('b540856c-0d6d-50db-800d-d16de635bcb5','answer','alice','monday','1d81be28-49cc-5ffa-93ee-dcde1024f993',1,173,35,1796037096059);
INSERT INTO "usage" VALUES('715a8188-02a5-5782-89ae-6abf7f77ef57','answer','alice','monday','7d121b74-ef5e-5f4b-b056-1670a890808b',1,213,22,1796037096422);
INSERT INTO "usage" VALUES('57d6d584-61eb-53d9-8bbc-c0815eb89d58','answer','alice','monday','8fd0b91c-0730-5b04-ba8a-fa8c6de71dfc',1,282,35,1796037096565);
CREATE TABLE uses (
	memory_id TEXT NOT NULL, 
	turn_id TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	recorded_at BIGINT NOT NULL, 
	PRIMARY KEY (memory_id, turn_id)
);
INSERT INTO "uses" VALUES('a3b6f148-215c-5655-97d7-cd1b7ae9c256','8fd0b91c-0730-5b04-ba8a-fa8c6de71dfc','alice',1796037096529);
CREATE INDEX threads_by_user ON threads (user_id, updated);
CREATE INDEX messages_by_user ON messages (user_id, recorded_at);
CREATE INDEX messages_in_order ON messages (thread_id, ordinal);
CREATE INDEX spellings_by_user ON spellings (user_id, seq);
CREATE INDEX commits_by_run ON commits (run_id);
CREATE INDEX commits_by_thread ON commits (thread_id);
CREATE INDEX commits_by_turn ON commits (user_id, turn_id);
CREATE INDEX statements_by_slot ON statements (user_id, subject, attribute);
CREATE INDEX statements_by_origin ON statements (origin);
CREATE INDEX records_by_slot ON records (user_id, subject, attribute);
CREATE INDEX records_by_user ON records (user_id, kind, recorded_at);
CREATE INDEX records_by_turn ON records (turn_id);
CREATE INDEX records_by_origin ON records (origin);
CREATE INDEX intervals_by_user ON intervals (user_id, kind, "end", start);
CREATE INDEX events_by_user ON events (user_id, recorded_at);
CREATE INDEX events_by_target ON events (target);
CREATE INDEX events_by_slot ON events (user_id, subject, attribute);
CREATE INDEX uses_by_time ON uses (memory_id, recorded_at);
CREATE INDEX usage_by_thread ON usage (thread_id);
CREATE INDEX usage_by_user ON usage (user_id);
CREATE INDEX ended_by_event ON ended (event_id);
COMMIT;
