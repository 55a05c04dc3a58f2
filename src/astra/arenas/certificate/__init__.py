"""The certificate of an arena: what must hold of the finished artifact, each check with its evidence."""

from astra.arenas.certificate.certify import certify, digest, examine

__all__ = ["certify", "digest", "examine"]
