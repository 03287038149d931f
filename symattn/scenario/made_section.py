"""Sections that are not written in a file: a key of it stands for them, or another file has them."""

# Annotations are no texts in this module (no `from __future__`): pydantic would have to read each of them.

from typing import Any, Self

from pydantic import PrivateAttr

from symattn.scenario.schema import SectionTable


class MadeSection(SectionTable):
    """A section that a key of the file stands for."""

    _made_by: tuple[str | int, ...] = PrivateAttr(default=())
    _shown: bool = PrivateAttr(default=True)

    @classmethod
    def of(cls, key: tuple[str | int, ...], **parts: Any) -> Self:
        """A section of parts that need no check, and the key that it stands for."""
        made = cls.model_construct(**({"number": None, "why": None} | parts))
        made._made_by = key
        return made

    @classmethod
    def hidden(cls, key: tuple[str | int, ...], steps: list[Any]) -> Self:
        """A section whose steps are worked out, and of which the page has nothing."""
        made = cls.of(key, title={}, intro=None, number="0", steps=steps)
        made._shown = False
        return made

    @property
    def shown(self) -> bool:
        """Whether the page has it."""
        return self._shown

    @property
    def made_by(self) -> tuple[str | int, ...]:
        """The key of the file."""
        return self._made_by
