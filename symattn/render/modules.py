"""Templates as modules of Python, which the wheel holds beside the templates (``hatch_build.py``)."""

from __future__ import annotations

from pathlib import Path

from jinja2.compiler import generate

from symattn.render.environment import environment, folder, made_of

_NOT_ALONE = ("init",)
"""What is compiled only with filters that nobody has here."""


def write_modules(target: Path) -> None:
    """A module for every template of a page, in the folder ``target``."""
    for part in sorted(path.name for path in folder().iterdir() if path.name not in _NOT_ALONE):
        ours = environment(part)
        for path in sorted((folder() / part).glob("*.j2")):
            source = path.read_text(encoding="utf-8")
            text = generate(ours.parse(source, path.name), ours, path.name, None, defer_init=True)
            assert text is not None, "Jinja gives no text only where it is given a stream"
            (target / f"{made_of(ours, part, path.name, source)}.py").write_text(text, encoding="utf-8")
