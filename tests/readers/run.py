"""Pages of Markdown read with what people use: every formula is found, and every reader can show it.

    python -m tests.readers.run          all of output/, every detail of the scenarios, the catalogue, exercises
    python -m tests.readers.run --all    the same in every language; takes about ten minutes

Needs pandoc and node, and in NODE_PATH the packages of ``package.json``. How many formulas a page has is counted on the
same page written with ``\\(`` and ``\\[``, which stand for nothing else there: a backslash in text is an entity. The
readers are VS Code's, markdown-it with KaTeX in strict mode, pandoc (to MathML, as its HTML and its Word files need),
GitHub as far as its rules are known, and MathJax for the pages with brackets; ``read.js`` says how they are set.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from itertools import cycle
from pathlib import Path
from random import Random

from symattn.api.starter import start
from symattn.api.worked import WorkedSolution, derive
from symattn.base.words import languages
from symattn.course.forms import every_topic, form_named
from symattn.course.generate import generate
from symattn.course.sheet.batch import batch as sheets
from symattn.course.sheet.batch import pages as examples
from symattn.read.catalogue import entries
from symattn.read.scenario.load import builtin_names, loads
from symattn.show.build import DETAILS
from symattn.write.formats import render

FOLDER = Path(__file__).parent
OUTPUT = FOLDER.parent.parent / "output"
TOKENS = ("the", "cat", "sat", "down")
SHOWN = 20
"""How many faults are printed."""

Write = Callable[[str], str]
"""Makes the text of a page, told which delimiters."""


@dataclass(frozen=True)
class Read:
    """How many formulas inside lines and how many displays were found, and what was wrong."""

    inline: int
    display: int
    wrong: tuple[str, ...] = ()


@cache
def derived(name: str) -> WorkedSolution:
    """A scenario's solution, worked out once for all of its pages."""
    return derive(name)


def solved(solution: WorkedSolution, language: str, detail: str = "") -> Write:
    options = {"detail": detail} if detail else {}
    return lambda math: solution.render(language=language, math=math, **options)  # type: ignore[arg-type]


def kept() -> Iterator[tuple[str, Write]]:
    """What is in output/, as it is there; the same with brackets is made."""
    for language in languages():
        for name in builtin_names():
            page = Path(f"{name}.{language}.md")
            yield page.stem, partial(_with_pictures, name, page, language)
        for name, document in examples(language):
            yield f"{name}.{language}", partial(_rendered, document)


def _with_pictures(name: str, page: Path, language: str, math: str) -> str:
    return str(derived(name).files(page, language=language, math=math)[page])


def _rendered(document: object, math: str) -> str:
    return render(document, "markdown", math=math)  # type: ignore[arg-type]


def made(every: bool) -> Iterator[tuple[str, Write]]:
    """Other pages: in every language, or each in one of them."""
    turn = cycle(languages())

    def chosen() -> tuple[str, ...]:
        return tuple(languages()) if every else (next(turn),)

    for name in builtin_names():
        for detail in DETAILS:
            for language in chosen():
                yield f"{name}-{detail}.{language}", solved(derived(name), language, detail)
    for entry in entries():
        for language in chosen():
            text = start(TOKENS, random=Random(1), use=(entry.name,), language=language)
            solution = derive(loads(text, path="lesson.toml"))
            for detail in DETAILS if every else ("entries",):
                yield f"use-{entry.name}-{detail}.{language}", solved(solution, language, detail)
    for topic in every_topic():
        of = "attention-row" if form_named(topic.name) else ""
        exercises = generate(topic.name, of=of, seed=5, count=1)
        for language in chosen():
            for which in ("question", "answer"):
                page = sheets(exercises, which, language)  # type: ignore[arg-type]
                yield f"exercise-{topic.name}-{which}.{language}", partial(_rendered, page)


def expected(page: str) -> Read:
    """What was written, counted on a page with brackets."""
    text = re.sub(r"^(`{3,}).*?^\1$", "", page, flags=re.DOTALL | re.MULTILINE)
    return Read(text.count("\\("), text.count("\\["))


def pandoc(file: Path) -> Read:
    """A warning is a formula that stands there as TeX; a sign without a name is one that was lost."""
    ran = subprocess.run(["pandoc", "--to=html", "--mathml", file], capture_output=True, text=True, check=True)
    wrong = [text.strip() for text in ran.stderr.split("[WARNING]")[1:]]
    wrong += re.findall(r"<m([oin])\b[^>]*></m\1>.*?</annotation>", ran.stdout)
    kinds = [len(re.findall(f'<math display="{kind}"', ran.stdout)) for kind in ("inline", "block")]
    return Read(*kinds, tuple(wrong))


def read_by_all(folder: Path) -> Mapping[str, Mapping[str, Read]]:
    """What every reader makes of every page in ``folder``."""
    node = subprocess.run(["node", FOLDER / "read.js", folder], stdout=subprocess.PIPE, text=True, check=True)
    found = {
        reader: {name: Read(each["inline"], each["display"], tuple(each["wrong"])) for name, each in pages.items()}
        for reader, pages in json.loads(node.stdout).items()
    }
    files = sorted((folder / "dollar").iterdir())
    with ThreadPoolExecutor() as pool:
        found["pandoc"] = dict(zip([file.name for file in files], pool.map(pandoc, files), strict=True))
    return found


def faults(found: Mapping[str, Mapping[str, Read]], wanted: Mapping[str, Read]) -> Iterator[str]:
    """What a reader did not find or could not show."""
    for reader, pages in found.items():
        for name, want in wanted.items():
            read = pages.get(name, Read(0, 0))
            if (read.inline, read.display) != (want.inline, want.display):
                came = f"{read.inline} inside lines and {read.display} displays"
                yield f"{reader}: {name}: {came}, expected {want.inline} and {want.display}"
            yield from (f"{reader}: {name}: {wrong}" for wrong in read.wrong)


def main(every: bool) -> int:
    """Reads all pages and says what was found: 1 where something was not."""
    wanted: dict[str, Read] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for kind in ("dollar", "brackets"):
            (folder / kind).mkdir()

        def put(name: str, dollar: str, brackets: str) -> None:
            (folder / "dollar" / name).write_text(dollar, encoding="utf-8")
            (folder / "brackets" / name).write_text(brackets, encoding="utf-8")
            wanted[name] = expected(brackets)

        for name, write in kept():
            put(f"output-{name}.md", (OUTPUT / f"{name}.md").read_text(encoding="utf-8"), write("brackets"))
        for name, write in made(every):
            put(f"{name}.md", write("dollar"), write("brackets"))
        found = read_by_all(folder)
    wrong = list(faults(found, wanted))
    formulas = sum(read.inline + read.display for read in wanted.values())
    print(f"{len(wanted)} pages with {formulas} formulas, read by {', '.join(found)}: {len(wrong)} faults")
    print("\n".join(wrong[:SHOWN]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main("--all" in sys.argv[1:]))
