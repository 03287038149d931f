"""`symattn check`: what it reads and writes, and how it ends."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

import symattn
from symattn.base.errors import BudgetError, DocumentError
from symattn.checking.files import read_document
from symattn.checking.model import CheckedDocument
from symattn.cli import main
from tests.checking.found import pairs
from tests.checking.report.made import TEXT, install, made, tutorial, tutorial_or_clean


def fake(text: str, name: str = "document.md") -> CheckedDocument:
    if "Budget" in text:
        raise BudgetError("the check takes more than STEPS = 1 steps")
    if "Slip" in text:
        raise ZeroDivisionError("nobody foresaw it")
    if "Left" in text:
        return made(text, (), name, tutorial().unfollowed)
    if text != TEXT and "1 + 1" not in text:
        return made(text, (), name)  # a patched copy
    return tutorial_or_clean(text, name)


@pytest.fixture(autouse=True)
def _documents(monkeypatch: pytest.MonkeyPatch, in_a_folder: None) -> None:
    install(monkeypatch, fake)
    for name, text in (("bad.md", TEXT), ("good.md", "1 + 1 = 2\n"), ("left.md", "Left\n"), ("long.md", "Budget\n")):
        Path(name).write_text(text, encoding="utf-8")


def check(*arguments: str, given: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["check", *arguments], input=given)


@pytest.mark.parametrize(("kind", "arguments", "code"), pairs(Path(__file__).with_name("commands.txt")))
def test_the_exit_code_is_that_of_the_worst_and_what_cannot_be_meant_writes_nothing(
    kind: str, arguments: str, code: str
) -> None:
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    result = check(*arguments.split())
    assert result.exit_code == int(code), result.output
    if kind == "refused":
        assert result.stdout == ""
        assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_strict_says_why() -> None:
    assert check("left.md", "--strict").stderr == "symattn: --strict: 1 figure was not verified\n"


def test_what_cannot_be_read_is_one_sentence_and_the_others_are_told() -> None:
    Path("latin.md").write_bytes(b"caf\xe9 1 + 1 = 2")
    Path("zero.md").write_bytes(b"a\0b")
    result = check("none.md", "latin.md", "zero.md", "long.md", "bad.md", "good.md")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "symattn: none.md: cannot be read: No such file or directory",
        "symattn: latin.md: is no text in UTF-8 (byte 4): save it as UTF-8",
        "symattn: zero.md: is no text: it holds the character NUL",
        "symattn: long.md: the check takes more than STEPS = 1 steps",
    ]
    assert "bad.md: 11 figures" in result.stdout
    assert "2 documents, 1 with findings" in result.stdout
    data = json.loads(check("none.md", "bad.md", "--format", "json").stdout)
    assert [each["name"] for each in data["documents"]] == ["bad.md"]
    assert data["unread"] == [{"name": "none.md", "because": "none.md: cannot be read: No such file or directory"}]


def test_an_error_that_nobody_foresaw_leaves_the_other_documents() -> None:
    Path("slip.md").write_text("Slip\n", encoding="utf-8")
    result = check("slip.md", "bad.md")
    assert result.exit_code == 2
    assert result.stderr.startswith(
        "symattn: ZeroDivisionError: nobody foresaw it: this was not foreseen; please report"
    )
    assert result.stderr.endswith("symattn: slip.md: could not be checked\n")
    assert "bad.md: 11 figures" in result.stdout


def test_one_document_is_one_object_and_a_document_is_checked_once() -> None:
    assert json.loads(check("bad.md", "--format", "json").stdout)["name"] == "bad.md"
    assert json.loads(check("bad.md", "./bad.md", "-o", "a.json").stdout or Path("a.json").read_text("utf-8"))["name"]
    both = json.loads(check("bad.md", "good.md", "-f", "json").stdout)["documents"]
    assert [each["name"] for each in both] == ["bad.md", "good.md"]


def test_standard_input_has_the_name_that_is_said() -> None:
    assert check("-", given=TEXT).stdout.startswith("document.md: 11")
    assert check("-", "--name", "a.tex", given=TEXT).stdout.startswith("a.tex: 11")
    assert check("-", given=b"\xff").stderr == "symattn: document.md: is no text in UTF-8 (byte 1): save it as UTF-8\n"


@pytest.mark.parametrize(
    ("output", "begins"),
    [("a.json", "{"), ("a.sarif", "{"), ("a.md", "### "), ("a.txt", "bad.md: "), ("a", "bad.md: ")],
)
def test_the_name_of_the_output_says_the_format(output: str, begins: str) -> None:
    result = check("bad.md", "-o", output)
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"{output} is written.\n")
    assert Path(output).read_text(encoding="utf-8").startswith(begins)


def test_a_dash_is_standard_output_and_no_file() -> None:
    assert check("bad.md", "-o", "-").stdout == check("bad.md").stdout != ""
    assert not Path("-").exists()


def test_sarif_may_be_called_json_and_a_copy_as_its_document() -> None:
    assert check("bad.md", "-o", "a.sarif.json", "--format", "sarif").exit_code == 1
    assert json.loads(Path("a.sarif.json").read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert check("bad.md", "-o", "copy.md", "--format", "annotated").exit_code == 1
    assert "> **symattn, line 4:**" in Path("copy.md").read_text(encoding="utf-8")


def test_a_copy_keeps_marks_and_ends_of_lines() -> None:
    data = b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode()
    Path("bom.md").write_bytes(data)
    copy = check("bom.md", "--format", "annotated").stdout_bytes
    assert copy.startswith(b"\xef\xbb\xbf# Scores\r\n")
    assert copy.count(b"\n") == copy.count(b"\r\n")


def test_the_patch_is_written_beside_the_report_and_documents_stay() -> None:
    result = check("bad.md", "good.md", "--patch", "fix.diff")
    assert result.exit_code == 1
    assert result.stderr == "fix.diff is written.\n"
    assert result.stdout.startswith("bad.md: 11")
    patch = Path("fix.diff").read_text(encoding="utf-8")
    assert patch.count("--- a/") == 1
    assert Path("bad.md").read_text(encoding="utf-8") == TEXT
    assert check("good.md", "--patch", "fix.diff").stderr == (
        "symattn: fix.diff is empty: there is nothing to be put right in its place\nfix.diff is written.\n"
    )
    assert Path("fix.diff").read_bytes() == b""


def test_what_has_no_patch_is_told() -> None:
    Path("wide.md").write_bytes(TEXT.encode("utf-16"))
    result = check("wide.md", "bad.md", "--patch", "fix.diff")
    assert result.exit_code == 2
    assert "symattn: wide.md: is UTF-16, which git apply does not take" in result.stderr
    assert result.stdout.count("11 figures") == 2
    assert Path("fix.diff").read_text(encoding="utf-8").count("--- a/bad.md") == 1


@pytest.mark.parametrize(("variable", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colours_are_for_terminals(variable: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variable.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("symattn.cli.check.sys.stdout", SimpleNamespace(isatty=lambda: True))
    assert sys.modules["symattn.cli.check"]._is_coloured() is coloured


def test_a_report_that_nobody_looks_at_has_no_colours() -> None:
    assert "\x1b" not in check("bad.md").output


def test_the_schema_is_printed() -> None:
    assert json.loads(check("--schema").stdout)["$id"] == "urn:symattn-check:1"
    refused = check("--schema", "bad.md")
    assert refused.exit_code == 2
    assert "leave out bad.md" in refused.output


def test_python_has_the_function() -> None:
    assert symattn.check(TEXT, "a.md").findings
    assert "check" in dir(symattn)
    assert symattn.checking.__name__ == "symattn.checking"


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"a\r\nb\r", "a\r\nb\r", "utf-8"),
        (b"\xef\xbb\xbfa", "a", "utf-8"),
        ("頁".encode("utf-16"), "頁", "utf-16-le"),
        ('<meta charset="euc-kr">행렬'.encode("euc-kr"), '<meta charset="euc-kr">행렬', "euc_kr"),
    ],
)
def test_bytes_become_text_with_nothing_changed(data: bytes, text: str, encoding: str) -> None:
    Path("a.md").write_bytes(data)
    file = read_document(Path("a.md"))
    assert (file.text, file.encoding) == (text, encoding)


@pytest.mark.parametrize("name", [b"utf-7", b"base64", b"zip", b"unicode_escape", b"none", b"idna"])
def test_no_other_codec_is_run(name: bytes) -> None:
    Path("a.html").write_bytes(b"<meta charset=" + name + b">\xff\\x41")
    with pytest.raises(DocumentError, match="UTF-8"):
        read_document(Path("a.html"))


def test_a_document_has_a_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symattn.base.limits.DOCUMENT_BYTES", 10)
    assert "DOCUMENT_BYTES = 10" in check("bad.md").stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_name_that_steers_is_told_by_numbers() -> None:
    Path("a\x1b[2J.md").write_text(TEXT, encoding="utf-8")
    result = check("a\x1b[2J.md", "none\x1b.md")
    assert "\x1b" not in result.output
    assert "a\\x1b[2J.md: 11 figures" in result.stdout


def test_what_is_only_rounded_otherwise_is_wrong_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    Path("rounded.md").write_text("2.457 · 1.223 = 3.004\n", encoding="utf-8")
    codes = [CliRunner().invoke(main, ["check", "rounded.md", *more]).exit_code for more in ([], ["--strict"])]
    kinds = ("rounding_chain", "last_digit")
    codes += [CliRunner().invoke(main, ["check", "rounded.md", "--fail-on", kind]).exit_code for kind in kinds]
    assert codes == [0, 1, 1, 0]
