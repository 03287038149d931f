"""What stands on the page of a derivation beside its givens and steps: forms, proofs, programs, words of a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from symattn.authoring import words
from symattn.authoring.draft import Manuscript, known_name, plain, quoted
from symattn.authoring.expression import Expression, Scalar
from symattn.authoring.parts import formula_of
from symattn.authoring.sections import Sections
from symattn.authoring.words import PlainWords
from symattn.errors import FormulaError, ShapeError
from symattn.operations.terms import symbol
from symattn.scenario.fields import described
from symattn.scenario.model import DisplayForm


class PageMethods:
    """The part of :class:`~symattn.authoring.Derivation` that speaks of names there are already."""

    _anew: bool = False
    _draft: Manuscript
    _sections: Sections

    def __contains__(self, name: object) -> bool:
        return name in self._draft.plan.by_name or name in self._draft.plan.batches

    def __getitem__(self, name: str) -> Expression:
        """The matrix of that name, for the next formula; or the matrices."""
        plan = self._draft.plan
        if name in list(plan.batches):
            batch = plan.scope.batches[name]
            return Expression(name, self._draft, batch.parts[0], batch=batch)
        steps = plan.by_name
        known_name(name, steps, f"d[{quoted(name)}]")
        return Expression(name, self._draft, symbol(name, steps[name].shape))

    def _start(self, draft: Manuscript) -> None:
        self._draft = draft
        self._sections = Sections.after(draft)

    # -- forms and statements ------------------------------------------------------------------------------------------

    def show(self, name: Expression | str, form: DisplayForm = "values", *, decimals: int | None = None) -> None:
        """A name once more, in another form: ``general``, ``rows``, ``vectors``, ``weighted``, ``entries``…."""
        text = self._name(name, "show")
        entry = {"show": text, **({} if form == "values" else {"form": form}), **words.known(decimals=decimals)}
        self._item(f"show({quoted(text)})", entry)

    def unfold(self, name: Expression | str, *, to: Sequence[Expression | str] = (), called: str | None = None) -> None:
        """The definitions behind a step put into each other, down to the names in ``to`` (none: to the givens)."""
        text = self._name(name, "unfold")
        down = self._names(to, "unfold") or None
        self._item(f"unfold({quoted(text)})", {"unfold": text, **words.known(to=down, called=called)})

    def note(self, note: PlainWords, *, about: Literal["source"] | None = None) -> None:
        """A paragraph; one about the source stands at the end of a lesson, with all that is said of it."""
        self._item("note(…)", {"note": words.texts(note, "note(…)"), **words.known(about=about)})

    def prove(self, left: Expression | str, right: Expression | str, *, note: PlainWords | None = None) -> None:
        """A statement for all sizes: both formulas are equal. It is proved when the solution is rendered.

        A step in it stands for any matrix of its shape: its definition is not used. The page says so, and so does the
        error for a statement that is false then.

        Raises :class:`~symattn.errors.ShapeError` for two shapes.
        """
        call = "prove(…)"
        sides = [self._text(side, call) for side in (left, right)]
        terms = [side.term.shape for side in (left, right) if isinstance(side, Expression)]
        if len(terms) == 2 and terms[0].sizes != terms[1].sizes:
            raise ShapeError(
                f"{call}: {sides[0]} is {terms[0]}, {sides[1]} is {terms[1]}: expected the same shape on both sides"
            )
        self._item(call, {"prove": sides, **words.told(call, note=note)})

    def variance(self, formula: Expression | str, *, note: PlainWords | None = None) -> None:
        """Mean and variance of an entry of a product, for all sizes, where all entries are independent."""
        call = "variance(…)"
        remark = words.told(call, note=note)
        self._item(call, {"variance": self._text(formula, call), **remark})

    def tensor(
        self, name: str, of: Sequence[Expression | str], axes: Sequence[str], *, note: PlainWords | None = None
    ) -> None:
        """Matrices of one shape, stacked along leading axes, the last of which runs fastest."""
        call = f"tensor({quoted(name)})"
        self._draft.must_be_new(name, call, "a tensor")
        entry = {"tensor": name, "of": self._names(of, "tensor"), "axes": plain(axes)}
        self._item(call, entry | words.told(call, note=note))
        self._draft.calls[name] = call

    def listing(self, language: str, of: Sequence[Expression | str] | Expression | str) -> None:
        """A program that computes ``of`` from the givens, and what it prints."""
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
        """A picture: heatmap, bars, arcs, vectors, waves or flow; ``row``, counted from 1, is the one it shows."""
        call = f"figure({quoted(kind)})"
        names = self._names(of, "figure")
        entry = {"figure": kind, **words.known(of=names or None, row=row), **words.told(call, caption=caption)}
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
    ) -> None:
        """What a source says, and what decides about it: an entry ``"S[2,3]"``, a quantity, or an order of growth."""
        call = f"claim({quoted(says)})"
        table = words.known(
            says=says,
            about=words.texts(about, f"{call}, about"),
            value=value.text if isinstance(value, Scalar) else value,
            at=plain(at),
            order_of=order_of.text if isinstance(order_of, Scalar) else order_of,
        )
        table |= words.told(call, reason=reason) | words.known(**{"in": in_})
        self._draft.check(call, {"claim": [table]}, 2)
        self._draft.data.setdefault("claim", []).append(table)

    def printed(
        self, name: Expression | str, figures: Sequence[Sequence[object]], *, reason: PlainWords | None = None
    ) -> None:
        """Figures as a source prints them, compared with the derived ones; ``reason`` is why they differ."""
        text = self._name(name, "printed")
        call = f"printed({quoted(text)})"
        rows = plain(figures)
        self._draft.check(call, {"printed": {text: rows}}, 2)
        self._draft.table("printed")[text] = rows
        if reason is not None:
            self._draft.table("reasons")[text] = words.texts(reason, f"{call}, reason")

    def programs(self, languages: Sequence[str] = (), *, of: Sequence[Expression | str] = ()) -> None:
        """The programs at the end of the solution, and what they compute (none: the results)."""
        table = words.known(languages=plain(languages) or None, of=self._names(of, "programs") or None)
        self._draft.check("programs(…)", {"code": table}, 1)
        self._draft.data["code"] = table

    # -- helpers -------------------------------------------------------------------------------------------------------

    def _item(self, call: str, entry: dict[str, Any] | str) -> None:
        """An item, checked by itself."""
        self._draft.check(call, {"section": [{"title": "t", "steps": [entry]}]}, 4)
        self._sections.add(entry, call)

    def _text(self, formula: Expression | str, call: str) -> str:
        """The text of a matrix formula over the names of this derivation."""
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
        """One name or several."""
        if isinstance(names, Expression | str):
            return [self._name(names, method)]
        if not isinstance(names, list | tuple):
            raise FormulaError(f"{method}: expected a name or a list of names, came {described(names)}")
        return [self._name(one, method) for one in names]

    def _write_notation(self, name: str, notation: str | None) -> None:
        if notation is not None:
            self._draft.table("notation")[name] = notation
