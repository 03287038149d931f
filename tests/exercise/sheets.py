"""One small exercise of every form, written by hand, so that the tests of sheets rest on no generator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace

from symattn.claims.mistakes.model import PartKind
from symattn.claims.worked import Ask, read_exercise
from symattn.course.model import Exercise, Part, Place, Planted, Wrong
from symattn.show.blocks import Document
from symattn.show.math import Number

LANGUAGES = ("en", "zh-Hant", "zh-Hans")

ROW = """
title.en = "One row of attention"
title.zh-Hant = "注意力的一列"
title.zh-Hans = "注意力的一行"
intro.en = "One token asks with its query {q}."
intro.zh-Hant = "某個詞元以查詢 {q} 發問。"
intro.zh-Hans = "某个词元以查询 {q} 发问。"
tokens = ["the", "cat", "sat"]
token_axis = "n"
language = "en"

[sizes]
d_k = 4
d_v = 2

[given.q]
axes = ["1", "d_k"]
value = [["1", "0", "1/2", "-1"]]
[given.K]
axes = ["n", "d_k"]
value = [["sqrt(2)", "0", "1", "2"], ["1/3", "1", "0", "-1"], ["0.25", "1", "1", "0"]]
[given.V]
axes = ["n", "d_v"]
value = [["1", "0"], ["0", "1"], ["2", "-1"]]

[figures]
decimals = 3

[[section]]
title.en = "Solution"
title.zh-Hant = "解答"
title.zh-Hans = "解答"
steps = ["s = q @ K.T / sqrt(d_k)", "a = softmax(s)", "z = a @ V"]
"""

SHAPES = """
title = "Shapes"
intro = "Look at the shapes."
[sizes]
n = 3
d = 7
[given.X]
axes = ["n", "d"]
value = [["1", "0", "0", "0", "0", "0", "0"], ["1", "0", "0", "0", "0", "0", "0"], ["1", "0", "0", "0", "0", "0", "0"]]
[given.U]
axes = ["d", "1"]
value = [["1"], ["1"], ["1"], ["1"], ["1"], ["1"], ["1"]]
[[section]]
title = "Solution"
steps = ["Y = X @ U", { quantity = "P = 4 * d**2 + 2 * d" }]
"""

_ENTRIES = ", ".join(
    "[" + ", ".join(f'"sqrt({2 + (3 * i + j) % 7})/{2 + j % 3}"' for j in range(8)) + "]" for i in range(5)
)
WIDE = f"""
title = "Wide"
intro = "A large one."
[given]
X = [{_ENTRIES}]
[figures]
decimals = 3
[[section]]
title = "Solution"
steps = ["Y = layer_norm(X)", "Z = relu(X) + Y"]
"""


def part(source: str, name: str, kind: PartKind = "matrix", asked: tuple[Place, ...] | None = None) -> Part:
    """A part with its key worked out; everything is asked unless ``asked`` says what."""
    key = read_exercise(source).figures(Ask(name, kind, 3))
    every = tuple((i, j) for i in range(len(key)) for j in range(len(key[0])))
    return Part(name, kind, 3, key, every if asked is None else asked)


def made() -> dict[str, Exercise]:
    """The exercises by what they show."""
    s, a, z = (part(ROW, name) for name in "saz")
    wrong = (
        Wrong("scale-forgotten", "s", {"s": (("9.1", "9.2", "9.3"),), "z": (("9.125", z.key[0][1]),)}),
        Wrong("key-not-transposed", "s", {}),
    )
    plain = Exercise("attention-row", 2, 7, 3, "en", ROW, (s, a, z), wrong)
    numbers = tuple((0, j) for j in range(3))
    return {
        "plain": plain,
        "last": replace(plain, parts=(z,)),
        "shown": replace(plain, shown=("s",), parts=(a,)),
        "blanks": replace(
            plain, form="blanks", parts=(part(ROW, "s", asked=((0, 1),)), part(ROW, "a", asked=((0, 0), (0, 2))))
        ),
        "fading": replace(plain, form="fading", shown=("s",), parts=(a, z), stage=2),
        "order": replace(
            plain, form="order", order=("z", "s", "a"), parts=(Part("order", "order", 0, (("2", "3", "1"),), numbers),)
        ),
        "wrong-entry": replace(
            plain,
            form="wrong-entry",
            planted=Planted("a", 0, 1, "0.999", "scale-forgotten"),
            parts=(Part("place", "place", 0, (("2", "1", "2"),), numbers),),
            wrong=(),
        ),
        "shapes": Exercise(
            "shape-of-product", 1, 7, 1, "en", SHAPES, (part(SHAPES, "Y", "shape"), part(SHAPES, "P", "number"))
        ),
        "wide": Exercise(
            "feed-forward",
            5,
            7,
            2,
            "en",
            WIDE,
            (part(WIDE, "Y"), part(WIDE, "Z")),
            (Wrong("scale-forgotten", "Y", {"Z": tuple(("9.999",) * 8 for _ in range(5))}),),
        ),
    }


def figures(document: Document) -> list[str]:
    """Every number on a page, in reading order."""
    return [piece.text for piece in pieces(document) if isinstance(piece, Number)]


def pieces(value: object) -> Iterator[object]:
    """Everything that a document is made of."""
    yield value
    if isinstance(value, tuple):
        inner: tuple[object, ...] = value
    else:
        inner = tuple(getattr(value, field.name) for field in fields(value)) if is_dataclass(value) else ()
    for part_of_it in inner:
        yield from pieces(part_of_it)
