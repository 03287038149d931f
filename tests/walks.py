"""Pages of docs/ that are walked through from top to bottom, in a folder, as a reader does.

python -m tests.walks        make their pictures again
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.commands import run

DOCS = Path(__file__).parent.parent / "docs"
WALKS = ("walkthrough.md", "walkthrough.zh-Hant.md")
PIECE = re.compile(
    r"^    symattn (?P<command>[^\n]*)$"
    r"|^```(?P<kind>\w+) ?(?P<file>[^\n]*)\n(?P<text>.*?)^```$"
    r"|^---\n(?P<quote>.*?)^---$",
    re.MULTILINE | re.DOTALL,
)
GAP = "…\n"
FIGURES = "lesson-figures/"


def walk(name: str) -> dict[str, str]:
    """Run the commands of a page here, one after another; the pictures that it shows.

    A block that names a file writes it, ``diff`` changes it; ``text`` is what the last command printed. What stands
    between two lines stands on the page that was written last, in this order, with ``…`` where something is left out.
    """
    pictures: dict[str, str] = {}
    said = page = ""
    for piece in PIECE.finditer((DOCS / name).read_text(encoding="utf-8")):
        command, kind, file, text, quote = piece.groups()
        if command:
            result = run(*shlex.split(command))
            no_font = "install Noto Serif CJK" in result.output  # a machine that has none makes no PDF in Chinese
            assert result.exit_code == 0 or no_font, result.output
            said = result.stdout
            if "-o lesson.md" in command:
                page = Path("lesson.md").read_text(encoding="utf-8")
        elif quote:
            for part in re.sub(r"images/walkthrough/[\w-]+/", FIGURES, quote).split(GAP):
                _, found, page = page.partition(part.strip())
                assert found, f"{name} shows what does not stand there:\n{part}"
            for target, picture in re.findall(r"\]\((images/walkthrough/[\w-]+/([^)]+))\)", quote):
                pictures[target] = Path(FIGURES, picture).read_text(encoding="utf-8")
        elif kind == "text":
            assert said.strip() == text.strip()
        elif kind == "diff":
            changed = Path(file).read_text(encoding="utf-8")
            for part in text.split(GAP):
                old, new = ("".join(line[1:] for line in part.splitlines(True) if line[0] != sign) for sign in "+-")
                assert changed.count(old) == 1, old
                changed = changed.replace(old, new)
            Path(file).write_text(changed, encoding="utf-8")
        else:
            Path(file).write_text(text, encoding="utf-8")
    return pictures


if __name__ == "__main__":
    for each in WALKS:
        with TemporaryDirectory() as made:
            os.chdir(made)
            for target, drawn in walk(each).items():
                (DOCS / target).parent.mkdir(parents=True, exist_ok=True)
                (DOCS / target).write_text(drawn, encoding="utf-8")
            os.chdir(DOCS)
