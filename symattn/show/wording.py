"""The words of a scenario on a page: with the symbols, figures, ranks and labels that they refer to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sympy import Integer, MatrixSymbol, Transpose

from symattn.base.errors import UndecidedError
from symattn.compute.solution import proofs
from symattn.compute.solution.store import Store
from symattn.operations.terms import Kept, Term
from symattn.read.formula import read_any
from symattn.read.formula.batch import Several
from symattn.read.scenario.model import Scenario
from symattn.read.scenario.words import (
    FigureRef,
    FormulaRef,
    LabelRef,
    PlainText,
    RankedRef,
    SizeRef,
    SymbolRef,
    WordPart,
    Words,
    in_quotes,
)
from symattn.show.blocks import Inline, Phrase
from symattn.show.math import Letter, Math, Number
from symattn.show.notation.arithmetic import in_symbols, ordered
from symattn.show.notation.formulas import Names, formula, number


@dataclass(frozen=True)
class Wording:
    """A writer for the words of a scenario; ``figure`` shows an entry of a matrix."""

    scenario: Scenario
    solution: Store
    names: Names
    language: str
    figure: Callable[[str, int, int], Math]

    def inlines(self, words: Words) -> tuple[Inline, ...]:
        """Return words in the language of the page, with their references written out."""
        parts = words.pick(self.language, self.scenario.language)
        return tuple(self._inline(part, in_quotes(parts[:i])) for i, part in enumerate(parts))

    def _inline(self, part: WordPart, quoted: bool) -> Inline:
        match part:
            case PlainText(text):
                return text
            case SymbolRef(name):
                return Letter(name, "upright") if name in self.scenario.derivation.scope.functions else self.names(name)
            case FigureRef(name, row, column):
                return self.figure(name, row - 1, column - 1)
            case LabelRef(axis, index):
                label = self.scenario.labels[axis][index - 1]
                return label if quoted else Phrase("quoted", (("label", label),))
            case RankedRef(name, is_value=True):
                return self.figure(name, *place_of(self.solution, part))
            case RankedRef():
                return label_of(self.solution, self.names, part, quoted)
            case SizeRef(name):
                return Number(str(self.scenario.derivation.sizes[name]))
            case FormulaRef(text):
                return self._written(text)
        raise TypeError(f"no rule for the words {type(part).__name__}")

    def _written(self, text: str) -> Math:
        plan = self.scenario.derivation
        sizes, quantities = {**plan.sizes, **self.scenario.sizes}, frozenset(self.scenario.quantities)
        scope = replace(plan.scope, sizes=sizes, quantities=quantities, symbols=frozenset(self.scenario.symbols))
        read = read_any(text, scope)
        assert not isinstance(read, Several), "refused where the words were read"
        if isinstance(read, Term):
            return formula(read.expr, self.names)
        return in_symbols(ordered(read), self.names) if read.has(Kept) else number(read)


PLACES = {"largest": 0, "second": 1, "smallest": -1}


def place_of(solution: Store, ref: RankedRef) -> tuple[int, int]:
    """Return row and column, counted from 0, of the entry that is meant; it is proved to be the only one of its rank.

    Raises :class:`~symattn.base.errors.UndecidedError` if entries tie or their order is not known: a sentence that
    names one of them would not be true.
    """
    name, row = ref.name, max(0, ref.row - 1)
    groups = proofs.groups(solution, name if ref.row else _turned(solution, name), row)
    group = groups[PLACES[ref.rank]] if len(groups) > 1 or ref.rank == "largest" else groups[0]
    if len(group.columns) > 1:
        where = f"{'columns' if ref.row else 'rows'} {', '.join(str(column + 1) for column in group.columns)}"
        why = "tie exactly" if group.open is None else "are too close together to be ordered"
        row_said = f"[{ref.row}]" if ref.row else ""
        raise UndecidedError(f"{{{ref.rank}:{name}{row_said}}} is not one entry: {where} {why}; say it in other words")
    place = group.columns[0]
    return (row, place) if ref.row else (place, 0)


def _turned(solution: Store, name: str) -> str:
    """Return the name of the transpose of a one-column matrix."""
    return solution.part(Transpose(MatrixSymbol(name, *map(Integer, solution.shape(name).sizes))))


def label_of(solution: Store, names: Names, ref: RankedRef, quoted: bool) -> Inline:
    """Return the label of the entry that is meant, in quotation marks unless it has some, or its place number."""
    i, j = place_of(solution, ref)
    shape = solution.shape(ref.name)
    axis, place = (shape.columns, j) if ref.row else (shape.rows, i)
    labels = names.labels.get(axis.name, ())
    if place >= len(labels):
        return str(place + 1)
    return labels[place] if quoted else Phrase("quoted", (("label", labels[place]),))
