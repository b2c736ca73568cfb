"""What an agent is configured with, from arguments, the environment (`PALIMPSEST_...`) or a `.env` file."""

from __future__ import annotations

from pathlib import Path
from typing import Self
from zoneinfo import ZoneInfo

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from memory.forgetting import Forgetting


class _OpenAI(BaseSettings):
    """OpenAI's own variables, which stand in for what ours leave out."""

    model_config = SettingsConfigDict(env_prefix="OPENAI_", env_file=".env", extra="ignore", env_ignore_empty=True)

    base_url: str | None = None
    api_key: str | None = None


class Settings(BaseSettings):
    """Arguments win over the environment, the environment over `.env`; an empty variable is none.

    `request_timeout` is in seconds: how long a model may be silent. `max_retries` is how often a request is sent again
    after the first, `max_tool_rounds` how often a turn may go to the tools. `timezone` is the IANA name of the zone in
    which the command line shows times and a question's "yesterday" is read; None is the machine's own for the first and
    that of the asking's moment for the second. `skills` is the folder of skills; None is `./skills`,
    where there is one. Where neither the environment nor `.env`
    has a `PALIMPSEST_` address or key, OpenAI's own `OPENAI_BASE_URL` and `OPENAI_API_KEY` stand in, for the chat model
    and for embeddings alike. `forget_...` are those of `memory.forgetting.Forgetting`: half-life and age in days, floor
    and importance from 0 to 1, capacity in memories of one user. `lesson_messages` is how many
    messages on one topic make lessons.
    """

    model_config = SettingsConfigDict(env_prefix="PALIMPSEST_", env_file=".env", extra="ignore", env_ignore_empty=True)

    data_dir: Path = Path("data")
    model: str | None = None
    extraction_model: str | None = None
    embeddings: str = "use-multilingual"
    qdrant_url: str | None = None
    qdrant_api_key: str | None = None
    ledger_url: str | None = None
    openai_base_url: str | None = None
    openai_api_key: str | None = Field(default=None, repr=False)
    embeddings_base_url: str | None = None
    embeddings_api_key: str | None = Field(default=None, repr=False)
    request_timeout: float = Field(default=60.0, gt=0)
    max_retries: int = Field(default=2, ge=0)
    max_tool_rounds: int = Field(default=10, ge=1)
    timezone: ZoneInfo | None = None
    skills: Path | None = None
    forget_half_life_days: float = Field(default=30.0, gt=0)
    forget_floor: float = Field(default=0.1, gt=0, lt=1)
    forget_age_days: float = Field(default=90.0, ge=0)
    forget_capacity: int = Field(default=50_000, ge=1)
    forget_spare_importance: float = Field(default=0.7, ge=0, le=1)

    lesson_messages: int = Field(default=5, ge=2)

    @property
    def forgetting(self) -> Forgetting:
        """By what a sweep judges, and an old fact is marked."""
        return Forgetting(
            self.forget_half_life_days,
            self.forget_floor,
            self.forget_age_days,
            self.forget_capacity,
            self.forget_spare_importance,
        )

    @model_validator(mode="after")
    def _stand_in(self) -> Self:
        general = _OpenAI()
        self.openai_base_url = self.openai_base_url or general.base_url
        self.openai_api_key = self.openai_api_key or general.api_key
        self.embeddings_base_url = self.embeddings_base_url or general.base_url
        self.embeddings_api_key = self.embeddings_api_key or general.api_key
        return self
