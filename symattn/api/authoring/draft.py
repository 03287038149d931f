"""The state of a derivation in Python: the contents of a scenario file, and the plan so far.

A line of Python is checked against the plan immediately; the final scenario, and whether all of it fits, is decided as
for files: in :mod:`symattn.read.scenario.build`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from operator import index
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from symattn.base import limits
from symattn.base.errors import FormulaError, SymattnError, shown, unknown
from symattn.base.shapes import Size
from symattn.base.words import DEFAULT
from symattn.operations.equations.tree import Operation
from symattn.read.formula import Scope, is_name, no_name
from symattn.read.plan import Plan
from symattn.read.scenario.build import build_scenario
from symattn.read.scenario.definitions import of_name
from symattn.read.scenario.model import Scenario
from symattn.read.scenario.notation import parse_notation
from symattn.read.scenario.problem import Key, Problem, PythonCall, key_text
from symattn.read.scenario.schema import File, read_tables
from symattn.read.scenario.toml import toml_text
from symattn.read.scenario.words import picked

if TYPE_CHECKING:
    from symattn.show.notation.formulas import Names

PATH = "<Python>"
"""The file name in errors that occur after the lines of Python have run."""

_TABLES = (
    "sizes",
    "labels",
    "substitute",
    "operation",
    "given",
    "general",
    "notation",
    "figures",
    "section",
    "printed",
    "reasons",
    "code",
)

Result = TypeVar("Result")


class Own(Protocol):
    """A user-defined operation, as far as a formula that calls it needs it."""

    @property
    def record(self) -> Operation: ...
    @property
    def table(self) -> dict[str, Any]: ...


@dataclass
class Manuscript:
    """The tables of a scenario under construction."""

    data: dict[str, Any]
    plan: Plan = field(default_factory=Plan)
    quantities: set[str] = field(default_factory=set)
    calls: dict[str, str] = field(default_factory=dict)
    """The call that defined each name."""
    items: dict[tuple[int, int], str] = field(default_factory=dict)
    """The call that wrote an item, by section and place in it."""
    notes: dict[str, Any] = field(default_factory=dict)
    """Notes for matrices that have no numbers yet."""

    @property
    def title(self) -> str:
        """The title in the derivation's own language, or in any."""
        words = self.data["title"]
        if isinstance(words, str):
            return words
        return str(words.get(self.data.get("language", DEFAULT), next(iter(words.values()))))

    @property
    def scope(self) -> Scope:
        """The names that the next formula may use."""
        return replace(self.plan.scope, quantities=frozenset(self.quantities), symbols=frozenset(self.symbols))

    @property
    def names(self) -> Names:
        """The notation of names so far; a notation of names that come later is left out."""
        from symattn.show.entries.letters import page_names

        written = {name: parse_notation(text) for name, text in self.data.get("notation", {}).items()}
        return page_names(self.plan, written, self.labels, (), self.symbols)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The letters that entries may hold."""
        return tuple(self.data.get("symbols", ()))

    @property
    def labels(self) -> dict[str, tuple[str, ...]]:
        """The labels of axes in the derivation's own language, the tokens among them."""
        tokens, own = self.data.get("tokens"), self.data.get("language", DEFAULT)
        every = {} if tokens is None else {self.data.get("token_axis", "n"): tokens}
        every |= self.data.get("labels", {})
        spoken = {axis: each if isinstance(each, dict) else {"": each} for axis, each in every.items()}
        return {axis: tuple(picked(each, own, own)) for axis, each in spoken.items()}

    def table(self, name: str) -> dict[str, Any]:
        """Return a table at the top of the file."""
        found: dict[str, Any] = self.data.setdefault(name, {})
        return found

    # -- names -------------------------------------------------------------------------------------------------------

    def must_be_new(self, name: object, call: str, what: str = "a matrix") -> None:
        """Raise ``FormulaError`` for an invalid name, ``SymattnError`` for one that is taken."""
        if not isinstance(name, str) or not is_name(name):
            raise FormulaError(f"{call}: {no_name(spelled(name), what)}")
        if name in self.calls:
            raise SymattnError(f"{call}: {name} is already defined by {self.calls[name]}: give this one another name")
        kinds = ((self.plan.sizes, "the name of a size"), (self.symbols, "one of the symbols"))
        for known, kind in (*kinds, (self.plan.operations, "the name of an operation")):
            if name in known:
                raise SymattnError(f"{call}: {name} is already {kind}: give {what} another name")

    def take_operation(self, own: Own) -> None:
        """Add a user-defined operation, which formulas may call from now on.

        Raises :class:`~symattn.base.errors.SymattnError` for a name that is taken.
        """
        name, call = own.record.name, f"operation({quoted(own.record.name)})"
        if self.data.get("operation", {}).get(name) == own.table:
            return
        if name in self.plan.operations:
            raise SymattnError(f"{call}: {name} is another operation here already: give this one another name")
        self.must_be_new(name, call, "an operation")
        self.table("operation")[name] = own.table
        self.plan = replace(self.plan, operations={**self.plan.operations, name: own.record})

    def with_size(self, name: str, size: Size) -> None:
        """Name a size in the plan."""
        self.plan = replace(self.plan, sizes={**self.plan.sizes, name: size})

    def define(self, name: str, call: str, plan: Plan) -> None:
        """Record the definition of a name, which ``plan`` contains."""
        self.plan = plan
        self.calls |= dict.fromkeys((name, *of_name(plan, name)), call)

    # -- checks --------------------------------------------------------------------------------------------------------

    def check(self, call: str, contents: Mapping[str, Any], depth: int) -> None:
        """Check the form of a part of the file separately; ``depth`` is how many parts of a key the call replaces."""
        checked(call, lambda: read_tables({"title": "t", **contents}), depth)

    def file(self) -> File:
        """Return the file so far: the form of each part of it is right."""
        try:
            return read_tables(self.contents())
        except Problem as problem:
            raise self.told(problem) from None

    def told(self, problem: Problem) -> SymattnError:
        """Return the error for a problem, with its place in Python."""
        return Problem(self.spoken(problem.key), problem.message, problem.kind).located(PATH, "")

    def check_notation(self, name: str, text: str | None, call: str) -> None:
        """Raise :class:`~symattn.base.errors.FormulaError` for an invalid notation."""
        if text is None:
            return
        self.check(call, {"notation": {name: text}}, 2)
        try:
            parse_notation(text)
        except FormulaError as error:
            raise FormulaError(f"{call}: notation: {error}") from None

    def scenario(self) -> Scenario:
        """Return the scenario so far."""
        file = self.file()
        try:
            scenario = build_scenario(file, "derivation", PATH, "")
        except Problem as problem:
            raise self.told(problem) from None
        assert scenario is not None, "without a place to collect problems the first one is raised"
        keys = {name: (PythonCall(self.calls.get(name, name)),) for name in scenario.keys}
        sections = tuple(
            replace(section, items=tuple(self._placed(item) for item in section.items)) for section in scenario.sections
        )
        claims = tuple(self._placed(claim) for claim in scenario.claims)
        return replace(scenario, keys=keys, sections=sections, claims=claims)

    def take(self, plan: Plan) -> None:
        """Adopt the plan of a whole scenario; symbols with assigned numbers remain letters for the next formula."""
        self.plan = replace(plan, symbols=self.symbols)

    def _placed(self, item: Any) -> Any:
        """Return an item with its location: the call in place of the key."""
        return replace(item, key=self.spoken(item.key)) if getattr(item, "key", None) else item

    def contents(self) -> dict[str, Any]:
        """Return the file, without empty tables."""
        return {key: value for key, value in self.data.items() if value or key not in _TABLES}

    def spoken(self, key: Key) -> Key:
        """Return a key with the calls of Python in place of the tables of a file that does not exist."""
        match key:
            case ("section", int(i), "steps", int(j), *rest) if (i, j) in self.items:
                call = self.items[i, j]
                return (PythonCall(call), *(rest[1:] if rest and call.startswith(f"{rest[0]}(") else rest))
            case ("section", int(i), *rest):
                return (PythonCall(f"section({self._heading(i)})"), *rest)
            case ("given" | "general", str(name), *rest) if name in self.calls:
                return (PythonCall(self.calls[name]), *rest)
            case ("substitute", *rest):
                return (PythonCall(f"substitute({rest[0]}=…)" if rest else "substitute(…)"),)
            case ("train", *rest):
                return (PythonCall(f"train({rest[0]}=…)" if rest else "train(…)"), *rest[1:])
            case ("figures", str(option), *rest):
                return (PythonCall(f"Derivation({option}=…)"), *rest)
            case (str(table), *rest):
                return (PythonCall(f"Derivation({table}=…)"), *rest)
        return key

    def toml(self) -> str:
        """Return the text of the file, which reads back to the same.

        Raises :class:`~symattn.base.errors.SymattnError` for contents that a file cannot hold.
        """
        text = toml_text(self.contents())
        if len(text.encode()) > limits.FILE_BYTES:
            raise SymattnError(
                f"toml(): the file would be larger than FILE_BYTES = {limits.FILE_BYTES} bytes: leave large matrices "
                "in files of their own"
            )
        try:
            read_tables(tomllib.loads(text))
        except Problem as problem:
            where = key_text(self.spoken(problem.key))
            raise SymattnError(f"toml(): {where} cannot be written in a scenario file: {problem.message}") from None
        return text

    def _heading(self, number: int) -> str:
        title = self.data["section"][number]["title"]
        return quoted(title if isinstance(title, str) else next(iter(title.values())))


def quoted(text: object) -> str:
    """Write a text as in a Python call.

    >>> quoted("Q")
    '"Q"'
    """
    return '"' + shown(spelled(text), 40)[1:-1] + '"'


def spelled(value: object) -> str:
    """Write a value for an error; a whole number can be longer than Python writes.

    >>> spelled(3), spelled(10**5000)
    ('3', 'an int')
    """
    try:
        return str(value)
    except ValueError:
        return f"an {type(value).__name__}"


def as_in_a_file(value: object) -> Any:
    """Convert a value to lists and tables as in a file; other values are unchanged, to be rejected later.

    >>> as_in_a_file((1, (2, 3)))
    [1, [2, 3]]
    """
    if isinstance(value, Mapping):
        return {key: as_in_a_file(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [as_in_a_file(part) for part in value]
    if isinstance(value, bool | int | float | str) or not hasattr(value, "__index__"):
        return value
    try:
        return index(value)
    except TypeError:
        return value


def checked(call: str, work: Callable[[], Result], depth: int = 0) -> Result:
    """Return the result of ``work``; report problems at the call, without the first ``depth`` parts of their key."""
    try:
        return work()
    except Problem as problem:
        raise Problem((PythonCall(call), *problem.key[depth:]), problem.message, problem.kind).located("", "") from None


def known_name(name: object, known: Collection[str], call: str) -> str:
    """Return ``name``. Raises :class:`~symattn.base.errors.FormulaError` for one that is not known."""
    if isinstance(name, str) and name in known:
        return name
    raise FormulaError(f"{call}: {unknown('name', spelled(name), known)}")
