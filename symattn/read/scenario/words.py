"""Words of a scenario: text per language, with references that are checked when the scenario is read.

>>> from symattn.base.shapes import shape
>>> from symattn.read.formula import Scope
>>> known = WordScope(Scope({"A": shape(3, 3)}, {"d_k": 4}), {"n": ("the", "cat", "sat")}, "n")
>>> words = Words.read({"en": "Row 2 of {A} is {token:2}: {A[2,1]}."}, known)
>>> words.pick("en", "en")[:4]
(PlainText(text='Row 2 of '), SymbolRef(name='A'), PlainText(text=' is '), LabelRef(axis='n', index=2))
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from types import MappingProxyType
from typing import TypeVar

from symattn.base.errors import ScenarioError, SymattnError, shown, unknown
from symattn.base.words import DEFAULT, Texts, between, texts
from symattn.read.formula import Scope, read_any
from symattn.read.formula.batch import Several
from symattn.read.scenario.problem import Key, Problem, Problems

Said = TypeVar("Said")

LabelsByLanguage = Mapping[str, tuple[str, ...]]
"""The labels of an axis per language; those for all languages have the language ``""``."""


@dataclass(frozen=True)
class PlainText:
    """Plain text, printed as it is."""

    text: str


@dataclass(frozen=True)
class SymbolRef:
    """``{A}``: the symbol of a matrix, a size, a quantity, a tensor or a function."""

    name: str


@dataclass(frozen=True)
class FigureRef:
    """``{A[2,3]}``: the certified figure in that row and column, counted from 1."""

    name: str
    row: int
    column: int


@dataclass(frozen=True)
class LabelRef:
    """``{token:2}`` or ``{label:vocabulary:1}``: a label of an axis, counted from 1."""

    axis: str
    index: int


@dataclass(frozen=True)
class FormulaRef:
    """``{math: Q @ K.T / sqrt(d_k)}``: a formula or a number, as it was written."""

    text: str


@dataclass(frozen=True)
class RankedRef:
    """An entry's label or value by its rank: ``{largest:probs}``, ``{second:A[2]}``, ``{smallest_value:H}``.

    ``row`` is counted from 1; 0 means the only column of a matrix.
    """

    name: str
    row: int
    rank: str
    is_value: bool = False


@dataclass(frozen=True)
class SizeRef:
    """``{size:d_k}``: the number of a size."""

    name: str


WordPart = PlainText | SymbolRef | FigureRef | LabelRef | FormulaRef | RankedRef | SizeRef


@dataclass(frozen=True)
class WordScope:
    """The names that words may use: matrices and sizes, the labels of axes, and the axis of ``{token:…}``."""

    scope: Scope
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    token_axis: str = ""
    general: frozenset[str] = frozenset()
    tensors: frozenset[str] = frozenset()
    """Names that can be written but are not in formulas."""


class MadeTexts(dict[str, str]):
    """Texts by symattn, not by an author."""


@dataclass(frozen=True)
class Words:
    """One text in one or more languages; the language of one plain string is ``""``."""

    texts: Mapping[str, tuple[WordPart, ...]]
    are_made: bool = False
    """Whether the words are symattn's, not an author's."""

    @classmethod
    def read(cls, texts: Mapping[str, str], known: WordScope, key: Key = ()) -> Words:
        """Read words from text per language. Raises :class:`~symattn.read.scenario.problem.Problem` at ``key`` and
        language.
        """
        parts: dict[str, tuple[WordPart, ...]] = {}
        found = Problems()
        for language, text in texts.items():
            with found.caught():
                try:
                    parts[language] = parse(text, known)
                except ScenarioError as error:
                    raise Problem((*key, language) if language else key, str(error)) from None
        found.settle()
        return cls(MappingProxyType(parts), isinstance(texts, MadeTexts))

    def pick(self, language: str, source_language: str) -> tuple[WordPart, ...]:
        """Return the words in ``language``, or the plain ones, else those in the scenario's own language, else any.

        >>> Words({"en": (PlainText("a"),), "zh-Hant": (PlainText("b"),)}).pick("zh-Hans", "zh-Hant")
        (PlainText(text='b'),)
        """
        return picked(self.texts, language, source_language) if self.texts else ()


def picked(each: Mapping[str, Said], language: str, own: str) -> Said:
    """Return the item for ``language`` or for all languages, else for the scenario's own, else any.

    >>> picked({"zh-Hant": "b", "en": "a"}, "zh-Hans", "zh-Hant")
    'b'
    """
    wanted = [language, "", own, DEFAULT, *each]
    return each[next(choice for choice in wanted if choice in each)]


_BRACE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_QUOTES = (("“", "”"), ("「", "」"), ("『", "』"), ("«", "»"), ("《", "》"), ("〈", "〉"))
_FIGURE = re.compile(r"([A-Za-z0-9_]+)\s*\[\s*(\d{1,9})\s*,\s*(\d{1,9})\s*\]\Z", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9_]+\Z")
_RANKED = re.compile(r"([A-Za-z0-9_]+)\s*(?:\[\s*(\d{1,9})\s*\])?\Z", re.ASCII)
_WRITTEN = (
    "expected {A}, {A[2,3]}, {largest:A[2]}, {token:2}, {label:axis:1}, {size:n} or {math: …}; a brace that is meant "
    "is doubled"
)
RANKS = ("largest", "second", "smallest")
"""The ranks of an entry in its row."""


def parse(text: str, known: WordScope) -> tuple[WordPart, ...]:
    """Parse one text into its parts.

    >>> parse("{{A}} costs 5 $", WordScope(Scope({})))
    (PlainText(text='{A} costs 5 $'),)
    >>> parse("see {B}", WordScope(Scope({}, {"d_k": 4, "d_model": 8})))
    Traceback (most recent call last):
        ...
    symattn.base.errors.ScenarioError: {B}: unknown name 'B': known: d_k, d_model
    """
    parts: list[WordPart] = []
    for is_text, pieces in groupby(_pieces(text, known), lambda piece: isinstance(piece, str)):
        if is_text:
            parts.append(PlainText("".join(map(str, pieces))))
        else:
            parts.extend(piece for piece in pieces if not isinstance(piece, str))
    return tuple(parts)


def _pieces(text: str, known: WordScope) -> Iterator[str | WordPart]:
    """Yield plain text and the references in braces."""
    start = 0
    for match in _BRACE.finditer(text):
        if match.start() > start:
            yield text[start : match.start()]
        start = match.end()
        written = match[0]
        if written in ("{{", "}}"):
            yield written[0]
        elif match[1] is None:
            around = text[max(0, match.start() - 12) : match.end() + 12]
            raise ScenarioError(f"a single {written} in {shown(around)}: {_WRITTEN}")
        else:
            try:
                yield _reference(match[1].strip(), known)
            except SymattnError as error:
                raise ScenarioError(f"{_short(written)}: {error}") from None
    if start < len(text):
        yield text[start:]


def _reference(written: str, known: WordScope) -> WordPart:
    kind, colon, rest = written.partition(":")
    if colon:
        match kind.strip():
            case "math":
                found = read_any(rest.strip(), known.scope)
                if isinstance(found, Several):
                    raise ScenarioError(f"{found.said}: expected one matrix")
                return FormulaRef(rest.strip())
            case "token":
                if known.token_axis not in known.labels:
                    raise ScenarioError("there are no tokens")
                return _label(known.token_axis, rest, known)
            case "label":
                axis, _, index = rest.partition(":")
                if axis.strip() not in known.labels:
                    raise ScenarioError(unknown("axis with labels", axis.strip(), known.labels))
                return _label(axis.strip(), index, known)
            case "size":
                return _size(rest.strip(), known)
        rank = kind.strip().removesuffix("_value")
        if rank in RANKS:
            return _ranked(rest.strip(), rank, kind.strip() != rank, known)
        raise ScenarioError(unknown("reference", kind.strip(), ("math", "token", "label", "size", *RANKS)))
    if figure := _FIGURE.match(written):
        return _figure(figure[1], int(figure[2]), int(figure[3]), known)
    if not _NAME.match(written):
        raise ScenarioError(_WRITTEN)
    names = [*known.scope.names, *known.scope.sizes, *known.scope.quantities, *known.scope.symbols, *known.tensors]
    if written not in names and written not in known.scope.functions:
        raise ScenarioError(unknown("name", written, names))
    return SymbolRef(written)


def _label(axis: str, index: str, known: WordScope) -> LabelRef:
    number, count = index.strip(), len(known.labels[axis])
    if not re.fullmatch(r"[0-9]{1,9}", number) or not 1 <= int(number) <= count:
        raise ScenarioError(f"expected a number from 1 to {count}, came {shown(number)}")
    return LabelRef(axis, int(number))


def _size(name: str, known: WordScope) -> SizeRef:
    sizes = known.scope.sizes
    if name not in sizes:
        raise ScenarioError(unknown("size", name, sizes))
    if not isinstance(sizes[name], int):
        raise ScenarioError(f"{name} is general: it is a letter and no number")
    return SizeRef(name)


def _ranked(written: str, rank: str, is_value: bool, known: WordScope) -> RankedRef:
    """Return an entry by its rank: in the given row, in the only row, or in the only column."""
    match = _RANKED.match(written)
    if match is None:
        raise ScenarioError(_WRITTEN)
    name, (rows, columns) = match[1], _whole_shape(match[1], known)
    row = int(match[2]) if match[2] else 1 if rows == 1 else 0
    if row > rows or match[2] == "0":
        raise ScenarioError(f"{name} has {rows} rows: expected a row from 1 to {rows}")
    if row == 0 and columns != 1:
        raise ScenarioError(f"{name} has {rows} rows: say which one, as in {{{rank}:{name}[{rows}]}}")
    if rank == "second" and (columns if row else rows) == 1:
        raise ScenarioError(f"{name} has one entry there, and no second one")
    return RankedRef(name, row, rank, is_value)


def _whole_shape(name: str, known: WordScope) -> tuple[int, int]:
    """Return the shape of a matrix that has figures."""
    if name not in known.scope.names:
        raise ScenarioError(unknown("name", name, known.scope.names))
    shape = known.scope.names[name]
    if name in known.general or shape.is_general:
        raise ScenarioError(f"{name} is general: it has the shape {shape} and no figures")
    rows, columns = shape.sizes
    return int(rows), int(columns)


def _figure(name: str, row: int, column: int, known: WordScope) -> FigureRef:
    rows, columns = _whole_shape(name, known)
    shape = known.scope.names[name]
    if not (1 <= row <= rows and 1 <= column <= columns):
        raise ScenarioError(f"{name} is {shape}: expected a row from 1 to {rows} and a column from 1 to {columns}")
    return FigureRef(name, row, column)


def in_quotes(before: Sequence[WordPart]) -> bool:
    """Return whether quotation marks are open after these words: a label that comes next needs none of its own.

    >>> in_quotes([PlainText("the row of “")]), in_quotes([PlainText("“the” and")])
    (True, False)
    """
    text = "".join(part.text for part in before if isinstance(part, PlainText))
    return text.count('"') % 2 == 1 or any(text.count(opens) > text.count(closes) for opens, closes in _QUOTES)


def _short(written: str) -> str:
    return written if len(written) <= 60 and written.isprintable() else shown(written)


def plain_text(parts: tuple[WordPart, ...]) -> str:
    """Return words as plain text, such as a title in a list; references stay as they are written.

    >>> plain_text((PlainText("Row of "), SymbolRef("A")))
    'Row of A'
    """
    return "".join(part.text if isinstance(part, PlainText | FormulaRef) else _written(part) for part in parts)


def _written(part: WordPart) -> str:
    match part:
        case SymbolRef(name):
            return name
        case FigureRef(name, row, column):
            return f"{name}[{row},{column}]"
        case LabelRef(axis, index):
            return f"{axis}:{index}"
        case RankedRef(name, row, rank):
            return f"{rank}:{name}[{row}]" if row else f"{rank}:{name}"
        case SizeRef(name):
            return f"size:{name}"
    return ""


_BRACES = re.compile(r"\{(\w+)\}")


def role_words(kind: str, role: str, names: Mapping[str, str] | None = None) -> Texts:
    """Return the words of a role in every language; ``names`` replace its placeholders by names or numbers.

    Raises :class:`~symattn.base.errors.ScenarioError` if a language lacks it.

    >>> role_words("titles", "backward", {"loss": "L_t1"})["en"]
    'Backward: the gradients of {L_t1}'
    """
    put_in = names or {}
    found = texts("gradients", kind, role)
    return MadeTexts(
        (language, _BRACES.sub(lambda word: _put(put_in.get(word[1], word[1])), text))
        for language, text in found.items()
    )


def joined_words(parts: Sequence[Texts]) -> Texts | None:
    """Join sentences, in every language; ``None`` if there are none.

    >>> joined_words([{"en": "One.", "zh-Hant": "一。"}, {"en": "Two.", "zh-Hant": "二。"}])
    {'en': 'One. Two.', 'zh-Hant': '一。二。'}
    """
    if not parts:
        return None
    return MadeTexts((language, between(language).join(part[language] for part in parts)) for language in parts[0])


def _put(name: str) -> str:
    return name if name.isdigit() else f"{{{name}}}"
