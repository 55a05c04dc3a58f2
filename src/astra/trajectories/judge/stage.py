"""Judging and accepting, item by item."""

from __future__ import annotations

import asyncio

from pydantic import Field

from astra.errors import Rejected
from astra.model import Noun, Scores, Task, Trajectory
from astra.teachers.questions import Teacher
from astra.trajectories.judge.agreement import combined
from astra.trajectories.judge.judged import score_by_judge, score_rounds
from astra.trajectories.judge.rules import Rules, score_by_rule


class JudgeConfig(Noun):
    """How trajectories are judged, and what one must reach to be kept."""

    judges: int = Field(default=1, ge=1)  # how often each is judged
    temperature: float | None = Field(default=None, ge=0)  # of the judge; None: its endpoint's
    hindsight: bool = False  # judge the rounds once more, knowing what came after
    min_mean: float = Field(default=0.8, ge=0, le=1)  # of the scores that were given
    min_coverage: float = Field(default=0.5, ge=0, le=1)  # share of the seven that were given
    min_final_answer: float = Field(default=0.6, ge=0, le=1)  # an answer that gives up without cause has half at most


async def judge(task: Task, trajectory: Trajectory, teacher: Teacher | None, config: JudgeConfig) -> Trajectory:
    """The trajectory with its scores.

    Args:
        teacher: the judge; None: rules alone, and what they can't tell abstains.
    """
    if teacher is None:
        return trajectory.model_copy(update={"scores": score_by_rule(task, trajectory)})
    seeds = [f"judge {number}" for number in range(1, config.judges + 1)]
    verdicts = await asyncio.gather(*(score_by_judge(teacher, task, trajectory, seed=seed) for seed in seeds))
    scores = {"scores": combined(verdicts)}
    if config.hindsight:
        parts = await score_rounds(teacher, Rules(task, trajectory), trajectory, seed=seeds[0], hindsight=True)
        scores["hindsight"] = Scores(parts=parts)
    return trajectory.model_copy(update=scores)


def accept(trajectory: Trajectory, config: JudgeConfig) -> Trajectory:
    """The trajectory, if its scores reach what is asked for.

    Raises:
        Rejected: `unscored`, `coverage-too-low`, `score-too-low`, `final-answer-too-low`.
    """
    scores = trajectory.scores
    if scores is None or scores.mean is None:
        raise Rejected("unscored", "none of the scores could be given")
    if scores.coverage < config.min_coverage:
        unscored = [f"{name}: {part.why}" for name, part in scores.parts.items() if part.status != "scored"]
        raise Rejected("coverage-too-low", f"only {scores.coverage:.2f} of the scores could be given; {unscored[0]}")
    if scores.mean < config.min_mean:
        lost = [f"{name} {part.value:.2f}" for name, part in scores.parts.items() if part.value not in (None, 1.0)]
        raise Rejected("score-too-low", f"mean {scores.mean:.2f} is below {config.min_mean:.2f} ({', '.join(lost)})")
    final = scores.parts["final_answer"]
    if final.value is not None and final.value < config.min_final_answer:
        raise Rejected("final-answer-too-low", final.why)
    return trajectory
