"""What was read becomes a scenario that loads, is worked out, holds what the document has and says where it was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from symattn import derive
from symattn.api.validation import validate
from symattn.api.worked import WorkedSolution
from symattn.base.errors import NoValueError, ScenarioError
from symattn.checking.adopt.lesson import adopt, adopted_document
from symattn.checking.adopt.model import Adopted, LeftOver
from symattn.checking.reading import read
from symattn.checking.sources import read_document
from symattn.read.formula.as_text import as_text
from symattn.read.scenario.load import load, loads
from symattn.read.scenario.model import Scenario, ShowItem, StepItem
from tests.checking.found import pairs
from tests.commands import run
from tests.sentences.lessons import random_lesson

# -- quantities --------------------------------------------------------------------------------------------------------

X = Adopted("X", figures=(("1", "0"), ("0", "1"), ("1", "1")), line=3, section="Input")
W = Adopted("W_Q", figures=(("1", "2"), ("0", "1")), line=5, section="Input")
D = Adopted("d_k", figures=(("2",),), axes=0, is_size=True, line=1)
Q = Adopted("Q", "X @ W_Q", (("1", "2"), ("0", "1"), ("1", "4")), line=9, section="Scores")
A = Adopted("A", "softmax(Q @ X.T / sqrt(d_k))", line=12, section="Scores")


SCENARIO = """\
title = "One {{head}}"
language = "en"
tokens = ["the", "cat", "sat"]
source = "tutorial.md"

[sizes]
d_k = 2  # line 1

[given]
X = [["1", "0"], ["0", "1"], ["1", "1"]]  # line 3
W_Q = [["1", "2"], ["0", "1"]]  # line 5

[[section]]
title = "Input"
steps = [
  # line 2: A picture of 3 tokens (words)
  "X",
  "W_Q",
]

[[section]]
title = "Scores"
steps = [
  "Q = X @ W_Q",  # line 9
  # line 10: Scaled: [[1, 2]] (no name)
  "A = softmax(Q @ X.T / sqrt(d_k))",  # line 12
]

[printed]
Q = [["1", "2"], ["0", "1"], ["1", "4"]]  # line 9
"""


def test_the_scenario_is_one_that_a_person_would_write() -> None:
    left = [LeftOver(10, "Scaled: [[1, 2]]", "no name", "Scores"), LeftOver(2, "A picture of 3 tokens", "words", "")]
    text = adopt([D, X, W, Q, A], "One {head}", "en", left, tokens=("the", "cat", "sat"), source="tutorial.md")
    assert text == SCENARIO
    page = WorkedSolution(loads(text)).render()
    assert "4" in page
    assert "the source prints" in page.lower()


def test_a_formula_that_does_not_fit_leaves_the_figures_as_given() -> None:
    wrong = Adopted("S", "Q @ W_V", (("1", "2"), ("3", "4"), ("5", "6")), line=11)
    text = adopt([X, W, Q, wrong, Adopted("P", "softmax(S)", line=13)], "Scores", "en")
    scenario = loads(text)
    assert scenario.derivation["S"].is_given
    assert not scenario.derivation["P"].is_given
    assert "# line 11: S = Q @ W_V (step S: formula 'Q @ W_V': unknown name 'W_V'" in text


def test_what_cannot_be_worked_out_is_a_comment() -> None:
    masked = Adopted("S", figures=(("-oo", "-oo"), ("1", "2")), line=2)
    weights = Adopted("P", "softmax(S)", line=3)
    further = Adopted("O", "P @ S", line=4)
    text = adopt([masked, weights, further], "Masked", "en")
    assert not {"P", "O"} & set(loads(text).derivation.by_name)
    assert "# line 3: P = softmax(S)" in text
    assert "# line 4: O = P @ S" in text


def test_what_rests_on_what_is_left_out_is_left_out_with_it() -> None:
    chain = [Adopted(f"Y{i}", f"Y{i - 1} + 1" if i else "X @ V") for i in range(60)]
    assert set(loads(adopt([X, *chain], "Chain", "en")).derivation.by_name) == {"X"}


@pytest.mark.parametrize(
    "quantities", [[], [D], [Adopted("A", "softmax(S)")], [Adopted("A", figures=(("1",), ("1", "2")))]]
)
def test_where_nothing_can_be_adopted_a_sentence_says_so(quantities: list[Adopted]) -> None:
    with pytest.raises(ScenarioError, match=r"^nothing can be adopted"):
        adopt(quantities, "Nothing", "en")


def test_hostile_text_stays_a_comment() -> None:
    left = [LeftOver(1, 'x = 3\n[given]\nY = "1"\x1b[2J"""', "\r\n[sizes]")]
    text = adopt([X], 'a"\n[given]', "en", left)
    assert set(loads(text).derivation.by_name) == {"X"}
    assert adopt([X], 'a"\n[given]', "en", left) == text


def quantities_of(scenario: Scenario) -> list[Adopted]:
    """A scenario that comes with symattn, as it would be read on its page."""
    found = [Adopted(n, figures=((str(s),),), axes=0, is_size=True) for n, s in scenario.sizes.items()]
    for step in scenario.derivation.steps:
        if step.general:
            continue
        if step.formula is None:
            given = scenario.givens[step.name].given
            found.append(Adopted(step.name, figures=tuple(tuple(row) for row in given.written)))
        else:
            found.append(Adopted(step.name, as_text(step.formula)))
    return found


def comes_back(scenario: Scenario) -> None:
    before = derive(scenario)
    after = WorkedSolution(loads(adopt(quantities_of(scenario), "Back", "en")))
    names = [step.name for step in before.derivation.steps if not step.general]
    assert names == list(after)
    for name in names:
        assert after[name].decimals(6) == before[name].decimals(6)


@pytest.mark.parametrize("source", ["good", "weather"])
def test_a_scenario_of_ours_comes_back_with_its_figures(source: str) -> None:
    comes_back(load(source))


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 60))])
def test_so_does_a_lesson_that_nobody_chose(seed: int) -> None:
    comes_back(loads(random_lesson(seed)))


def test_labels_that_are_none_are_left_out() -> None:
    assert "tokens" not in adopt([X], "Labels", "en", tokens=("a", "", "\x07"))
    assert "tokens" not in adopt([X], "Labels", "en", tokens=("a", "b"))


# -- documents ---------------------------------------------------------------------------------------------------------


def adopted(text: str, name: str = "tutorial.md") -> str:
    document = read_document(text, name)
    return adopted_document(document, read(document))


def scenario_of(text: str) -> Scenario:
    return loads(adopted(text))


def formulas(text: str) -> list[str]:
    """The steps as they are typed."""
    return re.findall(r'^  "(\w+ = .*)",', adopted(text), flags=re.MULTILINE)


def test_the_page_of_the_command_shows_what_it_does(root: Path) -> None:
    page = (root / "docs" / "adopt.md").read_text(encoding="utf-8")
    (document,), (scenario,) = (re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL) for kind in ("markdown", "toml"))
    assert adopted(document) == scenario


X_TEX = r"\begin{bmatrix} 1 & 0 \\ 0 & 1 \\ 1 & 1 \end{bmatrix}"
W_TEX = r"\begin{bmatrix} 1 & 2 \\ 0 & 1 \end{bmatrix}"
Q_TEX = r"\begin{bmatrix} 1 & 2 \\ 0 & 1 \\ 1 & 3 \end{bmatrix}"


@pytest.mark.parametrize(("kind", "text", "steps"), pairs(Path(__file__).with_name("steps.txt")))
def test_what_a_document_says_are_steps(kind: str, text: str, steps: str) -> None:
    assert formulas(text) == [step for step in steps.split("; ") if step != "nothing"]


def test_names_stay_apart_and_entries_are_no_names() -> None:
    text = adopted(f"$$X = {X_TEX}$$ $$x_{{11}} = 1$$ $$x_2 = [0, 1]$$ $$X' = X X^T X$$ $$α = X + 1$$")
    assert list(loads(text).derivation.by_name) == ["X", "X_prime", "alpha"]
    assert "# line 1: x_{11} = 1" in text


def test_a_mask_is_seen_in_the_figures() -> None:
    text = "$$S = [[1.5, 2], [0.5, 1]]$$ $$M = [[1.5, -\\infty], [0.5, 1]]$$ $$A = \\text{softmax}(M)$$"
    assert formulas(text) == ["M = S + causal_mask(2)", "A = softmax(M)"]


@pytest.mark.parametrize("text", ["", "No figures here.", "There are 3 of 17.", "$d_k = 4$", "$$A B = C$$", "x = 3"])
def test_where_there_is_nothing_a_sentence_says_so(text: str) -> None:
    with pytest.raises(ScenarioError, match="nothing can be adopted"):
        adopted(text)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "text",
    [
        f"$$X = {X_TEX}$$ $$" + "(" * 3000 + "X" + ")" * 3000 + " = 1$$",
        f"$$X = {X_TEX}$$ $$Y = " + " + ".join(["X"] * 3000) + "$$",
        f"$$X = {X_TEX}$$" + "".join(f"\n\n$$X_{{{i}}} = X + {i}$$" for i in range(400)),
        f"$$X = {X_TEX}$$ $$Y = X + " + "9" * 5000 + "$$",
        f'# a"b\n[given]\n$$X = {X_TEX}$$',
    ],
)
def test_hostile_documents_end_in_a_scenario(text: str) -> None:
    assert "X" in scenario_of(text).derivation.by_name


# -- own pages ---------------------------------------------------------------------------------------------------------


def lost(source: str, language: str) -> set[str]:
    """The names whose figures the page shows and its scenario does not have."""
    before = derive(source)
    after = WorkedSolution(scenario_of(before.render(language=language)))
    have = {figures(after, name) for name in after}
    items = (item for section in before.scenario.sections for item in section.on_page)
    shown = {item.name for item in items if isinstance(item, ShowItem | StepItem)}
    return {name for name in shown if figures(before, name) not in {*have, ""}}


def figures(solution: WorkedSolution, name: str) -> str:
    """The figures of a name; nothing where it has none of its own, as what rests on rounded figures."""
    try:
        return str(solution[name].decimals(6))
    except NoValueError:
        return ""


ROUNDED = {"K_raw", "S_raw", "S"}
"""What follows from the √2/2 of a page that prints 0.707107."""


@pytest.mark.long
def test_pages_of_ours_come_back_with_their_figures() -> None:
    assert lost("good", "zh-Hant") == set()


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh-Hant", "zh-Hans"])
@pytest.mark.parametrize(
    ("source", "missing"), [("good", set()), ("weather", set()), ("refund", ROUNDED), ("ironman", {"A_kept"})]
)
def test_all_languages_come_back(source: str, missing: set[str], language: str) -> None:
    assert lost(source, language) <= missing


# -- the command -------------------------------------------------------------------------------------------------------

DOCUMENT = f"# Two\n\n$$X = {X_TEX}$$\n\n$$G = X X^T$$\n"


@pytest.fixture(autouse=True)
def _documents(in_a_folder: None) -> None:
    Path("tutorial.md").write_text(DOCUMENT, encoding="utf-8")
    Path("words.md").write_text("Words.", encoding="utf-8")


def test_the_command_writes_and_never_writes_over() -> None:
    assert run("adopt", "tutorial.md", "-o", "lesson.toml").exit_code == 0
    assert validate(Path("lesson.toml")) == ()
    assert load(Path("lesson.toml")).derivation["G"].uses == ("X",)
    again = run("adopt", "tutorial.md", "-o", "lesson.toml")
    assert again.exit_code == 2
    assert "--force writes over it" in again.output
    assert run("adopt", "tutorial.md", "-o", "lesson.toml", "--force").exit_code == 0
    assert "ends in .toml" in run("adopt", "tutorial.md", "-o", "lesson.md").output


def test_the_command_prints_without_an_output() -> None:
    for more in ([], ["-o", "-"]):
        printed = run("adopt", "tutorial.md", *more)
        assert (printed.exit_code, printed.output) == (0, adopted(DOCUMENT))
    said = run("adopt", "tutorial.md", "--title", "Mine", "--language", "zh-TW")
    assert said.output.startswith('title = "Mine"\nlanguage = "zh-Hant"\n')


def test_the_command_says_that_there_is_nothing() -> None:
    empty = run("adopt", "words.md")
    assert (empty.exit_code, "nothing can be adopted" in empty.output) == (2, True)
    assert run("adopt", "no.md").exit_code == 2
