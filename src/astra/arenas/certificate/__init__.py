"""The certificate of an arena: what must hold of the finished artifact, each check with its evidence."""

from astra.arenas.certificate.certify import Verdict, certify, digest, examine, recertify

__all__ = ["Verdict", "certify", "digest", "examine", "recertify"]
