"""The settings of a run, as they stand in `run.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import Field, ValidationError

from astra.engine import write_text
from astra.errors import BadInput
from astra.llm.endpoint import Endpoint, Price
from astra.llm.models import Role
from astra.llm.spending import SpendingCap
from astra.model import Noun
from astra.teachers.llm.prompts import Language
from astra.trajectories.chains import ChainConfig
from astra.trajectories.collect.servers import ServerFilter
from astra.trajectories.graph import GraphConfig
from astra.trajectories.judge import JudgeConfig
from astra.trajectories.rollouts import RolloutConfig
from astra.trajectories.tasks import TaskConfig


class Inputs(Noun):
    """Where a run's material comes from."""

    botocore_services: int = 0  # how many services of the installed botocore, drawn by seed; -1: all
    botocore_tools: int = Field(default=24, ge=3)  # operations of one service, at most
    servers: tuple[str, ...] = ()  # files of tool documents
    openapi: tuple[str, ...] = ()  # OpenAPI documents, or folders of them
    openapi_tools: int = Field(default=24, ge=3)  # operations of one document, at most
    live: tuple[str, ...] = ()  # `mcpServers` files; "packaged": the servers from PyPI that ASTRA installs
    tables: tuple[str, ...] = ()  # CSV or JSON files; "packaged": tables inside installed packages
    traces: tuple[str, ...] = ()  # files of solved problems; "packaged": ASTRA's own


class PromptConfig(Noun):
    """The prompts that language models are given."""

    language: Language = "en"
    folder: str | None = None  # templates of the user's own: `<question>.md`, instead of ASTRA's


class ArenaConfig(Noun):
    """How many traces are composed from tables, and what arenas get besides their own tools."""

    traces: int = Field(default=320, ge=0)  # composed from tables, the four scenario types in turn
    max_hops: int = Field(default=6, ge=1, le=6)
    distractors: int = Field(default=4, ge=0)


class RunConfig(Noun):
    """Everything that a run depends on, the installed packages aside."""

    seed: int = 0
    inputs: Inputs = Inputs()
    filter: ServerFilter = ServerFilter()
    models: dict[Role, Endpoint] = Field(default_factory=dict)  # judge, policy and user: the teacher's, if not named
    prices: dict[str, Price] = Field(default_factory=dict)  # by model
    cap: SpendingCap = SpendingCap()
    shared_cache: str | None = None  # file of answers that several runs share
    prompts: PromptConfig = PromptConfig()
    graph: GraphConfig = GraphConfig()
    chains: ChainConfig = ChainConfig()
    tasks: TaskConfig = TaskConfig()
    rollouts: RolloutConfig = RolloutConfig()
    judge: JudgeConfig = JudgeConfig()
    arenas: ArenaConfig = ArenaConfig()

    def endpoints(self) -> dict[Role, Endpoint]:
        """Every role's endpoint: its own, else the teacher's. Without a teacher, only what is named.

        The teacher's stands in for the user only where the user is heard, and for the policy unless an oracle acts.
        """
        found = dict(self.models)
        if (teacher := found.get("teacher")) is not None:
            found.setdefault("judge", teacher)
            if self.rollouts.policy != "oracle":
                found.setdefault("policy", teacher)
            if self.rollouts.user_turns:
                found.setdefault("user", teacher)
        return found


def read_config(path: Path) -> RunConfig:
    """Settings from a TOML file; what it leaves out keeps its default.

    Raises:
        BadInput: no such file, no TOML, or a setting that does not exist or can't have that value.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInput(f"{path}: can't be read as TOML: {error}") from error
    return checked_config(content, str(path))


def checked_config(content: dict[str, Any], where: str) -> RunConfig:
    """Settings from plain values.

    Raises:
        BadInput: a setting that does not exist or can't have that value.
    """
    try:
        return RunConfig.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        setting = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"{where}: {setting}: {first['msg']}") from error


def write_config(config: RunConfig, path: Path) -> None:
    write_text(path, tomli_w.dumps(config.model_dump(mode="json", exclude_none=True)))


def override(config: RunConfig, changes: dict[str, Any]) -> RunConfig:
    """The settings with those of `changes` that are not None, however deep, in their place.

    Raises:
        BadInput: a setting can't have that value.
    """

    def merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
        result = dict(base)
        for name, value in over.items():
            if isinstance(value, dict):
                result[name] = merged(result.get(name, {}), value)
            elif value is not None:
                result[name] = value
        return result

    return checked_config(merged(config.model_dump(), changes), "settings")
