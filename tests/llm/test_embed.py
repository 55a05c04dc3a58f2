"""The default embedder works without a download and gives the same vectors each time."""

from __future__ import annotations

import numpy as np

from astra.llm.embed import WordLlamaEmbedder


def test_vectors_have_length_one_and_like_texts_are_near() -> None:
    vectors = WordLlamaEmbedder().embed(["list the free berths", "show berths that are free", "median of a sample"])
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


def test_the_same_text_gives_the_same_vector_alone_and_in_company() -> None:
    embedder = WordLlamaEmbedder()
    assert np.allclose(embedder.embed(["berth"])[0], embedder.embed(["x", "berth", "a longer text"])[1], atol=1e-5)


def test_an_empty_text_is_near_nothing_and_no_text_no_vector() -> None:
    embedder = WordLlamaEmbedder()
    assert not embedder.embed([""]).any()
    assert len(embedder.embed([])) == 0
