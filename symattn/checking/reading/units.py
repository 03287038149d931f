"""Units behind figures, ``14.74 m/s · 2.10 s = 31.0 m``, and what is counted: ``128 weights + 32 biases = 160``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from symattn.checking.reading.lexer import Lexeme
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, Member, NameRead
from symattn.checking.reading.words import OF_ONE

Scales = Mapping[int, Fraction]
"""How large the unit is that stands behind the figure at a place."""

_THOUSAND: Final = Fraction(1000)
_PREFIXES: Final = MappingProxyType(
    {
        sign: _THOUSAND**power
        for sign, power in {"": 0, "k": 1, "M": 2, "G": 3, "m": -1, "µ": -2, "μ": -2, "n": -3}.items()
    }
    | {"c": Fraction(1, 100), "Ki": Fraction(2**10), "Mi": Fraction(2**20), "Gi": Fraction(2**30)}
)
_BYTES: Final = "byte bytes Byte Bytes 字节 B".split()
_UNITS: Final = MappingProxyType(
    dict.fromkeys("m s A K N J W V Ω Hz mol bit bits Pa FLOPs".split(), Fraction(1))
    | {"L": 1 / _THOUSAND, "g": 1 / _THOUSAND, "min": Fraction(60), "h": Fraction(3600), "d": Fraction(86400)}
    | {"hour": Fraction(3600), "hours": Fraction(3600), "day": Fraction(86400), "days": Fraction(86400)}
    | dict.fromkeys(_BYTES, Fraction(8))
)
_UP: Final = MappingProxyType({"²": 2, "³": 3, "^2": 2, "^3": 3, "⁻¹": -1, "⁻²": -2, "": 1})
_ONE: Final = "(Ki|Mi|Gi|[kMGcmµμn]|)({})({}|)(?![\\w²³⁻^])".format(
    "|".join(sorted(_UNITS, key=len, reverse=True)), "|".join(map(re.escape, [*_UP][:-1]))
)
_FACTOR: Final = re.compile(_ONE)
_UNIT: Final = re.compile(
    rf"([ \u00a0\u202f]?){_ONE}(?: ?[·/ ] ?{_ONE}| ?/ ?\({_ONE}(?:[ ·*]{_ONE})*\)){{0,3}}"
    r"(?= ?[-+*/·×⋅−)=≈→,.;:\n]|\s|$)"
)
_ENDS: Final = frozenset(["stop", "line", "row", "cell", "semicolon", "comma", "rule"])


def without_units(lexemes: list[Lexeme], text: str) -> tuple[list[Lexeme], Scales]:
    """Take out the units of equations that have one behind a result, and say how large they are."""
    kept: list[Lexeme] = []
    scales: dict[int, Fraction] = {}
    for segment in _segments(lexemes):
        found = dict(_found(segment, text))
        results = [b.start in found for a, b in pairwise(segment) if a.kind == "relation"]
        is_sure = len(found) > 1 and any(sign.kind == "op" for sign in segment)  # 2 K alone may be twice a matrix
        is_sure |= any(len(text[start:end].strip()) > 1 for start, end, _ in found.values())
        if not is_sure or True not in results or any(sign.mode in ("math", "code") for sign in segment):
            kept += _uncounted(segment)
            continue
        spans = [(start, end) for start, end, _ in found.values()]
        kept += [sign for sign in segment if not any(start <= sign.start and sign.end <= end for start, end in spans)]
        scales.update({place: scale for place, (_, _, scale) in found.items()})
    return kept, scales


def _segments(lexemes: Sequence[Lexeme]) -> Iterator[list[Lexeme]]:
    begin = 0
    for place in range(len(lexemes) + 1):
        if place == len(lexemes) or lexemes[place].kind in _ENDS:
            yield [*lexemes[begin : place + 1]]
            begin = place + 1


def _found(segment: Sequence[Lexeme], text: str) -> Iterator[tuple[int, tuple[int, int, Fraction]]]:
    """The units by the figures they stand behind: where each begins and ends, and how large it is."""
    for sign in segment:
        unit = _UNIT.match(text, sign.end) if sign.kind == "figure" else None
        if unit is None or (len(unit[0].strip()) == 1 and not unit[1]):
            continue
        if re.match(rf" ?[kMG](?:{'|'.join(_BYTES)})", unit[0]):
            continue  # of 1000 or of 1024
        scale, is_below = Fraction(1), False
        for one in _FACTOR.finditer(unit[0]):
            before = unit[0][: one.start()].rstrip(" (")
            is_below |= before.endswith("/")
            power = _UP[one[3]] * (-1 if is_below else 1)
            scale *= Fraction((_PREFIXES[one[1]] * _UNITS[one[2]]) ** power)
        yield sign.start, (sign.end, unit.end(), scale)


def _uncounted(segment: Sequence[Lexeme]) -> list[Lexeme]:
    """Signs without the words for what is counted: ``128 × 32 weights + 32 biases = 4,128``."""
    kinds = [*("noun" if _is_noun(sign) else sign.kind for sign in segment), "end"]
    for first, kind in enumerate(kinds):
        if kind != "figure" or (first and kinds[first - 1] in ("op", "close", "figure", "name", "aside", "relation")):
            continue
        place, nouns, done = first, set[int](), False
        while kinds[place] == "figure":
            place += 1
            if kinds[place] == "noun":
                nouns.add(place)
                place += 1
            if kinds[place] == "relation" and done and kinds[place + 1] == "figure" and nouns:
                return [sign for at, sign in enumerate(segment) if at not in nouns]
            if kinds[place] != "op":
                break
            place, done = place + 1, True
    return [*segment]


def _is_noun(sign: Lexeme) -> bool:
    """Whether a sign is a word for what is counted, and none of a formula in words."""
    text, is_letters = sign.text, sign.text.isalpha()
    is_several = is_letters and len(text) > 3 and (text.endswith("s") or (text[0].isupper() and text[1:].islower()))
    is_counter = is_letters and text > "\u2e80" and not sign.blank
    is_word = sign.kind == "word" or (sign.kind == "name" and (is_several or is_counter))
    return sign.mode in ("prose", "plain") and is_word and text[0].isalpha() and text not in OF_ONE


def without_letters(sides: Sequence[Member]) -> Iterator[Member]:
    """Yield sides; a letter behind the result of a formula in figures is its unit: ``½·250·0.08² = 0.80 J``."""
    is_worked = False
    for side in sides:
        match side.of:
            case Combined("*", (FigureRead() as figure, NameRead(below=(), above=()) as unit), sign="beside") if (
                is_worked and unit.base not in _NO_UNITS
            ):
                yield replace(side, of=figure)
            case _:
                yield side
        is_worked |= isinstance(side.of, Combined) and not _names_any(side.of)


_NO_UNITS: Final = frozenset(["π", "pi", "e", "i", *"kKMGBT"])
"""Constants, and letters for thousands, millions and more."""


def in_one_unit(sides: Sequence[Member], scales: Scales) -> Iterator[tuple[Member, ...]]:
    """The chains of a statement with its units as factors: each ends with its first result in another unit."""
    results = [each for each in sides if isinstance(each.of, FigureRead) and each.of.start in scales]
    if not results or all(scale == 1 for scale in scales.values()):
        yield tuple(sides)
        return
    unit, chain = scales[results[0].of.start], list[Member]()
    for each in sides:
        if each in results:
            if (new := scales[each.of.start]) != unit:
                if len(chain) > 1:
                    yield tuple(chain)
                last = chain[-1].of
                if isinstance(last, FigureRead) and last.unit < 1:
                    last = Combined("call:rounded", (last,), last.start, last.end)
                chain, unit = [Member(None, _times(last, unit / new))], new
            chain.append(each)
        elif isinstance(each.of, Combined) and _names_any(each.of):
            continue  # what its names are measured in is not said
        elif isinstance(each.of, Combined) and any(each.of.start <= at < each.of.end for at in scales):
            chain.append(Member(each.relation, _times(_scaled(each.of, scales), 1 / unit)))
        else:
            chain.append(each)
    yield tuple(chain)


def _scaled(written: Expressed, scales: Scales) -> Expressed:
    match written:
        case FigureRead(start=start) if start in scales:
            return _times(written, scales[start])
        case Combined(args=args):
            return replace(written, args=tuple(_scaled(each, scales) for each in args))
    return written


def _times(written: Expressed, scale: Fraction) -> Expressed:
    factor = FigureRead(str(scale), scale, Fraction(1), written.end, written.end)
    return written if scale == 1 else Combined("*", (written, factor), written.start, written.end, "·")


def _names_any(written: Expressed) -> bool:
    return isinstance(written, NameRead) or (isinstance(written, Combined) and any(map(_names_any, written.args)))
