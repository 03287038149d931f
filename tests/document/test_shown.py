"""What stands on the pages of lessons, and what does not: the cases of shown.txt, passages, parts, few words."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from symattn import Derivation, softmax
from symattn.api.worked import derive
from symattn.base.errors import SymattnError, UnknownNameError
from symattn.compute.values.float64 import float64
from symattn.compute.values.reads import reads
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import WORD_LEVELS, ShowItem, StepItem
from symattn.show.blocks import Block, Equation, Heading, Matrices, Matrix, Phrase, Picture, Prose, Readings
from symattn.show.build import DETAILS, build_document, scenario_names
from symattn.show.math import Number, Sign
from symattn.show.openable import DIGITS, Openable, OpenMatrix
from symattn.show.window import Window, places
from symattn.write.pictures.svg import PicturePlaces
from tests.cases import solved
from tests.document.lessons import lesson
from tests.readers.files import tex_matrices

# -- the cases of shown.txt --------------------------------------------------------------------------------------------


BLOCKS = re.split(r"^(?=(?:====|\*{4}) )", Path(__file__).with_name("shown.txt").read_text("utf-8"), flags=re.MULTILINE)
NAMED = {block[5:].partition("\n")[0]: block.partition("\n")[2] for block in BLOCKS[1:]}
MARKED = re.compile(r"(with|of|given|steps|[-+!]|\d+x) (.*)", re.DOTALL)


def stands(text: str, said: str) -> bool:
    """Whether all parts stand there, one after another."""
    place = 0
    for part in said.replace("⏎", "\n").split(" … "):
        place = text.find(part, place)
        if place < 0:
            return False
    return True


@pytest.mark.long
@pytest.mark.parametrize("title", [block[5:].partition("\n")[0] for block in BLOCKS if block.startswith("====")])
def test_what_stands_on_the_page(title: str) -> None:
    options: dict[str, str] = {"language": "en", "detail": "steps", "asks": "own"}
    found: dict[str, str] = {"given": "", "steps": ""}
    before: list[str] = []
    behind: list[str] = []
    wanted: list[tuple[str, str]] = []
    lines = NAMED[title].rstrip("\n").split("\n")
    while lines:
        line = lines.pop(0)
        match = MARKED.fullmatch(line)
        if match is None:
            (behind if found["steps"] else before).append(line)
        elif match[1] == "of":
            lines = NAMED[match[2]].rstrip("\n").split("\n") + lines
        elif match[1] == "with":
            options |= (each.split("=") for each in match[2].split())  # type: ignore[arg-type]
        elif match[1] in found:
            found[match[1]] = match[2]
        else:
            wanted.append((match[1], match[2]))
    assert wanted
    digits = int(options.pop("digits", "0")) or None
    text = lesson(found["steps"], found["given"], "\n".join(before)) + "\n".join(behind)
    if "format" not in options:
        options = {"math": "brackets"} | options
    try:
        solution = derive(loads(text, path="lesson.toml"), digits=digits)
        page, refused = solution.render(**options).replace(r"\mathrm{ln}\ ", "ln "), False  # type: ignore[arg-type]
    except SymattnError as error:
        page, refused = str(error), True
    assert refused == ("!" in dict(wanted)), page
    for kind, said in wanted:
        if kind in "+-!":
            assert stands(page, said) == (kind != "-"), said
        else:
            assert page.count(said) == int(kind[:-1]), said


# -- which blocks belong to which step ---------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["weather", "ironman", "refund"])
@pytest.mark.parametrize("detail", DETAILS)
def test_every_step_stands_in_a_passage_that_holds_all_that_is_said_of_it(name: str, detail: str) -> None:
    solution = solved(name)
    page = build_document(solution.scenario, solution.store, detail=detail)  # type: ignore[arg-type]
    found = list(page.in_passages())
    assert tuple(block for _, blocks in found for block in blocks) == page.blocks
    assert all(len(part.names) == len(part.symbols) for part, _ in found)
    shown = [name for part, _ in found for name in part.names]
    items = [item for section in solution.scenario.sections for item in section.items]
    folded = detail not in ("steps", "entries")
    left_out = {
        item.name for item in items if isinstance(item, StepItem) and not item.shown and (folded or not item.unfolds)
    } - {item.name for item in items if isinstance(item, ShowItem)}
    assert set(shown) >= set(solution.derivation.by_name) - set(solution.scenario.quantities) - left_out, (
        "a step without a passage"
    )
    assert not left_out & set(shown)
    for part, blocks in found:
        if part.names:
            shown_in = repr([block for block in blocks if isinstance(block, Equation | Matrix | Matrices)])
            assert all(repr(symbol) in shown_in for symbol in part.symbols), part.names
            assert not any(isinstance(block, Heading) for block in blocks)
        else:
            assert not any(isinstance(block, Matrix) for block in blocks), "whose matrix?"


def test_pictures_that_are_left_out_leave_the_passages_as_they_are() -> None:
    solution = solved("weather")
    page = build_document(solution.scenario, solution.store)
    without = PicturePlaces("none").placed(page, "markdown")
    assert len(without.blocks) < len(page.blocks)
    for (part, blocks), (before, all_blocks) in zip(without.in_passages(), page.in_passages(), strict=True):
        assert part.names == before.names
        assert blocks == tuple(block for block in all_blocks if not isinstance(block, Picture))


# -- what a reader opens: an entry is made of those that change it, and its figures are the certified ones -------------


def opened(name: str) -> Openable:
    solution = solved(name)
    return Openable(solution.store, scenario_names(solution.scenario))


@pytest.mark.parametrize("name", ["weather", "refund", "ironman"])
def test_what_changes_an_entry_is_what_it_is_made_of(name: str) -> None:
    solution = solved(name)
    for step in solution.derivation.steps:
        if step.formula is None or step.general:
            continue
        formula = solution.store.formula(step.name)
        values = {used: np.array(solution.store.float64(used)) for used in step.uses}
        before, made_of = float64(formula, values.__getitem__), reads(formula)
        for used in step.uses:
            for place in np.ndindex(values[used].shape):
                changed = dict(values) | {used: values[used].copy()}
                changed[used][place] += 0.37
                moved = np.argwhere(~np.isclose(float64(formula, changed.__getitem__), before, rtol=0, atol=1e-12))
                assert all((used, *place) in made_of[i][j] for i, j in moved), (step.name, used, place)


def test_digits_are_certified_one_by_one() -> None:
    solution, weights = solved("weather"), opened("weather")["A"]
    assert set(weights.digits) == set(DIGITS)
    for decimals, figures in weights.digits.items():
        certified = solution["A"].decimals(decimals)
        assert [[float(x) for x in row] for row in figures] == [[float(x) for x in row] for row in certified]


def test_the_numbers_of_a_line_know_which_entries_they_are() -> None:
    def numbers(matrix: OpenMatrix, i: int, j: int) -> list[tuple[str, int, int]]:
        found: list[tuple[str, int, int]] = []

        def look(piece: object) -> None:
            if isinstance(piece, Number) and piece.of is not None:
                found.append(tuple(piece.of))  # type: ignore[arg-type]
            for inside in getattr(piece, "__dict__", {}).values():
                for each in inside if isinstance(inside, tuple) else (inside,):
                    look(each) if not isinstance(each, tuple) else [look(part) for part in each]

        for line in matrix.entry(i, j).lines:
            look(line)
        return found

    weather = opened("weather")
    assert numbers(weather["S"], 2, 1) == [("QK_T", 2, 1), ("S", 2, 1)]
    assert numbers(weather["Z"], 1, 0) == [
        *[each for k in range(3) for each in (("A", 1, k), ("V", k, 0))],
        ("Z", 1, 0),
    ]


def test_what_an_entry_is_made_of_and_what_opens_to_nothing() -> None:
    good = opened("good")
    assert [region.name for region in good["S"].made_of(0, 1)] == ["Q", "K"]  # and not from A to Z
    assert [region.name for region in good["A"].made_of(0, 1)] == ["S"]
    given = opened("weather")["W_Q"]
    assert given.is_given
    assert given.entry(0, 0).lines == given.entry(0, 0).made_of == ()
    assert [matrix.name for matrix in opened("ironman") if not matrix.has_entries] == [
        step.name for step in solved("ironman").derivation.steps if step.general
    ]


# -- Large is shown small: the corner entries stand on the page, and nothing else is asked for -------------------------


def scenario(rows: int, columns: int, steps: str = '["X"]', head: str = "") -> str:
    cells = ",".join("[" + ",".join(f'"{10 * i + j}"' for j in range(columns)) + "]" for i in range(rows))
    return f'title = "t"\n{head}\n[given]\nX = [{cells}]\n[[section]]\ntitle = "a"\nsteps = {steps}\n'


@pytest.mark.parametrize(("count", "most", "shown"), [
    (1, 2, (0,)), (2, 2, (0, 1)), (3, 2, (0, None, 2)), (9, 8, (0, 1, 2, 3, None, 7, 8)), (8, 8, tuple(range(8))),
])  # fmt: skip
def test_the_first_and_the_last_places_are_shown(count: int, most: int, shown: tuple[int | None, ...]) -> None:
    assert places(count, most) == shown


def test_only_cells_that_are_shown_are_asked_for() -> None:
    asked: list[tuple[int, int]] = []

    def cell(i: int, j: int) -> Number:
        asked.append((i, j))
        return Number("1")

    grid = Window(2, 4).grid(10**6, 10**6, cell)

    assert sorted(asked) == [(i, j) for i in (0, 999_999) for j in (0, 1, 999_999)]
    assert grid[1] == (Sign("⋮"), Sign("⋮"), Sign("⋱"), Sign("⋮"))


def test_rows_and_columns_are_asked_for() -> None:
    (whole,) = tex_matrices(derive(loads(scenario(9, 9))).render(max_rows=9, max_columns=9))
    (small,) = tex_matrices(derive(loads(scenario(9, 9))).render(max_rows=3, max_columns=4))
    assert len(whole) == 9
    assert len(whole[0]) == 9
    assert small[0] == ["0", "1", "\\cdots", "8"]
    assert small[1] == ["\\vdots", "\\vdots", "\\ddots", "\\vdots"]
    assert small[2] == ["80", "81", "\\cdots", "88"]


@pytest.mark.parametrize(("count", "shown"), [(8, 8), (9, 7), (512, 7)])
def test_the_middle_of_a_long_row_is_left_out(count: int, shown: int) -> None:
    text = derive(loads(scenario(1, count, '["X", "k = X.T"]'))).render()
    (row,), column = tex_matrices(text)
    assert (len(row), len(column)) == (shown, shown)
    assert (r"\cdots" in row) == ([r"\vdots"] in column) == (count > 8)
    assert f"(shape=1\\times {count})" in text


def test_vectors_weights_and_worked_entries_leave_out_the_same_rows() -> None:
    forms = '{ show = "Y", form = "vectors" }, "W = Y @ X", { show = "W", form = "weighted" }'
    steps = f'["Y = X @ X.T", {forms}, {{ show = "W", form = "entries" }}]'
    text = derive(loads(scenario(12, 12, steps))).render(max_rows=4, max_columns=3)

    assert re.findall(r"\\mathbf y_\{?(\d+)\}? &=", text) == ["1", "2", "12"]
    assert re.findall(r"\\mathbf w_\{?(\d+)\}? &\\approx", text) == ["1", "2", "12"]
    worked = set(re.findall(r"^w_\{(\d+,? ?\d*)\} &=", text, re.MULTILINE))
    assert worked <= {"11", "1,12", "21", "2,12", "12,1", "12,12"}


def test_figures_of_a_large_matrix_are_those_it_would_have_as_a_small_one() -> None:
    """A large matrix certifies row by row; how many decimals there are is still decided by all entries."""
    steps = '["Y = X / 4", "Z = softmax(X)"]'
    for scope in ("matrix", "column", "entry"):
        small = derive(loads(scenario(40, 10, steps, "") + f'[figures]\nscope = "{scope}"\ndecimals = 3\n'))
        large = derive(loads(scenario(500, 10, steps, "") + f'[figures]\nscope = "{scope}"\ndecimals = 3\n'))
        for name in ("Y", "Z"):
            assert [list(row) for row in large[name].figures[:40]] == [list(row) for row in small[name].figures]
        assert large["Y"].figures[-1][0] == large["Y"].figures[499][0]


@pytest.mark.parametrize(("last", "shown"), [("1/3", "0.1667"), ("sqrt(2)", "0.7071")])
def test_one_entry_of_a_large_matrix_decides_the_decimals_of_all(last: str, shown: str) -> None:
    rows = '["0"],' + ",".join('["1"]' for _ in range(4998)) + f',["{last}"]'
    text = f'title = "t"\n[given]\nX = [{rows}]\n[[section]]\ntitle = "a"\nsteps = ["Y = X / 2"]\n'
    solution = derive(loads(text), digits=4)
    assert [solution["Y"].figures[i][0].text for i in (0, 4998, -1)] == ["0.0000", "0.5000", shown]
    assert not solution["Y"].figures[-1][0].exact


def test_nobody_is_told_to_work_by_hand_from_figures_that_are_not_printed() -> None:
    """The remark on rounding errors names a place and figures that a reader can look up."""
    steps = '["A = X / 7", "Z = A @ A"]'
    said = "Worked from the printed figures instead of the exact values"
    small, large = (derive(loads(scenario(size, size, steps))) for size in (5, 10))
    assert said in small.render(language="en", detail="steps")
    assert said not in large.render(language="en", detail="steps")
    assert said in large.render(language="en", detail="steps", max_rows=10, max_columns=10)


# -- Pages of few words and of none: an author's own are there, and every formula, shape and matrix --------------------


def blocks(name: str, words: str) -> list[Block]:
    solution = solved(name)
    made = build_document(solution.scenario, solution.store, language="en", words=words, detail="steps")  # type: ignore[arg-type]
    return list(made.blocks)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["weather", "good", "backward"])
def test_a_page_without_words_of_ours_has_all_of_its_own_and_all_mathematics(name: str) -> None:
    shown = {level: blocks(name, level) for level in WORD_LEVELS}
    assert not any(isinstance(block, Phrase | Readings) for block in shown["none"])
    assert any(isinstance(block, Phrase) for block in shown["few"])
    assert not any(isinstance(block, Readings) for block in shown["few"])
    for level in ("few", "none"):
        for kind in {type(block) for block in shown["all"]} - {Phrase, Readings}:
            kept, every = ([block for block in shown[each] if type(block) is kind] for each in (level, "all"))
            if kind is Picture:
                kept, every = ([block.drawing for block in each] for each in (kept, every))  # type: ignore[union-attr]
            if kind is Equation and name == "backward" and level == "none":
                # The check of a gradient is nothing without its words.
                assert len(every) - len(kept) == 1
                assert all(block in every for block in kept)
            elif kind is Prose and name == "backward":
                assert set(kept) < set(every)  # of whose sentences most are symattn's
            elif kind is Prose:
                assert set(kept) == set(every)  # the source stands where nothing is said of it
            elif kind.__name__ not in (
                "Heading",
                "Table",
                "Verdicts",
                "Question",
            ):  # of what symattn says of the source and figures
                assert kept == every, kind
    assert [block for block in shown["none"] if isinstance(block, Prose)]


def test_the_reasons_of_gradients_and_captions_are_words_of_ours() -> None:
    head = 'loss = "sum(Y, axis=None)"\nbackward = [{ wrt = ["W"] }]'
    solution = derive(loads(lesson('{ step = "Y = X @ W", need = "I say so." }', "X = 1, 2 | W = 3; 4", head)))
    shown = {level: solution.render(language="en", words=level) for level in WORD_LEVELS}
    assert [page.count("I say so.") for page in shown.values()] == [1, 1, 1]
    assert ["chain rule" in page for page in shown.values()] == [True, True, False]
    page = derive("weather").render(language="en", words="none", figures="inline")
    assert "an arrow" not in page


def test_a_page_of_few_words_has_its_table_of_letters() -> None:
    solution = derive(loads(lesson("Y = X @ W | Z = Y + X @ W | R = relu(Z)", "X = 1, 2; 3, 4 | W = 1, 0; 0, 1")))
    assert ["| Letter |" in solution.render(language="en", words=level) for level in WORD_LEVELS] == [True, True, False]


def test_a_lesson_says_itself_how_much_is_said_and_an_option_overrules_it() -> None:
    solution = derive(loads('words = "none"\n' + lesson("A = softmax(X @ X.T)", "X = 1, 2; 3, 4")))
    assert "Question 1" not in solution.render(language="en")
    assert "Question 1" in solution.render(language="en", words="all")
    written = Derivation("A lesson", words="none")
    written.step("A", softmax(written.given("X", [["1", "2"], ["3", "4"]])))
    assert "Question 1" not in written.solve().render(language="en")
    with pytest.raises(UnknownNameError, match="level of words"):
        solution.render(words="some")  # type: ignore[typeddict-item]
