"""Supervised fine-tuning data: OpenAI chat format with `tools`, a trajectory a line, loadable by `datasets`."""

from __future__ import annotations

from typing import Any

from astra.model import Noun, Trajectory


class SftRow(Noun):
    """One line of `sft.jsonl`."""

    id: str  # of the trajectory
    messages: tuple[dict[str, Any], ...]  # OpenAI chat messages
    tools: tuple[dict[str, Any], ...]  # OpenAI tool documents
    reward: float  # mean of the scores that were given, 0..1
    coverage: float  # share of the seven scores that were given
    provenance: tuple[dict[str, Any], ...]  # a call each: its id, tool, who answered, and the failure if it failed


def sft_row(trajectory: Trajectory) -> SftRow:
    """A scored trajectory as training data.

    Raises:
        ValueError: it has no scores: unscored is never passed on as perfect.
    """
    if trajectory.scores is None or trajectory.scores.mean is None:
        raise ValueError(f"trajectory {trajectory.id} is unscored")
    return SftRow(
        id=trajectory.id,
        messages=tuple(message.to_openai() for message in trajectory.messages),
        tools=trajectory.tools,
        reward=trajectory.scores.mean,
        coverage=round(trajectory.scores.coverage, 6),
        provenance=tuple(
            {"call": seen.call_id, "tool": seen.tool, "source": seen.source, "failure": seen.failure}
            for seen in trajectory.observations
        ),
    )
