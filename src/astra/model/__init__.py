"""The nouns of ASTRA. No I/O here: a noun can be made, compared, written as JSON and read back.

Road 1: `ServerDocument` -> `ToolServer` of `Tool`s -> `ToolGraph` -> `Chain` -> `Task` -> `Trajectory`.
Road 2: `Table` or `SolvedProblem` -> `Trace` of `SubQuestion`s -> `Arena` of `ToolCode`s and `SubTask`s, with a
`Certificate`.
Both: `Message`, `ToolCall`, `Observation`, `StopReason`; `Score`s on road 1, `Reward` of a `Rollout` on road 2.
Whatever falls out on the way is a `Rejection`.
"""

from astra.model.arenas import Arena, Certificate, Check, SubTask, ToolCode
from astra.model.base import Answer, JsonObject, Noun
from astra.model.canonical import canonical_json, content_id, seeded
from astra.model.graph import Chain, Edge, Evidence, ToolGraph
from astra.model.knowledge import Cell, Column, SolvedProblem, SolvedStep, Table
from astra.model.matching import holds, mentions
from astra.model.messages import EpisodeLimits, Failure, Message, Observation, StopReason, ToolCall, Trajectory
from astra.model.rejections import Rejection
from astra.model.rewards import Reward, Rollout
from astra.model.scores import Score, Scores, abstained, failed, scored
from astra.model.tasks import FromStep, FromTask, PlannedCall, Task
from astra.model.tools import ServerDocument, ServerLaunch, Tool, ToolServer
from astra.model.traces import Scenario, SubQuestion, Trace

__all__ = [
    "Answer",
    "Arena",
    "Cell",
    "Certificate",
    "Chain",
    "Check",
    "Column",
    "Edge",
    "EpisodeLimits",
    "Evidence",
    "Failure",
    "FromStep",
    "FromTask",
    "JsonObject",
    "Message",
    "Noun",
    "Observation",
    "PlannedCall",
    "Rejection",
    "Reward",
    "Rollout",
    "Scenario",
    "Score",
    "Scores",
    "ServerDocument",
    "ServerLaunch",
    "SolvedProblem",
    "SolvedStep",
    "StopReason",
    "SubQuestion",
    "SubTask",
    "Table",
    "Task",
    "Tool",
    "ToolCall",
    "ToolCode",
    "ToolGraph",
    "ToolServer",
    "Trace",
    "Trajectory",
    "abstained",
    "canonical_json",
    "content_id",
    "failed",
    "holds",
    "mentions",
    "scored",
    "seeded",
]
