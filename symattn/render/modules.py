"""Templates as modules of Python, which the wheel holds beside the templates (``hatch_build.py``)."""

from __future__ import annotations

from pathlib import Path

from jinja2.compiler import generate

from symattn.render.environment import environment, made_of
from symattn.words import templates

_NOT_ALONE = ("init", "init.j2")
"""What new scenarios are made of: it is compiled only with filters that nobody has here."""


def write_modules(target: Path) -> None:
    """A module for every template of a page, in the folder ``target``."""
    for path in sorted(templates().rglob("*.j2")):
        part, *rest = path.relative_to(templates()).parts
        if part not in _NOT_ALONE and path.name not in _NOT_ALONE:
            ours, file, source = environment(part), "/".join(rest), path.read_text(encoding="utf-8")
            text = generate(ours.parse(source, file), ours, file, None, defer_init=True)
            assert text is not None, "Jinja gives no text only where it is given a stream"
            (target / f"{made_of(ours, part, file, source)}.py").write_text(text, encoding="utf-8")
