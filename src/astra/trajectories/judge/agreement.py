"""Several judges: their mean, and how far they agree."""

from __future__ import annotations

from collections.abc import Sequence

from astra.model import Noun, Score, Scores, Trajectory, abstained, failed, scored


def combined(verdicts: Sequence[Scores]) -> Scores:
    """One judge's scores as they are; of several, each part's mean over the votes that were given."""
    if len(verdicts) == 1:
        return verdicts[0]
    return Scores(parts={name: _combined([verdict.parts[name] for verdict in verdicts]) for name in verdicts[0].parts})


def _combined(scores: Sequence[Score]) -> Score:
    votes = tuple(score.value for score in scores)
    given = [vote for vote in votes if vote is not None]
    why = " | ".join(dict.fromkeys(score.why for score in scores))
    if given:
        return scored(sum(given) / len(given), why).model_copy(update={"votes": votes})
    unscored = failed(why) if any(score.status == "failed" for score in scores) else abstained(why)
    return unscored.model_copy(update={"votes": votes})


class Agreement(Noun):
    """How far several judges agree on one score."""

    judged: int  # trajectories with at least two votes
    spread: float | None  # mean distance between the highest and the lowest vote
    alpha: float | None  # Krippendorff's, interval; 1 perfect, 0 chance; None: nothing varies or too few votes


def agreement(trajectories: Sequence[Trajectory]) -> dict[str, Agreement]:
    """By score, over all trajectories that were judged, whatever became of them."""
    parts: dict[str, list[Score]] = {}
    for trajectory in trajectories:
        for name, part in (trajectory.scores.parts if trajectory.scores is not None else {}).items():
            if part.votes:
                parts.setdefault(name, []).append(part)
    return {name: _agreement(scores) for name, scores in parts.items()}


def _agreement(scores: Sequence[Score]) -> Agreement:
    spreads = [score.spread for score in scores if score.spread is not None]
    return Agreement(
        judged=len(spreads),
        spread=round(sum(spreads) / len(spreads), 6) if spreads else None,
        alpha=_alpha([score.votes for score in scores]),
    )


def _alpha(votes: Sequence[tuple[float | None, ...]]) -> float | None:
    """Krippendorff's alpha; units are the trajectories, coders the judges, a vote that was not given is missing."""
    import krippendorff
    import numpy as np

    paired = [unit for unit in votes if sum(vote is not None for vote in unit) > 1]
    if len({vote for unit in paired for vote in unit if vote is not None}) < 2:
        return None
    coders = np.array([[np.nan if vote is None else vote for vote in unit] for unit in paired], dtype=float).T
    return round(float(krippendorff.alpha(reliability_data=coders, level_of_measurement="interval")), 6)
