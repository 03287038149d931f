"""Why each line of a backward pass is so: each way on which gradients come back is told once on a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from symattn.gradients.chain import GradientLine
from symattn.gradients.ways import INSIDE, OTHER
from symattn.scenario.role_words import joined_words, role_words
from symattn.words import Texts


@dataclass
class WaysBack:
    """What has been told so far of the ways on which gradients come back."""

    told: set[str] = field(default_factory=set)

    def reason(self, line: GradientLine, of: str, starts: bool = False) -> Texts | None:
        """Why a line is so, where there is something new to say; ``starts`` says that nothing before it tells where
        the chain starts.

        >>> line = GradientLine("dX", "dY @ W.T", "only", "X", "Y", "left")
        >>> ways = WaysBack()
        >>> ways.reason(line, "L")["en"]
        '{X} is the left factor of {Y}: what reaches {Y} goes back through the right factor, by its transpose.'
        >>> ways.reason(line, "L") is None
        True
        """
        names = {"of": line.of, "through": line.through or of, "loss": of}
        told = [*(self._once("because", "start") if starts else ()), *self._of_role(line)]
        return joined_words([role_words(kind, role, names) for kind, role in told])

    def _of_role(self, line: GradientLine) -> Iterator[tuple[str, str]]:
        """The places of the words."""
        match line.role:
            case "inside":
                yield "inside", line.how if line.how in INSIDE else OTHER
                yield from self._once("because", "named")
            case "path":
                yield from self._once("because", "direct" if line.through == line.loss else "path", line.of)
            case "sum":
                yield from self._once("because", "sum")
            case "none":
                yield "because", "none"
        if line.role in ("only", "path") and line.of != line.loss:
            if line.how != OTHER:
                yield from self._once("ways", line.how)
            elif line.role == "only" and line.through != line.loss:
                yield from self._once("because", "only")
        yield from (("because", f"cut_{choice}") for choice in line.cut)

    def _once(self, kind: str, role: str, of: str = "") -> Iterator[tuple[str, str]]:
        what = f"{kind} {role} {of}"
        if what not in self.told:
            self.told.add(what)
            yield kind, role
