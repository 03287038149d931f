"""Objects that do not change: each is its own copy and can be pickled without being evaluated.

SymPy evaluates an expression again when it is unpickled, so that 512/8 would arrive as 64; and a read-only mapping
cannot be pickled at all. So expressions, read-only mappings, and objects that hold them, are taken apart.

>>> from sympy import Integer, Mul
>>> product = Mul(Integer(2), Integer(3), evaluate=False)
>>> product, rebuilt(parts(product)), parts((1, "a"))
(2*3, 2*3, (1, 'a'))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from types import MappingProxyType
from typing import Any, Self

from sympy import Add, Basic, MatAdd, MatMul, Mul, Pow
from sympy.core.function import Application

NOT_WORKED_OUT = (Add, Mul, Pow, Application, MatAdd, MatMul)
"""SymPy's own nodes that are evaluated on construction unless told not to be."""


@dataclass(frozen=True)
class Parts:
    """A value taken apart: the constructor, its leading arguments, and the parts."""

    make: Callable[..., Any]
    of: tuple[Any, ...]
    parts: tuple[Any, ...]


class Frozen:
    """A base class for dataclasses that do not change."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        names = _names(self)
        return _record, (type(self), names, *(parts(getattr(self, name)) for name in names))


def parts(value: Any) -> Any:
    """Take ``value`` apart, as far as anything in it needs it."""
    if isinstance(value, Basic) and value.args:
        return Parts(_node, (type(value),), tuple(map(parts, value.args)))
    if isinstance(value, MappingProxyType):
        return Parts(_read_only, (tuple(value),), tuple(map(parts, value.values())))
    if type(value) is tuple:
        return _if_needed(value, value, _tuple, ())
    if is_dataclass(value) and not isinstance(value, type):
        names = _names(value)
        return _if_needed(value, [getattr(value, name) for name in names], _record, (type(value), names))
    return value


def rebuilt(value: Any) -> Any:
    """Put together a value that :func:`parts` took apart."""
    return value.make(*value.of, *map(rebuilt, value.parts)) if isinstance(value, Parts) else value


def _if_needed(value: Any, held: Sequence[Any], make: Callable[..., Any], of: tuple[Any, ...]) -> Any:
    taken = tuple(map(parts, held))
    return value if all(a is b for a, b in zip(taken, held, strict=True)) else Parts(make, of, taken)


def _names(value: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(value))


def _node(kind: type[Basic], *args: Basic) -> Basic:
    return kind(*args, evaluate=False) if issubclass(kind, NOT_WORKED_OUT) else kind(*args)


def _read_only(keys: tuple[Any, ...], *values: Any) -> MappingProxyType[Any, Any]:
    return MappingProxyType(dict(zip(keys, values, strict=True)))


def _tuple(*values: Any) -> tuple[Any, ...]:
    return values


def _record(kind: type, names: tuple[str, ...], *values: Any) -> Any:
    return kind(**{name: rebuilt(value) for name, value in zip(names, values, strict=True)})
