"""What is held to be right or not, figure by figure, and what comes from what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from symattn.base.limits import DOCUMENT_STEPS
from symattn.checking.following.judging import Judged
from symattn.checking.model import ROUNDING_KINDS, Explained, FindingKind, RelationSource
from symattn.checking.reading.tree import FigureRead

SPENT = f"not verified: the document takes more than DOCUMENT_STEPS = {DOCUMENT_STEPS} steps to check"

Standing = Literal["right", "wrong", "given", "open"]


@dataclass(frozen=True)
class Entered:
    """A figure and how it stands."""

    figure: FigureRead
    standing: Standing
    kind: FindingKind | None = None
    expected: str = ""
    because: str = ""
    cause: int = 0
    of: str = ""
    worked: str = ""
    explained: tuple[Explained, ...] = ()
    value: str = ""
    """What may be printed there, with two more digits."""
    formula: str = ""
    """What makes it."""
    relation: RelationSource = "beside"


@dataclass
class Ledger:
    """Every figure once, by where it stands: what was found first holds."""

    entered: dict[int, Entered] = field(default_factory=dict)
    causes: int = 0
    mistaken: set[int] = field(default_factory=set)
    """The causes that are more than rounding."""
    remarks: dict[str, int] = field(default_factory=dict)
    """What is worth saying of what is right, and where it stands first."""

    def reopen(self, figures: Iterable[FigureRead]) -> None:
        """Forget how figures stand that were only taken for given."""
        for figure in figures:
            if (known := self.entered.get(figure.start)) is not None and known.standing == "given":
                del self.entered[figure.start]

    def holds(self, text: str, start: int, apart: int) -> bool:
        """Whether a figure that is not wrong stands near a place, written like this."""
        near = (self.entered.get(place) for place in range(start - apart, start + apart))
        return any(one is not None and one.figure.text == text and one.standing != "wrong" for one in near)

    def remark(self, said: str, start: int) -> None:
        """Note something once."""
        self.remarks.setdefault(said, start)

    def new_cause(self) -> int:
        """A number for a new origin."""
        self.causes += 1
        return self.causes

    def enter(self, one: Entered) -> None:
        """Note how a figure stands; what is known already is kept, but what was left open."""
        before = self.entered.get(one.figure.start)
        if before is None or before.standing == "open":
            self.entered[one.figure.start] = one
            if one.kind is not None and one.kind not in ROUNDING_KINDS:
                self.mistaken.add(one.cause)

    def right(self, found: Judged, of: str, formula: str = "") -> None:
        """A figure that is right."""
        self.enter(Entered(found.figure, "right", of=of, expected=found.expected, value=found.value, formula=formula))

    def given(self, figure: FigureRead) -> None:
        """A figure that the document starts from."""
        self.enter(Entered(figure, "given"))

    def open(self, figure: FigureRead, why: str) -> None:
        """A figure that nobody could follow."""
        self.enter(Entered(figure, "open", because=why))
