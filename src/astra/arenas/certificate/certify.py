"""Certifying an arena: every check, on the finished artifact, in fresh workers."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from astra.arenas.certificate.dynamic import DYNAMIC_CHECKS, Examination
from astra.arenas.certificate.static import STATIC_CHECKS
from astra.errors import Rejected
from astra.model import Arena, Certificate, Check, canonical_json
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


async def _checks(arena: Arena) -> list[Check]:
    done: list[Check] = []
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
    return done
