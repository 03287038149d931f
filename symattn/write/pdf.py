"""Make a PDF of a page: with Typst, which is a Python package, or with an installed TeX.

No code in a page is run: Typst gets text alone, and TeX runs without a shell, in an empty folder that it may not leave,
for a limited time.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any, Literal

from symattn.base.budget import spend
from symattn.base.errors import OutputError, UnknownNameError, printable, shown, unknown
from symattn.write.endings import ENGINES, PDFS
from symattn.write.escape import is_wide

TIME_LIMIT = 120
"""The time limit of one run, in seconds."""


def run(
    command: Sequence[str], folder: Path, settings: Mapping[str, str], called: str, told: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run a program with ``told`` as its input and ``settings`` in its environment.

    Raises :class:`~symattn.base.errors.OutputError`, which begins with the name that the program is ``called``, if it
    cannot be started or does not end.
    """
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env=os.environ | settings,
            input=told,
            capture_output=True,
            timeout=TIME_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise OutputError(f"{called}: did not finish within {TIME_LIMIT} seconds") from None
    except OSError as error:
        raise OutputError(f"{called}: cannot be run: {error.strerror}") from None


DOTS = 192.0
"""The resolution of a PNG, in dots per inch."""

LAID_OUT = 30
"""Steps that Typst takes to lay out a byte of a page; TeX takes at least as many."""

RUNS = 4
"""The most runs that TeX may ask for, for the widths of tables and references."""

_OPTIONS = ("-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error")
_PARANOID = {"openin_any": "p", "openout_any": "p", "TEXMFOUTPUT": ""}

# The same page is the same file whenever it is made: it is dated as spreadsheets are, 2000-01-01.
_DATED = {"SOURCE_DATE_EPOCH": "946684800"}
_DATED_TYPST = b"#set document(date: datetime(year: 2000, month: 1, day: 1));"

_NOT_DISPLAYED = re.compile(r'the text `"([^`]*)"` could not be displayed')
_NOT_IN_FONT = re.compile(r"^Missing character: There is no (\S+)", re.MULTILINE)
_AGAIN = re.compile(r"Rerun (?:to|LaTeX)|rerunfilecheck Warning|Label\(s\) may have changed")
_ERROR = re.compile(r"^! (.*(?:\n(?!l\.|!|\n).*)?)", re.MULTILINE)


def pdf_page(written: str, engine: str | None, render: Callable[[str], str | bytes]) -> str | bytes:
    """Return a page in the format ``written``, which may be a PDF; ``render`` returns its text in a format.

    Raises :class:`~symattn.base.errors.UnknownNameError` for an engine that is not known, and
    :class:`~symattn.base.errors.OutputError` where it cannot make a PDF.
    """
    if written not in PDFS:
        return render(written)
    engine = engine or next(iter(PDFS[written]))
    if engine not in ENGINES:
        raise UnknownNameError(unknown("engine", engine, ENGINES))
    if engine not in PDFS[written]:
        *others, last = PDFS[written]
        raise OutputError(f"{engine} makes no slides of Beamer: choose --engine {', '.join(others)} or {last}")
    text = render(PDFS[written][engine])
    assert isinstance(text, str)
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise OutputError(f"{engine}: U+{ord(text[error.start]):04X} is half a character") from None
    return _by_typst(data) if engine == "typst" else _by_tex(data, engine)


def _by_typst(data: bytes) -> bytes:
    needs = (
        "a PDF needs Typst: pip install 'symattn[pdf]' brings it; or choose a TeX that is installed, such as "
        "--engine xelatex"
    )
    (made,) = typst_made(data, "pdf", needs)
    return made


def typst_made(data: bytes, format: Literal["pdf", "png"], needs: str) -> list[bytes]:
    """Return a PDF of a Typst text, or a PNG of each of its pages.

    Raises :class:`~symattn.base.errors.OutputError`, with the text ``needs`` if Typst is missing, and else with Typst's
    message.
    """
    spend(LAID_OUT * len(data))
    try:
        import typst
    except ImportError:
        raise OutputError(needs) from None
    try:
        # As PDF/A, in which a character that no font has is an error, and not a box.
        made = typst.compile(_DATED_TYPST + data, format="pdf", pdf_standards="a-2b")
        if format == "pdf":
            return [bytes(made)]
        drawn: Any = typst.compile(data, format="png", ppi=DOTS)
        return [drawn] if isinstance(drawn, bytes) else list(drawn)
    except typst.TypstError as error:
        missing = list(dict.fromkeys(_NOT_DISPLAYED.findall(error.diagnostic)))
        raise OutputError(_missing(missing) if missing else f"Typst: {printable(error.message)}") from None


def _missing(characters: list[str]) -> str:
    """Return the sentence about characters that no font has."""
    some = ", ".join(printable(char) for char in characters[:5])
    more = f" and {len(characters) - 5} more" if len(characters) > 5 else ""
    chinese = any(is_wide(char[0]) for char in characters)
    font, package = ("Noto Serif CJK", "fonts-noto-cjk") if chinese else ("one of the Noto fonts", "fonts-noto")
    return (
        f"no font on this machine has {some}{more}, which the page needs: install {font} (package {package} on Debian "
        "and Ubuntu; notofonts.github.io for others)"
    )


def _by_tex(data: bytes, engine: str) -> bytes:
    """Return the PDF that TeX makes of a page."""
    spend(LAID_OUT * len(data))
    program = which(engine)
    if program is None:
        raise OutputError(
            f"{engine} is not installed: install TeX Live (packages texlive-xetex, texlive-luatex and "
            "texlive-lang-chinese on Debian and Ubuntu), or leave out --engine"
        )
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "page.tex").write_bytes(data)
        log = ""
        for _ in range(RUNS):
            log = _run(program, engine, folder)
            if not _AGAIN.search(log):
                break
        missing = list(dict.fromkeys(_NOT_IN_FONT.findall(log)))
        if missing:
            raise OutputError(_missing(missing))
        return (folder / "page.pdf").read_bytes()


def _run(program: str, engine: str, folder: Path) -> str:
    """Return the log of one run. Raises :class:`~symattn.base.errors.OutputError` with its first error."""
    done = run([program, *_OPTIONS, "page.tex"], folder, _PARANOID | _DATED, engine)
    file = folder / "page.log"
    log = file.read_text(encoding="utf-8", errors="replace") if file.exists() else done.stdout.decode(errors="replace")
    if done.returncode != 0 or not (folder / "page.pdf").exists():
        said = _ERROR.search(log)
        raise OutputError(f"{engine}: {shown(' '.join(said[1].split()), 200) if said else 'made no PDF'}")
    return log
