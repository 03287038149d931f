"""The builder: a derivation written line by line in Python.

>>> from symattn.api.authoring import Derivation, softmax, sqrt
>>> d = Derivation(title="My head", tokens=["the", "cat", "sat"])
>>> X = d.given("X", [["1", "0"], ["0", "1"], ["1", "1"]])
>>> W_Q = d.given("W_Q", [["sqrt(2)/2", "1"], ["0", "1"]])
>>> Q = d.step("Q", X @ W_Q, need="Queries ask.")
>>> A = d.step("A", softmax(Q @ X.T / sqrt(2)))
>>> d.solve()["A"].decimals(3)[0]
('0.235', '0.289', '0.476')

Gradients are steps such as ``dW = grad(L, W)``, derived immediately:

>>> d = Derivation(title="A linear layer")
>>> x, W = d.given("x", [[1, 2]]), d.given("W", [[1], ["1/2"]])
>>> y = d.step("y", x @ W)
>>> L = d.step("L", y @ y.T)
>>> dW, dx = d.gradient(L, [W, x])
>>> new = d.step("W_new", W - dW / 10)
>>> d.solve()["dW"].exact.T, d.solve()["W_new"].exact.T
(Matrix([[4, 8]]), Matrix([[3/5, -3/10]]))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypeVar, overload

from symattn.api.authoring import givens, words
from symattn.api.authoring.draft import Manuscript, as_in_a_file, known_name, quoted, spelled
from symattn.api.authoring.expression import Expression, Scalar, as_scalar, made
from symattn.api.authoring.parts import Formula, formula_of
from symattn.api.authoring.sections import SectionContext, Sections, may_come_again
from symattn.api.authoring.words import PlainLabels, PlainWords, optional, texts
from symattn.base.errors import FormulaError, ShapeError, SymattnError, unknown
from symattn.base.printed import Ties
from symattn.operations.symbols import entry_symbol
from symattn.operations.terms import symbol
from symattn.read.plan import Plan
from symattn.read.scenario.build import gradients_there
from symattn.read.scenario.fields import described
from symattn.read.scenario.model import CarryMode, DisplayForm, FigureScope, OnEmpty, Scenario, ShapeLine, WordLevel

Result = TypeVar("Result")
Wanted = Expression | Scalar | str
"""The variable of a gradient: a matrix, one of the symbols, or a name."""

if TYPE_CHECKING:
    from symattn.api.authoring.own import OwnOperation
    from symattn.api.worked import WorkedSolution


class Derivation:
    """Givens and steps, in the order they are written; :meth:`solve` computes them.

    ``title``, ``source``, ``intro``, ``opening`` and ``conclusion`` are texts, or one text per language (``{"en": "…",
    "zh-Hant": "…"}``). ``tokens`` label the axis ``token_axis``, ``labels`` others: one list, or one per language.
    ``sizes`` name whole numbers, ``notation`` sets how names are written (``{"QK_T": "Q @ K.T"}``).
    ``words`` sets how much a page says besides these texts: ``"all"``, ``"few"`` or ``"none"``.
    ``decimals``, ``scope``, ``ties``, ``carry``, ``shape_line`` and ``on_empty`` are the keys of ``[figures]`` in a
    scenario file; ``symbols`` are letters for any real number, and ``substitute`` has numbers for some or all of them.
    ``operations`` are user-defined operations that formulas written as text may call; expressions need no list. With
    ``anew`` a name that is defined again keeps its place, as in a notebook whose cells are run again.
    """

    _anew: bool = False
    _draft: Manuscript
    _sections: Sections

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
        data["tokens"] = as_in_a_file(tokens)
        data["source"] = optional(source, "Derivation(source=…)")
        data["intro"] = optional(intro, "Derivation(intro=…)")
        data["words"] = words
        data["opening"] = optional(opening, "Derivation(opening=…)")
        data["conclusion"] = optional(conclusion, "Derivation(conclusion=…)")
        data["symbols"] = [str(letter) for letter in symbols] if isinstance(symbols, list | tuple) else symbols
        data["symbols"] = data["symbols"] or None
        data = {key: value for key, value in data.items() if value is not None}
        data["notation"] = as_in_a_file(notation or {})
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
        from symattn.api.publish.display import plan_page

        return plan_page(self._draft.plan, self._draft.names, (self._draft.title,))

    def __contains__(self, name: object) -> bool:
        return name in self._draft.plan.by_name or name in self._draft.plan.batches

    def __getitem__(self, name: str) -> Expression:
        """Return the matrix of that name, for the next formula; or the matrices."""
        plan = self._draft.plan
        if name in list(plan.batches):
            batch = plan.scope.batches[name]
            return Expression(name, self._draft, batch.parts[0], batch=batch)
        steps = plan.by_name
        known_name(name, steps, f"d[{quoted(name)}]")
        return Expression(name, self._draft, symbol(name, steps[name].shape))

    # -- sizes and labels ----------------------------------------------------------------------------------------------

    def size(self, name: str, number: SupportsIndex | None = None) -> Scalar:
        """Name a whole number, such as d_k = 4; without ``number`` return the size of that name."""
        givens.add_size(self._draft, name, number)
        return as_scalar(made(name, Formula(name, self._draft)))

    def symbol(self, name: str) -> Scalar:
        """Return one of the ``symbols`` of this derivation, for formulas such as ``t * X``.

        Raises :class:`~symattn.base.errors.FormulaError` for any other name.
        """
        if name not in self._draft.symbols:
            sentence = unknown("symbol", spelled(name), self._draft.symbols)
            raise FormulaError(f'symbol({quoted(name)}): {sentence}; Derivation(…, symbols=["t"]) names them')
        return as_scalar(made(name, Formula(name, self._draft)))

    def labels(self, name: str, labels: PlainLabels) -> Scalar:
        """Label the places of an axis, once or per language; return its size, the number of labels."""
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
        """Add a given matrix, vector or number: exact numbers, or only a shape.

        ``value`` is anything :func:`symattn.matrix` accepts: rows, a list of numbers (a vector), a number, an array, a
        tensor, the path of a file; ``decimals`` takes floats as the decimals that they print instead of the binary
        numbers that they are. ``axes`` names its axes, ``("d_k",)`` the one of a vector; a new name becomes a size.
        ``shape=("m", "n")`` gives letters in place of numbers, for a general derivation. ``rounded`` figures stand for
        all numbers that round to them; every row of them is known to sum to ``row_sums``. ``note`` is printed under the
        matrix.

        Raises :class:`~symattn.base.errors.SymattnError` for a name that is taken, rows of different length, floats,
        and axes that are of another size.
        """
        call = f"given({quoted(name)})"
        self._draft.must_be_new(name, call)
        self._draft.check_notation(name, notation, call)
        if (value is None) == (shape is None):
            raise SymattnError(f'{call}: expected either rows of numbers or a shape such as shape=("m", "n")')
        remark = words.given_words(call, note=note)
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
        need: PlainWords | None = None,
        number: str | None = None,
    ) -> SectionContext:
        """Begin a section, which holds what follows until the next section or the end of a ``with`` statement.

        A section opened inside the ``with`` of another is a part of it: 2-1, 2-2. ``intro`` is printed before the steps
        and ``need`` too.
        """
        call = f"section({quoted(title if isinstance(title, str) else '…')})"
        table = (
            {"title": words.texts(title, call)}
            | words.given_words(call, intro=intro, need=need)
            | words.known(number=number)
        )
        self._draft.check(call, {"section": [table]}, 2)
        return SectionContext(self._sections, self._sections.begin(table))

    @may_come_again
    def step(
        self,
        name: str,
        formula: Expression | str,
        *,
        need: PlainWords | None = None,
        note: PlainWords | None = None,
        decimals: int | None = None,
        works: tuple[int, int] | None = None,
        notation: str | None = None,
    ) -> Expression:
        """Add the step ``name = formula`` and return the name, for the formulas that follow.

        ``need`` says what goes wrong without the step, instead of the standard text for its kind; ``note`` is a remark.
        ``decimals`` is the step's own number of decimals and ``works`` the entry that is worked out, row and column
        counted from 1.
        """
        call = f"step({quoted(name)})"
        self._draft.must_be_new(name, call)
        self._draft.check_notation(name, notation, call)
        text = self._text(formula, call)
        options = words.given_words(call, need=need, note=note) | words.known(
            decimals=decimals, works=as_in_a_file(works)
        )
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
        """Add a number over sizes, in letters and with the sizes put in, and again for each of the sizes in ``at``."""
        call = f"quantity({quoted(name)})"
        self._draft.must_be_new(name, call, "a quantity")
        self._draft.check_notation(name, notation, call)
        text = formula if isinstance(formula, str) else as_scalar_text(formula, call)
        made(text, Formula(text, self._draft))
        entry = {
            "quantity": f"{name} = {text}",
            **words.known(at=as_in_a_file(at) or None),
            **words.given_words(call, note=note),
        }
        self._item(call, entry)
        self._draft.quantities.add(name)
        self._draft.calls[name] = call
        self._write_notation(name, notation)
        return Scalar(name, self._draft, entry_symbol(name))

    def use(
        self, entry: str, *, names: Mapping[str, Expression | str] | None = None, suffix: str = "", **options: object
    ) -> None:
        """Add the steps of a catalogue entry, with its options; ``names`` renames the matrices that it uses.

        Its results are then available under their names: ``d["A"]``. ``suffix`` is appended to the name of each.
        """
        call = f"use({quoted(entry)})"
        settings = {key: self._option(value, f"{call}, {key}") for key, value in options.items()} or None
        renamed = {name: one.text if isinstance(one, Expression) else one for name, one in (names or {}).items()}
        item = {"use": entry, **words.known(**{"with": settings}, names=renamed or None, suffix=suffix or None)}
        self._several(call, item)

    # -- gradients -----------------------------------------------------------------------------------------------------

    @overload
    def gradient(
        self, of: Expression | str, wrt: Wanted, *, check: str | Literal[False] | None = None
    ) -> Expression: ...
    @overload
    def gradient(
        self, of: Expression | str, wrt: list[Any] | tuple[Wanted, ...], *, check: str | Literal[False] | None = None
    ) -> tuple[Expression, ...]: ...
    def gradient(
        self,
        of: Expression | str,
        wrt: Wanted | list[Any] | tuple[Wanted, ...],
        *,
        check: str | Literal[False] | None = None,
    ) -> Expression | tuple[Expression, ...]:
        """Add ∂L/∂W of a single number, with every gradient on the way as a step of its own; a list gives several.

        Returns names for the formulas that follow: ``dW`` is the gradient by ``W``. The page moves one entry by 0.001
        and compares the change of the loss: ``check="W[2,1]"`` names the entry, ``check=False`` omits the comparison.

        Raises :class:`~symattn.base.errors.FormulaError` where there is no such gradient.
        """
        call = f"gradient({_called(of)})"
        if isinstance(wrt, Expression | Scalar | str):
            return self._gradient(self._known(of, call), self._by(wrt, call), call, check)
        listed: object = wrt
        if not isinstance(listed, list | tuple) or not listed:
            raise FormulaError(f"{call}: expected a name or a list of names, came {described(wrt)}")
        loss, names = self._known(of, call), [self._by(each, call) for each in wrt]
        if twice := next((name for k, name in enumerate(names) if name in names[:k]), ""):
            raise FormulaError(f"{call}: the gradient by {twice} is asked for twice")
        checks = [*(None for _ in names[1:]), check]
        return tuple(self._gradient(loss, name, call, each) for name, each in zip(names, checks, strict=True))

    def vjp(self, of: Expression | str, grad: Expression | str, wrt: Wanted, *, name: str | None = None) -> Expression:
        """Add (∂Y/∂X)ᵀ applied to ``grad``, of the shape of ``of``: the gradient passed back from Y to X.

        Raises :class:`~symattn.base.errors.FormulaError` where the shapes do not fit, or there is no such gradient.
        """
        call = f"vjp({_called(of)})"
        names = self._known(of, call), self._known(grad, call), self._by(wrt, call)
        return self._asked(name, f"d{names[-1]}", f"vjp({', '.join(names)})", call)

    def jacobian(self, of: Expression | str, wrt: Wanted, *, name: str | None = None) -> Expression:
        """Add ∂y/∂x of small matrices: a row for every entry of ``of``, a column for every entry of ``wrt``, each
        numbered row by row.

        Raises :class:`~symattn.base.errors.FormulaError` for one that is too large, or where there is none.
        """
        call = f"jacobian({_called(of)})"
        names = self._known(of, call), self._by(wrt, call)
        return self._asked(name, f"J_{names[0]}", f"jacobian({', '.join(names)})", call)

    def train(self, of: Expression | str, weights: Sequence[Expression | str], *, rule: str, **settings: Any) -> None:
        """Add training steps at the end of the page: W ← W − η ∂L/∂W by a rule, and the loss before and after.

        ``rule`` is sgd, momentum, adam or adamw; ``settings`` are those of ``[train]``: ``rate``, ``momentum``,
        ``beta1``, ``beta2``, ``epsilon``, ``decay``, ``steps``, ``watch``, ``title``. The weights are givens.

        Raises :class:`~symattn.base.errors.ScenarioError` for settings that do not fit, and
        :class:`~symattn.base.errors.FormulaError` for a loss that is no single number.

        >>> from symattn.api.authoring import Derivation
        >>> d = Derivation(title="One step")
        >>> x, W = d.given("x", [[1, 2]]), d.given("W", [[1], ["1/2"]])
        >>> y = d.step("y", x @ W)
        >>> d.train(d.step("L", y @ y.T), [W], rule="sgd", rate="1/20")
        >>> d.solve()["W_t1"].exact.T, d.solve()["L_t1"].exact
        (Matrix([[4/5, 1/10]]), Matrix([[1]]))
        """
        call = f"train({_called(of)})"
        if "train" in self._draft.data:
            raise FormulaError(f"{call}: this derivation trains already: expected one call, with steps=2 for two steps")
        listed = [weights] if isinstance(weights, Expression | str) else list(weights)
        table = {"rule": rule, "of": self._known(of, call), "weights": [self._known(each, call) for each in listed]}
        self._draft.data["train"] = table | {name: as_in_a_file(value) for name, value in settings.items()}
        try:
            self._draft.scenario()
        except SymattnError:
            del self._draft.data["train"]
            raise

    # -- forms and statements ------------------------------------------------------------------------------------------

    def show(self, name: Expression | str, form: DisplayForm = "values", *, decimals: int | None = None) -> None:
        """Show a name again in another form: ``general``, ``rows``, ``vectors``, ``weighted``, ``entries``…."""
        text = self._name(name, "show")
        entry = {"show": text, **({} if form == "values" else {"form": form}), **words.known(decimals=decimals)}
        self._item(f"show({quoted(text)})", entry)

    def unfold(self, name: Expression | str, *, to: Sequence[Expression | str] = (), called: str | None = None) -> None:
        """Substitute the definitions behind a step into it, down to the names in ``to`` (none: to the givens)."""
        text = self._name(name, "unfold")
        down = self._names(to, "unfold") or None
        self._item(f"unfold({quoted(text)})", {"unfold": text, **words.known(to=down, called=called)})

    def note(self, note: PlainWords, *, about: Literal["source"] | None = None) -> None:
        """Add a paragraph; one about the source is printed at the end of a lesson, with the other remarks on it."""
        self._item("note(…)", {"note": words.texts(note, "note(…)"), **words.known(about=about)})

    def ask(self, question: PlainWords, *, answer: PlainWords) -> None:
        """Add a question to the reader, whose answer is hidden."""
        self._item("ask(…)", {"ask": words.texts(question, "ask(…)"), "answer": words.texts(answer, "ask(…)")})

    def what_if(
        self,
        name: Expression | str,
        formula: Expression | str,
        *,
        of: Expression | str,
        ask: PlainWords | None = None,
        note: PlainWords | None = None,
    ) -> None:
        """Add the result ``of`` once more, with ``name = formula`` in place of that step, beside the result as it is.

        ``ask`` says the change in words: "What if every score were 0?"

        Raises :class:`~symattn.base.errors.ShapeError` for a formula of another shape than the step.
        """
        call = "what_if(…)"
        step = f"{self._name(name, 'what_if')} = {self._text(formula, call)}"
        told = words.given_words(call, ask=ask, note=note)
        self._item(call, {"what_if": step, "of": self._name(of, "what_if"), **told})

    def prove(self, left: Expression | str, right: Expression | str, *, note: PlainWords | None = None) -> None:
        """Add a statement for all sizes: both formulas are equal. It is proved when the solution is rendered.

        A step in it stands for any matrix of its shape: its definition is not used. The page says so, and so does the
        error if the statement is then false.

        Raises :class:`~symattn.base.errors.ShapeError` for two shapes.
        """
        call = "prove(…)"
        sides = [self._text(side, call) for side in (left, right)]
        terms = [side.term.shape for side in (left, right) if isinstance(side, Expression)]
        if len(terms) == 2 and terms[0].sizes != terms[1].sizes:
            raise ShapeError(
                f"{call}: {sides[0]} is {terms[0]}, {sides[1]} is {terms[1]}: expected the same shape on both sides"
            )
        self._item(call, {"prove": sides, **words.given_words(call, note=note)})

    def variance(self, formula: Expression | str, *, note: PlainWords | None = None) -> None:
        """Add mean and variance of an entry of a product, for all sizes, where all entries are independent."""
        call = "variance(…)"
        remark = words.given_words(call, note=note)
        self._item(call, {"variance": self._text(formula, call), **remark})

    def tensor(
        self, name: str, of: Sequence[Expression | str], axes: Sequence[str], *, note: PlainWords | None = None
    ) -> None:
        """Add a tensor: matrices of one shape, stacked along leading axes, the last of which varies fastest."""
        call = f"tensor({quoted(name)})"
        self._draft.must_be_new(name, call, "a tensor")
        entry = {"tensor": name, "of": self._names(of, "tensor"), "axes": as_in_a_file(axes)}
        self._item(call, entry | words.given_words(call, note=note))
        self._draft.calls[name] = call

    def listing(self, language: str, of: Sequence[Expression | str] | Expression | str) -> None:
        """Add a program that computes ``of`` from the givens, and its output."""
        call = f"listing({quoted(language)})"
        self._item(call, {"listing": language, "of": self._names(of, "listing")})

    def figure(
        self,
        kind: str,
        of: Sequence[Expression | str] | Expression | str = (),
        *,
        row: int | None = None,
        caption: PlainWords | None = None,
    ) -> None:
        """Add a picture: heatmap, bars, arcs, vectors, move, waves or flow; ``row``, from 1, is the one it shows."""
        call = f"figure({quoted(kind)})"
        names = self._names(of, "figure")
        entry = {"figure": kind, **words.known(of=names or None, row=row), **words.given_words(call, caption=caption)}
        self._item(call, entry)

    # -- what a source says --------------------------------------------------------------------------------------------

    def claim(
        self,
        says: str,
        about: PlainWords,
        *,
        value: str | Scalar | None = None,
        at: Mapping[str, int] | None = None,
        order_of: Scalar | str | None = None,
        in_: str | None = None,
        reason: PlainWords | None = None,
        said: PlainWords | None = None,
    ) -> None:
        """Add a claim of a source and what decides it: an entry ``"S[2,3]"``, a quantity, or an order of growth."""
        call = f"claim({quoted(says)})"
        table = words.known(
            says=says,
            about=words.texts(about, f"{call}, about"),
            value=value.text if isinstance(value, Scalar) else value,
            at=as_in_a_file(at),
            order_of=order_of.text if isinstance(order_of, Scalar) else order_of,
        )
        table |= words.given_words(call, reason=reason, said=said) | words.known(**{"in": in_})
        self._draft.check(call, {"claim": [table]}, 2)
        self._draft.data.setdefault("claim", []).append(table)

    def printed(
        self, name: Expression | str, figures: Sequence[Sequence[object]], *, reason: PlainWords | None = None
    ) -> None:
        """Add figures as a source prints them, to be compared with the derived ones; ``reason`` is why they differ."""
        text = self._name(name, "printed")
        call = f"printed({quoted(text)})"
        rows = as_in_a_file(figures)
        self._draft.check(call, {"printed": {text: rows}}, 2)
        self._draft.table("printed")[text] = rows
        if reason is not None:
            self._draft.table("reasons")[text] = words.texts(reason, f"{call}, reason")

    def programs(self, languages: Sequence[str] = (), *, of: Sequence[Expression | str] = ()) -> None:
        """Set the programs at the end of the solution, and the names they compute (none: the results)."""
        table = words.known(languages=as_in_a_file(languages) or None, of=self._names(of, "programs") or None)
        self._draft.check("programs(…)", {"code": table}, 1)
        self._draft.data["code"] = table

    # -- what it comes to ----------------------------------------------------------------------------------------------

    @property
    def scenario(self) -> Scenario:
        """The scenario so far: the one that :func:`symattn.load` would read from :meth:`toml`."""
        return self._draft.scenario()

    def solve(self, *, digits: int | None = None, carry: CarryMode | None = None) -> WorkedSolution:
        """Return the solution: every step's exact value and certified decimals. Later steps do not change it."""
        from symattn.api.worked import derive

        return derive(self.scenario, digits=digits, carry=carry)

    def toml(self) -> str:
        """Return the text of a scenario file, which ``symattn derive`` reads back to the same solution.

        Raises :class:`~symattn.base.errors.SymattnError` for an entry that a file cannot hold (e to a power), and for a
        file too large to be read.
        """
        return self._draft.toml()

    def substitute(self, **values: object) -> Derivation:
        """Return a new derivation with the same steps and with numbers for general matrices and free symbols.

        A matrix gets rows of numbers, a size a whole number, a symbol an exact number; sizes follow from matrices.
        """
        from symattn.api.authoring.substitution import substituted

        new = object.__new__(type(self))
        new._start(substituted(self._draft, values))
        return new

    # -- helpers -------------------------------------------------------------------------------------------------------

    def _start(self, draft: Manuscript) -> None:
        self._draft = draft
        self._sections = Sections.after(draft)

    def _item(self, call: str, entry: dict[str, Any] | str) -> None:
        """Add an item, checked separately."""
        self._draft.check(call, {"section": [{"title": "t", "steps": [entry]}]}, 4)
        self._sections.add(entry, call)

    def _text(self, formula: Expression | str, call: str) -> str:
        """Return the text of a matrix formula over the names of this derivation."""
        if isinstance(formula, str):
            return formula
        written = formula_of(formula, call)
        if written.owner is not None and written.owner is not self._draft:
            title = written.owner.title
            raise FormulaError(
                f"{call}: {written.text} belongs to another derivation, {quoted(title)}: a formula has the names of "
                'one; d["X"] is the X of the derivation d'
            )
        if not isinstance(written, Expression):
            raise FormulaError(f"{call}: {written.text} is a number, expected a matrix")
        return written.text

    def _name(self, name: Expression | str, method: str) -> str:
        text = name.text if isinstance(name, Expression) else name
        if isinstance(name, Expression) and text not in self:
            raise FormulaError(f"{method}: {text} has no name: d.step(…) gives it one")
        return known_name(text, self._draft.plan.by_name, method)

    def _names(self, names: Sequence[Expression | str] | Expression | str, method: str) -> list[str]:
        """Return one name or several as a list."""
        if isinstance(names, Expression | str):
            return [self._name(names, method)]
        if not isinstance(names, list | tuple):
            raise FormulaError(f"{method}: expected a name or a list of names, came {described(names)}")
        return [self._name(one, method) for one in names]

    def _write_notation(self, name: str, notation: str | None) -> None:
        if notation is not None:
            self._draft.table("notation")[name] = notation

    def _gradient(self, of: str, wrt: str, call: str, check: str | Literal[False] | None) -> Expression:
        there = gradients_there(self._draft.scenario(), of).names
        if wrt not in there:
            return self._asked(None, f"d{wrt}", f"grad({of}, {wrt})", call, check)
        if check is not None:
            raise FormulaError(f"{call}: {there[wrt]} is a step already: expected check where it is asked for first")
        return self[there[wrt]]

    def _asked(
        self, name: str | None, usual: str, formula: str, call: str, check: str | Literal[False] | None = None
    ) -> Expression:
        if name is not None:
            self._draft.must_be_new(name, call)
        called = name or next(
            each for each in chain([usual], (f"{usual}_{k}" for k in count(2))) if self._is_free(each)
        )
        step = f"{called} = {formula}"
        self._several(call, step if check is None else {"step": step, "check": check})
        return self[called]

    def _several(self, call: str, item: str | dict[str, Any]) -> None:
        """Add an item that expands to several steps: build a scenario of everything so far, and take over its names."""
        self._item(call, item)
        scenario = None
        try:
            scenario = self._draft.scenario()
        finally:
            if scenario is None:
                self._sections.take_back()
        for step in scenario.derivation.steps:
            self._draft.calls.setdefault(step.name, call)
        self._draft.quantities |= set(scenario.quantities)
        self._draft.take(scenario.derivation)

    def _is_free(self, name: str) -> bool:
        try:
            self._draft.must_be_new(name, "")
        except SymattnError:
            return False
        return True

    def _known(self, name: Expression | str, call: str) -> str:
        if not isinstance(name, Expression | str):
            raise FormulaError(f"{call}: expected a name, came {described(name)}")
        text = self._text(name, call)
        if isinstance(name, Expression) and text not in self:
            raise FormulaError(f"{call}: {text} has no name: d.step(…) gives it one")
        return known_name(text, [*self._draft.plan.by_name, *self._draft.plan.batches], call)

    def _by(self, name: Wanted, call: str) -> str:
        text = name.text if isinstance(name, Scalar) else name
        if isinstance(text, str) and text in self._draft.symbols:
            return text
        return self._known(text, call)

    def _no_quantities(self, formula: Expression | str, call: str) -> None:
        if isinstance(formula, Expression):
            used = {str(letter) for letter in formula.term.expr.free_symbols} & self._draft.quantities
            if used:
                name = min(used)
                raise FormulaError(f"{call}: {name} is a quantity, a number about the derivation: it stands in no step")

    def _option(self, value: object, call: str) -> object:
        """Return the option of a catalogue entry as a file writes it; a matrix becomes its name."""
        if isinstance(value, bool | str):
            return value
        if isinstance(value, list | tuple) and all(isinstance(each, str | Expression) for each in value):
            return [self._option(each, call) for each in value]
        if isinstance(value, Expression):
            return value.text
        written = formula_of(value, call)
        return int(written.text) if written.text.isdecimal() else written.text


def _called(of: object) -> str:
    return of.text if isinstance(of, Expression) else quoted(of)


def _table(value: Mapping[str, Result] | None, option: str) -> Mapping[str, Result]:
    if value is None or isinstance(value, Mapping):
        return value or {}
    raise SymattnError(f"Derivation({option}=…): expected a dict with a value for each name, came {described(value)}")


def as_scalar_text(value: object, call: str) -> str:
    """Return the text of a number over sizes. Raises :class:`~symattn.base.errors.FormulaError` for a matrix."""
    written = formula_of(value, call)
    if isinstance(written, Expression):
        raise FormulaError(f"{call}: {written.text} is a matrix {written.term.shape}, expected a number")
    return written.text
