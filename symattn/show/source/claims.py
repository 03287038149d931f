"""The claims of a source beside the results of the solution: reproduced, wrong, or impossible to derive."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from symattn.base.printed import Figure, is_infinite, read_figure, read_printed, rounded_text, scale_of
from symattn.claims.source import apart
from symattn.compute.solution.figures import entry_name, rounded
from symattn.compute.solution.quantities import QuantityValues
from symattn.compute.solution.store import Shown, Store
from symattn.read.quantities import growth, read_number_of, read_order
from symattn.read.scenario.claims import plain_figure
from symattn.read.scenario.model import Claim, ClaimedEntry, ClaimedOrder, ClaimedQuantity
from symattn.read.scenario.words import Words
from symattn.show.blocks import Argument, Inline, Phrase
from symattn.show.forms.intervals import cell
from symattn.show.math import Call, Chain, Letter, Math, Number, Script, seq
from symattn.show.notation.arithmetic import in_symbols, letters_in, ordered
from symattn.show.notation.formulas import Names, number
from symattn.show.quantities import sizes_of
from symattn.show.source.printed import place_in

Outcome = Literal["reproduced", "right_order", "agrees", "not_so", "not_derived"]


@dataclass(frozen=True)
class Verdict:
    """The finding about one claim."""

    outcome: Outcome
    derived: tuple[Inline, ...]
    right: Math | None = None
    """The figure or order that the source should have printed."""

    @property
    def is_settled(self) -> bool:
        """Whether anything could be found out about the claim."""
        return self.outcome != "not_derived"


def judge(claim: Claim, solution: Store, values: QuantityValues, names: Names) -> Verdict:
    """Judge a claim by the solution: a figure with as many decimals as the source shows, an order by its power."""
    match claim.subject:
        case ClaimedEntry(name, row, column):
            if solution.shown(name) is Shown.INTERVALS:
                return _interval(claim, solution, name, row - 1, column - 1)
            index = (row - 1) * solution.columns(name) + column - 1
            known = entry_name(solution, name, index)
            figure = solution.figures(known)[row - 1][column - 1]
            symbol = place_in(names(name), row, column)
            return _figure(claim, symbol, figure, lambda places: rounded(solution, known, places, [index])[0])
        case ClaimedQuantity(name, at):
            value = values.exact(name, at)
            assert value is not None
            verdict = _figure(claim, names(name), values.figure(value), lambda places: values.rounded(value, places))
            if not at:
                return verdict
            line = Phrase("quantity_at", (("sizes", sizes_of(at, names)), ("value", verdict.derived[0])))
            return Verdict(verdict.outcome, (line,), verdict.right)
        case ClaimedOrder():
            return _order(claim, claim.subject, solution, values, names)
    return Verdict("not_derived", ("–",))


def counts(verdicts: Sequence[Verdict]) -> tuple[tuple[str, int], ...]:
    """Return how many claims there are, and how many are right, wrong and undecided."""
    outcomes = [verdict.outcome for verdict in verdicts]
    wrong, unsettled = outcomes.count("not_so"), outcomes.count("not_derived")
    right = len(outcomes) - wrong - unsettled
    return (("count", len(outcomes)), ("right", right), ("wrong", wrong), ("open", unsettled))


def claim_row(
    claim: Claim, verdict: Verdict, words: Callable[[Words], tuple[Inline, ...]]
) -> tuple[tuple[Inline, ...], ...]:
    """Return a claim as a row of the table: its subject, the printed and the derived figure, and the verdict."""
    right = (("right", verdict.right),) if verdict.outcome == "not_so" and verdict.right is not None else ()
    printed = plain_figure(claim.says)
    says: Inline = Number(claim.says) if printed == claim.says and read_figure(printed) else claim.says
    if isinstance(claim.subject, ClaimedOrder):
        says = _said(claim.says)
    sentence = Phrase(f"claim_{verdict.outcome}", (*right, ("reason", _reason(claim, words))))
    return (words(claim.about), _says(claim, says, words), verdict.derived, (sentence,))


def unverified_item(claim: Claim, words: Callable[[Words], tuple[Inline, ...]]) -> Phrase:
    """Return a claim about which nothing could be found out, as an item of a list."""
    about: Argument = words(claim.about)
    says: Argument = _says(claim, claim.says, words)
    return Phrase("claim_open", (("about", about), ("says", says), ("reason", _reason(claim, words))), "reading")


def _says(claim: Claim, figure: Inline, words: Callable[[Words], tuple[Inline, ...]]) -> tuple[Inline, ...]:
    return (figure,) if claim.said is None else words(claim.said)


def _reason(claim: Claim, words: Callable[[Words], tuple[Inline, ...]]) -> Argument:
    return () if claim.reason is None else words(claim.reason)


def _said(order: str) -> Math:
    """Return O(n^2) or O(n log n) as mathematics, with the letters of the source."""
    parts: list[Math] = []
    for base, power in re.findall(r"([A-Za-z]+|[0-9]+)(?:\^([0-9]+))?", order.strip()[1:]):
        letter = Number(base) if base.isdigit() else Letter(base, "italic" if len(base) == 1 else "upright")
        parts.append(Script(letter, sup=Number(power)) if power else letter)
    return Call("O", (seq(*parts),))


def _figure(claim: Claim, symbol: Math, figure: Figure, rounded_to: Callable[[int], int]) -> Verdict:
    """Compare the rounded value with the printed one; if they differ, also show the value with all its decimals."""
    plain = plain_figure(claim.says)
    printed = read_printed(plain)
    shown = Chain(symbol, (("=" if figure.exact else "≈", Number(figure.text)),))
    if printed is None or is_infinite(figure.text):
        return Verdict("reproduced" if plain == figure.text else "not_so", (shown,), Number(figure.text))
    says, places = printed
    found, scale = rounded_to(places), scale_of(places)
    rounding = Number(rounded_text(found, places))
    if found == says * scale:
        is_whole = figure.exact and figure.number is not None and figure.number * scale == found
        return Verdict("reproduced", (Chain(symbol, (("=" if is_whole else "≈", rounding),)),))
    return Verdict("not_so", (shown,), rounding)


def _interval(claim: Claim, solution: Store, name: str, i: int, j: int) -> Verdict:
    """Judge an entry that is known only as an interval: some number in it has to round to the printed figure."""
    ends, says = solution.intervals(name)[i][j], plain_figure(claim.says)
    printed = read_printed(says)
    shown = cell(ends, max(0, printed[1]) + 1 if printed else 1)
    return Verdict("agrees" if apart(ends, says) is None else "not_so", (shown,), shown)


def _order(claim: Claim, subject: ClaimedOrder, solution: Store, values: QuantityValues, names: Names) -> Verdict:
    number_, written = read_number_of(subject.formula, solution.derivation, values.quantities)
    value = values.letters(number_)
    power, said = growth(value, subject.letter), read_order(claim.says)
    assert said is not None
    letter = names(subject.letter)
    inside = Number("1") if power == 0 else letter if power == 1 else Script(letter, sup=number(power))
    order = Call("O", (inside,))
    chain = Chain(in_symbols(ordered(value, letters_in(written)), names), (("=", order),))
    return Verdict("right_order" if said.is_growth(power) else "not_so", (chain,), order)
