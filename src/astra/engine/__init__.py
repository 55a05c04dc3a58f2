"""How a stage is executed, whatever it does: ledger, resume, executor, progress, files."""

from astra.engine.files import pretty_json, read_jsonl, read_lines, write_jsonl, write_text
from astra.engine.ledger import Ledger, Outcome
from astra.engine.progress import Bars, Reporter, Silent
from astra.engine.stage import Executed, Stage, StageReport, StageRunner

__all__ = [
    "Bars",
    "Executed",
    "Ledger",
    "Outcome",
    "Reporter",
    "Silent",
    "Stage",
    "StageReport",
    "StageRunner",
    "pretty_json",
    "read_jsonl",
    "read_lines",
    "write_jsonl",
    "write_text",
]
