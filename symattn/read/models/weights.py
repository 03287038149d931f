"""Read one layer of a file of weights: find it by its prefix, account for its tensors, cut them to a part."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symattn.base.errors import ArrayError, shown
from symattn.read.arrays import TensorFile
from symattn.read.arrays.exact import FLOATS, exact_array
from symattn.read.arrays.files import likest, origin, tensor_of
from symattn.read.given import Given
from symattn.read.models.layouts import KNOWN_STRANGERS, Layout, Linear, layouts

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
        """Find the layer of that prefix. Raises :class:`~symattn.base.errors.ArrayError` if no family matches."""
        prefix = layer if not layer or layer.endswith(".") else f"{layer}."
        for layout in layouts():
            if all(prefix + name in file.shapes for name in layout.telling):
                return cls(file, prefix, layout, decimals)
        tried = "; ".join(f"{layout.family} ({', '.join(layout.telling)})" for layout in layouts())
        wanted = [prefix + name for layout in layouts() for name in layout.telling]
        raise ArrayError(
            f"{_where(file, layer)}: no attention is found there: tried {tried}; {nearest(wanted, file.shapes)}"
        )

    @property
    def where(self) -> str:
        return f"{_where(self.file, self.prefix.removesuffix('.'))} ({self.layout.family})"

    @property
    def tensors(self) -> tuple[str, ...]:
        """The names of all tensors under the prefix, without it."""
        return tuple(name[len(self.prefix) :] for name in self.file.shapes if name.startswith(self.prefix))

    @property
    def strange(self) -> tuple[str, ...]:
        """The tensors of the layer that its family does not have."""
        known = {name for linear in self.layout.parts() for name in self._names(linear)} | self.layout.unused.keys()
        return tuple(name for name in self.tensors if name not in known)

    def must_be_used(self, ignored: Collection[str]) -> None:
        """Raise :class:`~symattn.base.errors.ArrayError` if the scenario of a layer leaves out one of its tensors."""
        left = [n for n in self.tensors if n not in self._read and n not in self.layout.unused and n not in ignored]
        if left:
            raise ArrayError(f"{self.where}: is not read, because nothing is known to use {', '.join(left[:8])}")

    def must_be_biased_throughout(self) -> None:
        """Raise :class:`~symattn.base.errors.ArrayError` if some parts of the layer have a bias and others do not."""
        if self.layout.always_biased:
            return
        held = [self._names(linear) for linear in self.layout.parts() if self.has(linear)]
        there = dict.fromkeys(bias for _, bias in held if self.prefix + bias in self.file.shapes)
        missing = dict.fromkeys(bias for _, bias in held if bias not in there)
        if there and missing:
            raise ArrayError(
                f"{self.where}: has {', '.join(there)}, and not {', '.join(missing)}: expected all of them or none"
            )

    @property
    def width(self) -> int:
        """The number of columns of the rows that attention works on."""
        shape = self.shape(self.layout.attention.query.weight)
        return shape[1] if self.layout.transposed else shape[0]

    @property
    def has_cross(self) -> bool:
        """Whether the file holds any part of a cross-attention."""
        return self.layout.cross is not None and any(map(self.has, self.layout.cross.parts))

    def facts(self) -> Iterator[tuple[str, int | bool]]:
        """Yield the facts that the tensors show about the layer, which a configuration may state too."""
        yield "width", self.width
        yield "cross", self.has_cross
        if self.layout.feed_forward is not None and self.has(self.layout.feed_forward.first):
            yield "inner", self.shape(self.layout.feed_forward.first.weight)[0 if self.layout.transposed else 1]

    def has(self, linear: Linear) -> bool:
        """Return whether the file holds this part of the layer."""
        return self.prefix + self._names(linear)[0] in self.file.shapes

    def _names(self, linear: Linear) -> tuple[str, str]:
        """Return the names of the matrix and the bias in the file: the current ones, or else the former ones."""
        if linear.older and any(self.prefix + name in self.file.shapes for name in linear.older):
            return linear.older if self.prefix + linear.weight not in self.file.shapes else (linear.weight, linear.bias)
        return linear.weight, linear.bias

    def shape(self, name: str) -> tuple[int, int]:
        """Return the shape of a matrix of the layer. Raises :class:`~symattn.base.errors.ArrayError` otherwise."""
        shape = self.file.shapes[self._must_have(name)]
        if len(shape) != 2:
            raise ArrayError(f"{self.where}: {name} has the shape {shape}: expected a matrix")
        return shape[0], shape[1]

    def _must_have(self, name: str) -> str:
        full = self.prefix + name
        if full not in self.file.shapes:
            raise ArrayError(f"{self.where}: the tensor {shown(full)} is missing; {nearest([full], self.file.shapes)}")
        return full

    def matrix(self, linear: Linear, width: int | None = None, columns: slice = slice(None)) -> Given:
        """Return a matrix as (in, out), split into its parts and then cut to ``columns``.

        ``width`` is the number of columns that a part must have.

        Raises :class:`~symattn.base.errors.ArrayError` if it has another number.
        """
        deep, long = self.shape(linear.weight)[:: -1 if self.layout.transposed else 1]
        part = self._part(linear.weight, long, linear.part, linear.parts)
        if width is not None and part.stop - part.start != width:
            raise ArrayError(
                f"{self.where}: {linear.weight} has {part.stop - part.start} columns in each of its {linear.parts} "
                f"parts, expected {width} (d_model)"
                if linear.parts > 1
                else f"{self.where}: {linear.weight} has {long} columns, expected {width} (d_model)"
            )
        wide, array = _inside(part, columns), self._array(linear.weight)
        if self.layout.transposed:
            return self._given(array[wide].T, linear.weight, f"[{_said(wide)}, 0:{deep}].T")
        return self._given(array[:, wide], linear.weight, f"[0:{deep}, {_said(wide)}]")

    def row(self, linear: Linear, columns: slice = slice(None)) -> Given | None:
        """Return the bias, or ``None`` if the layer has none."""
        _, name = self._names(linear)
        if self.prefix + name not in self.file.shapes and not self.layout.always_biased:
            return None
        parts = linear.parts if linear.bias_parts is None else linear.bias_parts
        cut = _inside(self._part(name, self._length(name), linear.part, parts), columns)
        return self._given(self._array(name)[cut], name, f"[{_said(cut)}]")

    def scale(self, linear: Linear) -> Given:
        """Return the factors of a norm."""
        name, _ = self._names(linear)
        self._length(name)
        return self._given(self._array(name), name, "")

    def _length(self, name: str) -> int:
        shape = self.file.shapes[self._must_have(name)]
        if len(shape) != 1:
            raise ArrayError(f"{self.where}: {name} has the shape {shape}: expected a row")
        return shape[0]

    def _part(self, name: str, length: int, part: int, parts: int) -> slice:
        if length % parts:
            raise ArrayError(f"{self.where}: {name} has the length {length}, which cannot be divided by {parts}")
        # If the matrix is a tensor of its own, it is used whole, even if the bias is split.
        part %= parts
        return slice(part * length // parts, (part + 1) * length // parts)

    def _array(self, name: str) -> NDArray[Any]:
        # Query, key and value are often one tensor, which is read once.
        if name not in self._read:
            kind = self.file.dtypes[self.prefix + name]
            if kind not in FLOATS:
                raise ArrayError(
                    f"{self.where}: {name} holds {kind}, and weights are numbers with a point: expected "
                    f"{', '.join(FLOATS)}; quantised weights have to be made such numbers first"
                )
            self._read[name] = tensor_of(self.file, self.prefix + name)
        found: NDArray[Any] = self._read[name]
        return found

    def _given(self, array: NDArray[Any], name: str, cut: str) -> Given:
        full, path = self.prefix + name, Path(self.file.path)
        taken = origin(self.file.dtypes[full], self.decimals, path, full + cut)
        return Given.of(exact_array(array, taken, f"{self.file.path}, {full}"))


def stranger(name: str) -> str:
    """Describe a tensor that is not understood, with what is known of such names.

    >>> stranger("attention.self.query.lora_A.weight")
    'attention.self.query.lora_A.weight (a change of a matrix by LoRA, which has to be merged into it first)'
    """
    reason = next((reason for part, reason in KNOWN_STRANGERS if part in name), "")
    return f"{name} ({reason})" if reason else name


def _where(file: TensorFile, layer: str) -> str:
    return f"{file.path}, layer {shown(layer)}" if layer else file.path


def _inside(part: slice, cut: slice) -> slice:
    start, stop, _ = cut.indices(part.stop - part.start)
    return slice(part.start + start, part.start + stop)


def _said(cut: slice) -> str:
    return f"{cut.start}:{cut.stop}"


def nearest(wanted: list[str], known: Mapping[str, Any]) -> str:
    """Return the sentence about the names of a file that are most similar to the wanted ones.

    >>> nearest(["layer.0.attn"], {"layer.1.attn": 0, "embeddings": 0})
    'the nearest names in the file: layer.1.attn'
    """
    if not known:
        return "the file holds no tensors"
    close = likest(wanted, known)
    chosen = close[:5] or sorted(known)[:5]
    return f"the {'nearest' if close else 'first'} names in the file: {', '.join(chosen)}"
