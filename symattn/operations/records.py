"""Operations that are their record and nothing else: equations, a source, and what they are called on the page.

>>> RECORDS["softcap"].parameters[1].name, dict(RECORDS["softcap"].page)["en"]
('c', 'soft cap')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from symattn.equations.read import read_operation
from symattn.equations.tree import Operation


@dataclass(frozen=True)
class _Record:
    """A record as it is written; ``called`` is its name in formulas on the page, without it the one it is called by."""

    text: str
    source: str
    en: str
    hant: str
    hans: str
    called: str = ""


_WRITTEN: tuple[_Record, ...] = (
    _Record(
        """
        softcap(X: m×n, c) -> m×n
            y[i,j] = c * tanh(X[i,j] / c)
        """,
        "Gemma Team 2024, *Gemma 2: Improving Open Language Models at a Practical Size*, section 2.",
        "soft cap",
        "軟上限",
        "软上限",
    ),
)


def _name(record: _Record) -> str:
    return record.text.partition("(")[0].strip()


_BY_NAME: Mapping[str, _Record] = {_name(record): record for record in _WRITTEN}


@lru_cache(maxsize=1000)
def _read(name: str) -> Operation:
    record = _BY_NAME[name]
    words = (("en", record.en), ("zh-Hant", record.hant), ("zh-Hans", record.hans))
    return replace(read_operation(record.text, record.source, record.called), page=words)


class _Records(Mapping[str, Operation]):
    """The records by name, each read when somebody asks for it."""

    def __getitem__(self, name: str) -> Operation:
        if name not in _BY_NAME:
            raise KeyError(name)
        return _read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_BY_NAME)

    def __len__(self) -> int:
        return len(_BY_NAME)


RECORDS: Mapping[str, Operation] = _Records()
"""Our operations without a class of nodes, by name."""
