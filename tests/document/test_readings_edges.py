"""Every sentence of the readings at its edge: where it stops being true it is not said, and never twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from symattn.show.notation.formulas import Names
from symattn.show.readings.step import readings
from tests.document.lessons import matrices, plain

Said = Callable[..., list[dict[str, Any]]]
THREE = ("the", "cat", "sat")
OPEN = "B = softmax(X) | C = softmax(B) | D = softmax(C @ C.T) | E = softmax(D @ D.T) | "
"""The rows of E sum to 1, too deep for anybody to prove it: nobody knows whether E I + J has two entries that tie."""
DEEP = "X = 1, 2; 3, 4"


@pytest.fixture
def said(solve: Callable) -> Said:
    """``said("attends", "S = 0, 1; 2, 3", "A = softmax(S)")``: the arguments of every such sentence about the last
    step."""

    def build(key: str, givens: str, steps: str, labels: tuple[str, ...] = (), **style: Any) -> list[dict[str, Any]]:
        lines = steps.split(" | ")
        solution = solve(matrices(givens), *lines, **style)
        phrases = readings(solution.store, lines[-1].split("=")[0].strip(), Names(), labels, labels)
        return [{key: plain(value) for key, value in each.arguments} for each in phrases if each.key == key]

    return build


def softmax(row: str, **expected: Any) -> tuple[str, str, str, list[dict[str, Any]]]:
    return "attends", f"S = {row}", "A = softmax(S)", [expected]


def beside_a_mask(row: str, **expected: Any) -> tuple[str, str, str, list[dict[str, Any]]]:
    mask = ", ".join("-oo" if x == "-oo" else "0" for x in row.split(", "))
    return "attends", f"S = {row.replace('-oo', '0')} | M = {mask}", "A = softmax(S + M)", [expected]


def counts(key: str, givens: str, steps: str, **found: Any) -> tuple[str, str, str, list[dict[str, Any]]]:
    """One such sentence with these counts, or none where nothing is given."""
    return key, givens, steps, [found] if found else []


HALF = "S = sqrt(2), sqrt(2) - log(2), sqrt(2) - log(2); 1, 1, 0"
TWO, ZEROS = "S = 0, 0; 0, 0", "S = 0, 0, 0; 0, 0, 0; 0, 0, 0"
SQUARE = "X = 1, 2; 3, 4 | Y = 1, 2; 3, 5 | I = 1, 0; 0, 1 | Z = 0, 0; 0, 0 | E = 0, 0; 0, 10^-30"
SCORES = "X = 1, 2, 3; 3, 1, 0; 1, 1, 1"
SIGNS = f"{DEEP} | one = 1; 1 | J = 0; -1"

CASES = [
    # more than half is more than half
    softmax("log(3), log(2), 0", part=0),  # 1/2 exactly
    softmax("log(3) + 10^-30, log(2), 0", part=0),  # so close that its figure says 0.500000
    softmax("log(3) + 10^-4, log(2), 0", part=1),
    softmax("log(3) - 10^-30, log(2), 0", part=0),
    softmax("0, 0", part=0),  # 1/2 each: a tie is no winner
    softmax("10^-30, 0", part=0),
    softmax("1/2, 0", part=1),
    softmax("log(19), 0", part=1),  # 19/20 exactly
    softmax("log(19) + 10^-30, 0", part=1),
    softmax("log(19) + 10^-3, 0", part=2),
    softmax("99, 0", part=2),
    beside_a_mask("2, -oo, -oo, -oo", part=3),
    ("attends", HALF, "A = softmax(S)", [{"part": 0, "top": (1,), "ties": ((2, 3),)}, {}]),
    # a tie is said once, that of the largest with them, and what is masked ties in nothing
    beside_a_mask("1, 1, 0, 2", top=(4,), ties=((1, 2),)),
    beside_a_mask("2, 2, 0, 1", top=(1, 2), ties=()),
    beside_a_mask("2, 2, 1, 1", top=(1, 2), ties=((3, 4),)),
    beside_a_mask("0, 0, 0, 0", top=(1, 2, 3, 4), ties=()),
    beside_a_mask("3, 2, 1, 0", top=(1,), ties=()),
    beside_a_mask("1, 1, 2, -oo", top=(3,), ties=((1, 2),)),
    beside_a_mask("2, 1, -oo, -oo", top=(1,), ties=()),
    # a single entry is alone
    ("attends", "S = 5; -1", "A = softmax(S)", [{"alone": 1}, {"alone": 1}]),
    softmax("5, 1", alone=0),
    # an order, or a tie below the largest, that is not settled is said to be open and is called no tie
    ("attends", f"{DEEP} | I = 1, 0; 1, 0 | J = 0, 1; 0, 0", f"{OPEN}S = E @ I + J | A = softmax(S)",
     [{"open": 1, "top": (1, 2), "part": 0}, {}]),
    ("attends", f"{DEEP} | I = 0, 0; 0, 0 | J = 0, 1; 0, 0", f"{OPEN}S = E @ I + J | A = softmax(S)",
     [{"open": 0, "top": (2,), "part": 1}, {}]),
    ("attends", f"{DEEP} | I = 1, 0, 0; 1, 0, 0 | J = 0, 1, 5; 0, 0, 0", f"{OPEN}A = softmax(E @ I + J)",
     [{"top": (3,), "open": 0, "ties": ()}, {}]),
    # what is masked away prints as nothing: a weight of 0.047 does not, nor a row that large numbers alone mask
    counts("masked_away", TWO, "A = softmax(S + causal_mask(2, value=-oo))", count=1, exactly=1),
    counts("masked_away", TWO, "A = softmax(S + causal_mask(2, value=-10^9))", count=1, exactly=0),
    counts("masked_away", TWO, "A = softmax(S + causal_mask(2, value=-3))"),
    counts("masked_away", "S = 0, 0 | M = -10^9, -10^9", "A = softmax(S + M)"),
    ("masked_away", ZEROS, "A = softmax(S + causal_mask(3) + padding_mask(3, 3, 2, -10^9))",
     [{"count": 3, "exactly": 1}, {"count": 1, "exactly": 0}]),
    # a mask that is turned or multiplied hides as many
    counts("masked_away", SCORES, "A = softmax(X + causal_mask(3).T)", count=3),
    counts("masked_away", SCORES, "A = softmax(X + 2 * causal_mask(3))", count=3),
    counts("masked_away", SCORES, "A = softmax(X + causal_mask(3).T + window_mask(3, 2))", count=4),
    # a softmax will not look where the mask is large
    counts("masked_scores", TWO, "T = S + causal_mask(2, value=-oo)", count=1),
    counts("masked_scores", TWO, "T = S + causal_mask(2, value=-10^9)", count=1),
    counts("masked_scores", TWO, "T = S + causal_mask(2, value=-3)"),
    counts("masked_scores", "S = 0, 2*10^9; 0, 0", "T = S + causal_mask(2, value=-10^9)"),
    counts("masked_scores", TWO, "T = S + causal_mask(2, value=-101)", count=1),
    counts("masked_scores", TWO, "T = S + causal_mask(2, value=-100)"),
    # what stays visible and what is kept is counted
    counts("mask_keeps", "", "M = causal_mask(3)", kept=6, total=9),
    counts("mask_keeps", "", "M = window_mask(3, 1)", kept=3, total=9),
    counts("mask_keeps", "", "M = padding_mask(3, 3, 2)", kept=6, total=9),
    counts("kept", "X = 1, 2 | M = 0, -1", "K = keep(X, M)", count=1, total=2),
    counts("kept", "X = 1, 2 | M = 0, 0", "K = keep(X, M)", count=2, total=2),
    counts("kept", "X = 1, 2 | M = -oo, -10^-9", "K = keep(X, M)", count=0, total=2),
    # zero is not negative, and an open sign is counted apart
    counts("relu_cut", "X = 1, 2", "G = relu(X)", cut=0, total=2, open=0),
    counts("relu_cut", "X = 0, 0", "G = relu(X)", cut=0, total=2, open=0),
    counts("relu_cut", "X = -1, 0", "G = relu(X)", cut=1, total=2, open=0),
    counts("relu_cut", "X = -10^-300, 10^-300", "G = relu(X)", cut=1, total=2, open=0),
    counts("relu_cut", "X = -1, -2", "G = relu(X)", cut=2, total=2, open=0),
    counts("relu_cut", SIGNS, f"{OPEN}G = relu(E @ one - one + J)", cut=1, total=2, open=1),
    counts("nothing", SIGNS, f"{OPEN}G = relu(E @ one - one)"),  # and nothing is refused
    counts("nothing", SIGNS, f"{OPEN}G = elu(E @ one - one)"),
    # just below 1 is not far below; a constant row has variance 0, which is not just below 1
    counts("normalised_rows", "X = 1, 2; 0, 4", "N = layer_norm(X, epsilon=10^-5)", zero=0, hardly=1),
    counts("normalised_rows", "X = 1, 2; 3, 3.001", "N = layer_norm(X, epsilon=10^-5)", zero=0, hardly=0),
    counts("normalised_rows", "X = 0.001, 0; 1, 2", "N = layer_norm(X, epsilon=10^-5)", zero=0, hardly=0),
    counts("normalised_rows", "X = 0, 2", "N = layer_norm(X, epsilon=1/100)", zero=0, hardly=0),
    counts("normalised_rows", "X = 0, 2", "N = layer_norm(X, epsilon=1/101)", zero=0, hardly=1),
    counts("normalised_rows", "X = 1, 2", "N = layer_norm(X, epsilon=0)", zero=1, hardly=1),
    # a row of zeros has no root mean square of 1
    counts("root_mean_square", "X = 1, 1", "N = rms_norm(X)", hardly=1),
    counts("root_mean_square", "X = 0.001, 0", "N = rms_norm(X)", hardly=0),
    counts("root_mean_square", "X = 1, 1", "N = rms_norm(X, epsilon=0)", zero=1, hardly=1),
    counts("root_mean_square", "X = 1, 1; 0, 0", "N = rms_norm(X)"),
    counts("root_mean_square", "X = 10^-300, 0", "N = rms_norm(X)", hardly=0),
    # what is just long enough is not shortened
    counts("clipped", "G = 3, 4", "C = clip_norm(G, 5)", shortened=0, exactly=1, length="5"),
    counts("clipped", "G = 3, 4", "C = clip_norm(G, 5 - 10^-30)", shortened=1, exactly=1, length="5"),
    counts("clipped", "G = 3, 4", "C = clip_norm(G, 5 + 10^-30)", shortened=0, exactly=1, length="5"),
    # the widest and the narrowest rows: none where all are alike, or where it is not settled
    counts("entropy_rows", "A = 1/2, 1/2; 1, 0", "H = entropy(A)", most=(1,), least=(2,)),
    counts("entropy_rows", "A = 1/2, 1/2; 1, 0; 0, 1", "H = entropy(A)", most=(1,), least=(2, 3)),
    counts("entropy_rows", "A = 1/4, 3/4; 3/4, 1/4", "H = entropy(A)"),
    counts("entropy_rows", "A = 1/4, 3/4", "H = entropy(A)"),
    # what is 0 for certain has no logarithm
    *(
        ("zero_shares", "A = 1/2, 1/2; 1, 0", f"H = {text}", [{}])
        for text in ("entropy(A)", "1 - entropy(A)", "entropy(A.T)")
    ),
    counts("zero_shares", "A = 1/2, 1/2; 1 - 10^-300, 10^-300", "H = entropy(A)"),
    counts("entropy_range", "A = 1", "H = entropy(A)", count=1, most="0", exactly=1),
    *(
        counts(key, f"{DEEP} | H = 1/2, 1/2, 0; 1/2, 1/2, 0 | R = 1/2, 1/2, 0 | T = {row}",
               f"{OPEN}A = stack(row(E @ H, 1), R, T) | h = entropy(A)", **found)
        for row in ("1/3, 1/3, 1/3", "1, 0, 0")
        for key, found in (("entropy_rows", {}), ("entropy_range", {"count": 3}))
    ),
    # a tie is told where it is cut; one that is taken whole is no choice
    counts("taken", "P = 3, 2, 1", "T = top_k(P, 2)", taken=(1, 2), tied=(), first=()),
    counts("taken", "P = 2, 3, 2", "T = top_k(P, 2)", taken=(2, 1), tied=(1, 3), first=(1,)),
    counts("taken", "P = 2, 2, 1", "T = top_k(P, 2)", taken=(1, 2), tied=(), first=()),
    counts("taken", "P = 3, 1, 1", "T = top_k(P, 2)", taken=(1, 2), tied=(2, 3), first=(2,)),
    counts("taken", "P = 1, 1, 1", "T = top_k(P, 2)", taken=(1, 2), tied=(1, 2, 3), first=(1, 2)),
    counts("chosen", "P = 1, 3, 2", "c = argmax(P)", id=1, column=2, tied=()),
    counts("chosen", "P = 1, 3, 3", "c = argmax(P)", id=1, column=2, tied=(3,)),
    counts("chosen", "P = 1, 1, 1", "c = argmax(P)", id=0, column=1, tied=(2, 3)),
    counts("chosen", "P = 2, 1, 1", "c = argmax(P)", id=0, column=1, tied=()),
    # no logarithm is positive unless one is
    counts("logarithms", "P = 1/2, 1/3", "L = log(P)", ones=0),
    counts("logarithms", "P = 1, 1/2", "L = log(P)", ones=1),
    counts("logarithms", "P = 1, 1", "L = log(P)", ones=2),
    counts("logarithms", "P = 1 + 10^-30, 1/2", "L = log(P)"),
    # what is at position 0 stays
    counts("rotated", DEEP, "R = rotary(X, start=0)", still=1),
    counts("rotated", DEEP, "R = rotary(X, start=-1)", still=2),
    counts("rotated", DEEP, "R = rotary(X, start=1)", still=0),
    counts("rotated", DEEP, "R = rotary(X, start=1/2)", still=0),
    # symmetric is what is made of one matrix; the same entries are the same
    ("symmetric", SQUARE, "S = X @ X.T", [{}]),
    ("symmetric", SQUARE, "S = X @ Y.T", []),
    ("symmetric", SQUARE, "S = dot(X, X)", [{}]),
    ("symmetric", SQUARE, "S = dot(X, Y)", []),
    ("symmetric", SQUARE, "S = X.T @ X", []),
    ("equals_operand", SQUARE, "Y_1 = X @ I", [{}]),
    ("equals_operand", SQUARE, "Y_1 = X + Z", [{}]),
    ("equals_operand", SQUARE, "Y_1 = X @ I + E", []),
    ("equals_operand", SQUARE, "Y_1 = X / 1", [{}]),
    ("equals_operand", SQUARE, "Y_1 = X @ X", []),
]  # fmt: skip
"""A sentence, what is given, the steps, and what every such sentence about the last one says."""


@pytest.mark.parametrize(("key", "givens", "steps", "expected"), CASES)
def test_a_sentence_at_its_edge(said: Said, key: str, givens: str, steps: str, expected: list[dict[str, Any]]) -> None:
    found = said(key, givens, steps)
    assert [{each: one[each] for each in wanted} for one, wanted in zip(found, expected, strict=True)] == expected


@pytest.mark.parametrize(("row", "places"), [
    ("2, 1, 0", ((("the",), 0), (("cat",), 0), (("sat",), 0))),
    ("1, 2, 1", ((("cat",), 0), (("the", "sat"), 0))),
    ("1, 1, 1", ((THREE, 0),)),
])  # fmt: skip
def test_probabilities_are_listed_in_order(said: Said, row: str, places: tuple) -> None:
    (sentence,) = said("ranking", f"S = {row}", "A = softmax(S)", THREE)
    assert tuple((labels, open) for labels, _, open in sentence["places"]) == places


@pytest.mark.parametrize(("scale", "open"), [("1", [1]), ("0", [0, 0])])
def test_an_order_that_is_not_settled_is_listed_so(said: Said, scale: str, open: list[int]) -> None:
    givens = f"{DEEP} | I = {scale}, 0; {scale}, 0 | J = 0, 1; 0, 0"
    (listed,) = said("ranking", givens, f"{OPEN}S = row(E @ I + J, 1) | A = softmax(S)", ("the", "cat"))
    assert [open for *_, open in listed["places"]] == open


@pytest.mark.parametrize(("length", "columns", "labels"), [
    (3, None, THREE),
    (2, ("sat",), THREE),
    (1, ("cat", "sat"), THREE),
    (1, (("pad", 2), ("pad", 3)), ("the", "pad", "pad")),
])  # fmt: skip
def test_what_nobody_sees_is_named(said: Said, length: int, columns: tuple | None, labels: tuple) -> None:
    found = said("nobody_sees", "", f"M = padding_mask(3, 3, {length})", labels)
    assert found == ([] if columns is None else [{"columns": columns, "more": 0}])


@pytest.mark.parametrize(
    ("row", "total"),
    [("0, 0, 0", "0.999"), ("0, log(3)", None), ("0, 0", None), ("1, 0", None)],  # 0.25 and 0.75, 0.731 and 0.269
)
def test_printed_sums_are_told_where_they_are_not_1(said: Said, row: str, total: str | None) -> None:
    found = said("printed_sums", f"S = {row}", "A = softmax(S)", decimals=3)
    assert found == ([] if total is None else [{"rows": ((1, total),), "single": 1}])
    assert said("rows_sum_to_one", f"S = {row}", "A = softmax(S)", decimals=3) == [
        {"count": 1, "others": 0, "rounded": int(total is not None)}
    ]


@pytest.mark.parametrize(("scores", "even", "ahead"), [
    ("0, log(11/10), log(119/100)", 3, 1),  # the largest is less than 1.2 times the smallest
    ("0, log(11/10), log(13/10)", 0, 0),  # only less than 1.2 times the second
    ("0, log(11/10), log(14/10)", 0, 1),
])  # fmt: skip
def test_one_ratio_tells_even_rows_from_those_with_a_second_just_behind(
    said: Said, scores: str, even: int, ahead: int
) -> None:
    told, *_ = said("attends", f"S = {scores}; 0, 1, 5", "A = softmax(S)", THREE)
    assert (told["even"], told["ahead"]) == (even, ahead)


@pytest.mark.parametrize(("height", "left_out"), [(8, []), (9, [(5, 7)]), (12, [(5, 10)])])
def test_rows_that_are_left_out_are_named(said: Said, height: int, left_out: list) -> None:
    scores = "S = " + "; ".join(["0, 1"] * height)
    assert [(x["first"], x["last"]) for x in said("rows_left_out", scores, "A = softmax(S)")] == left_out
    skipped = [row for first, last in left_out for row in range(first, last + 1)]
    told = [x["row"] for x in said("attends", scores, "A = softmax(S)")]
    assert told == [row for row in range(1, height + 1) if row not in skipped]
