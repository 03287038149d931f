"""Pictures of every form of a lesson, made of the files themselves, for docs/formats.md.

    python -m tests.forms.pictures [NAME…]        make them again: docs/images/forms/

A form is shown by a program that people open it with: Chromium, LibreOffice, TeX, Typst, pandoc, nbconvert (with the
MathJax 2 of NODE_PATH). What needs a program or an extra that is not there is named, and passed over. All of them take
more than a minute, so this runs by hand; tests/test_docs.py holds that the page has every picture.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from symattn.api.worked import derive
from symattn.base.errors import SymattnError

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images" / "forms"
WIDTH, HEIGHT = 900, 600
"""Of a picture, in pixels: higher ones lose their foot."""

COLOURS, BYTES = (64, 32, 24, 16), 60_000


class MissingError(Exception):
    """A program that a picture needs is not there."""


def run(program: str, *arguments: str | Path, **environment: str) -> None:
    if shutil.which(program) is None:
        raise MissingError(f"{program} is not installed")
    settings = {**os.environ, **environment}
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, env=settings, timeout=300, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]


def needs(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise MissingError(f"{module} is not installed") from None


def saved(folder: Path, name: str, scenario: str = "weather", **said: Any) -> Path:
    """A file as `symattn derive` writes it."""
    solution, target = derive(scenario), folder / name
    solution.save(target, **{"language": "en", **said})
    return target


# Programs that show files


def of_pdf(pdf: Path, page: int, picture: Path, width: int = WIDTH) -> None:
    size = ("-scale-to-x", str(width), "-scale-to-y", "-1")
    run("pdftoppm", "-f", str(page), "-l", str(page), "-singlefile", *size, "-png", pdf, picture.with_suffix(""))


def printed(file: Path) -> Path:
    """What LibreOffice prints."""
    home = f"-env:UserInstallation={(file.parent / 'office').as_uri()}"
    run("soffice", "--headless", home, "--convert-to", "pdf", "--outdir", file.parent, file)
    return file.with_suffix(".pdf")


@contextmanager
def page_of(file: Path, width: int = WIDTH, height: int = HEIGHT, **choices: Any) -> Iterator[Any]:
    """A page in Chromium."""
    playwright = needs("playwright.sync_api")
    program = shutil.which("chromium")
    if program is None:
        raise MissingError("chromium is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        size = {"width": width, "height": height}
        page = browser.new_context(viewport=size, reduced_motion="reduce", **choices).new_page()
        page.goto(file.as_uri())
        yield page
        browser.close()


def shot(file: Path, picture: Path, top: str = "h1, h2", height: int = HEIGHT, wait: int = 500) -> None:
    """A page from the first element that a selector finds, after milliseconds in which formulas are set."""
    with page_of(file, height=height) as page:
        page.wait_for_timeout(wait)
        page.evaluate("document.body.style.paddingBottom = '100vh'")
        page.evaluate("top => document.querySelector(top).scrollIntoView()", top)
        page.screenshot(path=picture)


def in_node(module: str, file: str) -> str:
    """The address of a file of a module of npm."""
    path = Path(os.environ.get("NODE_PATH", "")).resolve() / module / file
    if not path.exists():
        raise MissingError(f"{module} is not installed: NODE_PATH names no folder that has it")
    return path.as_uri()


# A picture of each


def markdown(folder: Path, picture: Path) -> None:
    """As a reader of Markdown shows it: pandoc."""
    page = saved(folder, "lesson.md", section="3")
    shown, look = folder / "shown.html", folder / "look.css"
    look.write_text("body { font: 15px/1.45 sans-serif; max-width: 52em; margin: 1em auto } img { max-width: 60% }")
    run("pandoc", "-f", "gfm+tex_math_dollars", "-t", "html", "--mathml", "-s", "--css", look, "-o", shown, page)
    shot(shown, picture, "h2", 800)


def typst(folder: Path, picture: Path) -> None:
    of_pdf(saved(folder, "lesson.pdf"), 4, picture)


def latex(folder: Path, picture: Path) -> None:
    of_pdf(saved(folder, "lesson.pdf", "refund", engine="xelatex", language="zh-Hant"), 2, picture)


def html(folder: Path, picture: Path) -> None:
    with page_of(saved(folder, "lesson.html"), 1100, 720) as page:
        open_entry(page, "A", 1, 3)
        page.screenshot(path=picture)


def html_dark(folder: Path, picture: Path) -> None:
    phone = {"color_scheme": "dark", "has_touch": True, "is_mobile": True}
    with page_of(saved(folder, "lesson.html", language="zh-Hant"), 390, 720, **phone) as page:
        open_entry(page, "A", 1, 3)
        page.screenshot(path=picture)


def html_changed(folder: Path, picture: Path) -> None:
    """A given number is typed over."""
    with page_of(saved(folder, "lesson.html"), 1280, 640) as page:
        page.wait_for_selector("html[data-opens]")
        page.locator('main [data-matrix="W_Q"]').first.focus()
        for key in ("Home", "F2", *"-3", "Enter"):
            page.keyboard.press(key)
        open_entry(page, "Q", 0, 4)
        page.screenshot(path=picture)


def html_projector(folder: Path, picture: Path) -> None:
    with page_of(saved(folder, "lesson.html"), 1280, 720) as page:
        page.wait_for_selector("html[data-opens]")
        page.keyboard.press("f")
        for _ in range(6):
            page.keyboard.press("n")
        page.wait_for_timeout(500)
        page.screenshot(path=picture)


def open_entry(page: Any, name: str, row: int, columns: int) -> None:
    """The first entry of a row."""
    page.wait_for_selector("html[data-opens]")
    cell = page.locator(f'main [data-matrix="{name}"]').first.locator("mtd").nth(row * columns)
    cell.evaluate("each => each.scrollIntoView({block: 'center'})")
    cell.click()
    page.wait_for_timeout(500)


def beamer(folder: Path, picture: Path) -> None:
    """Four pages of the slides."""
    slides = saved(folder, "slides.pdf", format="beamer")
    parts = [folder / f"slide{at}.png" for at in (4, 17, 32, 34)]
    for part in parts:
        of_pdf(slides, int(part.stem.removeprefix("slide")), part, WIDTH // 2 - 6)
    image = needs("PIL.Image")
    tiles = [image.open(part) for part in parts]
    (width, height) = tiles[0].size
    sheet = image.new("RGB", (2 * width + 12, 2 * height + 12), "#888888")
    for at, tile in enumerate(tiles):
        sheet.paste(tile, (4 + at % 2 * (width + 4), 4 + at // 2 * (height + 4)))
    sheet.save(picture)


def notebook(folder: Path, picture: Path) -> None:
    """As nbconvert shows it, with the style sheets of JupyterLab."""
    file = saved(folder, "lesson.ipynb", section="1")
    formulas = f"--HTMLExporter.mathjax_url={in_node('mathjax', 'MathJax.js')}?config=TeX-AMS_CHTML-full,Safe"
    run("jupyter", "nbconvert", "--to", "html", formulas, file)
    shot(file.with_suffix(".html"), picture, "h2", 760, wait=5000)


def workbook(folder: Path, picture: Path) -> None:
    typed_into(saved(folder, "lesson.xlsx"), picture, 1, "A8:L36", {})


def workbook_blank(folder: Path, picture: Path) -> None:
    """With a right answer and a wrong one."""
    file = saved(folder, "blank.xlsx", blank=True, language="zh-Hant")
    typed_into(file, picture, 3, "A1:G20", {"B9": 0.077136, "C9": 0.05, "B18": "=B9/2"})


def typed_into(file: Path, picture: Path, at: int, area: str, answers: Mapping[str, object]) -> None:
    """A part of a sheet, after somebody typed answers."""
    book = needs("openpyxl").load_workbook(file)
    for sheet in book.worksheets:
        sheet.sheet_state = "hidden"
    sheet = book.worksheets[at]
    sheet.sheet_state, sheet.print_area, sheet.oddFooter.center.text = "visible", area, ""
    for cell, answer in answers.items():
        sheet[cell] = answer
    book.active = at
    book.save(file)
    of_pdf(printed(file), 1, picture, 2 * WIDTH)


def word(folder: Path, picture: Path) -> None:
    of_pdf(printed(saved(folder, "lesson.docx")), 6, picture)


def sphinx(folder: Path, picture: Path) -> None:
    needs("myst_parser")
    source = ROOT / "tests" / "sphinx_book" / "book"
    formulas = f"mathjax_path={in_node('mathjax3', 'es5/tex-mml-chtml.js')}"
    run(sys.executable, "-m", "sphinx", "-q", "-b", "html", "-D", formulas, source, folder, PYTHONPATH=str(ROOT))
    shot(folder / "exercises.html", picture, "h2", 640, wait=5000)


def site(folder: Path, picture: Path) -> None:
    """The index of all pages."""
    from symattn.sites.website import site as pages

    page = folder / "index.html"
    page.write_text(dict(pages())["en/index.html"](), encoding="utf-8")
    shot(page, picture)


PICTURES: Mapping[str, Callable[[Path, Path], None]] = {
    make.__name__.replace("_", "-"): make
    for make in (
        markdown, typst, latex, html, html_dark, html_changed, html_projector, beamer, notebook, workbook,
        workbook_blank, word, sphinx, site,
    )
}  # fmt: skip


def small(picture: Path) -> None:
    """Few colours, no margin, and no more than what a page of docs shows."""
    image = needs("PIL.Image").open(picture).convert("RGB")
    paper = needs("PIL.Image").new("RGB", image.size, "white")
    left, top, right, bottom = needs("PIL.ImageChops").difference(image, paper).getbbox()
    right, bottom = min(right + 15, image.width), min(bottom + 15, image.height)
    image = image.crop((max(left - 15, 0), max(top - 15, 0), right, bottom))
    if image.width > WIDTH:
        image = image.resize((WIDTH, image.height * WIDTH // image.width))
    image = image.crop((0, 0, image.width, min(image.height, 800)))
    for colours in COLOURS:
        image.quantize(colours).save(picture, optimize=True)
        if picture.stat().st_size < BYTES:
            return
    raise AssertionError(f"{picture.name}: {picture.stat().st_size} bytes")


def make(names: Iterable[str]) -> Iterator[str]:
    """Make pictures; what is left out, with the reason."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name in names:
        with TemporaryDirectory() as made:
            picture = Path(made) / f"{name}.png"
            try:
                PICTURES[name](Path(made), picture)
                small(picture)
            except (MissingError, SymattnError) as error:
                yield f"{name}: {error}"
            else:
                shutil.move(picture, IMAGES / picture.name)


if __name__ == "__main__":
    for reason in make(sys.argv[1:] or PICTURES):
        sys.stderr.write(f"no picture of {reason}\n")
