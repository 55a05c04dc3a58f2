"""What every noun has in common."""

from __future__ import annotations

from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict, StrictBool, StrictFloat, StrictInt, StrictStr

JsonObject: TypeAlias = dict[str, Any]
Answer: TypeAlias = StrictBool | StrictInt | StrictFloat | StrictStr
"""A specific answer: one value, never a list or an object."""


class Noun(BaseModel):
    """An immutable value with no field that its class does not name."""

    model_config = ConfigDict(frozen=True, extra="forbid")
