"""Running tool code that no one here wrote."""

from astra.sandbox.monty import CallResult, MontySandbox, MontySession, SandboxLimits

__all__ = ["CallResult", "MontySandbox", "MontySession", "SandboxLimits"]
