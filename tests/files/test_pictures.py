"""The pictures beside a page: those of this page, and none of an older one or of another process."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from symattn.base.files import write_beside
from tests.conftest import ROOT

WRITE = """
import sys
from pathlib import Path
from symattn.base.files import write_beside
folder, name = Path(sys.argv[1]), sys.argv[2]
for _ in range(40):
    pictures = {folder / "p-figures" / f"{k:02}-{name}.svg": name for k in range(1, 4)}
    same = {folder / "p-figures" / "09-same.svg": name}
    text = name + "".join(f"![](p-figures/{path.name})" for path in [*pictures, *same])
    write_beside(folder / "p.md", {folder / "p.md": text, **pictures, **same})
"""


def page(folder: Path, *pictures: str) -> dict[Path, str | bytes]:
    text = "".join(f"![](a%20b-figures/{name})" for name in pictures)
    return {folder / "a b.md": text, **{folder / "a b-figures" / name: name for name in pictures}}


def test_a_picture_of_the_page_before_goes_and_no_other_file(tmp_path: Path) -> None:
    folder = tmp_path / "a b-figures"
    write_beside(tmp_path / "a b.md", page(tmp_path, "01-x.svg", "02-y.svg"))
    for name in ("03-mine.svg", "notes.txt"):
        (folder / name).write_text("mine", encoding="utf-8")

    write_beside(tmp_path / "a b.md", page(tmp_path, "01-x.svg"))
    assert sorted(path.name for path in folder.iterdir()) == ["01-x.svg", "03-mine.svg", "notes.txt"]

    write_beside(tmp_path / "a b.md", page(tmp_path))
    assert sorted(path.name for path in folder.iterdir()) == ["03-mine.svg", "notes.txt"]


def test_two_processes_that_write_one_page_do_not_mix_their_pictures(tmp_path: Path) -> None:
    both = [
        subprocess.Popen([sys.executable, "-c", WRITE, str(tmp_path), name], cwd=ROOT, stderr=subprocess.PIPE)
        for name in ("one", "two")
    ]

    assert [process.communicate()[1] for process in both] == [b"", b""]
    text = (tmp_path / "p.md").read_text(encoding="utf-8")
    pictures = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "p-figures").iterdir()}
    assert set(pictures.values()) == {text[:3]}
    assert sorted(pictures) == sorted(re.findall(r"figures/([^)]*)", text))
