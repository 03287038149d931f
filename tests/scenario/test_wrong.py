"""Everything that is wrong with a file is told in one run, each mistake once, and nothing that only follows from it.

In ``wrong.txt`` a frame is a file with ``@@`` where the case stands, and an answer is ``kind: line, key: sentence``,
without a kind for a ScenarioError.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from symattn.api.worked import derive
from symattn.base import limits
from symattn.base.errors import FormulaError, ScenarioError, ShapeError, SymattnError
from symattn.read.scenario.load import examine, loads
from symattn.read.scenario.problem import key_text
from tests.cases import groups, is_told

HEAD = 'title = "t"\ntokens = ["a", "b"]\n[given]\nX = [["1", "2"], ["3", "4"]]\n'


GROUPS = groups(Path(__file__).with_name("wrong.txt"))


def problems(text: str) -> list[str]:
    """What is told of a file: all that is wrong with it, or else what only the numbers show."""
    scenario, found = examine(text, "lesson", "lesson.toml")
    assert (scenario is None) == bool(found)
    sentences = [f"{problem.kind.__name__}: {problem.finding('lesson.toml', text)}" for problem in found]
    if scenario is not None:
        try:
            derive(scenario).render(language="en")
        except SymattnError as error:
            sentences = [f"{type(error).__name__}: {error}"]
    assert all(sentence.isprintable() for sentence in sentences)
    said = [sentence.removeprefix("ScenarioError: ").replace("lesson.toml, ", "", 1) for sentence in sentences]
    return [sentence.removeprefix("lesson.toml: ") for sentence in said]


@pytest.mark.parametrize("name", GROUPS)
def test_what_is_wrong_is_told(name: str) -> None:
    for text, wanted in GROUPS[name].cases:
        found = problems(GROUPS[name].frame.replace("@@", text))
        assert is_told(found, wanted), (text, found)


def section(*items: str) -> str:
    return HEAD + '[[section]]\ntitle = "s"\nsteps = [' + ", ".join(items) + "]\n"


def test_loading_tells_the_first_and_how_many_more() -> None:
    with pytest.raises(FormulaError, match=r"unknown function 'sofmax'.*; and 2 more problems: symattn validate lists"):
        loads(section('"A = sofmax(X)"', '"B = X @ row(X, 1)"', '{ show = "Q" }'))
    with pytest.raises(ShapeError, match=r"; and 1 more problem: symattn validate lists them\Z"):
        loads(section('"B = X @ row(X, 1)"', '{ show = "Q" }'))
    with pytest.raises(ScenarioError, match=r"known: X\Z") as error:
        loads(section('{ show = "Q" }').replace("tokens", "# tokens"))
    assert error.value.__context__ is None or error.value.__suppress_context__


def test_what_is_too_long_or_too_deep_is_told_without_being_read() -> None:
    for text, said in {
        HEAD + "Y = " + "[" * 5000: "line 5: lists or tables are nested too deep",
        HEAD + "Y = [[" + "9" * 5000 + "]]": "line 5: a number has too many digits",
        HEAD + "Y = [[0x1" + "0" * 5000 + "]]": "expected a number of at most NUMBER_LENGTH = 400 digits",
        HEAD + "a." * 100_000 + "a = 1": "line 5: a key of more than 30 parts",
        HEAD + "Y = {" + "a . " * 31 + "a = 1}": "line 5: a key of more than 30 parts",
        'title = "t"\ntokens = ['
        + '"a",' * 100_001
        + "]": "tokens: expected at most LABELS = 100000 in the list, came",
        HEAD.replace("[given]", "[sizes]\n" + "".join(f"a{i} = 1\n" for i in range(501)) + "[given]"): (
            "line 3, sizes: more than SCENARIO_STEPS = 500 sizes, givens, sections and steps"
        ),
        HEAD + f'[notation]\nX = "X{".T" * 61}"': "nested deeper than FORMULA_DEPTH = 60",
        HEAD + f'[notation]\nX = "{"X + " * 600}X"': "more than FORMULA_LENGTH = 2000 characters",
        HEAD + "".join(f"Y{i} = [[1]]\n" for i in range(500)): "more than SCENARIO_STEPS = 500 sizes, givens, sections",
        section(*['"A = X @@ X"'] * 501): "more than SCENARIO_STEPS = 500 sizes, givens, sections",
    }.items():
        (sentence,) = problems(text)
        assert said in sentence


def test_no_more_problems_are_told_than_anybody_reads(within: object, monkeypatch: pytest.MonkeyPatch) -> None:
    with within(3):  # type: ignore[operator]
        found = problems(section(*(f'"A{i} = softmax(X{i} @ Y{i})"' for i in range(400))))
    assert len(found) == limits.PROBLEMS
    monkeypatch.setattr(limits, "PROBLEMS", 3)
    assert len(problems(section(*(f'"A{i} = X @ row(X, 1)"' for i in range(9))))) == 3
    assert len(problems(HEAD + "Y = [" + '["a", "b"], ' * 9 + "]\n")) == 3


def test_that_floats_are_none_is_said_once() -> None:
    _, (problem,) = examine(HEAD + "Y = [[0.1, 0.2], [0.3, 0.4]]\n", "lesson", "lesson.toml")
    assert key_text(problem.key) == "given.Y[1][1]"


def test_whatever_is_wrong_with_a_file_it_is_told_and_nothing_else_comes_out() -> None:
    """Pieces of scenarios, put together wrongly."""
    draw = Random(5)
    texts = [group.frame.replace("@@", text) for group in GROUPS.values() for text, _ in group.cases]
    pieces = ["= 3", "= []", "= {}", '= "x"', "[[", "]", "{", '"', "=", "\n", "0.5", '"A = X"', "use", "note", "steps"]
    for _ in range(200):
        text = draw.choice(texts)
        for _ in range(draw.randint(1, 5)):
            at = draw.randrange(len(text))
            if draw.random() < 0.5:
                lines = text.split("\n")
                lines.insert(draw.randrange(len(lines)), lines.pop(draw.randrange(len(lines))))
                text = "\n".join(lines)
            else:
                text = text[:at] + draw.choice(pieces) + text[at + draw.randint(0, 20) :]
        problems(text)
