"""Built-in functions of Python, and methods of its lists, dictionaries and texts, over values of a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial, reduce
from types import MappingProxyType

from flint import arb

from symattn.checking.following import arrays, worlds
from symattn.checking.following.array_functions import call, rounded
from symattn.checking.following.arrays import EntryArray, ProgramValue, Unknown, items_of, whole, worlds_of
from symattn.checking.following.program_texts import ShownValue, Text, as_parts, formatted_text
from symattn.checking.following.rows import NoFit, ball


def spoil(value: ProgramValue, reason: str) -> None:
    """Make an object unknown that was changed in a way that is not modelled."""
    if isinstance(value, EntryArray):
        value.storage.rows = Unknown(reason)
    elif isinstance(value, list):
        value[:] = [Unknown(reason)]
    elif isinstance(value, dict):
        value.update(dict.fromkeys(value, Unknown(reason)))


def truth_of(value: ProgramValue) -> bool:
    """Return the truth of a value. Raises :class:`NoFit` if it is open."""
    if isinstance(value, bool | int | str | list | tuple | dict | type(None) | range):
        return bool(value)
    found = worlds_of(value)
    if found.entries != 1:
        raise NoFit("the truth of an array")
    one = found.true[0][0]
    if one.is_zero() or not one.contains(0):
        return not one.is_zero()
    raise NoFit("a number that may be 0")


def compared(name: str, left: ProgramValue, right: ProgramValue) -> ProgramValue:
    """Compare two values; the name is that of Python's syntax tree. Raises :class:`NoFit` if the result is open."""
    if name in ("Is", "IsNot"):
        if left is not None and right is not None and not (isinstance(left, bool) and isinstance(right, bool)):
            raise NoFit("an identity")
        return (left is right) == (name == "Is")
    if name in ("In", "NotIn"):
        keys = list(right) if isinstance(right, dict) else right
        if not isinstance(left, str | int) or not all(isinstance(each, str | int) for each in items_of(keys)):
            raise NoFit("a membership")
        return (left in keys) == (name == "In")
    if isinstance(left, str | tuple | type(None)) or isinstance(right, str | tuple | type(None)):
        if name not in ("Eq", "NotEq") or not (_is_plain(left) and _is_plain(right)):
            raise NoFit("a comparison that is not modelled")
        return (left == right) == (name == "Eq")
    return arrays.COMPARED[name](left, right)


def _is_plain(value: ProgramValue) -> bool:
    parts = value if isinstance(value, tuple) else (value,)
    return all(isinstance(each, str | int | type(None)) for each in parts)


def call_method(
    name: str, owner: ProgramValue, given: Sequence[ProgramValue], named: Mapping[str, ProgramValue]
) -> ProgramValue:
    """Call a method of a list, a dictionary or a text. Raises :class:`NoFit` if it is not modelled."""
    if isinstance(owner, Text):
        return owner
    if isinstance(owner, str):
        if name == "format":
            return formatted_text(owner, given, named)
        if name == "join":
            pieces = [as_parts(each) for each in items_of(given[0])]
            joined = [part for place, each in enumerate(pieces) for part in ((owner,) if place else ()) + each]
            return Text(tuple(joined))
        return owner if name in ("ljust", "rjust", "center") else Unknown(f"{name} of a text is not modelled")
    if isinstance(owner, dict):
        if name in ("items", "keys", "values"):
            return [list(each) if isinstance(each, tuple) else each for each in getattr(owner, name)()]
        return Unknown(f"{name} is not modelled")
    if name == "append":
        owner.append(given[0])
        return None
    if name == "extend":
        more = list(items_of(given[0]))
        if len(owner) + len(more) > arrays.MOST_ENTRIES:
            spoil(owner, "a list that is too long")
            raise NoFit("a list that is too long")
        owner.extend(more)
        return None
    if name == "copy":
        return list(owner)
    spoil(owner, f"{name} of a list is not modelled")
    raise NoFit(f"{name} of a list is not modelled")


def _sum(values: ProgramValue, start: ProgramValue = 0) -> ProgramValue:
    return reduce(partial(arrays.operate, "Add"), items_of(values), start)


def _extreme(name: str) -> Callable[..., ProgramValue]:
    return lambda *given: call(name, given[0] if len(given) == 1 else given)


def _float(value: ProgramValue = 0) -> ProgramValue:
    if isinstance(value, str):
        text = value.strip().lower().replace("infinity", "inf")
        if text.lstrip("+-") == "inf":
            return worlds.number(arb.neg_inf() if text[0] == "-" else arb.pos_inf())
        return worlds.number(ball(Fraction(text)))
    found = worlds_of(value)
    if found.entries != 1:
        raise NoFit("a number of an array")
    return replace(found, axes=0)


def _round(value: ProgramValue, digits: ProgramValue = None) -> ProgramValue:
    made = rounded(value, 0 if digits is None else digits)
    return whole(made) if digits is None else made


def _string(value: ProgramValue = "") -> ProgramValue:
    return value if isinstance(value, str | Text) else Text((ShownValue(value, "this"),))


BUILTINS: Mapping[str, Callable[..., ProgramValue]] = MappingProxyType(
    {
        "print": lambda *_: None,
        "len": lambda value: value.shape[0] if isinstance(value, EntryArray) else len(items_of(value)),
        "range": arrays.range_of,
        "sum": _sum,
        "max": _extreme("max"),
        "min": _extreme("min"),
        "abs": lambda value: call("abs", value),
        "round": _round,
        "float": _float,
        "int": lambda value=0: whole(call("int", value)),
        "str": _string,
        "repr": _string,
        "bool": truth_of,
        "list": lambda value=(): list(items_of(value)),
        "tuple": lambda value=(): tuple(items_of(value)),
        "dict": lambda value=(): dict(value),
        "zip": lambda *given, **_: [list(each) for each in zip(*map(items_of, given), strict=False)],
        "enumerate": lambda value, start=0: [[place, each] for place, each in enumerate(items_of(value), start)],
        "reversed": lambda value: list(items_of(value))[::-1],
        "any": lambda value: any(map(truth_of, items_of(value))),
        "all": lambda value: all(map(truth_of, items_of(value))),
        "pow": lambda a, b: arrays.operate("Pow", a, b),
        **dict.fromkeys(("type", "isinstance", "input", "map"), lambda *_: Unknown("what is not modelled")),
    }
)


def call_builtin(name: str, given: Sequence[ProgramValue], named: Mapping[str, ProgramValue]) -> ProgramValue:
    """Call a built-in function. Raises :class:`NoFit` if an argument is unknown."""
    for each in (*given, *named.values()):
        if isinstance(each, Unknown):
            raise NoFit(each.reason)
    return BUILTINS[name](*given, **named)
