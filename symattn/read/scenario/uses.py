"""Ready-made derivations in a scenario: expand each use into the items that a person would write in the file."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import TypeAdapter

from symattn.base import limits
from symattn.base.errors import SymattnError, UnknownNameError
from symattn.read.catalogue.entries import entry_named
from symattn.read.catalogue.expand import Expansion, ItemTable, Use, expand
from symattn.read.plan import Plan
from symattn.read.scenario.definitions import Axes, MadeSection, definitions, derive, section_key
from symattn.read.scenario.problem import Key, Problem, Problems
from symattn.read.scenario.schema import File, GivenTable, SectionTable
from symattn.read.scenario.tables import ItemEntry, UsedTable, UseTable

_ENTRIES: TypeAdapter[list[ItemEntry]] = TypeAdapter(list[ItemEntry])


def with_uses(file: File, axes: Axes, found: Problems) -> File:
    """Return the file with the items of every use beside it."""
    sections = list(file.section)
    for i, section in enumerate(file.section):
        steps = list(section.steps)
        for j, entry in enumerate(section.steps):
            if not isinstance(entry, UseTable):
                continue
            made = isinstance(section, MadeSection)
            key: Key = section_key(section, i) if made else (*section_key(section, i), j, "use")
            # A use can start from the steps before it, and only from those.
            before = _cut(file, [*sections[:i], _with(section, steps[:j])])
            with found.caught():
                steps[j], file = _used(entry, before, file, axes, key, found)
            if not isinstance(steps[j], UsedTable):
                # The names that it would define are unknown.
                found.nothing_is_sure = True
        sections[i] = _with(section, steps)
    return _cut(file, sections)


def _cut(file: File, sections: list[SectionTable]) -> File:
    return file.model_copy(update={"section": sections})


def _with(section: SectionTable, steps: Sequence[ItemEntry]) -> SectionTable:
    return section.model_copy(update={"steps": list(steps)})


def _used(entry: UseTable, before: File, file: File, axes: Axes, key: Key, found: Problems) -> tuple[UseTable, File]:
    """Return the use with its items, and the file with the axes of givens that the use knows."""
    # Problems of the steps before it are reported when the whole file is derived.
    quietly = Problems()
    quietly.broken.update(found.broken)
    plan = derive(before, axes, definitions(before, quietly), quietly)
    try:
        use = Use(entry_named(entry.use), entry.settings, entry.names, entry.suffix)
        made = expand(use, lambda name: plan[name].shape if name in plan.by_name else None, plan.sizes)
    except UnknownNameError as error:
        if quietly.all:
            return entry, file
        raise Problem((*key[:-1], _part(error, entry)), str(error), UnknownNameError) from None
    except SymattnError as error:
        raise Problem(key, f"{entry.use}: {error}", type(error)) from None
    _must_be_new(entry, made.items, plan, key)
    return UsedTable.model_construct(**dict(entry), items=_read(made.items, key)), _with_axes(file, made, plan)


def _must_be_new(entry: UseTable, items: Sequence[ItemTable], plan: Plan, key: Key) -> None:
    """Refuse steps whose names are taken, all of them in one sentence."""
    steps = [item["step"].partition(" = ")[0] for item in items if "step" in item]
    taken = [name for name in dict.fromkeys(steps) if name in plan.by_name]
    if not taken and (twice := [name for number, name in enumerate(steps) if name in steps[:number]]):
        raise Problem((*key[:-1], "names"), f"{entry.use} would define {twice[0]} twice: call one of the two otherwise")
    if taken:
        own = next((name for name, called in entry.names.items() if called == taken[0]), taken[0])
        own = own.removesuffix(entry.suffix) if own == taken[0] else own
        there = "this name is" if len(taken) == 1 else "these names are"
        raise Problem(
            key,
            f"{entry.use} defines {', '.join(taken)}, and {there} taken already: "
            f'names = {{ {own} = "…" }} gives a step another name, suffix = "_2" all of them',
        )


def _with_axes(file: File, made: Expansion, plan: Plan) -> File:
    """Return the file with the axes that the use knows for givens without axes, and with the letters of the use as
    symbols: its statements need both to hold for all sizes."""
    named: dict[str, GivenTable] = {}
    for name, table in file.given.items():
        if table.axes is not None or name not in plan.by_name or table.value.ndim == 0:
            continue
        shape = plan[name].shape
        known = made.axes.get(name, ("", ""))
        # The given whose rows are the tokens would lose them if only other givens had axes.
        pair = [axis.name or letter for axis, letter in zip((shape.rows, shape.columns), known, strict=True)]
        if any(pair):
            axes = [letter or str(size) for letter, size in zip(pair, shape.sizes, strict=True)][2 - shape.ndim :]
            named[name] = table.model_copy(update={"axes": axes})
    letters = [name for name in made.letters if name not in file.symbols]
    return file.model_copy(update={"given": {**file.given, **named}, "symbols": [*file.symbols, *letters]})


def _part(error: UnknownNameError, entry: UseTable) -> str:
    return "names" if str(error).startswith("unknown name in") else "use"


def _read(items: list[ItemTable], key: Key) -> tuple[ItemEntry, ...]:
    if len(items) > limits.SCENARIO_STEPS:
        raise Problem(key, f"stands for {len(items)} items: more than SCENARIO_STEPS = {limits.SCENARIO_STEPS}")
    return tuple(_ENTRIES.validate_python(items))
