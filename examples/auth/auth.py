"""Who may do what in a server of Palimpsest: each user his own threads and memories, and nothing else.

Tokens stand in EXAMPLE_TOKENS as JSON, `{"<token>": "<user id>"}`; put your own identity provider in `who`. The user
`operator` may act for everyone: `palimpsest dev` needs that (PALIMPSEST_SERVER_TOKEN) to list a folder's threads.
"""

import json
import os
from typing import Any

from langgraph_sdk import Auth

from nodes.turn import ANY_USER
from stores.indexer import namespace_of

OPERATOR = "operator"

auth = Auth()
forbidden = Auth.exceptions.HTTPException(status_code=403, detail="This is not yours.")


@auth.authenticate
async def who(authorization: str | None) -> Auth.types.MinimalUserDict:
    """The user of a bearer token. Without one that is known: 401."""
    scheme, _, token = (authorization or "").partition(" ")
    user = json.loads(os.environ.get("EXAMPLE_TOKENS", "{}")).get(token)
    if scheme.lower() != "bearer" or user is None:
        raise Auth.exceptions.HTTPException(status_code=401, detail="A bearer token is needed.")
    return {"identity": user, "permissions": [ANY_USER] if user == OPERATOR else []}


@auth.on
async def nothing_else(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """What no rule below allows, only the operator may."""
    del value
    return ctx.user.identity == OPERATOR


@auth.on(resources="assistants", actions=["read", "search"])
async def the_agent(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Everybody may talk to the agent."""
    del ctx, value
    return True


@auth.on.threads
async def own_threads(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType | bool:
    """A thread belongs to who made it; to others it is not there. The operator says whose a thread is."""
    user = ctx.user.identity
    if ctx.action in ("create", "update", "create_run"):
        metadata = value.setdefault("metadata", {})
        named = metadata.get("palimpsest_user", user)
        if user != OPERATOR and named != user:
            raise forbidden
        metadata["owner"] = named
    if ctx.action == "create_run" and user != OPERATOR and user != _speaks_for(value, user):
        raise forbidden
    return True if user == OPERATOR else {"owner": user}


def _speaks_for(run: Any, default: str) -> str:
    """Whose memory a run asks for; the graph refuses another's too, also when an assistant names him."""
    given = run.get("kwargs") or {}
    context, configurable = given.get("context") or {}, (given.get("config") or {}).get("configurable") or {}
    return str(context.get("user_id") or configurable.get("user_id") or default)


@auth.on.store
async def own_memories(ctx: Auth.types.AuthContext, value: Any) -> None:
    """The store of memories is open under one's own namespace."""
    user = ctx.user.identity
    mine = namespace_of(user)
    if user != OPERATOR and tuple(value.get("namespace") or ())[: len(mine)] != mine:
        raise forbidden
