"""Find and load the templates: one Jinja environment for each format, one for the languages.

Python makes every value safe for its format before it enters a template, so nothing is escaped there; a missing name is
an error. The templates of a package are compiled when its wheel is built (``modules.py``); in a checkout each is
compiled when it is needed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, MutableMapping
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import jinja2
from jinja2 import BaseLoader, Environment, FileSystemLoader, StrictUndefined, Template, TemplateError
from jinja2.runtime import Macro

from symattn.base.budget import spend
from symattn.base.errors import RenderError, unknown
from symattn.base.words import folder_of, templates

# Braces and per cents mean something in TeX.
_TEX: Mapping[str, str] = {
    "block_start_string": "((*",
    "block_end_string": "*))",
    "variable_start_string": "(((",
    "variable_end_string": ")))",
    "comment_start_string": "((=",
    "comment_end_string": "=))",
}
_DELIMITERS: Mapping[str, Mapping[str, str]] = {"latex": _TEX, "beamer": _TEX}

SHARED: Mapping[str, tuple[str, ...]] = {"beamer": ("latex",)}
"""Further folders for templates that a format's own folder lacks."""

PHRASES = "pages"
"""The folder of a language whose files have a macro for each phrase of a page."""

_SETTINGS = ("autoescape", "undefined", "trim_blocks", "lstrip_blocks", *_TEX)
"""The settings of an environment that affect the compiled templates."""


def made_of(environment: Environment, part: str, file: str, source: str) -> str:
    """Return the name of a template's compiled module. A different text, setting or version of Jinja gives another
    name, so that no outdated module is used."""
    settings = [str(getattr(environment, name)) for name in _SETTINGS]
    told = repr((jinja2.__version__, settings, part, file, source))
    return f"template_{sha256(told.encode()).hexdigest()}"


def compiled(environment: Environment, part: str, file: str, source: str) -> ModuleType | None:
    """Return the module that a template was compiled to when the wheel was built, if there is one."""
    try:
        return import_module(f"symattn.templates.compiled.{made_of(environment, part, file, source)}")
    except ModuleNotFoundError:
        return None


class Templates(FileSystemLoader):
    """Loads the templates of one folder; Jinja compiles those that are not compiled yet."""

    def __init__(self, part: str) -> None:
        super().__init__([templates() / folder for folder in (part, *SHARED.get(part, ()))])
        self.part = part

    def load(self, environment: Environment, name: str, globals: MutableMapping[str, Any] | None = None) -> Template:
        """Load the template of that name. A part of Jinja's interface."""
        source, _, _ = self.get_source(environment, name)
        module = compiled(environment, self.part, name, source)
        if module is None:
            return super().load(environment, name, globals)
        return environment.template_class.from_module_dict(environment, vars(module), globals or {})


SAID = 100
"""Steps for a macro call: a phrase, a block of a page, a passage of a file."""


class Macros:
    """The macros of one template file, called by name; errors name a missing one."""

    def __init__(self, environment: Environment, file: str | Template, owner: str, kind: str) -> None:
        self.owner, self.kind = owner, kind
        try:
            exported = vars(environment.get_template(file).module)
        except TemplateError as error:
            raise RenderError(f"{owner}: cannot read the template {file}: {error}") from error
        self._compiled = {name: macro for name, macro in exported.items() if isinstance(macro, Macro)}

    @property
    def known(self) -> Collection[str]:
        """The names of all macros."""
        return self._compiled.keys()

    def call(self, name: str, arguments: Mapping[str, object]) -> str:
        """Return the text of the macro ``name``. Raises :class:`~symattn.base.errors.RenderError` where that fails."""
        spend(SAID)
        if name not in self.known:
            raise RenderError(f"{self.owner}: {unknown(self.kind, name, self.known)}")
        try:
            return str(self.macro(name)(**arguments))
        except (TemplateError, TypeError) as error:
            raise RenderError(f"{self.owner}: {self.kind} '{name}': {error}") from error

    def macro(self, name: str) -> Macro:
        """Return the macro of that name."""
        return self._compiled[name]


class Phrases(Macros):
    """The macros of one language, each compiled on first use: a page needs a third of them.

    A macro is compiled together with those it calls (``list_of``, ``counted``).
    """

    _CALL = re.compile(r"\b(\w+)\(")
    _MACRO = re.compile(r"^\{%-?\s*macro\s+(\w+)\(.*?\bendmacro\s*-?%\}", re.MULTILINE | re.DOTALL)

    def __init__(self, environment: Environment, text: str, owner: str) -> None:
        self.owner, self.kind = owner, "phrase"
        self._environment = environment
        self._texts = {match[1]: match[0] for match in self._MACRO.finditer(text)}
        self._compiled: dict[str, Macro] = {}

    @property
    def known(self) -> Collection[str]:
        """The names of all macros."""
        return self._texts.keys()

    def macro(self, name: str) -> Macro:
        """Return the macro of that name, compiled."""
        if name not in self._compiled:
            text = "\n".join(self._texts[needed] for needed in self._needed(name))
            self._compiled[name] = getattr(self._environment.from_string(text).module, name)
        return self._compiled[name]

    def _needed(self, name: str) -> list[str]:
        """Return the macro and all that it calls."""
        found = [name]
        for other in found:
            called = (name for name in self._CALL.findall(self._texts[other]) if name in self._texts)
            found += [name for name in called if name not in found]
        return list(dict.fromkeys(found))


def reader(loader: BaseLoader, format: str = "") -> Environment:
    """Return an environment with the project's settings.

    >>> from jinja2 import DictLoader
    >>> page = DictLoader({"x.j2": "((* macro bold(text) *))\\\\textbf{((( text )))}((* endmacro *))"})
    >>> Macros(reader(page, "latex"), "x.j2", "latex", "block").call("bold", {"text": "a"})
    '\\\\textbf{a}'
    """
    return Environment(
        loader=loader,
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        **_DELIMITERS.get(format, {}),  # type: ignore[arg-type]
    )


@cache
def environment(part: str) -> Environment:
    """Return the environment of one folder of templates: a format, the languages, or the files for new scenarios."""
    return reader(Templates(part), part)


@cache
def block_macros(format: str) -> Macros:
    """Return the macros of a format, one for each kind of block.

    >>> block_macros("markdown").call("heading", {"level": 1, "number": "2", "title": "Weights"})
    '## 2 Weights\\n'
    """
    return Macros(environment(format), "blocks.j2", f"format {format}", "block")


@cache
def phrases(language: str) -> Macros:
    """Return the phrases of one language.

    Raises :class:`~symattn.base.errors.RenderError` where they cannot be read.

    >>> phrases("en").call("note_label", {})
    'Note:'
    """
    file, owner, ours = f"{language}/{PHRASES}", f"language {language}", environment("language")
    text = phrases_of(folder_of(language), owner)
    module = compiled(ours, "language", file, text)
    if module is None:
        return Phrases(ours, text, owner)
    return Macros(ours, ours.template_class.from_module_dict(ours, vars(module), {}), owner, "phrase")


def phrases_of(folder: Path, owner: str) -> str:
    """Return the text of all phrase files of a language: their macros may call one another.

    Raises :class:`~symattn.base.errors.RenderError` where there are none, or they cannot be read.
    """
    files = sorted((folder / PHRASES).glob("*.j2"))
    if not files:
        raise RenderError(f"{owner}: no phrases: expected files that end in .j2 in its folder {PHRASES}")
    try:
        return "".join(file.read_text(encoding="utf-8") for file in files)
    except (OSError, UnicodeDecodeError) as error:
        raise RenderError(f"{owner}: cannot read its folder {PHRASES}: {error}") from None
