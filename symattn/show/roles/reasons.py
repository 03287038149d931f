"""The sentences that roles give a page: the purpose of a name, and the reason of a step, each once in a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sympy import MatMul, MatrixExpr, MatrixSymbol, Transpose

from symattn.base.remembered import cached_property
from symattn.base.shapes import Axis
from symattn.compute.solution.store import Store
from symattn.operations import numbers_listed
from symattn.operations.equations.tree import Constant
from symattn.operations.masks import Mask
from symattn.operations.node import Applied
from symattn.read.scenario.model import Section, StepItem
from symattn.show.blocks import Argument, Phrase
from symattn.show.kinds import reason as of_operation
from symattn.show.math import Number
from symattn.show.notation.formulas import Names, formula
from symattn.show.readings.sentence import column_of, labelled
from symattn.show.roles.find import roles
from symattn.show.roles.model import Purpose, bare

FEWEST = 4
"""The fewest letters of a page with a table of letters, a beginning and an end."""
SHARES = 3
"""The most rows of the values in the example of a mixture."""


ANYWHERE = frozenset(
    "softmax proportions layer_norm rms_norm causal_mask cached_mask window_mask padding_mask sinusoidal rotary "
    "distance additive_scores one_hot cosine angle unit entropy cross_entropy gelu gelu_tanh silu elu tanh exp".split()
)
"""The operations whose reason is true wherever they are used."""

OF_CANDIDATES = frozenset(("argmax",))

GOOD_FOR: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        **dict.fromkeys(OF_CANDIDATES, frozenset(("probabilities", "logits"))),
        "broadcast": frozenset(("bias_rows",)),
        "head": frozenset(("head_queries", "head_keys", "head_values")),
        "keep": frozenset(("weights_kept",)),
        "log": frozenset(("surprise",)),
        "relu": frozenset(("second_layer",)),
        "row": frozenset(("picked",)),
    }
)
"""The operations whose reason is true in some lessons, with the roles that decide it."""


@dataclass(frozen=True)
class Roles:
    """The roles of one solution, and the words of a language for them."""

    solution: Store
    names: Names
    language: str
    sections: tuple[Section, ...] = ()
    tokens: Axis | None = None

    @cached_property
    def found(self) -> dict[str, Purpose]:
        steps = (step.name for step in self.solution.derivation.steps if step.formula is not None)
        gradients = [name for name in steps if self.names.gradient_of(name)]
        trained = [name for name in self.solution.derivation.by_name if self._is_trained(name)]
        return dict(roles(self.solution.derivation, gradients, self.names.labels, trained))

    def _is_trained(self, name: str) -> bool:
        """Return whether a step makes new weights of a given."""
        plan, before = self.solution.derivation, self.names.trained_from(name)
        return before is not None and before in plan.by_name and plan[before].is_given

    @cached_property
    def seen(self) -> dict[str, Purpose]:
        """The roles of what a page shows, or of all names if there is no page."""
        shown = {item.name for section in self.sections for item in section.on_page if isinstance(item, StepItem)}
        steps = {item.name for section in self.sections for item in section.items if isinstance(item, StepItem)}
        return {name: role for name, role in self.found.items() if name not in steps - shown}

    @property
    def is_short(self) -> bool:
        """Whether a page is too short to need an overview."""
        return len(self.found) < FEWEST

    def kind(self, name: str) -> str:
        """Return the purpose of a name, as a key in the words."""
        return self.found[name].kind

    def called(self, name: str, kind: str = "") -> Phrase:
        """Return what a name is called: queries, attention weights, a matrix product, or a function's own words."""
        kind = kind or self.kind(name)
        words = (("words", self._function(name, kind)),) if kind in ("function", "number") else ()
        return Phrase(f"role_{kind}", (("means", 0), *words))

    def _function(self, name: str, kind: str) -> str:
        """Return the words for a step's function; empty if there are none, or a number is a number only by chance."""
        node = self.solution.derivation[name].formula
        node = node.arg if isinstance(node, Transpose) else node
        if not isinstance(node, Applied) or (
            kind == "number" and not all(isinstance(each, Constant) for each in node.operation.shape)
        ):
            return ""
        return dict(node.operation.page).get(self.language, "")

    def are_words(self, name: str) -> bool:
        """Return whether the rows of a name are the tokens, which the words of a page call words."""
        rows = self.solution.shape(name).rows
        return self.tokens is not None and rows in (self.tokens, Axis(self.tokens.size))

    def reason(self, name: str) -> Phrase | None:
        """Return the reason of a step: by its role, otherwise by its operation; ``None`` if there is none.

        Raises :class:`~symattn.base.errors.BudgetError` or :class:`~symattn.base.errors.UndecidedError` if the numbers
        of an example cannot be computed.
        """
        role = self.found[name]
        if not role.why:
            return self._of_operation(name)
        about: list[tuple[str, Argument]] = [("name", self.names(name))]
        about += [(key, formula(part, self.names)) for key, part in role.about]
        if role.why == "mixture":
            about += self._shares(dict(role.about))
        return Phrase(f"reason_{role.why}", tuple(about), "need")

    def _of_operation(self, name: str) -> Phrase | None:
        """Return the reason of the operation, if it is true in any lesson, or in this one by the role of the step."""
        kind, node = self.kind(name), self.solution.derivation[name].formula
        if kind in ("gradient", "jacobian") or (isinstance(node, Mask) and not node.is_hiding):
            return None
        if kind == "number" and all(arg.shape == (1, 1) for arg in getattr(node, "args", ()) if arg.is_Matrix):
            return None  # the reason is about many entries, not about one
        if node is None or (found := of_operation(node)) is None:
            return None
        called = found.key.removeprefix("why_")
        if called in ANYWHERE:
            return found
        return found if self._roles_around(kind, node, called) & GOOD_FOR.get(called, frozenset()) else None

    def _roles_around(self, kind: str, node: MatrixExpr, called: str) -> set[str]:
        """Return the roles that may give an operation its reason: of its result, its operand, or a layer after it."""
        if called == "relu":
            return {role.kind for role in self.found.values()}
        of = bare(node).args[:1] if called in OF_CANDIDATES else ()
        return {kind, *(self.kind(str(each.name)) for each in of if isinstance(each, MatrixSymbol))}

    @cached_property
    def reasoned(self) -> frozenset[str]:
        """The steps with a reason: each reason once, and none for steps with a reason of the scenario's own."""
        said: dict[str, str] = {}
        steps: dict[str, bool] = {}
        for section in self.sections:
            for item in section.on_page:
                if isinstance(item, StepItem) and numbers_listed(self.solution.derivation[item.name].formula) is None:
                    steps[item.name] = section.need is None and item.need is None
                    reason = self._of_operation(item.name)
                    if key := self.found[item.name].why or (reason.key if reason is not None else ""):
                        said.setdefault(key, item.name)
        return frozenset(name for name in said.values() if steps[name])

    @property
    def moving(self) -> frozenset[str]:
        """The names that only have entries moved to another place, as far as is known."""
        return frozenset(
            name for name, role in self.found.items() if role.kind in ("part", "turned", "copy", "constant")
        )

    def _shares(self, about: dict[str, MatMul]) -> list[tuple[str, Argument]]:
        """Return one row of a mixture, in figures if there are some: the second, the first that can mix several."""
        weights, values = about["weights"], about["values"]
        name = str(weights.name) if isinstance(weights, MatrixSymbol) else ""
        if not name or not self.solution.shown(name).is_numbers:
            return [("row", 0), ("label", ""), ("shares", ()), ("more", 0)]
        row = min(1, self.solution.rows(name) - 1)
        labels = self.names.row_labels(str(values.name)) if isinstance(values, MatrixSymbol) else ()
        figures = [figure.text for figure in self.solution.figures(name)[row]]
        taken = [(Number(text), column_of(j, labels)) for j, text in enumerate(figures) if text.strip("0.")]
        told = labelled(row, self.names.row_labels(name))
        told["row"] = row + 1 if self.solution.shape(name).ndim > 1 else 0
        return [*told.items(), ("shares", tuple(taken[:SHARES])), ("more", max(0, len(taken) - SHARES))]
