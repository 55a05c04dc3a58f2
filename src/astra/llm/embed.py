"""Texts as vectors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Anything that embeds."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row a text, of length 1, so that a dot product is a cosine; an empty text is a row of zeros."""
        ...


class WordLlamaEmbedder:
    """Static word embeddings of 256 dimensions whose weights lie in the `wordllama` package. Deterministic."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        # The model divides by the norm, which is 0 for a text without tokens: so that is done here.
        raw = np.asarray(_model().embed(list(texts)) if texts else np.zeros((0, 256)), dtype=np.float32)
        lengths = np.linalg.norm(raw, axis=1, keepdims=True)
        unit: Vectors = np.divide(raw, lengths, out=np.zeros_like(raw), where=lengths > 0)
        return unit


@cache
def _model() -> Any:
    import wordllama  # takes a moment: only where it is used

    # With the package's own folder as its cache it finds weights and tokenizer there and asks no hub.
    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
