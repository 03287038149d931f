"""What is wrong with a scenario, and where: raised while a scenario is read, shown as one sentence."""

from __future__ import annotations

from symattn.errors import FormulaError, ScenarioError, ShapeError, SymattnError
from symattn.scenario.lines import Key, key_text, line_of


class Problem(ValueError):
    """One thing that is wrong, and the key it is wrong at (seen from whatever is being checked).

    A ``ValueError``, because that is what pydantic collects; :mod:`symattn.scenario.load` turns it into an error.
    """

    def __init__(self, key: Key, message: str, kind: type[SymattnError] = ScenarioError) -> None:
        super().__init__(message)
        self.key, self.message, self.kind = key, message, kind

    @classmethod
    def of(cls, error: SymattnError, key: Key, more: str = "") -> Problem:
        """``error`` at ``key``: a formula or shape error stays one, every other becomes a scenario error."""
        kind = type(error) if isinstance(error, FormulaError | ShapeError) else ScenarioError
        return cls(key, f"{error}{more}", kind)

    def located(self, path: str, text: str) -> SymattnError:
        """The error that the caller sees: file, line and key, then the sentence."""
        return self.kind(f"{place(path, text, self.key)}: {self.message}")


def place(path: str, text: str, key: Key) -> str:
    """File, line and key of a value.

    >>> place("lesson.toml", '[given]\\nE = [["1"]]', ("given", "E"))
    'lesson.toml, line 2, given.E'
    """
    line = line_of(text, key)
    return ", ".join(part for part in (path, f"line {line}" if line else "", key_text(key)) if part)
