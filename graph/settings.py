"""What an agent is configured with, from arguments, the environment (`PALIMPSEST_...`) or a `.env` file."""

from __future__ import annotations

from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Arguments win over the environment, the environment over `.env`. `request_timeout` is in seconds."""

    model_config = SettingsConfigDict(env_prefix="PALIMPSEST_", env_file=".env", extra="ignore")

    data_dir: Path = Path("data")
    model: str | None = None
    embeddings: str = "use-multilingual"
    qdrant_url: str | None = None
    qdrant_api_key: str | None = None
    ledger_url: str | None = None
    openai_base_url: str | None = None
    openai_api_key: str | None = None
    request_timeout: float = 60.0
