"""Measuring policies in arenas."""

from astra.evaluation.arenas import Evaluation, evaluate, policy_maker

__all__ = ["Evaluation", "evaluate", "policy_maker"]
