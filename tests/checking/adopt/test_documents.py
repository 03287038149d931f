"""Documents become scenarios that load, are worked out, and hold what the document has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from symattn import derive
from symattn.api.validation import validate
from symattn.api.worked import WorkedSolution
from symattn.base.errors import NoValueError, ScenarioError
from symattn.checking.adopt.lesson import adopted_document
from symattn.checking.reading import read
from symattn.checking.sources import read_document
from symattn.cli import main
from symattn.read.scenario.load import load, loads
from symattn.read.scenario.model import Scenario

DOCS = Path(__file__).parents[3] / "docs"


def adopted(text: str, name: str = "tutorial.md") -> str:
    document = read_document(text, name)
    return adopted_document(document, read(document))


def scenario_of(text: str) -> Scenario:
    return loads(adopted(text))


def formulas(text: str) -> list[str]:
    """The steps as they are typed."""
    return re.findall(r'^  "(\w+ = .*)",', adopted(text), flags=re.MULTILINE)


def test_the_page_of_the_command_shows_what_it_does() -> None:
    page = (DOCS / "adopt.md").read_text(encoding="utf-8")
    (document,), (scenario,) = (re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL) for kind in ("markdown", "toml"))
    assert adopted(document) == scenario


X = r"\begin{bmatrix} 1 & 0 \\ 0 & 1 \\ 1 & 1 \end{bmatrix}"
W = r"\begin{bmatrix} 1 & 2 \\ 0 & 1 \end{bmatrix}"
Q = r"\begin{bmatrix} 1 & 2 \\ 0 & 1 \\ 1 & 3 \end{bmatrix}"


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        (f"$$X = {X}, W = {W}$$ $$Q = X W = {Q}$$", ["Q = X @ W"]),
        (f"$$Q = X W_Q = {X} {W} = {Q}$$", ["Q = X @ W_Q"]),
        (f"$$X = {X}$$ $$X X^T = {X} {X}$$", []),
        ("`x = [1, 2]`, `y = [3, 4]`\n\n`z = x + y = [4, 6]`", ["z = x + y"]),
        (f"$$\\hat{{X}} = {X}$$ $$K = V = \\hat{{X}}$$", ["K = X_hat", "V = X_hat"]),
        (f"$$X = {X}$$ $$\\frac{{X^T X}}{{\\sqrt{{2}}}} = {W}$$", ["S = X.T @ X / sqrt(2)"]),
        (f"### $dQ = dS K$\n\n$$dQ = {X} {W} = {Q}$$", ["dQ = dS @ K"]),
        (f"$$A^T = {W}$$ $$B = A A^T$$", ["B = A @ A.T"]),
        (f"$$X = {X}, b = [1, 2]$$ $$Y = X + b$$", ["Y = X + b"]),
        (f"$$X = {X}$$ $$X (3\\times 2) X^T (2\\times 3) = R (3\\times 3)$$", ["R = X @ X.T"]),
    ],
)
def test_what_a_document_says_are_steps(text: str, steps: list[str]) -> None:
    assert formulas(text) == steps


def test_names_stay_apart_and_entries_are_no_names() -> None:
    text = adopted(f"$$X = {X}$$ $$x_{{11}} = 1$$ $$x_2 = [0, 1]$$ $$X' = X X^T X$$ $$α = X + 1$$")
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
        f"$$X = {X}$$ $$" + "(" * 3000 + "X" + ")" * 3000 + " = 1$$",
        f"$$X = {X}$$ $$Y = " + " + ".join(["X"] * 3000) + "$$",
        f"$$X = {X}$$" + "".join(f"\n\n$$X_{{{i}}} = X + {i}$$" for i in range(400)),
        f"$$X = {X}$$ $$Y = X + " + "9" * 5000 + "$$",
        f'# a"b\n[given]\n$$X = {X}$$',
    ],
)
def test_hostile_documents_end_in_a_scenario(text: str) -> None:
    assert "X" in scenario_of(text).derivation.by_name


# -- own pages ---------------------------------------------------------------------------------------------------------


def lost(source: str, language: str) -> set[str]:
    """The names whose figures the scenario of the page does not have."""
    before = derive(source)
    after = WorkedSolution(scenario_of(before.render(language=language)))
    have = {figures(after, name) for name in after}
    return {step.name for step in before.derivation.steps if figures(before, step.name) not in {*have, ""}}


def figures(solution: WorkedSolution, name: str) -> str:
    """The figures of a name; nothing where it has none of its own, as what rests on rounded figures."""
    try:
        return str(solution[name].decimals(6))
    except NoValueError:
        return ""


ROUNDED = {"K_raw", "S_raw", "S"}
"""What follows from the √2/2 of a page that prints 0.707107."""


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

DOCUMENT = f"# Two\n\n$$X = {X}$$\n\n$$G = X X^T$$\n"


def test_the_command_writes_and_never_writes_over(tmp_path: Path) -> None:
    document, output = tmp_path / "tutorial.md", tmp_path / "lesson.toml"
    document.write_text(DOCUMENT, encoding="utf-8")
    first = CliRunner().invoke(main, ["adopt", str(document), "-o", str(output)])
    assert (first.exit_code, validate(output)) == (0, ())
    assert load(output).derivation["G"].uses == ("X",)
    again = CliRunner().invoke(main, ["adopt", str(document), "-o", str(output)])
    assert again.exit_code == 2
    assert "--force writes over it" in again.output
    assert CliRunner().invoke(main, ["adopt", str(document), "-o", str(output), "--force"]).exit_code == 0
    other = CliRunner().invoke(main, ["adopt", str(document), "-o", str(tmp_path / "lesson.md")])
    assert "ends in .toml" in other.output


def test_the_command_prints_without_an_output(tmp_path: Path) -> None:
    document = tmp_path / "tutorial.md"
    document.write_text(DOCUMENT, encoding="utf-8")
    for more in ([], ["-o", "-"]):
        printed = CliRunner().invoke(main, ["adopt", str(document), *more])
        assert (printed.exit_code, printed.output) == (0, adopted(DOCUMENT))
    said = CliRunner().invoke(main, ["adopt", str(document), "--title", "Mine", "--language", "zh-TW"])
    assert said.output.startswith('title = "Mine"\nlanguage = "zh-Hant"\n')


def test_the_command_says_that_there_is_nothing(tmp_path: Path) -> None:
    document = tmp_path / "tutorial.md"
    document.write_text("Words.", encoding="utf-8")
    empty = CliRunner().invoke(main, ["adopt", str(document)])
    assert (empty.exit_code, "nothing can be adopted" in empty.output) == (2, True)
    missing = CliRunner().invoke(main, ["adopt", str(tmp_path / "no.md")])
    assert missing.exit_code == 2
