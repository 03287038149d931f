"""Every sentence of the readings at its edge: where it stops being true it is not said, and never twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from symattn.document.notation.formulas import Names
from symattn.document.readings.step import readings

Said = Callable[..., list[dict[str, Any]]]
THREE = ("the", "cat", "sat")


@pytest.fixture
def said(solve: Callable) -> Said:
    """``said("attends", givens, "A = softmax(S)")``: the arguments of every such sentence about the last step."""

    def build(
        key: str,
        givens: dict[str, Any],
        *steps: str,
        labels: tuple[str, ...] = (),
        rows: tuple[str, ...] = (),
        **style: Any,
    ) -> list[dict[str, Any]]:
        solution = solve(givens, *steps, **style)
        name = steps[-1].split("=")[0].strip()
        found = readings(solution, name, Names(), rows or labels, labels)
        return [{key: plain(value) for key, value in phrase.arguments} for phrase in found if phrase.key == key]

    return build


def plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return getattr(value, "text", value)


def test_the_fixture_sees_what_it_should(said: Said) -> None:
    assert said("attends", {"S": [["0", "1"]]}, "A = softmax(S)")[0]["top"] == (2,)
    assert said("nothing", {"S": [["0", "1"]]}, "A = softmax(S)") == []


# Softmax


@pytest.mark.parametrize(
    ("row", "half"),
    [
        (["log(3)", "log(2)", "0"], 0),  # 1/2 exactly
        (["log(3) + 10^-30", "log(2)", "0"], 1),
        (["log(3) - 10^-30", "log(2)", "0"], 0),
        (["0", "0"], 0),  # 1/2 each: a tie is no winner
        (["10^-30", "0"], 1),
    ],
)
def test_more_than_half_is_more_than_half(said: Said, row: list[str], half: int) -> None:
    (sentence,) = said("attends", {"S": [row]}, "A = softmax(S)")
    assert sentence["half"] == half


def test_half_that_only_algebra_sees_is_no_more_than_half(said: Said) -> None:
    (sentence, _) = said(
        "attends", {"S": [["sqrt(2)", "sqrt(2) - log(2)", "sqrt(2) - log(2)"], ["1", "1", "0"]]}, "A = softmax(S)"
    )
    assert (sentence["half"], sentence["top"], sentence["ties"]) == (0, (1,), ((2, 3),))


@pytest.mark.parametrize(
    ("row", "top", "ties"),
    [
        (["1", "1", "0", "2"], (4,), ((1, 2),)),
        (["2", "2", "0", "1"], (1, 2), ()),  # the tie of the largest is said once, with them
        (["2", "2", "1", "1"], (1, 2), ((3, 4),)),
        (["0", "0", "0", "0"], (1, 2, 3, 4), ()),
        (["3", "2", "1", "0"], (1,), ()),
        (["1", "1", "2", "-oo"], (3,), ((1, 2),)),
        (["2", "1", "-oo", "-oo"], (1,), ()),  # what is masked ties in nothing
    ],
)
def test_a_tie_is_said_once(said: Said, row: list[str], top: tuple, ties: tuple) -> None:
    mask = ["-oo" if x == "-oo" else "0" for x in row]
    seen = ["0" if x == "-oo" else x for x in row]
    (sentence,) = said("attends", {"S": [seen], "M": [mask]}, "A = softmax(S + M)")
    assert (sentence["top"], sentence["ties"]) == (top, ties)


def test_a_single_entry_is_alone(said: Said) -> None:
    assert [x["alone"] for x in said("attends", {"S": [["5"], ["-1"]]}, "A = softmax(S)")] == [1, 1]
    assert said("attends", {"S": [["5", "1"]]}, "A = softmax(S)")[0]["alone"] == 0


def test_the_second_token_of_a_word_is_not_the_first_itself() -> None:
    """“the cat the”: the first “the” attends to the third token, which is called as it is."""
    page = _page(["the", "cat", "the"], [["0", "1", "2"], ["0", "3", "1"], ["5", "1", "1"]])
    assert "Row 1 (the) has its largest entry in column 3" in page
    assert "Row 2 (cat) attends most to itself" in page
    assert "Row 3 (the) has its largest entry in column 1" in page
    own = _page(["the", "cat", "the"], [["2", "1", "0"], ["0", "3", "1"], ["1", "1", "5"]])
    assert own.count("attends most to itself") == 3


def test_a_key_in_the_same_place_is_not_the_query_itself() -> None:
    page = _page(["the", "cat"], [["2", "1"], ["0", "3"]], keys=["the", "dog"])
    assert "Row 1 (the) attends most to the (" in page
    assert "Row 2 (cat) attends most to dog (" in page
    assert "itself" not in page


def _page(tokens: list[str], scores: list[list[str]], keys: list[str] | None = None) -> str:
    from symattn import derive
    from symattn.scenario.load import loads

    axis = "n" if keys is None else "keys"
    text = f'title = "t"\ntokens = {tokens}\n[labels]\nkeys = {keys or tokens}\n[given.S]\nvalue = {scores}\n'
    text += f'axes = ["n", "{axis}"]\n[[section]]\ntitle = "s"\nsteps = ["A = softmax(S)", "Z = A @ ones({axis}, 1)"]\n'
    return derive(loads(text.replace("'", '"'))).render()


@pytest.mark.parametrize(
    ("row", "places"),
    [
        (["2", "1", "0"], ((("the",), 0), (("cat",), 0), (("sat",), 0))),
        (["1", "2", "1"], ((("cat",), 0), (("the", "sat"), 0))),
        (["1", "1", "1"], ((THREE, 0),)),
    ],
)
def test_probabilities_are_listed_in_order(said: Said, row: list[str], places: tuple) -> None:
    (sentence,) = said("ranking", {"S": [row]}, "A = softmax(S)", labels=THREE)
    assert tuple((labels, open) for labels, _, open in sentence["places"]) == places


OPEN = ("B = softmax(X)", "C = softmax(B)", "D = softmax(C @ C.T)", "E = softmax(D @ D.T)")
"""The rows of E sum to 1, too deep for anybody to prove it: nobody knows whether E I + J has two entries that tie."""


@pytest.mark.parametrize(("scale", "open"), [("1", 1), ("0", 0)])
def test_an_order_that_is_not_settled_is_said(said: Said, scale: str, open: int) -> None:
    givens = {"X": [["1", "2"], ["3", "4"]], "I": [[scale, "0"], [scale, "0"]], "J": [["0", "1"], ["0", "0"]]}
    found = said("attends", givens, *OPEN, "S = E @ I + J", "A = softmax(S)")
    assert found[0]["open"] == open
    assert found[0]["top"] == ((1, 2) if open else (2,))
    assert found[0]["half"] == (0 if open else 1)
    listed = said("ranking", givens, *OPEN, "S = row(E @ I + J, 1)", "A = softmax(S)", labels=("the", "cat"))
    assert [open for *_, open in listed[0]["places"]] == ([1] if open else [0, 0])


def test_a_tie_below_the_largest_that_is_not_settled_is_not_called_one(said: Said) -> None:
    givens = {"X": [["1", "2"], ["3", "4"]], "I": [["1", "0", "0"]] * 2, "J": [["0", "1", "5"], ["0", "0", "0"]]}
    found = said("attends", givens, *OPEN, "A = softmax(E @ I + J)")
    assert (found[0]["top"], found[0]["open"], found[0]["ties"]) == ((3,), 0, ())


# Masks


@pytest.mark.parametrize(
    ("value", "counts"),
    [
        ("-oo", [(1, 1)]),
        ("-10^9", [(1, 0)]),
        ("-3", []),  # a weight of 0.047 is not masked away
    ],
)
def test_masked_away_is_what_prints_as_nothing(said: Said, value: str, counts: list) -> None:
    found = said("masked_away", {"S": [["0", "0"], ["0", "0"]]}, f"A = softmax(S + causal_mask(2, value={value}))")
    assert [(x["count"], x["exactly"]) for x in found] == counts


def test_two_kinds_of_masks_are_two_sentences(said: Said) -> None:
    steps = "A = softmax(S + causal_mask(3) + padding_mask(3, 3, 2, -10^9))"
    found = said("masked_away", {"S": [["0"] * 3] * 3}, steps)
    assert [(x["count"], x["exactly"]) for x in found] == [(3, 1), (1, 0)]


def test_a_row_that_is_masked_by_large_numbers_only_is_not_masked_away(said: Said) -> None:
    found = said("masked_away", {"S": [["0", "0"]], "M": [["-10^9", "-10^9"]]}, "A = softmax(S + M)")
    assert found == []


@pytest.mark.parametrize(
    ("value", "scores", "count"),
    [("-oo", "0", 1), ("-10^9", "0", 1), ("-3", "0", 0), ("-10^9", "2*10^9", 0), ("-101", "0", 1), ("-100", "0", 0)],
)
def test_a_softmax_will_not_look_where_the_mask_is_large(said: Said, value: str, scores: str, count: int) -> None:
    found = said("masked_scores", {"S": [["0", scores], ["0", "0"]]}, f"T = S + causal_mask(2, value={value})")
    assert [x["count"] for x in found] == ([count] if count else [])


@pytest.mark.parametrize(
    ("mask", "kept"), [("causal_mask(3)", 6), ("window_mask(3, 1)", 3), ("padding_mask(3, 3, 2)", 6)]
)
def test_what_stays_visible_is_counted(said: Said, mask: str, kept: int) -> None:
    assert said("mask_keeps", {}, f"M = {mask}") == [{"kept": kept, "total": 9}]


@pytest.mark.parametrize(
    ("length", "columns", "labels", "more"),
    [
        (3, None, THREE, 0),
        (2, ("sat",), THREE, 0),
        (1, ("cat", "sat"), THREE, 0),
        (1, (2, 3), ("the", "pad", "pad"), 0),
    ],
)
def test_what_nobody_sees_is_named(said: Said, length: int, columns: tuple | None, labels: tuple, more: int) -> None:
    found = said("nobody_sees", {}, f"M = padding_mask(3, 3, {length})", labels=labels)
    assert found == ([] if columns is None else [{"columns": columns, "more": more}])


@pytest.mark.parametrize(("mask", "count"), [([["0", "-1"]], 1), ([["0", "0"]], 2), ([["-oo", "-10^-9"]], 0)])
def test_what_is_kept_is_counted(said: Said, mask: list, count: int) -> None:
    assert said("kept", {"X": [["1", "2"]], "M": mask}, "K = keep(X, M)") == [{"count": count, "total": 2}]


# Sums


@pytest.mark.parametrize(
    ("row", "total"),
    [
        (["0", "0", "0"], "0.999"),
        (["0", "log(3)"], None),  # 0.25 and 0.75 are exact
        (["0", "0"], None),
        (["1", "0"], None),  # 0.731 and 0.269
    ],
)
def test_printed_sums_are_told_where_they_are_not_1(said: Said, row: list[str], total: str | None) -> None:
    found = said("printed_sums", {"S": [row]}, "A = softmax(S)", decimals=3)
    assert found == ([] if total is None else [{"rows": ((1, total),)}])
    assert said("rows_sum_to_one", {"S": [row]}, "A = softmax(S)") == [{"count": 1, "others": 0}]


# Signs


@pytest.mark.parametrize(
    ("row", "cut"),
    [
        (["1", "2"], 0),
        (["0", "1"], 0),
        (["0", "0"], 0),
        (["-1", "0"], 1),
        (["-10^-300", "10^-300"], 1),
        (["-1", "-2"], 2),
    ],
)
def test_zero_is_not_negative(said: Said, row: list[str], cut: int) -> None:
    assert said("relu_cut", {"X": [row]}, "G = relu(X)") == [{"cut": cut, "total": 2, "open": 0}]


def test_an_open_sign_is_counted_apart(said: Said) -> None:
    givens = {"X": [["1", "2"], ["3", "4"]], "one": [["1"], ["1"]], "J": [["0"], ["-1"]]}
    assert said("relu_cut", givens, *OPEN, "G = relu(E @ one - one + J)") == [{"cut": 1, "total": 2, "open": 1}]
    (elu, relu) = (said("nothing", givens, *OPEN, f"G = {name}(E @ one - one)") for name in ("elu", "relu"))
    assert elu == relu == [], "nothing is refused"


# Norms


@pytest.mark.parametrize(
    ("rows", "epsilon", "zero", "hardly"),
    [
        ([["1", "2"], ["0", "4"]], "10^-5", 0, 1),
        ([["1", "2"], ["3", "3"]], "10^-5", 0, 0),  # a constant row has variance 0, which is not just below 1
        ([["0.001", "0"], ["1", "2"]], "10^-5", 0, 0),  # 0.024
        ([["0", "2"]], "1/100", 0, 0),  # 100 times ε is not more than 100 times ε
        ([["0", "2"]], "1/101", 0, 1),
        ([["1", "2"]], "0", 1, 1),
    ],
)
def test_just_below_1_is_not_far_below(said: Said, rows: list, epsilon: str, zero: int, hardly: int) -> None:
    (sentence,) = said("normalised_rows", {"X": rows}, f"N = layer_norm(X, epsilon={epsilon})")
    assert (sentence["zero"], sentence["hardly"]) == (zero, hardly)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [([["1", "1"]], [1]), ([["0.001", "0"]], [0]), ([["1", "1"], ["0", "0"]], []), ([["10^-300", "0"]], [0])],
)
def test_a_row_of_zeros_has_no_root_mean_square_of_1(said: Said, rows: list, expected: list[int]) -> None:
    assert [x["hardly"] for x in said("root_mean_square", {"X": rows}, "N = rms_norm(X)")] == expected


@pytest.mark.parametrize(("threshold", "shortened"), [("5", 0), ("5 - 10^-30", 1), ("5 + 10^-30", 0)])
def test_what_is_just_long_enough_is_not_shortened(said: Said, threshold: str, shortened: int) -> None:
    (sentence,) = said("clipped", {"G": [["3", "4"]]}, f"C = clip_norm(G, {threshold})")
    assert (sentence["shortened"], sentence["exactly"], sentence["length"]) == (shortened, 1, "5")


# Entropies


@pytest.mark.parametrize(
    ("rows", "ends"),
    [
        ([["1/2", "1/2"], ["1", "0"]], ((1,), (2,))),
        ([["1/2", "1/2"], ["1", "0"], ["0", "1"]], ((1,), (2, 3))),
        ([["1/4", "3/4"], ["3/4", "1/4"]], None),  # all alike: none is first or last
        ([["1/4", "3/4"]], None),
    ],
)
def test_the_widest_and_the_narrowest_rows(said: Said, rows: list, ends: tuple | None) -> None:
    found = said("entropy_rows", {"A": rows}, "H = entropy(A)")
    assert found == ([] if ends is None else [{"most": ends[0], "least": ends[1]}])
    assert said("entropy_range", {"A": [["1"]]}, "H = entropy(A)") == [{"count": 1, "most": "0", "exactly": 1}]


@pytest.mark.parametrize("row", [["1/3", "1/3", "1/3"], ["1", "0", "0"]])
def test_ends_that_are_not_settled_are_not_named(said: Said, row: list[str]) -> None:
    """Rows of 1/2, 1/2, 0, once as they are and once from deep down, beside one that is wider or narrower."""
    givens = {"X": [["1", "2"], ["3", "4"]], "H": [["1/2", "1/2", "0"]] * 2, "R": [["1/2", "1/2", "0"]], "T": [row]}
    steps = (*OPEN, "A = stack(row(E @ H, 1), R, T)", "h = entropy(A)")
    assert said("entropy_rows", givens, *steps) == []
    assert len(said("entropy_range", givens, *steps)) == 1


# Choices


@pytest.mark.parametrize(
    ("row", "taken", "tied", "first"),
    [
        (["3", "2", "1"], (1, 2), (), ()),
        (["2", "3", "2"], (2, 1), (1, 3), (1,)),
        (["2", "2", "1"], (1, 2), (), ()),  # a tie that is taken whole is no choice
        (["3", "1", "1"], (1, 2), (2, 3), (2,)),
        (["1", "1", "1"], (1, 2), (1, 2, 3), (1, 2)),
    ],
)
def test_a_tie_is_told_where_it_is_cut(said: Said, row: list, taken: tuple, tied: tuple, first: tuple) -> None:
    (sentence,) = said("taken", {"P": [row]}, "T = top_k(P, 2)")
    assert (sentence["taken"], sentence["tied"], sentence["first"]) == (taken, tied, first)


@pytest.mark.parametrize(
    ("row", "column", "tied"),
    [(["1", "3", "2"], 2, ()), (["1", "3", "3"], 2, (3,)), (["1", "1", "1"], 1, (2, 3)), (["2", "1", "1"], 1, ())],
)
def test_what_is_chosen_and_what_ties_with_it(said: Said, row: list, column: int, tied: tuple) -> None:
    (sentence,) = said("chosen", {"P": [row]}, "c = argmax(P)")
    assert (sentence["id"], sentence["column"], sentence["tied"]) == (column - 1, column, tied)


@pytest.mark.parametrize(
    ("row", "ones"), [(["1/2", "1/3"], [0]), (["1", "1/2"], [1]), (["1", "1"], [2]), (["1 + 10^-30", "1/2"], [])]
)
def test_no_logarithm_is_positive_unless_one_is(said: Said, row: list, ones: list) -> None:
    assert [x["ones"] for x in said("logarithms", {"P": [row]}, "L = log(P)")] == ones


# Other sentences


@pytest.mark.parametrize(("start", "still"), [("0", 1), ("-1", 2), ("1", 0), ("1/2", 0)])
def test_what_is_at_position_0_stays(said: Said, start: str, still: int) -> None:
    found = said("rotated", {"X": [["1", "2"], ["3", "4"]]}, f"R = rotary(X, start={start})")
    assert found == [{"still": still}]


@pytest.mark.parametrize(
    ("step", "count"),
    [("S = X @ X.T", 1), ("S = X @ Y.T", 0), ("S = dot(X, X)", 1), ("S = dot(X, Y)", 0), ("S = X.T @ X", 0)],
)
def test_symmetric_is_what_is_made_of_one_matrix(said: Said, step: str, count: int) -> None:
    givens = {"X": [["1", "2"], ["3", "4"]], "Y": [["1", "2"], ["3", "5"]]}
    assert len(said("symmetric", givens, step)) == count


@pytest.mark.parametrize(
    ("step", "count"),
    [("Y = X @ I", 1), ("Y = X + Z", 1), ("Y = X @ I + E", 0), ("Y = X / 1", 1), ("Y = X @ X", 0)],
)
def test_the_same_entries_are_the_same(said: Said, step: str, count: int) -> None:
    givens = {
        "X": [["1", "2"], ["3", "4"]],
        "I": [["1", "0"], ["0", "1"]],
        "Z": [["0", "0"]] * 2,
        "E": [["0", "0"], ["0", "10^-30"]],
    }
    assert len(said("equals_operand", givens, step)) == count


@pytest.mark.parametrize(("height", "left_out"), [(8, []), (9, [(5, 7)]), (12, [(5, 10)])])
def test_rows_that_are_left_out_are_named(said: Said, height: int, left_out: list) -> None:
    found = said("rows_left_out", {"S": [["0", "1"]] * height}, "A = softmax(S)")
    assert [(x["first"], x["last"]) for x in found] == left_out
    told = said("attends", {"S": [["0", "1"]] * height}, "A = softmax(S)")
    skipped = [row for first, last in left_out for row in range(first, last + 1)]
    assert [x["row"] for x in told] == [row for row in range(1, height + 1) if row not in skipped]


@pytest.mark.parametrize(
    ("mask", "count"),
    [
        ("causal_mask(3).T", 3),
        ("2 * causal_mask(3)", 3),
        ("causal_mask(3).T + window_mask(3, 2)", 4),
    ],
)
def test_a_mask_that_is_turned_or_multiplied_hides_as_many(said: Said, mask: str, count: int) -> None:
    scores = [["1", "2", "3"], ["3", "1", "0"], ["1", "1", "1"]]
    assert said("masked_away", {"X": scores}, f"A = softmax(X + {mask})")[0]["count"] == count
