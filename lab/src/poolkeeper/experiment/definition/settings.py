"""Base of all settings in an experiment's file."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """Settings of which none may be misspelt."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)
