"""What a formula may speak of, and the functions that it may call: ours, those of its own, and those of libraries.

>>> sorted(TABLE)[:3], TABLE["sqrt"].parameters
(['abs', 'additive_scores', 'angle'], ('X',))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from symattn.equations.tree import Operation
from symattn.formula.batch import Several
from symattn.formula.calling import Function, of_ours, of_record
from symattn.formula.derived import derived
from symattn.formula.libraries import known
from symattn.formula.special import SPECIAL
from symattn.operations.ours import OURS
from symattn.remembered import Named
from symattn.shapes import Shape

TABLE: Mapping[str, Function] = Named(dict.fromkeys([*OURS, *SPECIAL]), lambda name: SPECIAL.get(name) or of_ours(name))
"""Every function of the formula language. A record is read when somebody asks for its function."""


@dataclass(frozen=True)
class Scope:
    """What a formula may speak of: names with shapes, sizes with their whole numbers (or letters), and quantities."""

    names: Mapping[str, Shape]
    sizes: Mapping[str, int | str] = field(default_factory=dict)
    quantities: frozenset[str] = frozenset()
    symbols: frozenset[str] = frozenset()
    """Letters that stand for any real number."""
    anywhere: bool = False
    """Whether symbols may be options of operations too: a proof works nothing out."""
    operations: Mapping[str, Operation] = field(default_factory=dict)
    """Operations of one's own, which are called like ours."""
    batches: Mapping[str, Several] = field(default_factory=dict)
    """Matrices along leading axes, by one name."""

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of all functions that a formula may call."""
        return (*TABLE, *self.operations)

    def function(self, name: str) -> Function | None:
        """The function of that name, if there is one: what is called so, or the gradient of an operation."""
        if name in self.operations:
            return of_record(self.operations[name])
        found = known(name)
        if found is not None:
            return found
        gradient = derived(name, self.operations)
        return None if gradient is None else of_record(gradient, repeats=True)
