"""Pictures of every form that a solution has, made of the files themselves, for docs/formats.md.

python -m tests.forms        make them again: docs/images/formats/

A form is shown by the program that people open it with: a page by Chromium, a sheet and a letter by LibreOffice, what
is typeset by TeX or Typst, text as text. A program or an extra that is missing is named, and its form passed over.
"""

from __future__ import annotations

import html
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from symattn.api import WorkedSolution, derive
from symattn.errors import SymattnError
from symattn.render.endings import FILE_FORMATS

IMAGES = Path(__file__).parents[2] / "docs" / "images" / "formats"
WIDTH, HEIGHT = 960, 640
"""Of a picture, in pixels."""

PAGES = {"latex": 2, "typst": 2, "beamer": 12, "docx": 2, "xlsx": 5}
"""The page of a PDF that shows most; else the first."""

PARTS = {"html": "3-3"}
"""The section that is shown of what has no pages."""

LINES = {"markdown": 40, "json": 40, "ipynb": 40}
"""How many lines of a text are shown."""


class MissingError(Exception):
    """A program that a picture needs is not there."""


def run(program: str, *arguments: str | Path) -> None:
    if shutil.which(program) is None:
        raise MissingError(f"{program} is not installed")
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]


def from_pdf(pdf: Path, page: int, picture: Path) -> None:
    """One page of a PDF."""
    where = ("-f", str(page), "-l", str(page), "-singlefile", "-scale-to-x", str(WIDTH), "-scale-to-y", "-1", "-png")
    run("pdftoppm", *where, pdf, picture.with_suffix(""))


def typeset(solution: WorkedSolution, format: str, folder: Path, picture: Path) -> None:
    """By the engine that makes a PDF of it."""
    target, engine = folder / f"{format}.pdf", {"latex": "xelatex", "beamer": "xelatex"}.get(format)
    said = {"format": format} if format == "beamer" else {}
    solution.save(target, engine=engine, language="en", **said)
    from_pdf(target, PAGES[format], picture)


def in_office(solution: WorkedSolution, format: str, folder: Path, picture: Path) -> None:
    """By LibreOffice, which prints it."""
    file = folder / f"{format}.{FILE_FORMATS[format].end}"
    solution.save(file, language="en")
    run("soffice", "--headless", f"-env:UserInstallation=file://{folder}/office", "--convert-to", "pdf",
        "--outdir", folder, file)  # fmt: skip
    from_pdf(file.with_suffix(".pdf"), PAGES.get(format, 1), picture)


def in_browser(solution: WorkedSolution, format: str, folder: Path, picture: Path) -> None:
    """By Chromium; what is no page is shown as the text that it is."""
    file = folder / f"{format}.{FILE_FORMATS[format].end}"
    solution.save(file, language="en", section=PARTS.get(format))
    page = file if format == "html" else folder / f"{format}.page.html"
    if page != file:
        lines = file.read_text(encoding="utf-8").splitlines()[: LINES.get(format, 40)]
        shown = html.escape("\n".join(line[:140] for line in lines))
        page.write_text(f"<meta charset=utf-8><pre style='font: 12px/1.35 monospace'>{shown}</pre>", encoding="utf-8")
    chromium = next(filter(shutil.which, ("chromium", "chromium-browser", "google-chrome")), "chromium")
    run(chromium, "--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={WIDTH},{HEIGHT}",
        f"--user-data-dir={folder}/chromium", f"--screenshot={picture}", page.as_uri())  # fmt: skip


SHOWN_BY: Mapping[str, Callable[[WorkedSolution, str, Path, Path], None]] = {
    **dict.fromkeys(("latex", "typst", "beamer"), typeset),
    **dict.fromkeys(("docx", "xlsx"), in_office),
}
"""What opens a form; a browser does where nothing else is said."""


def make(images: Path = IMAGES) -> list[str]:
    """A picture of every form of one lesson; what is left out, with the reason."""
    solution, left_out = derive("weather"), []
    images.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as made:
        for format in FILE_FORMATS:
            try:
                SHOWN_BY.get(format, in_browser)(solution, format, Path(made), images / f"{format}.png")
            except (MissingError, SymattnError) as error:
                left_out.append(f"{format}: {error}")
    return left_out


if __name__ == "__main__":
    for reason in make():
        sys.stderr.write(f"no picture of {reason}\n")
