"""The option ``--language``: which languages there are is looked up when somebody asks for all of them."""

from __future__ import annotations

from typing import Any

import click


class Language(click.Choice):  # type: ignore[type-arg]
    """The name of a language; one of ours is known without asking other packages for theirs."""

    def __init__(self) -> None:
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """All of them, for help, completion and errors."""
        from symattn.words import languages

        return languages()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if it is one."""
        from symattn.words import is_language

        return value if isinstance(value, str) and is_language(value) else str(super().convert(value, param, ctx))
