"""validate: every problem of every file, with its line, and nothing of files that are none of ours."""

from __future__ import annotations

from math import exp
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

import symattn
from symattn.api.validation import report, validate
from symattn.claims.mistakes.model import mistake_text
from symattn.cli import main
from symattn.compute.solution import evaluation
from symattn.compute.solution.domain import certify_domain

GOOD = """title = "My head"
tokens = ["the", "cat"]
[given]
X = [["1", "0"], ["0", "1"]]
[[section]]
title = "Weights"
steps = [
  "A = softmax(X @ X.T)",
]
"""


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    path = tmp_path / "lesson.toml"
    path.write_text(GOOD, encoding="utf-8")
    return path


def wrong(path: Path, **changes: str) -> Path:
    text = GOOD
    for old, new in changes.items():
        text = text.replace({"steps": '"A = softmax(X @ X.T)"', "given": '["0", "1"]', "title": '"My head"'}[old], new)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_file_has_no_findings_and_is_counted(lesson: Path) -> None:
    assert symattn.validate(lesson) == ()
    found = report(lesson)
    assert (found.is_good, found.givens, found.steps, found.sections) == (True, 1, 1, 1)


def test_findings_are_sorted_by_line_and_read_as_sentences(lesson: Path) -> None:
    found = validate(wrong(lesson, title='"{Z}"', given='["0"]', steps='"A = softmax(Y)"'))
    assert [(finding.line, finding.key) for finding in found] == [
        (1, "title"),
        (4, "given.X[2]"),
        (8, "section[1].steps[1]"),
    ]
    assert str(found[1]) == (
        f"{lesson}, line 4, given.X[2]: row 2 has length 1, row 1 has length 2: expected rows of one length"
    )


@pytest.mark.parametrize("name", ["nothing.toml", "notes.md", "wether", "a\0b.toml"])
def test_what_is_no_scenario_file_is_one_finding(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(validate(name)) == 1


def test_a_folder_is_all_its_scenarios(tmp_path: Path) -> None:
    (tmp_path / "b" / "c").mkdir(parents=True)
    (tmp_path / ".hidden").mkdir()
    for name in ("a.toml", "b/c/d.TOML", "b/e.toml"):
        (tmp_path / name).write_text('title = "{X}"', encoding="utf-8")
    for name in ("pyproject.toml", ".taplo.toml", ".hidden/f.toml", "g.txt"):
        (tmp_path / name).write_text("x = 1", encoding="utf-8")
    assert [Path(found.path).relative_to(tmp_path).as_posix() for found in validate(tmp_path)] == [
        "a.toml",
        "b/c/d.TOML",
        "b/e.toml",
    ]


UNSOLVED = {
    "a zero vector": ('"Z = X - X", "C = cosine(X, Z)"', "row 1 of Z is the zero vector, which has no direction"),
    "a false statement": ('{ prove = ["X + X", "X"] }', "X + X = X is false"),
    "an id that is none": ('"H = one_hot(row(X, 1) + row(X, 1) + row(X, 1), 2)"', "expected an id"),
    "words with a figure": ('"Z = X - X", "C = unit(Z)", { note = "{C[1,1]}" }', "cannot be brought to length 1"),
}


@pytest.mark.parametrize("case", UNSOLVED)
def test_what_only_the_numbers_show_is_found_where_it_is_solved(lesson: Path, case: str) -> None:
    steps, message = UNSOLVED[case]
    wrong(lesson, steps=steps)
    assert validate(lesson, solve=False) == ()
    (found,) = validate(lesson)
    assert message in found.message
    assert found.line == 8


def test_everything_that_cannot_be_solved_is_told_once(lesson: Path) -> None:
    steps = '\n"Z = X - X",\n"C = cosine(X, Z)",\n"D = C @ X",\n"E = unit(Z)",\n{ prove = ["X + X", "X"] }'
    found = validate(wrong(lesson, steps=steps))
    assert [finding.line for finding in found] == [10, 12, 13]
    assert [finding.key for finding in found] == [
        "section[1].steps[2]",
        "section[1].steps[4]",
        "section[1].steps[5].prove",
    ]


def test_what_rests_on_something_unsolved_is_not_tried_again(lesson: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def certify(solution: object, formula: object, what: str) -> None:
        tried.append(what)
        certify_domain(solution, formula, what)  # type: ignore[arg-type]

    monkeypatch.setattr(evaluation, "certify_domain", certify)
    validate(wrong(lesson, steps='"Z = X - X", "C = unit(Z)", "D = C @ X", "E = D @ X"'))
    assert tried.count("step C") == 1


def test_claims_that_rest_on_something_unsolved_are_passed_over(lesson: Path) -> None:
    wrong(lesson, steps='"Z = X - X", "C = unit(Z)"')
    claims = (
        '[[claim]]\nsays = "1"\nabout = "x"\nvalue = "C[1,1]"\n[[claim]]\nsays = "0"\nabout = "x"\nvalue = "Z[1,1]"\n'
    )
    lesson.write_text(lesson.read_text(encoding="utf-8") + claims, encoding="utf-8")
    assert [finding.key for finding in validate(lesson)] == ["section[1].steps[2]"]


HEAD = """title = "A head"
[given]
Q = {Q}
K = {K}
[printed]
S = {S}
A = {A}
{reasons}
[[section]]
title = "Weights"
steps = ["S = Q @ K.T / sqrt(4)", "A = softmax(S)"]
"""


def softmax(scores: list[list[float]]) -> list[list[float]]:
    return [[exp(x) / sum(map(exp, row)) for x in row] for row in scores]


def transposed(rows: list[list[float]]) -> list[list[float]]:
    return [list(column) for column in zip(*rows, strict=True)]


def printed(seed: int, mistake: str, reasons: str = "") -> str:
    """A head of random numbers whose source makes a mistake; what it prints is worked out in floating point."""
    random = Random(seed)
    q, k = ([[random.randint(-9, 9) / 10 for _ in range(4)] for _ in range(3)] for _ in "QK")
    products = [[sum(x * y for x, y in zip(row, other, strict=True)) for other in k] for row in q]
    scores = [[x / {"scale-forgotten": 1, "divided-by-width": 4}.get(mistake, 2) for x in row] for row in products]
    weights = transposed(softmax(transposed(scores))) if mistake == "softmax-over-columns" else softmax(scores)
    weights[1][2] += 0.25 * (mistake == "none")
    told = {"S": [[f"{x:.4f}" for x in row] for row in scores], "A": [[f"{x:.4f}" for x in row] for row in weights]}
    return HEAD.format(
        Q=[list(map(str, row)) for row in q], K=[list(map(str, row)) for row in k], reasons=reasons, **told
    )


@pytest.mark.long
@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("mistake", ["scale-forgotten", "divided-by-width", "softmax-over-columns"])
def test_a_printed_mistake_is_named_on_the_page_and_by_validate(tmp_path: Path, mistake: str, seed: int) -> None:
    path = tmp_path / "lesson.toml"
    path.write_text(printed(seed, mistake), encoding="utf-8")

    keys = ["printed.A"] if mistake == "softmax-over-columns" else ["printed.S", "printed.A"]
    assert [(each.key, f"({mistake})" in each.message) for each in validate(path)] == [(key, True) for key in keys]
    assert mistake_text(mistake, "feedback", "zh-Hant") in symattn.derive(path).render("json", language="zh-Hant")
    assert CliRunner().invoke(main, ["validate", str(path)]).exit_code == 1
    derived = CliRunner().invoke(main, ["derive", str(path), "--no-figures"])
    assert (derived.exit_code, f"printed for {', '.join(key[8:] for key in keys)}:" in derived.stderr) == (0, True)


@pytest.mark.parametrize(
    ("mistake", "reasons", "code", "says"),
    [
        ("right", "", 0, ""),
        ("none", "", 1, "A[2, 3] is printed"),
        ("none", '[reasons]\nA = "A typing error."', 0, ""),
        ("none", '[reason]\nA = "A typing error."', 2, "unknown key 'reason'"),
    ],
)
def test_the_exit_code_tells_figures_of_the_source_from_a_wrong_file(
    tmp_path: Path, mistake: str, reasons: str, code: int, says: str
) -> None:
    path = tmp_path / "lesson.toml"
    path.write_text(printed(1, mistake, reasons), encoding="utf-8")

    ran = CliRunner().invoke(main, ["validate", str(path)])
    assert (ran.exit_code, says in ran.output) == (code, True)
