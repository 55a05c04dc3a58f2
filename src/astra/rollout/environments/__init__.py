"""What answers the calls of an episode."""

from astra.rollout.environments.arena import ArenaEnvironment, open_arena
from astra.rollout.environments.base import CallDesk, Environment

__all__ = ["ArenaEnvironment", "CallDesk", "Environment", "open_arena"]
