"""Beginning and end of a page: a preview from the roles, and the results with their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sympy import Integer, log

from symattn import operations as ops
from symattn.base.shapes import whole_sizes
from symattn.compute.solution import proofs
from symattn.compute.solution.on_the_way import numbers
from symattn.compute.values.balls import number_ball
from symattn.operations.node import Applied
from symattn.operations.records import RECORDS
from symattn.show.blocks import Argument, Phrase
from symattn.show.math import Number
from symattn.show.notation.figures import in_matrix
from symattn.show.readings.sentence import ReadStep, columns_of, labelled
from symattn.show.readings.weights import attends
from symattn.show.roles.reasons import Roles

OF_WORDS = frozenset("input embeddings placed queries weights self_comparison mixture normalised residual".split())
"""The kinds whose rows are tokens on their way through a computation."""

OF_SEQUENCES = frozenset("weights weights_kept share mixture placed key_value state".split())
"""The kinds whose rows form a sequence: they are mixed, or have positions."""

ORDERED = 64
"""The most candidates that are ordered to find the second; of more, only the first is sought."""


def opening(roles: Roles) -> Iterator[Phrase]:
    """Yield a preview of the page, from the roles alone; nothing if they say too little."""
    kinds = {role.kind: name for name, role in roles.seen.items() if not roles.solution.derivation[name].general}
    of_words = (name for name, role in roles.seen.items() if role.kind in OF_WORDS and roles.are_words(name))
    tokens = len(roles.names.labels[roles.tokens.name]) if roles.tokens is not None and any(of_words) else 0
    told: dict[str, Argument] = {
        "count": tokens,
        "asks": int(tokens > 0 and {"queries", "keys", "values"} <= kinds.keys()),
        "compares": int("weights" in kinds and _is_compared(kinds, tokens)),
        "mixes": int("mixture" in kinds),
        "heads": _heads(roles),
        "places": int("positions" in kinds),
        "network": int("second_layer" in kinds),
        "candidates": _candidates(roles, kinds),
        "loss": int("loss" in kinds),
        "backward": int("gradient" in kinds),
    }
    if not roles.is_short and (told["compares"] or told["candidates"] or told["network"]):
        yield Phrase("opening", tuple(told.items()))


def _is_compared(kinds: Mapping[str, str], tokens: int) -> bool:
    """Return whether words are compared as queries and keys, or rows with each other."""
    return "self_comparison" in kinds or (
        tokens > 0 and "comparison" in kinds and {"queries", "values"} <= kinds.keys()
    )


def _heads(roles: Roles) -> int:
    """Return the number of heads that work side by side."""
    return len(roles.solution.derivation[joined].uses) if (joined := _last(roles, "heads_joined")) else 0


def _candidates(roles: Roles, kinds: dict[str, str]) -> int:
    """Return the number of candidates that have probabilities."""
    return roles.solution.columns(kinds["probabilities"]) if "probabilities" in kinds else 0


def conclusion(roles: Roles) -> Iterator[Phrase]:
    """Yield the results: the candidate that wins, what its row attends to, and the loss.

    Raises :class:`~symattn.base.errors.BudgetError` if an order cannot be decided within the budget.
    """
    if not roles.is_short:
        yield from (*_attention(roles), *_prediction(roles), *_loss(roles))


def _last(roles: Roles, *kinds: str) -> str:
    """Return the last name of a kind that has numbers."""
    names = [name for name, role in roles.seen.items() if role.kind in kinds and roles.solution.shown(name).is_numbers]
    return names[-1] if names else ""


def _attention(roles: Roles) -> Iterator[Phrase]:
    """Yield what the query attends to, or the last row if a prediction is made from it; nothing for other rows."""
    names = _weights(roles)
    if names and roles.solution.rows(names[-1]) > 1 and not _is_predicted_from_last(roles):
        return
    read = [_last_row(roles, name) for name in names]
    if not read or any(phrase.key != "attends" for phrase in read):
        return
    told = [dict(phrase.arguments) for phrase in read]
    # "Most" is said only of a weight that leaves the others behind.
    if any(
        each["alone"] or each["forced"] or each["even"] or not (each["labelled"] and each["ahead"]) for each in told
    ):
        return
    row, labels = roles.solution.rows(names[-1]), roles.names.row_labels(names[-1])
    who = columns_of((row - 1,), labels) if labels else ()
    heads = tuple((each["top"], each["weight"], each["open"]) for each in told)
    top = told[0]["top"]
    row *= row > 1  # a single query has no row number
    alike = len(told) > 1 and all((each["top"], each["open"]) == (top, 0) for each in told)
    agree = int(alike and isinstance(top, tuple) and len(top) == 1)
    yield Phrase("conclusion_attends", (("row", row), ("who", who), ("heads", heads), ("agree", agree)))


def _is_predicted_from_last(roles: Roles) -> bool:
    """Return whether the last probabilities belong to the last row: every row has its own, or that one is taken."""
    derivation = roles.solution.derivation
    if not (name := _last(roles, "probabilities")):
        return False
    behind = {name, *derivation.behind([name])}
    formulas = [step.formula for step in derivation.steps if step.name in behind and step.formula is not None]
    taken = {node for formula in formulas for node in formula.find(ops.Row) | formula.find(ops.Rows)}
    return all(node.args[0].shape[0] == _last_taken(node) for node in taken if node.shape[0] == 1)


def _last_taken(node: Any) -> Any:
    """Return the number of the last row that is taken."""
    return node.number if isinstance(node, ops.Row) else node.last


def _weights(roles: Roles) -> list[str]:
    """Return the last attention weights; for several heads that are joined, those of every head."""
    last = _last(roles, "weights")
    if not last or roles.solution.derivation[last].is_given:
        return []
    joined = _last(roles, "heads_joined")
    about = [dict(roles.found[name].about) for name in roles.solution.derivation[joined].uses] if joined else []
    names = [str(getattr(each.get("weights"), "name", "")) for each in about]
    steps = [step.name for step in roles.solution.derivation.steps if not step.is_given]
    return names if last in names and set(names) <= set(steps) else [last]


def _last_row(roles: Roles, name: str) -> Phrase:
    """Return the reading of the last row of weights."""
    solution, row = roles.solution, roles.solution.rows(name) - 1
    shape = solution.shape(name)
    rows, columns = (roles.names.labels.get(axis.name, ()) for axis in (shape.rows, shape.columns))
    return attends(ReadStep(solution, name, roles.names, rows, columns, most=1), row, row + 1, rows)


def _prediction(roles: Roles) -> Iterator[Phrase]:
    """Yield the most probable candidate of the last row, and the next one."""
    name = _last(roles, "probabilities")
    if not name:
        return
    solution, row = roles.solution, roles.solution.rows(name) - 1
    shape, width = solution.shape(name), solution.columns(name)
    last = _last(roles, "probabilities", "shares")
    if last != name and solution.shape(last).columns == shape.columns:
        return  # later shares of the same candidates are the result instead
    kinds = {roles.kind(each) for each in solution.derivation.behind([name])}
    if row and not (roles.names.labels.get(shape.rows.name) and kinds & OF_SEQUENCES):
        return  # if the rows are not a sequence, the last one is not special
    labels = roles.names.labels.get(shape.columns.name, ())
    figures = solution.figures(name)[row]
    groups = proofs.groups(solution, name, row, around=None if width <= ORDERED else 1)
    places = tuple(
        (columns_of(group.columns, labels), in_matrix(figures[group.columns[0]]), int(group.open is not None))
        for group in (groups[:2] if width <= ORDERED else groups[:1])
    )
    rows = roles.names.labels.get(shape.rows.name, ()) if row else ()
    yield Phrase("conclusion_next", (*labelled(row, rows).items(), ("only", int(row == 0)), ("places", places)))


def _loss(roles: Roles) -> Iterator[Phrase]:
    if name := _last(roles, "loss"):
        figure = roles.solution.figures(name)[0][0]
        told: list[tuple[str, Argument]] = [("name", roles.names(name)), ("figure", Number(figure.text))]
        yield Phrase("conclusion_loss", (*told, *_guessing(roles, name)))


def _guessing(roles: Roles, name: str) -> list[tuple[str, Argument]]:
    """Return the number of candidates, and what the loss would be if all of them were as likely: its logarithm."""
    formula = roles.solution.formula(name)
    if not (isinstance(formula, Applied) and formula.operation == RECORDS["cross_entropy"]):
        return [("candidates", 0), ("guess", "")]
    candidates = whole_sizes(formula.args[1])[1]
    largest = log(Integer(candidates))
    (guess,) = numbers(roles.solution, lambda bits: [number_ball(largest)], ["guessing"], lambda _: largest)
    return [("candidates", candidates), ("guess", Number(guess.text))]
