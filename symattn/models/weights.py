"""One layer of a file of weights: found by its prefix, checked against its layout, cut before anything is exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from symattn.arrays import TensorFile
from symattn.arrays.exact import exact_array
from symattn.arrays.files import tensor_of
from symattn.errors import ArrayError, shown
from symattn.given import Given, Origin
from symattn.models.layouts import LAYOUTS, Layout, Linear

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Layer:
    """A layer of a file in its layout."""

    file: TensorFile
    prefix: str
    layout: Layout
    decimals: int | None = None
    _read: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def find(cls, file: TensorFile, layer: str, decimals: int | None = None) -> Layer:
        """The layer of that prefix. Raises :class:`~symattn.errors.ArrayError` where none is known to be there."""
        prefix = layer if not layer or layer.endswith(".") else f"{layer}."
        for layout in LAYOUTS:
            if all(prefix + name in file.shapes for name in layout.telling):
                found = cls(file, prefix, layout, decimals)
                found._must_be_read()
                return found
        tried = "; ".join(f"{layout.family} ({', '.join(layout.telling)})" for layout in LAYOUTS)
        wanted = [prefix + name for layout in LAYOUTS for name in layout.telling]
        raise ArrayError(
            f"{_where(file, layer)}: no attention is found there: tried {tried}; {nearest(wanted, file.shapes)}"
        )

    def _must_be_read(self) -> None:
        for name in self.layout.refused:
            if self.prefix + name in self.file.shapes:
                raise ArrayError(f"{self.where}: has {name}, extra rows of keys and values, which is not read")

    @property
    def where(self) -> str:
        return f"{_where(self.file, self.prefix.removesuffix('.'))} ({self.layout.family})"

    @property
    def width(self) -> int:
        """How many columns the rows have that attention works on."""
        shape = self.shape(self.layout.query.weight)
        return shape[1] if self.layout.transposed else shape[0]

    def has(self, linear: Linear | None) -> bool:
        """Whether the file holds this part of the layer."""
        return linear is not None and self.prefix + linear.weight in self.file.shapes

    def shape(self, name: str) -> tuple[int, int]:
        """The shape of a matrix of the layer."""
        shape = self.file.shapes[self._must_have(name)]
        if len(shape) != 2:
            raise ArrayError(f"{self.where}: {name} has the shape {shape}: expected a matrix")
        return shape[0], shape[1]

    def _must_have(self, name: str) -> str:
        full = self.prefix + name
        if full not in self.file.shapes:
            raise ArrayError(f"{self.where}: the tensor {shown(full)} is missing; {nearest([full], self.file.shapes)}")
        return full

    def matrix(self, linear: Linear, columns: slice = slice(None), rows: slice = slice(None)) -> Given:
        """A matrix as (in, out); ``columns`` and ``rows`` cut it after it was divided into its parts."""
        shape = self.shape(linear.weight)
        long = shape[0] if self.layout.transposed else shape[1]
        out = self._part(linear.weight, long, linear.part, linear.parts)
        wide = _inside(out, columns)
        deep = _inside(slice(0, shape[1] if self.layout.transposed else shape[0]), rows)
        array = self._array(linear.weight)
        if self.layout.transposed:
            return self._given(array[wide, deep].T, linear.weight, f"[{_said(wide)}, {_said(deep)}].T")
        return self._given(array[deep, wide], linear.weight, f"[{_said(deep)}, {_said(wide)}]")

    def row(self, linear: Linear, columns: slice = slice(None)) -> Given | None:
        """The row that is added, or ``None`` where the layer has none."""
        if self.prefix + linear.bias not in self.file.shapes and not linear.has_bias:
            return None
        shape = self.file.shapes[self._must_have(linear.bias)]
        if len(shape) != 1:
            raise ArrayError(f"{self.where}: {linear.bias} has the shape {shape}: expected a row")
        parts = linear.parts if linear.bias_parts is None else linear.bias_parts
        cut = _inside(self._part(linear.bias, shape[0], linear.part, parts), columns)
        return self._given(self._array(linear.bias)[cut], linear.bias, f"[{_said(cut)}]")

    def scale(self, linear: Linear) -> Given:
        """The factors of a norm."""
        shape = self.file.shapes[self._must_have(linear.weight)]
        if len(shape) != 1:
            raise ArrayError(f"{self.where}: {linear.weight} has the shape {shape}: expected a row")
        return self._given(self._array(linear.weight), linear.weight, "")

    def _part(self, name: str, length: int, part: int, parts: int) -> slice:
        if length % parts:
            raise ArrayError(f"{self.where}: {name} has the length {length}, which cannot be divided by {parts}")
        # A matrix of its own is whole, whichever part of the row belongs to it.
        part %= parts
        return slice(part * length // parts, (part + 1) * length // parts)

    def _array(self, name: str) -> NDArray[Any]:
        # Query, key and value are often one tensor, which is read once.
        if name not in self._read:
            self._read[name] = tensor_of(self.file, self.prefix + name)
        found: NDArray[Any] = self._read[name]
        return found

    def _given(self, array: NDArray[Any], name: str, cut: str) -> Given:
        from pathlib import Path

        full = self.prefix + name
        taken = "binary" if self.decimals is None else "decimals"
        origin = Origin(taken, self.file.dtypes[full], self.decimals, Path(self.file.path).name, full + cut)  # type: ignore[arg-type]
        return Given.of(exact_array(array, origin, f"{self.file.path}, {full}"))


def _where(file: TensorFile, layer: str) -> str:
    return f"{file.path}, layer {shown(layer)}" if layer else file.path


def _inside(part: slice, cut: slice) -> slice:
    start, stop, _ = cut.indices(part.stop - part.start)
    return slice(part.start + start, part.start + stop)


def _said(cut: slice) -> str:
    return f"{cut.start}:{cut.stop}"


def nearest(wanted: list[str], known: Mapping[str, Any]) -> str:
    """The names of a file that are most like the wanted ones.

    >>> nearest(["layer.0.attn"], {"layer.1.attn": 0, "embeddings": 0})
    'the nearest names in the file: layer.1.attn'
    """
    names = list(known)[:20_000]
    if not names:
        return "the file holds no tensors"
    close = dict.fromkeys(name for want in wanted for name in get_close_matches(want, names, n=3, cutoff=0.5))
    chosen = list(close)[:5] or sorted(names)[:5]
    return f"the {'nearest' if close else 'first'} names in the file: {', '.join(chosen)}"
