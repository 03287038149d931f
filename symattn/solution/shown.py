"""How the value of a name is shown: said once for each name, by :meth:`~symattn.solution.store.Store.shown`."""

from __future__ import annotations

from enum import Enum


class Shown(Enum):
    """What there is to show of a name, and so what can be asked of it."""

    GENERAL = "a shape, and no numbers"
    INTERVALS = "the ends between which every entry lies, for it rests on rounded figures"
    CLOSED_FORMS = "closed forms, for free symbols are in it"
    FREED = "figures of closed forms, for there are free symbols behind it, though none is left"
    FIGURES = "certified figures"

    @property
    def is_numbers(self) -> bool:
        """Whether every entry is one number."""
        return self in (Shown.FIGURES, Shown.FREED)

    @property
    def of_symbols(self) -> bool:
        """Whether it holds free symbols or follows from some directly, though none may be left in its value."""
        return self in (Shown.CLOSED_FORMS, Shown.FREED)
