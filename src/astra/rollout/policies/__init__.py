"""What can act in an episode."""

from astra.rollout.policies.base import Policy
from astra.rollout.policies.oracle import ArenaOracle
from astra.rollout.policies.simple import EmptyPolicy, RandomPolicy, ReplayPolicy

__all__ = ["ArenaOracle", "EmptyPolicy", "Policy", "RandomPolicy", "ReplayPolicy"]
