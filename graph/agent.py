"""open_agent: one folder, one agent. Its graph, its memory and its threads, opened together and closed together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from qdrant_client.http.exceptions import ResponseHandlingException

from graph.build import Graph, Tool, build_graph, delta_channels
from graph.following import Following
from graph.models import resolve_model
from graph.replay import moment_of_memory
from graph.settings import Settings
from graph.threads import Threads
from graph.titles import titles_by
from graph.unread import taking_in_what_is_unread
from memory.lexical import Bm25Encoder
from memory.record import Clock, Extractor
from stores.book import MemoryBook
from stores.checkpointer import SqliteCheckpointer
from stores.database import Database, sqlite_url
from stores.embeddings import Embedder, resolve_embeddings
from stores.errors import BadInput, IndexUnreachable, LedgerReadOnly
from stores.leases import Leases, leased
from stores.qdrant_store import PalimpsestStore, open_client
from stores.skill_folder import SkillFolder
from stores.timing import TimedEmbeddings


def system_clock() -> datetime:
    """The system's time, aware, in UTC."""
    return datetime.now(UTC)


@dataclass
class Agent:
    """What `open_agent` gives: the compiled LangGraph graph, a MemoryBook, and the threads."""

    graph: Graph
    memory: MemoryBook
    threads: Threads
    settings: Settings
    opened: ExitStack

    def close(self) -> None:
        """Close files and connections; closing twice is fine."""
        self.opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        self.close()


def settings_for(data_dir: str | Path | None, **given: Any) -> Settings:
    """Settings in which what was given wins over the environment; None means not given."""
    named = {k: v for k, v in given.items() if v is not None}
    if data_dir is not None:
        named["data_dir"] = Path(data_dir)
    return Settings(**named)


def open_agent(
    data_dir: str | Path | None = None,
    *,
    model: str | BaseChatModel | None = None,
    extraction_model: str | BaseChatModel | None = None,
    embeddings: str | Embeddings | None = None,
    qdrant_url: str | None = None,
    tools: Sequence[Tool] = (),
    skills: str | Path | None = None,
    extractor: Extractor | None = None,
    clock: Clock | None = None,
) -> Agent:
    """Open (or create) the agent that lives in a folder; `./data` unless said, here or by PALIMPSEST_DATA_DIR.

    `model`, `extraction_model` and `embeddings` are names or LangChain objects; see `build_graph` for who reads facts.
    `skills` is a folder of skills, which are read again whenever a file changes; `./skills` unless said, here or by
    PALIMPSEST_SKILLS, and none where that is not there.
    Use it in a `with` (or `async with`) block, or call `close()`. Raises a `PalimpsestError` (`FolderBusy` when another
    process has the folder, `LedgerCorrupt`, `CheckpointsCorrupt`, `IndexCorrupt`, `EmbedderMismatch`,
    `LedgerReadOnly`, `BadInput` for a folder of skills that was named and is none), each one sentence for a person.
    """
    settings = settings_for(
        data_dir,
        qdrant_url=qdrant_url,
        embeddings=embeddings if isinstance(embeddings, str) else None,
        skills=Path(skills) if skills is not None else None,
    )
    where = skills_folder(settings)
    folder = make_folder(settings)
    with ExitStack() as opened:
        database = opened.enter_context(closing(open_database(settings, clock or system_clock)))
        checkpointer = opened.enter_context(closing(SqliteCheckpointer.open(folder / "checkpoints.sqlite")))
        book = _open_memory(settings, database, embeddings, extractor, opened, where)
        with _reaching(settings):
            book.index.setup()
        plain = build_graph(
            model=model,
            tools=tools,
            extraction_model=extraction_model,
            extractor=extractor,
            settings=settings,
            checkpointer=checkpointer,
            store=book.store,
        )
        checkpointer.delta_channels = delta_channels(plain)
        checkpointer.on_input = lambda thread_id, user_id, _: book.ledger.enter_thread(thread_id, user_id)
        default = model if model is not None else settings.model
        titler = titles_by(lambda name: resolve_model(name or default, settings=settings))
        leases = Leases(database.engine)
        checkpointer.check_lease = leases.check
        graph = leased(plain, leases, before=taking_in_what_is_unread(plain, checkpointer))
        following = Following(plain, book)
        checkpointer.on_begin = book.ledger.begin_thread
        checkpointer.on_delete_runs = following.runs_were_deleted
        checkpointer.on_delete_thread = following.thread_was_deleted
        checkpointer.on_copy_thread = following.thread_was_copied
        book.memory_time_of = lambda checkpoint: moment_of_memory(plain, checkpoint)
        book.zone = settings.timezone
        book.sync()
        return Agent(
            graph=graph,
            memory=book,
            threads=Threads(book, graph, plain, checkpointer, leases, titler),
            settings=settings,
            opened=opened.pop_all(),
        )


def rebuild_index(
    data_dir: str | Path | None = None,
    *,
    embeddings: str | Embeddings | None = None,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Make a folder's index anew from its ledger, with the embedder configured now; returns how many points it has.

    `progress` is told how many more are done. Raises a `PalimpsestError`; the ledger is only read.
    """
    settings = settings_for(data_dir, embeddings=embeddings if isinstance(embeddings, str) else None)
    make_folder(settings)
    with ExitStack() as opened:
        database = opened.enter_context(closing(open_database(settings, system_clock)))
        book = _open_memory(settings, database, embeddings, None, opened)
        with _reaching(settings):
            return book.rebuild(progress)


@contextmanager
def _reaching(settings: Settings) -> Iterator[None]:
    try:
        yield
    except ResponseHandlingException as error:
        raise IndexUnreachable(
            f"The Qdrant server at {settings.qdrant_url} does not answer ({error}). The ledger is unharmed, and what "
            "only reads it still works. Start the server, or take PALIMPSEST_QDRANT_URL away."
        ) from error


def embedder_of(settings: Settings, embeddings: str | Embeddings | None = None) -> Embedder:
    """The embedder that is given, or the one that the settings name. Raises `EmbedderUnavailable`."""
    return resolve_embeddings(
        settings.embeddings if embeddings is None else embeddings,
        base_url=settings.embeddings_base_url,
        api_key=settings.embeddings_api_key,
        timeout=settings.request_timeout,
        max_retries=settings.max_retries,
    )


def _open_memory(
    settings: Settings,
    database: Database,
    embeddings: str | Embeddings | None,
    extractor: Extractor | None,
    opened: ExitStack,
    skills: Path | None = None,
) -> MemoryBook:
    embedder = embedder_of(settings, embeddings)
    client = opened.enter_context(closing(open_client(settings.data_dir, settings.qdrant_url, settings.qdrant_api_key)))
    timed = TimedEmbeddings(embedder.embeddings)
    store = PalimpsestStore(
        client, embeddings=timed, dims=embedder.dims, embedder_name=embedder.name, sparse=Bm25Encoder()
    )
    book = MemoryBook(
        database,
        store,
        scale=embedder.scale,
        extractor=extractor,
        forgetting=settings.forgetting,
        lesson_messages=settings.lesson_messages,
    )
    book.skills = SkillFolder(skills, timed, embedder.scale.threshold) if skills else None
    timed.book = book
    return book


def skills_folder(settings: Settings) -> Path:
    """Where the skills lie, wherever the process goes later. Raises `BadInput` when a named folder is none."""
    if settings.skills is not None and not settings.skills.is_dir():
        raise BadInput(
            f"The folder of skills {settings.skills} is not there. Nothing was changed; make it, or name another with "
            "PALIMPSEST_SKILLS."
        )
    return (settings.skills or Path("skills")).absolute()


def make_folder(settings: Settings) -> Path:
    """The data folder, made if it is not there. Raises `LedgerReadOnly` where that cannot be."""
    folder = settings.data_dir
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LedgerReadOnly(
            f"The data folder {folder} cannot be made ({error.strerror}). Nothing was changed; choose another with "
            "PALIMPSEST_DATA_DIR."
        ) from error
    return folder


def open_database(settings: Settings, clock: Clock, *, read_only: bool = False) -> Database:
    """The ledger's database of these settings."""
    url = settings.ledger_url or sqlite_url(settings.data_dir / "ledger.sqlite")
    return Database(url, clock, read_only=read_only)


def open_book(data_dir: str | Path | None = None, *, clock: Clock | None = None) -> MemoryBook:
    """The ledger of a folder alone, read-only: what lists and shows memory while another process has the index."""
    settings = settings_for(data_dir)
    if settings.ledger_url is None and not (settings.data_dir / "ledger.sqlite").exists():
        # Nobody has said anything here yet; looking makes no file.
        return MemoryBook(Database("sqlite://", clock or system_clock), None)
    database = open_database(settings, clock or system_clock, read_only=True)
    return MemoryBook(database, None, forgetting=settings.forgetting)
