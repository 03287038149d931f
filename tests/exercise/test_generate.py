"""The same request gives the same bytes on every machine, others give others, and all variants of a batch differ."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable
from hashlib import sha256

import pytest

from symattn.base.errors import SymattnError
from symattn.course.generate import COUNT, generate, variant
from symattn.course.model import Exercise

TOPIC, LEVEL = "attention-row", 3

GOLDEN = "d19e30efd55387eb8b0a5e073e808c28a65c0587c05659bd3c67d8d18ae5dd05"
"""SHA-256 of numbers and keys of a small batch. It changes when a topic draws otherwise or other draws are rejected,
not with the words, the version of Python or the machine."""


def _bytes(exercises: Iterable[Exercise]) -> bytes:
    """Everything of the exercises but their words."""
    tables = ((one, tomllib.loads(one.source)) for one in exercises)
    lines = (
        f"{one.version} {table.get('given')!r} {table.get('general')!r} {one.parts!r} {one.cost}"
        for one, table in tables
    )
    return "\n".join(lines).encode()


def _digest(exercises: Iterable[Exercise]) -> str:
    return sha256(_bytes(exercises)).hexdigest()


def _small() -> str:
    """A digest of three topics, one with logarithms, one with roots, one without numbers."""
    batches = (("softmax-row", 1), (TOPIC, 5), ("shape-of-product", 5))
    return _digest([one for topic, level in batches for one in generate(topic, difficulty=level, seed=7, count=3)])


def test_all_variants_of_a_batch_differ_where_there_are_few_numbers() -> None:
    # 8 × 7 × 6 products of two matrices whose sizes all differ: some are drawn twice, and then once more.
    batch = generate("shape-of-product", difficulty=1, seed=7, count=60)
    assert len({one.source for one in batch}) == 60
    assert batch.rejected["the same numbers as another version"] > 0
    assert [one.version for one in batch] == list(range(1, 61))


def test_a_batch_that_cannot_be_found_says_what_was_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[generate.__module__], "TRIES", 1)
    with pytest.raises(
        SymattnError, match=r"no more variants were found after 1 draws for version \d+: .* \(1 times\)"
    ):
        generate("attention-head", difficulty=1, seed=7, count=20)


def test_rejected_counts_add_up() -> None:
    """A version that is the fourth to be drawn had three before it, each rejected for one reason."""
    batch = generate("softmax-row", difficulty=2, seed=7, count=12)
    found = [variant(batch.request, version) for version in range(1, 13)]
    assert [one.exercise for one in found] == list(batch)
    assert all(one.draw == len(one.rejected) for one in found)
    assert sum(batch.rejected.values()) == sum(one.draw for one in found)


def test_a_small_batch_is_the_one_that_every_machine_makes() -> None:
    assert _small() == GOLDEN


@pytest.mark.parametrize(("request_", "message"), [
    ({"topic": "softmax-rows"}, r"softmax-rows.*softmax-row"),
    ({"difficulty": 0}, r"difficulty is 0: expected a whole number from 1 to 5"),
    ({"difficulty": 6}, r"difficulty is 6"),
    ({"difficulty": True}, r"difficulty is True"),
    ({"count": 0}, r"count is 0: expected a whole number from 1"),
    ({"count": COUNT + 1}, rf"count is {COUNT + 1}"),
    ({"language": "fr"}, r"fr.*zh-Hant"),
])  # fmt: skip
def test_a_wrong_request_is_told_in_one_sentence(request_: dict[str, object], message: str) -> None:
    wanted: dict[str, object] = {"topic": "softmax-row", **request_}
    with pytest.raises(SymattnError, match=message) as raised:
        generate(wanted.pop("topic"), **wanted)  # type: ignore[arg-type]
    assert "\n" not in str(raised.value)
