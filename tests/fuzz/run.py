"""Inputs put together from the pieces of a language, and real inputs that were damaged, for every reader.

python -m tests.fuzz.run COUNT SEED [READER ...]        20,000 inputs for a reader take a minute or so
"""

from __future__ import annotations

import sys

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.fuzz.seeds import seeds, words
from tests.fuzz.targets import TARGETS, tried


def inputs(target: str) -> st.SearchStrategy[bytes]:
    """Inputs for a target."""
    real, pieces = seeds(target), words(target)
    joined = st.lists(st.sampled_from(pieces), max_size=24).map(lambda parts: "".join(parts).encode())
    return st.one_of(joined, damaged(real, pieces), st.binary(max_size=200), st.text(max_size=80).map(_encoded))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@st.composite
def damaged(draw: st.DrawFn, real: list[bytes], pieces: list[str]) -> bytes:
    """A real input with up to four places cut, repeated, overwritten or filled with something else."""
    data = draw(st.sampled_from(real))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 40)))
        piece = draw(
            st.one_of(
                st.just(b""),
                st.sampled_from(pieces).map(str.encode),
                st.binary(max_size=8),
                st.just(data[start:end] * 2),
            )
        )
        data = data[:start] + piece + data[end:]
    return data


def run(name: str, count: int, number: int) -> int:
    """Try ``count`` inputs; answers how many were tried."""
    target, tries = TARGETS[name], 0

    @seed(number)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(inputs(name))
    def once(data: bytes) -> None:
        nonlocal tries
        tries += 1
        tried(target, data)

    once()
    return tries


if __name__ == "__main__":
    for chosen in sys.argv[3:] or TARGETS:
        print(chosen, run(chosen, int(sys.argv[1]), int(sys.argv[2])))
