"""The trajectory reward: seven scores and their mean (paper section 2.5).

Each is scored, abstained or failed; the mean is over what was scored, and its coverage stands beside it.
"""

from astra.trajectories.judge.agreement import Agreement, agreement
from astra.trajectories.judge.rules import score_by_rule
from astra.trajectories.judge.stage import JudgeConfig, accept, judge

__all__ = ["Agreement", "JudgeConfig", "accept", "agreement", "judge", "score_by_rule"]
