"""One small vocabulary of failures, each named for the boundary it crossed.

A bad item is data, not a crash: code that finds an item unfit raises `Rejected`, and the engine turns it into a
`Rejection` on the record. Everything else here is a failure of a part, not of an item.
"""

from __future__ import annotations


class AstraError(Exception):
    """Base of every failure that ASTRA names. `code` is what a report counts by."""

    code = "astra-error"


class Rejected(AstraError):
    """The item in hand is unfit for this stage.

    Args:
        reason: a kebab-case code, the same for every item that fails in this way.
        sentence: what is wrong with this item, for a person to read.
        detail: the raw text that was refused, where keeping it helps.
    """

    code = "rejected"

    def __init__(self, reason: str, sentence: str, detail: str | None = None) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.sentence = sentence
        self.detail = detail


class BadInput(AstraError):
    """A file, flag or setting given by the user can't be used; the message says what, where and what to do."""

    code = "bad-input"


class InfrastructureFailed(AstraError):
    """A part of ours or of the machine gave way; says nothing about the item that was being worked on."""

    code = "infrastructure-failed"


class SandboxFailed(InfrastructureFailed):
    """A sandbox worker died or could not be started. A tool that raises is *not* this: that is an observation."""

    code = "sandbox-failed"


class ServerFailed(InfrastructureFailed):
    """A live tool server could not be started, went away or stopped answering."""

    code = "server-failed"


class PolicyFailed(InfrastructureFailed):
    """A policy could not give a next message."""

    code = "policy-failed"


class EndpointFailed(InfrastructureFailed):
    """A model's endpoint gave no usable response to a request, however often it was tried."""

    code = "endpoint-failed"


class RunStopped(AstraError):
    """The run can't go on now, and nothing is wrong with its items: they stay undone, and a resume works on them."""

    code = "run-stopped"


class SpendingCapReached(RunStopped):
    """As much was spent as the user allowed."""

    code = "spending-cap"


class EndpointGone(RunStopped):
    """An endpoint refuses the key or the model, or has answered nothing for so long that trying on is no use."""

    code = "endpoint-gone"
