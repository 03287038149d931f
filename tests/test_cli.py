"""The commands: what they print, where they write, and one sentence with exit code 2 for what is wrong."""

from __future__ import annotations

import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from symattn.course.sheet import batch
from symattn.course.sheet.batch import pages
from symattn.read.scenario import load
from tests.commands import run

LESSON = """
title = "My head"
tokens = ["the", "cat"]
[given]
X = [["1", "0"], ["0", "1"]]
[[section]]
title = "Weights"
steps = ["A = softmax(X @ X.T)"]
"""


def lesson(folder: Path, text: str = LESSON) -> str:
    path = folder / "lesson.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_derive_writes_the_solution_to_standard_output(tmp_path: Path) -> None:
    result = run("derive", lesson(tmp_path))
    assert result.exit_code == 0
    assert result.stdout.startswith("# My head\n")
    assert result.stderr == "symattn: pictures are left out: -o FILE puts them beside it, --figures inline inside\n"
    assert "0.731059 & 0.268941" in result.output


def test_pictures_are_files_beside_a_page_or_inside_or_nowhere(tmp_path: Path) -> None:
    source = lesson(tmp_path)
    assert run("derive", source, "-o", str(tmp_path / "page.md")).output == ""
    names = sorted(path.name for path in (tmp_path / "page-figures").iterdir())
    assert names == ["01-heatmap-A.svg"]
    assert "](page-figures/01-heatmap-A.svg)" in (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "](data:image/svg+xml;base64," in run("derive", source, "--figures", "inline").output
    for without in (("--no-figures",), ("--figures", "none")):
        result = run("derive", source, *without)
        assert (result.stderr, "![" in result.stdout) == ("", False)
    refused = run("derive", source, "--figures", "files")
    assert (refused.exit_code, "name its file with -o FILE" in refused.output) == (2, True)
    (tmp_path / "other-figures").write_text("", encoding="utf-8")
    refused = run("derive", source, "-o", str(tmp_path / "other.md"))
    assert (refused.exit_code, "other-figures: cannot be made" in refused.output) == (2, True)
    assert not (tmp_path / "other.md").exists()


def test_the_package_runs_as_a_file_too(tmp_path: Path) -> None:
    script = Path(__file__).resolve().parent.parent / "symattn" / "__main__.py"
    done = subprocess.run([sys.executable, script, "--version"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "symattn 0.1.0\n", "")


@pytest.mark.parametrize("detail", ["result", "steps", "entries"])
def test_detail_says_how_much_is_worked(tmp_path: Path, detail: str) -> None:
    output = run("derive", lesson(tmp_path), "--detail", detail).output
    assert ("worked out" in output) == (detail != "result")
    assert ("a_{11}" in output) == (detail == "entries")


def test_digits_are_as_many_as_asked_for(tmp_path: Path) -> None:
    assert "0.73105857863000487925" in run("derive", lesson(tmp_path), "--digits", "20").output
    assert run("derive", lesson(tmp_path), "--digits", "51").exit_code == 2


def test_the_name_of_the_output_says_the_format_where_nothing_else_does(tmp_path: Path) -> None:
    path = lesson(tmp_path)
    for name, options, start in (
        ("a.tex", (), "\\documentclass"),
        ("a.TEX", (), "\\documentclass"),
        ("a.md", (), "# My head"),
        ("a.txt", (), "# My head"),
        ("a.typ", (), "#let fit(body)"),
        ("b.txt", ("--format", "latex"), "\\documentclass"),
        ("b", ("--format", "typst"), "#let fit(body)"),
    ):
        assert run("derive", path, "-o", str(tmp_path / name), *options).exit_code == 0
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert next(line for line in text.splitlines() if not line.startswith(("%", "//"))).startswith(start)


def test_a_pdf_is_written_where_its_ending_asks_for_one(tmp_path: Path) -> None:
    answers = tmp_path / "answers.csv"
    answers.write_text("student,s,a,z\nAda,1/2,1/2,1/2\n", encoding="utf-8")
    about = ("attention-row", "--seed", "7")
    for command in (
        ("derive", lesson(tmp_path), "-o", str(tmp_path / "lesson.pdf")),
        ("exercise", *about, "-o", str(tmp_path / "exam.pdf")),
        ("mark", str(answers), "--topic", *about, "-d", "2", "-l", "en", "--report", str(tmp_path / "class.pdf")),
    ):
        result = run(*command)
        assert result.exit_code == 0, result.output
    for name in ("lesson", "exam", "exam-key", "class"):
        assert (tmp_path / f"{name}.pdf").read_bytes().startswith(b"%PDF-")


@pytest.mark.long
def test_scenarios_are_listed_with_language_tokens_and_title() -> None:
    lines = run("scenarios").output.splitlines()
    assert [line.split()[0] for line in lines] == [
        "backward",
        "bank",
        "good",
        "ironman",
        "journey",
        "refund",
        "training",
        "weather",
    ]
    assert "今天 天氣 很" in lines[-1]
    assert "zh-Hant" in lines[-1]


@pytest.mark.long
def test_build_renders_scenarios_and_examples_in_every_language_and_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some of them: all are made by ``tests/test_output.py``."""
    monkeypatch.setattr(load, "builtin_names", lambda: ("good",))
    monkeypatch.setattr(batch, "pages", lambda language: list(islice(pages(language), 2)))
    assert run("build", "-o", str(tmp_path / "pages")).exit_code == 0
    names = sorted(path.name for path in (tmp_path / "pages").iterdir() if path.is_file())
    assert len(names) == 9 * 3
    assert names.count("good.zh-Hant.tex") == 1


def test_help_has_examples_and_imports_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from symattn.cli import main\n"
        "for command in ([], ['exercise'], ['mark']):\n"
        "    try:\n        main([*command, '--help'])\n    except SystemExit:\n        pass\n"
        "heavy = {'sympy', 'numpy', 'flint', 'pydantic', 'jinja2', 'joblib'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "symattn derive --scenario weather > solution.md" in done.stdout
    assert "symattn mark answers.json" in done.stdout


@pytest.mark.long
def test_printing_a_solution_imports_nothing_it_does_not_need() -> None:
    """``sympy.tensor`` is imported where SymPy adds up a long closed form, ``difflib`` where a name is unknown, and
    ``symattn.base.files`` where a file is written."""
    program = (
        "import sys\nfrom symattn.cli import main\n"
        "main(['derive', '--scenario', 'weather', '--language', 'en'], standalone_mode=False)\n"
        "heavy = {'difflib', 'numpy', 'sympy.tensor.tensor', 'symattn.base.files'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_token_prints_as_itself(tmp_path: Path) -> None:
    token = "\\input{secret} 100% a_b $x$ <script>alert(1)</script> a&b {x} #1 ^ ~ ` |"
    quoted = token.replace("\\", "\\\\")
    text = LESSON.replace('"the"', f'"{quoted}"').replace(
        '"My head"', f'"About {quoted.replace("{", "{{").replace("}", "}}")}"'
    )
    latex = run("derive", lesson(tmp_path, text), "--format", "latex")
    assert latex.exit_code == 0, latex.output
    assert "\\input{secret}" not in latex.output
    assert "$x$" not in latex.output
    markdown = run("derive", lesson(tmp_path, text))
    assert markdown.exit_code == 0, markdown.output
    assert "<script>" not in markdown.output
