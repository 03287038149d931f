"""What went wrong is named: the mistakes of the bank are recovered from their own figures, from rounded ones, and ties
are ties."""

from __future__ import annotations

from collections.abc import Mapping

from symattn.exercise.model import Exercise, Part, Rows, Wrong
from symattn.marking import mark, mark_all
from symattn.marking.answers import Answers

KEY = (("0.200", "0.300", "0.500"),)
SOURCE = 'title = "T"\n[given]\nA = [["1/5", "3/10", "1/2"]]\n[[section]]\ntitle = "S"\nsteps = ["B = 1 * A"]\n'


def exercise(*wrong: Wrong) -> Exercise:
    parts = (Part("A", "matrix", 3, KEY, ((0, 0), (0, 1), (0, 2))), Part("B", "matrix", 3, KEY, ((0, 0), (0, 1))))
    return Exercise("made-up", 2, 1, 1, "en", SOURCE, parts, wrong)


def made(mistake: str, A: Rows, B: Rows | None = None) -> Wrong:
    figures: Mapping[str, Rows] = {"A": A} if B is None else {"A": A, "B": B}
    return Wrong(mistake, "A", figures)


ONE = (("0.3", "0.2", "0.5"),)
OTHER = (("0.1", "0.4", "0.5"),)


def test_two_mistakes_with_the_same_figures_tie_in_the_order_of_the_bank() -> None:
    tied = exercise(made("second", OTHER), made("beta", ONE), made("alpha", ONE))

    first = mark(tied, {"A": ONE}).first

    assert first is not None
    assert first.mistakes == ("beta", "alpha")


def test_a_later_answer_breaks_a_tie() -> None:
    tied = exercise(made("beta", ONE, KEY), made("alpha", ONE, OTHER))

    first = mark(tied, {"A": ONE, "B": OTHER}).first

    assert first is not None
    assert first.mistakes == ("alpha",)


def test_what_is_sure_comes_before_what_is_only_possible_however_often() -> None:
    known = exercise(made("sure", OTHER), made("beta", ONE), made("alpha", ONE))

    report = mark_all([known], [Answers.of({"A": ONE}), Answers.of({"A": OTHER}), Answers.of({"A": ONE})])

    assert [(one.mistake, one.sure, one.perhaps) for one in report.mistakes] == [
        ("sure", 1, 0),
        ("alpha", 0, 2),
        ("beta", 0, 2),
    ]


def test_what_was_carried_on_is_not_explained_by_a_mistake_that_leaves_it_as_it_is() -> None:
    tied = exercise(made("alpha", ONE, KEY), made("beta", ONE, ONE))

    marked = mark(tied, {"A": ONE, "B": ONE})

    assert marked.first is not None
    assert marked.first.mistakes == ("beta",)


def test_every_cell_has_to_agree_and_empty_ones_do_not_count() -> None:
    known = exercise(made("alpha", ONE))
    part, whole = mark(known, {"A": [["", "0.2", ""]]}).first, mark(known, {"A": [["0.3", "0.2", "0.4"]]}).first

    assert part is not None
    assert part.mistakes == ("alpha",)
    assert whole is not None
    assert whole.mistakes == ()


def test_a_mistake_that_changes_an_earlier_answer_does_not_explain_a_later_one() -> None:
    known = exercise(made("alpha", ONE, OTHER))

    first = mark(known, {"A": KEY, "B": OTHER}).first

    assert first is not None
    assert (first.part, first.mistakes) == ("B", ())


def test_a_mistake_that_changes_the_shape_is_found_by_the_shape_of_the_answer() -> None:
    column = (("0.3",), ("0.2",), ("0.5",))
    known = exercise(made("alpha", column))

    marked = mark(known, {"A": column})

    assert marked.part("A").turned == "other"
    assert marked.first is not None
    assert marked.first.mistakes == ("alpha",)


def test_a_smaller_answer_without_a_wrong_cell_is_explained_by_a_mistake_that_gives_it() -> None:
    known = exercise(made("alpha", (("0.2", "0.3"),)))

    smaller, empty = mark(known, {"A": [["0.2", "0.3"]]}).first, mark(known, {"A": [["0.2"]]}).first

    assert smaller is not None
    assert smaller.mistakes == ("alpha",)
    assert empty is None
