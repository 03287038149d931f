"""Words of a scenario on a page: with the symbols, figures and labels that they refer to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from symattn.document.blocks import Inline, Phrase
from symattn.document.math import Letter, Math, Number
from symattn.document.notation.arithmetic import in_symbols, ordered
from symattn.document.notation.formulas import Names, formula, number
from symattn.document.readings.ranked import label_of, place_of
from symattn.formula import read_any
from symattn.formula.batch import Several
from symattn.operations.counting import Kept
from symattn.operations.terms import Term
from symattn.scenario.model import Scenario
from symattn.scenario.words import (
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
from symattn.solution.store import Store


@dataclass(frozen=True)
class Wording:
    """Writes the words of a scenario out; ``figure`` is what shows an entry of a matrix."""

    scenario: Scenario
    solution: Store
    names: Names
    language: str
    figure: Callable[[str, int, int], Math]

    def inlines(self, words: Words) -> tuple[Inline, ...]:
        """Words in the language of the page, with their references written out."""
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
