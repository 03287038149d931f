"""The patch is one that git takes, whatever the files are like, and puts exactly the figures right."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from symattn.base.errors import DocumentError
from symattn.checking.files import DocumentFile, read_document
from symattn.checking.model import CheckedDocument, DocumentFinding
from symattn.checking.report.patch import mended, mendings, patch_of
from tests.checking.found import pairs
from tests.checking.report.made import TEXT, at, made, tutorial

RIGHT = TEXT.replace("1 & 1 \\end", "2 & 1 \\end").replace("0.37, 0.26, 0.37", "0.51, 0.19, 0.31")


def nothing_wrong(text: str, name: str) -> CheckedDocument:
    """Check a patched copy and find nothing, so that every correction holds."""
    return made(text, (), name)


def git(folder: Path, *command: str) -> str:
    done = subprocess.run(["git", *command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "of mine"
    folder.mkdir()
    git(folder, "init", "-q")
    return folder


def mend(repository: Path, name: str, data: bytes, *findings: DocumentFinding, within: str = ".") -> bytes:
    """What stands in a file after the patch was applied, in a folder of the repository."""
    path = repository / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    file = read_document(path)
    (repository / "fix.diff").write_bytes(patch_of(file, made(file.text, findings, file.name), nothing_wrong))
    fix = str(repository / "fix.diff")
    git(repository / within, "apply", "--check", fix)
    git(repository / within, "apply", "--whitespace=nowarn", fix)
    return path.read_bytes()


@pytest.mark.parametrize(
    "name", ["tutorial.md", "a b.md", 'q"u\\o.md', "t\tab.md", "頁/課 文.md", "deep/er/a.tex", "-a.md"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_git_applies_it(repository: Path, name: str, end: str) -> None:
    text = TEXT.replace("\n", end)
    found = tutorial(text=text)
    assert mend(repository, name, text.encode(), *found.findings) == RIGHT.replace("\n", end).encode()


def test_from_inside_a_folder_it_is_applied_too(repository: Path) -> None:
    assert mend(repository, "docs/a.md", TEXT.encode(), *tutorial().findings, within="docs") == RIGHT.encode()


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize(
    "text", ["1 + 1 = 3", "1 + 1 = 3\n", "1 + 1 = 3\r\n", "a\n\n\n\n\n\nb\n1 + 1 = 3", "1 + 1 = 3\nb"]
)
def test_the_last_line_keeps_its_end_and_the_first_its_mark(repository: Path, text: str, mark: bytes) -> None:
    finding = at(text, text.split("3")[0].count("\n") + 1, "3", "2")
    assert mend(repository, "a.md", mark + text.encode(), finding) == mark + text.replace("3", "2").encode()


def test_far_and_near_changes_are_hunks(repository: Path) -> None:
    text = "".join(f"{number} = 7\n" for number in range(60))
    lines = (1, 2, 9, 10, 20, 40, 60)
    spaced = [at(text, line, " 7", " 8", kind="contradiction") for line in lines]
    found = [replace(each, start=each.start + 1, printed="7", expected="8") for each in spaced]
    wanted = "".join(f"{number} = {8 if number + 1 in lines else 7}\n" for number in range(60))
    assert mend(repository, "a.md", text.encode(), *found) == wanted.encode()
    patch = (repository / "fix.diff").read_text(encoding="utf-8")
    assert patch.count("@@ -") == 5


def test_several_documents_are_one_patch(repository: Path) -> None:
    patch = b""
    for name in ("a.md", "b.md"):
        (repository / name).write_bytes(TEXT.encode())
        file = read_document(repository / name)
        patch += patch_of(file, tutorial(file.name, file.text), nothing_wrong)
    (repository / "fix.diff").write_bytes(patch)
    git(repository, "apply", "fix.diff")
    assert {(repository / name).read_text(encoding="utf-8") for name in ("a.md", "b.md")} == {RIGHT}


def test_a_notebook_stays_one(repository: Path) -> None:
    source = ["S = $\\begin{bmatrix} 1 & 0 \\ 2 & 1\\end{bmatrix}$, −0.5\n", "x = 0.37"]
    text = json.dumps({"cells": [{"cell_type": "markdown", "metadata": {}, "source": source}]}, indent=1)
    line = next(number for number, each in enumerate(text.split("\n"), 1) if "bmatrix" in each)
    lost = at(text, line, " \\\\ ", " \\\\\\\\ ", kind="shape")
    lost = replace(lost, printed="\\", expected="\\\\", start=lost.start + 1, end=lost.end - 1)
    found = [lost, at(text, line + 1, "0.37", "0.51"), at(text, line, "\\u22120.5", "-0.25")]
    after = json.loads(mend(repository, "a.ipynb", text.encode(), *found))
    assert after["cells"][0]["source"] == [
        "S = $\\begin{bmatrix} 1 & 0 \\\\ 2 & 1\\end{bmatrix}$, −0.25\n",
        "x = 0.51",
    ]


def test_a_page_in_its_own_encoding_keeps_it(repository: Path) -> None:
    text = '<meta charset="gb2312">\n<p>权重 0.37</p>\n'
    mended = mend(repository, "a.html", text.encode("gb2312"), at(text, 2, "0.37", "0.51"))
    assert mended.decode("gb2312") == text.replace("0.37", "0.51")


def test_utf_16_is_refused() -> None:
    file = DocumentFile("a.md", TEXT, Path("a.md"), "utf-16-le", "\ufeff")
    with pytest.raises(DocumentError, match="UTF-16"):
        patch_of(file, tutorial(), nothing_wrong)
    assert patch_of(file, made(TEXT, ()), nothing_wrong) == b""


@pytest.mark.parametrize(("told", "marked", "written"), pairs(Path(__file__).with_name("written.txt")))
def test_what_is_put_there_is_written_as_what_was_there(told: str, marked: str, written: str) -> None:
    """A finding reads a figure otherwise than it is printed, between the marks."""
    printed, _, expected = told.partition(" → ")
    before, raw, after = re.split("[«»]", marked)
    finding = DocumentFinding(1, len(before) + 1, printed, expected, "wrong", "", 1, len(before), len(before + raw))
    text = before + raw + after
    change = mended(made(text, [finding]), finding)
    assert written == ("nothing" if change is None else text[: change.start] + change.text + text[change.end :])


def test_only_separators_of_a_shape_are_text() -> None:
    text = "1 & 0 \\ 2 & 1 in 3×2"
    lost = at(text, 1, "\\", "\\\\", kind="shape")
    words = at(text, 1, "3×2", "2×3", kind="shape")
    assert [change.text for change, _ in mendings(made(text, [lost, words]))] == ["\\\\"]


def test_of_findings_over_each_other_the_first_counts() -> None:
    text = "0.375"
    found = [at(text, 1, "0.375", "0.5"), at(text, 1, "0.37", "0.4"), at(text, 1, "75", "76")]
    assert len(mendings(made(text, found))) == 1
