"""The builder: a derivation written line by line in Python.

>>> from symattn.authoring import Derivation, softmax, sqrt
>>> d = Derivation(title="My head", tokens=["the", "cat", "sat"])
>>> X = d.given("X", [["1", "0"], ["0", "1"], ["1", "1"]])
>>> W_Q = d.given("W_Q", [["sqrt(2)/2", "1"], ["0", "1"]])
>>> Q = d.step("Q", X @ W_Q, because="Queries ask.")
>>> A = d.step("A", softmax(Q @ X.T / sqrt(2)))
>>> d.solve()["A"].decimals(3)[0]
('0.235', '0.289', '0.476')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar

from symattn.authoring import givens, words
from symattn.authoring.anew import may_come_again
from symattn.authoring.draft import Manuscript, plain, quoted, spelled
from symattn.authoring.expression import Expression, Scalar, as_scalar, made
from symattn.authoring.gradients import GradientMethods
from symattn.authoring.parts import Formula, formula_of
from symattn.authoring.sections import SectionContext
from symattn.authoring.words import PlainLabels, PlainWords, optional, texts
from symattn.errors import FormulaError, SymattnError, unknown
from symattn.operations.symbols import entry_symbol
from symattn.plan import Plan
from symattn.scenario.fields import described
from symattn.scenario.model import Scenario, WordLevel
from symattn.scenario.style import CarryMode, FigureScope, OnEmpty, ShapeLine
from symattn.values.rounding import Ties

Result = TypeVar("Result")

if TYPE_CHECKING:
    from symattn.api import WorkedSolution
    from symattn.authoring.own import OwnOperation


class Derivation(GradientMethods):
    """Givens and steps, in the order they are written; :meth:`solve` works them out.

    ``title``, ``source``, ``intro``, ``opening`` and ``conclusion`` are texts, or one text per language
    (``{"en": "…", "zh-Hant": "…"}``). ``tokens`` label the axis ``token_axis``, ``labels`` others: one list, or one per
    language. ``sizes`` name whole numbers, ``notation`` says how names are written (``{"QK_T": "Q @ K.T"}``).
    ``words`` says how much a page says besides these texts: ``"all"``, ``"few"`` or ``"none"``.
    ``decimals``, ``scope``, ``ties``, ``carry``, ``shape_line`` and ``on_empty`` are what a scenario file has under
    ``[figures]``; ``symbols`` are letters for any real number, and ``substitute`` has numbers for some or all of them.
    ``operations`` are operations of one's own that formulas written as text may call; in expressions they just are.
    With ``anew`` a name that is defined again takes the place that it had, as in a notebook whose cells are run again.
    """

    def __init__(
        self,
        title: PlainWords | None = None,
        *,
        tokens: PlainLabels | None = None,
        token_axis: str = "n",
        language: str = "en",
        source: PlainWords | None = None,
        intro: PlainWords | None = None,
        opening: PlainWords | None = None,
        conclusion: PlainWords | None = None,
        words: WordLevel | None = None,
        sizes: Mapping[str, int] | None = None,
        labels: Mapping[str, PlainLabels] | None = None,
        notation: Mapping[str, str] | None = None,
        decimals: int | None = None,
        scope: FigureScope | None = None,
        ties: Ties | None = None,
        carry: CarryMode | None = None,
        shape_line: ShapeLine | None = None,
        on_empty: OnEmpty | None = None,
        symbols: Sequence[object] = (),
        substitute: Mapping[str, object] | None = None,
        operations: Sequence[OwnOperation] = (),
        anew: bool = False,
    ) -> None:
        if title is None:
            raise SymattnError('Derivation(): a page needs a title: Derivation("Attention by hand")')
        self._anew = anew
        figures: dict[str, Any] = {"scope": scope, "decimals": decimals, "ties": ties, "carry": carry}
        figures |= {"shape_line": shape_line, "on_empty": on_empty}
        data: dict[str, Any] = {"title": texts(title, "Derivation(title=…)"), "language": language}
        data["token_axis"] = None if token_axis == "n" else token_axis
        data["tokens"] = plain(tokens)
        data["source"] = optional(source, "Derivation(source=…)")
        data["intro"] = optional(intro, "Derivation(intro=…)")
        data["words"] = words
        data["opening"] = optional(opening, "Derivation(opening=…)")
        data["conclusion"] = optional(conclusion, "Derivation(conclusion=…)")
        data["symbols"] = [str(letter) for letter in symbols] if isinstance(symbols, list | tuple) else symbols
        data["symbols"] = data["symbols"] or None
        data = {key: value for key, value in data.items() if value is not None}
        data["notation"] = plain(notation or {})
        data["figures"] = {key: value for key, value in figures.items() if value is not None}
        data["substitute"] = {name: givens.number_text(each) for name, each in _table(substitute, "substitute").items()}
        data["section"] = []
        self._start(Manuscript(data, Plan(symbols=tuple(data.get("symbols", ())))))
        self._draft.file()
        for name, text in data["notation"].items():
            self._draft.check_notation(name, text, "Derivation(notation=…)")
        for own in operations:
            self._draft.take_operation(own)
        if tokens is not None:
            self._draft.with_size(token_axis, len(self._draft.labels[token_axis]))
        for name, size in _table(sizes, "sizes").items():
            self.size(name, size)
        for name, listed in _table(labels, "labels").items():
            self.labels(name, listed)

    def __repr__(self) -> str:
        steps = self._draft.plan.steps
        given = sum(step.is_given for step in steps)
        return f"<Derivation {self._draft.title!r}: {given} given, {len(steps) - given} steps>"

    def _repr_markdown_(self) -> str:
        from symattn.publish.display import plan_page

        return plan_page(self._draft.plan, self._draft.names, (self._draft.title,))

    # -- sizes and labels ----------------------------------------------------------------------------------------------

    def size(self, name: str, number: SupportsIndex | None = None) -> Scalar:
        """A whole number with a name, such as d_k = 4; without ``number`` the one of that name that there is."""
        givens.add_size(self._draft, name, number)
        return as_scalar(made(name, Formula(name, self._draft)))

    def symbol(self, name: str) -> Scalar:
        """One of the ``symbols`` of this derivation, for formulas such as ``t * X``.

        Raises :class:`~symattn.errors.FormulaError` for any other name.
        """
        if name not in self._draft.symbols:
            sentence = unknown("symbol", spelled(name), self._draft.symbols)
            raise FormulaError(f'symbol({quoted(name)}): {sentence}; Derivation(…, symbols=["t"]) names them')
        return as_scalar(made(name, Formula(name, self._draft)))

    def labels(self, name: str, labels: PlainLabels) -> Scalar:
        """An axis with a label for each of its places, or such labels per language; its size is their number."""
        givens.add_labels(self._draft, name, labels)
        return self.size(name)

    # -- what is given -------------------------------------------------------------------------------------------------

    @may_come_again
    def given(
        self,
        name: str,
        value: object = None,
        *,
        shape: Sequence[str | int] | None = None,
        axes: Sequence[str] | None = None,
        note: PlainWords | None = None,
        decimals: int | None = None,
        rounded: bool = False,
        row_sums: object = None,
        notation: str | None = None,
    ) -> Expression:
        """A matrix, a vector or a number that is given: exact numbers, or only a shape.

        ``value`` is what :func:`symattn.matrix` takes: rows, a list of numbers (a vector), a number, an array, a
        tensor, the path of a file; ``decimals`` takes floats as the decimals that they print instead of the binary
        numbers that they are. ``axes`` names its axes, ``("d_k",)`` the one of a vector; a
        name that is no size yet becomes one. ``shape=("m", "n")`` gives letters in place of numbers, for a derivation
        in general. ``rounded`` figures stand for all numbers that round to them; every row of them is known to sum to
        ``row_sums``. ``note`` is printed under the matrix.

        Raises :class:`~symattn.errors.SymattnError` for a name that is taken, rows of different length, floats, and
        axes that are of another size.
        """
        call = f"given({quoted(name)})"
        self._draft.must_be_new(name, call)
        self._draft.check_notation(name, notation, call)
        if (value is None) == (shape is None):
            raise SymattnError(f'{call}: expected either rows of numbers or a shape such as shape=("m", "n")')
        remark = words.told(call, note=note)
        if shape is not None:
            if rounded or row_sums is not None or axes is not None:
                raise SymattnError(f"{call}: axes, rounded and row_sums go with numbers, not with a shape")
            givens.add_general(self._draft, name, shape, remark.get("note"), call)
        else:
            table: dict[str, Any] = {"value": givens.given_of(value, call, self._draft.symbols, decimals)}
            if rounded:
                table["rounded"] = True
            if row_sums is not None:
                table["row_sums"] = givens.number_text(row_sums)
            givens.add_given(self._draft, name, table | remark, axes, call)
        self._write_notation(name, notation)
        return self[name]

    # -- sections and items --------------------------------------------------------------------------------------------

    def section(
        self,
        title: PlainWords,
        *,
        intro: PlainWords | None = None,
        why: PlainWords | None = None,
        number: str | None = None,
    ) -> SectionContext:
        """A heading; what follows stands under it, until the next section or the end of a ``with`` statement.

        A section that is opened inside a ``with`` of another is a part of it: 2-1, 2-2. ``intro`` stands before the
        steps and ``why`` after them.
        """
        call = f"section({quoted(title if isinstance(title, str) else '…')})"
        table = (
            {"title": words.texts(title, call)} | words.told(call, intro=intro, why=why) | words.known(number=number)
        )
        self._draft.check(call, {"section": [table]}, 2)
        return SectionContext(self._sections, self._sections.begin(table))

    @may_come_again
    def step(
        self,
        name: str,
        formula: Expression | str,
        *,
        because: PlainWords | None = None,
        note: PlainWords | None = None,
        decimals: int | None = None,
        works: tuple[int, int] | None = None,
        notation: str | None = None,
    ) -> Expression:
        """The step ``name = formula``; answers the name, for the formulas that follow.

        ``because`` is why the step is made, printed in place of what is said of every step of its kind; ``note`` is a
        remark. ``decimals`` is the step's own number of decimals and ``works`` the entry that is worked, row and column
        counted from 1.
        """
        call = f"step({quoted(name)})"
        self._draft.must_be_new(name, call)
        self._draft.check_notation(name, notation, call)
        text = self._text(formula, call)
        options = words.told(call, because=because, note=note) | words.known(decimals=decimals, works=plain(works))
        entry = {"step": f"{name} = {text}", **options}
        self._draft.check(call, {"section": [{"title": "t", "steps": [entry]}]}, 4)
        self._no_quantities(formula, call)
        plan = self._draft.plan.step(name, text)
        self._sections.add(entry if options else entry["step"], call)
        self._draft.define(name, call, plan)
        self._write_notation(name, notation)
        return self[name]

    @may_come_again
    def quantity(
        self,
        name: str,
        formula: Scalar | SupportsIndex | str,
        *,
        at: Sequence[Mapping[str, int]] = (),
        note: PlainWords | None = None,
        notation: str | None = None,
    ) -> Scalar:
        """A number over sizes, in letters and with the sizes put in, and once more for each of the sizes in ``at``."""
        call = f"quantity({quoted(name)})"
        self._draft.must_be_new(name, call, "a quantity")
        self._draft.check_notation(name, notation, call)
        text = formula if isinstance(formula, str) else as_scalar_text(formula, call)
        made(text, Formula(text, self._draft))
        entry = {"quantity": f"{name} = {text}", **words.known(at=plain(at) or None), **words.told(call, note=note)}
        self._item(call, entry)
        self._draft.quantities.add(name)
        self._draft.calls[name] = call
        self._write_notation(name, notation)
        return Scalar(name, self._draft, entry_symbol(name))

    def use(
        self, entry: str, *, names: Mapping[str, Expression | str] | None = None, suffix: str = "", **options: object
    ) -> None:
        """The steps of a catalogue entry, with its options; ``names`` calls what it speaks of by other names.

        What it defines is then there under its name: ``d["A"]``. ``suffix`` is put after the name of each.
        """
        call = f"use({quoted(entry)})"
        settings = {key: self._option(value, f"{call}, {key}") for key, value in options.items()} or None
        renamed = {name: one.text if isinstance(one, Expression) else one for name, one in (names or {}).items()}
        item = {"use": entry, **words.known(**{"with": settings}, names=renamed or None, suffix=suffix or None)}
        self._several(call, item)

    # -- what it comes to ----------------------------------------------------------------------------------------------

    @property
    def scenario(self) -> Scenario:
        """The scenario as it stands: what :func:`symattn.load` would read from :meth:`toml`."""
        return self._draft.scenario()

    def solve(self, *, digits: int | None = None, carry: CarryMode | None = None) -> WorkedSolution:
        """The solution: every step with its exact value and certified decimals. Later steps do not change it."""
        from symattn.api import derive

        return derive(self.scenario, digits=digits, carry=carry)

    def toml(self) -> str:
        """The same as a scenario file, which ``symattn derive`` reads back to the same solution.

        Raises :class:`~symattn.errors.SymattnError` for an entry that a file cannot hold (e to a power), and for a file
        larger than is read.
        """
        return self._draft.toml()

    def substitute(self, **values: object) -> Derivation:
        """A new derivation with the same steps and numbers for what was general, and for free symbols.

        A matrix gets rows of numbers, a size a whole number, a symbol an exact number; sizes follow from matrices.
        """
        from symattn.authoring.substitution import substituted

        new = object.__new__(type(self))
        new._start(substituted(self._draft, values))
        return new

    # -- helpers -------------------------------------------------------------------------------------------------------

    def _no_quantities(self, formula: Expression | str, call: str) -> None:
        if isinstance(formula, Expression):
            used = {str(letter) for letter in formula.term.expr.free_symbols} & self._draft.quantities
            if used:
                name = min(used)
                raise FormulaError(f"{call}: {name} is a quantity, a number about the derivation: it stands in no step")

    def _option(self, value: object, call: str) -> object:
        """The option of a catalogue entry as a file writes it; a matrix stands for its name."""
        if isinstance(value, bool | str):
            return value
        if isinstance(value, list | tuple) and all(isinstance(each, str | Expression) for each in value):
            return [self._option(each, call) for each in value]
        if isinstance(value, Expression):
            return value.text
        written = formula_of(value, call)
        return int(written.text) if written.text.isdecimal() else written.text


def _table(value: Mapping[str, Result] | None, option: str) -> Mapping[str, Result]:
    if value is None or isinstance(value, Mapping):
        return value or {}
    raise SymattnError(f"Derivation({option}=…): expected a dict with a value for each name, came {described(value)}")


def as_scalar_text(value: object, call: str) -> str:
    """The text of a number over sizes. Raises :class:`~symattn.errors.FormulaError` for a matrix."""
    written = formula_of(value, call)
    if isinstance(written, Expression):
        raise FormulaError(f"{call}: {written.text} is a matrix {written.term.shape}, expected a number")
    return written.text
