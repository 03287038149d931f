"""What a check says: a finding for each place that is not right, and how much of a document was followed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

FindingKind = Literal["wrong", "propagated", "last_digit", "rounding_chain", "shape", "contradiction", "literal"]
"""What is the matter with a figure.

``wrong``: nothing makes it; ``propagated``: right from an earlier figure that is wrong; ``last_digit``: cut off, or one
unit beside; ``rounding_chain``: right from rounded figures before it; ``shape``: what stands there has no shape that
fits; ``contradiction``: two places print one quantity in two ways; ``literal``: a formula whose figures are not those
of its names.
"""

RelationSource = Literal["beside", "named", "announced", "words", "searched", "role"]
"""How a document says what figures should be.

``beside``: by a formula on their line; ``named``: by what their name stood for before; ``announced``: by a formula just
before them; ``words``: by a sentence; ``searched``: not at all, but they follow from what is known; ``role``: by what
their name usually stands for.
"""

KINDS: tuple[FindingKind, ...] = get_args(FindingKind)

ROUNDING_KINDS: frozenset[FindingKind] = frozenset(("last_digit", "rounding_chain"))
"""Kinds of figures that are only rounded otherwise: they are remarked on, and no document is wrong by them."""


@dataclass(frozen=True)
class Explained:
    """What may have happened: a mistake of the bank, or a slip of whoever typed."""

    name: str
    """``mistake:scale_forgotten``, ``slip:sign``, ``slip:digit``, ``slip:neighbour``, ``slip:transposed``, …"""
    said: str
    """In a sentence."""


@dataclass(frozen=True)
class DocumentFinding:
    """A place that is not right."""

    line: int
    """From 1, in the file as it is."""
    column: int
    """From 1, in characters."""
    printed: str
    """The figure as it stands there."""
    expected: str
    """What should stand there, with as many decimals; of a shape, what would fit."""
    kind: FindingKind
    because: str
    """One sentence."""
    cause: int
    """The number of what it comes from: findings of one cause have one origin."""
    start: int
    """Where the figure begins in the file, in characters."""
    end: int
    of: str = ""
    """The quantity whose figure it is, as the document writes it: ``A[2, 1]``."""
    worked: str = ""
    """The line that shows the right value: ``1·1 + 1·1 = 2``."""
    explained: tuple[Explained, ...] = ()
    relation: RelationSource = "beside"
    """How the document says what the figure should be; only what is stated is patched."""


@dataclass(frozen=True)
class Unfollowed:
    """Something with figures that was not verified, and why."""

    line: int
    column: int
    text: str
    why: str
    figures: int
    """How many figures it has."""


FigureStatus = Literal[FindingKind, "right", "given", "not_verified"]
"""What is known of a figure."""


@dataclass(frozen=True)
class DocumentRemark:
    """Something that is not wrong, and that a document does not say: which ε its figures go by, what was rounded."""

    line: int
    column: int
    said: str


@dataclass(frozen=True)
class FigureVerdict:
    """A figure of a document, and what it was held against."""

    start: int
    """Where it stands in the file, in characters."""
    end: int
    printed: str
    status: FigureStatus
    of: str = ""
    """The quantity whose figure it is."""
    formula: str = ""
    """What makes it, as the document writes it or as it was found: ``softmax(S)``; of what is not verified, why not."""
    value: str = ""
    """What may be printed there, with two more digits than are: ``0.50648``."""
    worked: str = ""
    """The line that shows the value."""


@dataclass(frozen=True)
class DocumentCoverage:
    """How much of a document was followed: figures that claim something; what is given claims nothing."""

    figures: int
    verified: int
    wrong: int
    not_verified: int
    given: int = 0
    """Figures that the document starts from."""

    @property
    def right(self) -> int:
        """Figures that were verified and found right."""
        return self.verified - self.wrong


@dataclass(frozen=True)
class CheckedDocument:
    """What a check of a document found."""

    name: str
    text: str
    """The file as it was read."""
    findings: tuple[DocumentFinding, ...]
    coverage: DocumentCoverage
    unfollowed: tuple[Unfollowed, ...]
    figures: tuple[FigureVerdict, ...] = ()
    """Every figure that was read, in the order of the file."""
    remarks: tuple[DocumentRemark, ...] = ()

    is_whole: bool = True
    """Whether all of it was read and followed within the budget."""

    @property
    def is_right(self) -> bool:
        """Whether nothing is wrong but how figures are rounded."""
        return all(each.kind in ROUNDING_KINDS for each in self.findings)
