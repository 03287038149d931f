"""Compile templates to Python modules, which the wheel contains beside the templates (``hatch_build.py``)."""

from __future__ import annotations

from pathlib import Path

from jinja2.compiler import generate

from symattn.base.words import templates
from symattn.write.environment import PHRASES, Templates, environment, made_of, phrases_of

_NOT_FORMATS = ("init", "language")
"""Folders of templates that are not formats: those of new scenarios need filters that are not available here, and the
phrases of a language are compiled as one."""


def write_modules(target: Path) -> None:
    """Write a module for every template of a page into the folder ``target``."""
    for folder in sorted(templates().iterdir()):
        if folder.name not in _NOT_FORMATS and folder.is_dir():
            for file in environment(folder.name).list_templates(extensions=["j2", "sty"]):
                source, _, _ = Templates(folder.name).get_source(environment(folder.name), file)
                _write(target, folder.name, file, source)
    for folder in sorted((templates() / "language").iterdir()):
        if (folder / PHRASES).is_dir():
            _write(target, "language", f"{folder.name}/{PHRASES}", phrases_of(folder, folder.name))


def _write(target: Path, part: str, file: str, source: str) -> None:
    ours = environment(part)
    text = generate(ours.parse(source, file), ours, file, None, defer_init=True)
    assert text is not None, "Jinja gives no text only where it is given a stream"
    (target / f"{made_of(ours, part, file, source)}.py").write_text(text, encoding="utf-8")
