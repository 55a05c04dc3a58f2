"""Certifying an arena: every check, on the finished artifact, in fresh workers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime

from astra.arenas.certificate.dynamic import DYNAMIC_CHECKS, Examination
from astra.arenas.certificate.static import STATIC_CHECKS
from astra.engine.executor import work_off
from astra.errors import InfrastructureFailed, Rejected
from astra.model import Arena, Certificate, Check, Noun, canonical_json
from astra.sandbox import MontySandbox

_OTHER_CLOCK = datetime(2031, 7, 9, 23, 58, tzinfo=UTC)


def digest(arena: Arena) -> str:
    """SHA-256 of all of an arena but its certificate."""
    return hashlib.sha256(canonical_json(arena.content()).encode()).hexdigest()


async def examine(arena: Arena) -> Certificate:
    """Run the checks of design section 7. The first that fails ends the examination: later ones build on it.

    Raises:
        SandboxFailed: a worker gave way; that says nothing about the arena.
    """
    return Certificate(arena=digest(arena), runners=arena.runners, checks=tuple(await _checks(arena)))


async def certify(arena: Arena) -> Arena:
    """The arena with its certificate.

    Raises:
        Rejected: a check failed; the reason is the check's id.
    """
    certificate = await examine(arena)
    for check in certificate.checks:
        if not check.passed:
            raise Rejected(check.id, check.evidence)
    return arena.model_copy(update={"certificate": certificate})


class Verdict(Noun):
    """What certifying an arena again gave."""

    arena: str  # id
    certificate: Certificate
    tampered: bool  # the arena carries a certificate that is about something else

    @property
    def passed(self) -> bool:
        return self.certificate.passed and not self.tampered

    @property
    def why(self) -> str:
        """The first check that fails; empty if none does."""
        if self.tampered:
            return "its certificate is about another arena: it was changed after it was certified"
        return next((f"{check.id}: {check.evidence}" for check in self.certificate.checks if not check.passed), "")


async def recertify(arenas: Sequence[Arena], *, concurrency: int = 4) -> list[Verdict]:
    """Every check again for each arena, in their order, whatever certificates they carry.

    Raises:
        SandboxFailed: a worker gave way.
    """

    async def verdict(place: int) -> tuple[int, Verdict]:
        arena = arenas[place]
        certificate = await examine(arena)
        carried = arena.certificate
        tampered = carried is not None and carried.arena != certificate.arena
        return place, Verdict(arena=arena.id, certificate=certificate, tampered=tampered)

    found = [pair async for pair in work_off(range(len(arenas)), verdict, concurrency=concurrency)]
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


async def _checks(arena: Arena) -> list[Check]:
    """The checks up to the first that fails. One that can't be made of this arena has failed: it may be anyone's."""
    done: list[Check] = []
    try:
        for static in STATIC_CHECKS:
            done.append(static(arena))
            if not done[-1].passed:
                return done
        async with MontySandbox(workers=2) as sandbox, MontySandbox(clock=_OTHER_CLOCK, random_seed=97) as other:
            exam = Examination(arena, sandbox, other)
            for dynamic in DYNAMIC_CHECKS:
                done.append(await dynamic(exam))
                if not done[-1].passed:
                    return done
    except InfrastructureFailed:
        raise
    except Exception as error:  # noqa: BLE001
        done.append(Check(id="can-be-examined", passed=False, evidence=f"{type(error).__name__}: {str(error)[:200]}"))
    return done
