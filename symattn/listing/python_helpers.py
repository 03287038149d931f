"""How Python writes equations, with NumPy and with PyTorch, and the functions that people write another way."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Sequence
from functools import partial

from symattn.listing.spelling import Spelling

MATH = ("acos", "cos", "erf", "exp", "expm1", "floor", "inf", "log", "log1p", "pi", "sin", "sqrt", "tanh")
"""What programs take from Python's own ``math``; matrices have functions of their own."""

AVOIDED = frozenset(keyword.kwlist) | frozenset(dir(builtins)) | {*MATH, "np", "torch", "F"}
"""Names that nothing inside a function may have."""


def _function(name: str, parameters: Sequence[str], comment: str, lines: Sequence[str], result: str) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f'def {name}({", ".join(parameters)}):\n    """{comment}"""\n{body}    return {result}'


_NUMBERS = {each: f"{each}({{0}})" for each in ("abs", *MATH)}
_NUMBERS |= {
    "max": "max({0}, {1})",
    "min": "min({0}, {1})",
    "xlogx": "({a} * log({0}) if {0} > 0 else 0)",
}
"""Python's own exponential raises an error where it overflows: those of NumPy and PyTorch stand in for it."""

_LOOPS = {
    "sum": "sum({body} for {k} in range({n}))",
    "max": "max({body} for {k} in range({n}))",
    "list": "[{body} for {i} in range({m})]",
    "rows": "[[{body} for {j} in range({n})] for {i} in range({m})]",
}

_dialect = partial(
    Spelling,
    function=_function,
    assign=" = ",
    signs={"pow": "**", "mod": "%"},
    product=" @ ",
    transposed="{x}.T",
    case="({1} if {0} else {2})",
    long_case="\n            {1}\n            if {0}\n            else {2}\n           ",
    both=(" & ", " and "),
    sizes=("{0}.shape[0]", "{0}.shape[1]"),
    first=0,
    entry="{x}[{i}, {j}]",
    named=("{x}[{i}]", "{x}[{i}][{j}]"),
    rounded="round({0})",
    avoided=AVOIDED,
)


def _made(start: str, end: str) -> dict[str, str]:
    return _LOOPS | {
        "matrix": f"{start}[\n        [{{body}} for {{j}} in range({{n}})]\n        "
        f"for {{i}} in range({{m}})\n    ]{end}",
        "column": f"{start}[[{{body}}] for {{i}} in range({{m}})]{end}",
        "row": f"{start}[[{{body}} for {{i}} in range({{m}})]]{end}",
        "single": f"{start}[[{{body}}]]{end}",
    }


NUMPY_SPELLING = _dialect(
    numbers=_NUMBERS | {each: f"np.{each}({{0}})" for each in ("exp", "expm1")},
    arrays={
        each: f"np.{each}({{0}})" for each in ("cos", "exp", "expm1", "floor", "log", "log1p", "sin", "sqrt", "tanh")
    }
    | {
        "abs": "abs({0})",
        "acos": "np.arccos({0})",
        "erf": "np.vectorize(erf)({0})",
        "max": "np.maximum({0}, {1})",
        "min": "np.minimum({0}, {1})",
        "xlogx": "{a} * np.log(np.where({0} > 0, {0}, 1))",
    },
    over={(kind, axis): f"{{x}}.{kind}(axis={axis}, keepdims=True)" for kind in ("sum", "max") for axis in (0, 1)},
    choice="np.where({0}, {1}, {2})",
    indices=("np.arange(1.0, {m} + 1)[:, None]", "np.arange(1.0, {n} + 1)"),
    full="np.broadcast_to({0}, ({m}, {n}))",
    filled="np.full(({m}, {n}), float({0}))",
    loops=_made("np.array(", ", dtype=float)"),
    overflow='@np.errstate(over="ignore")',
)

TORCH_SPELLING = _dialect(
    numbers=_NUMBERS | {each: f"torch.tensor({{0}}, dtype=torch.float64).{each}().item()" for each in ("exp", "expm1")},
    arrays={
        each: f"torch.{each}({{0}})"
        for each in ("acos", "cos", "erf", "exp", "expm1", "floor", "log", "log1p", "sin", "sqrt", "tanh")
    }
    | {
        "abs": "abs({0})",
        "max": "torch.maximum({0}, {1})",
        "max number": "{a}.clamp(min={1})",
        "min": "torch.minimum({0}, {1})",
        "min number": "{a}.clamp(max={1})",
        "xlogx": "torch.special.xlogy({0}, {0})",
    },
    over={("sum", axis): f"{{x}}.sum(dim={axis}, keepdim=True)" for axis in (0, 1)}
    | {("max", axis): f"{{x}}.amax(dim={axis}, keepdim=True)" for axis in (0, 1)},
    choice="torch.where({0}, {1}, {2})",
    tensor="torch.tensor({0}, dtype=torch.float64)",
    indices=(
        "torch.arange(1, {m} + 1, dtype=torch.float64)[:, None]",
        "torch.arange(1, {n} + 1, dtype=torch.float64)",
    ),
    full="torch.broadcast_to({0}, ({m}, {n}))",
    filled="torch.full(({m}, {n}), {0}, dtype=torch.float64)",
    loops=_made("torch.tensor(", ", dtype=torch.float64)"),
)

_ANGLE = '''
    def angle(X, Y):
        """Degrees between every row of X and every row of Y.

        The arctangent keeps the digits that the arccosine loses near 0 and 180.
        """
        U = (X / {norm}(X, {of_rows}))[:, None]
        V = (Y / {norm}(Y, {of_rows}))[None]
        return {degrees}(2 * {arctan2}({norm}(U - V, {last}), {norm}(U + V, {last})))
'''

_ROTARY = '''
    def rotary(X, base, start):
        """Each pair of neighbouring columns turned by an angle that grows with the row."""
        n, d = X.shape
        positions = start + {np}.arange(n, {double})
        phi = positions[:, None] * base ** (-{np}.arange(0, d, 2, {double}) / d)
        x, y = X[:, ::2], X[:, 1::2]
        turned = [x * {np}.cos(phi) - y * {np}.sin(phi), x * {np}.sin(phi) + y * {np}.cos(phi)]
        return {np}.stack(turned, {last}).reshape(n, d)
'''

NUMPY_SOFTMAX_OR_ZERO = '''
    def softmax(S):
        """Each row as weights that sum to 1; a row of nothing but -inf, which sees no key, as weights of 0."""
        seen = np.isfinite(S).any(axis=1, keepdims=True)
        E = np.exp(S - np.where(seen, S.max(axis=1, keepdims=True), 0))
        return E / np.where(seen, E.sum(axis=1, keepdims=True), 1)
'''

TORCH_SOFTMAX_OR_ZERO = '''
    def softmax(S):
        """Each row as weights that sum to 1; a row of nothing but -inf, which sees no key, as weights of 0."""
        seen = torch.isfinite(S).any(dim=-1, keepdim=True)
        return torch.where(seen, torch.softmax(torch.where(seen, S, 0.0), dim=-1), 0.0)
'''

NUMPY_HELPERS: dict[str, str] = {
    "softmax": '''
        def softmax(S):
            """Each row as weights that sum to 1; without its maximum, exp cannot overflow."""
            E = np.exp(S - S.max(axis=1, keepdims=True))
            return E / E.sum(axis=1, keepdims=True)
    ''',
    "rotary": _ROTARY.format(np="np", double="dtype=float", last="axis=-1"),
    "angle": _ANGLE.format(
        norm="np.linalg.norm",
        of_rows="axis=1, keepdims=True",
        last="axis=-1",
        degrees="np.degrees",
        arctan2="np.arctan2",
    ),
    "top_k": '''
        def top_k(P, k):
            """1 for the k largest entries of each row, the first ones where they tie, and 0 elsewhere."""
            M = np.zeros_like(P)
            np.put_along_axis(M, np.argsort(-P, axis=1, kind="stable")[:, :k], 1, axis=1)
            return M
    ''',
}
"""The functions of NumPy that are not derived from equations: a choice, and what people write another way."""

TORCH_HELPERS: dict[str, str] = {
    "rotary": _ROTARY.format(np="torch", double="dtype=torch.float64", last="dim=-1"),
    "angle": _ANGLE.format(
        norm="torch.linalg.norm",
        of_rows="dim=1, keepdim=True",
        last="dim=-1",
        degrees="torch.rad2deg",
        arctan2="torch.atan2",
    ),
    "top_k": '''
        def top_k(P, k):
            """1 for the k largest entries of each row, the first ones where they tie, and 0 elsewhere."""
            places = torch.argsort(P, dim=1, descending=True, stable=True)[:, :k]
            return torch.zeros_like(P).scatter(1, places, 1)
    ''',
}
"""The same of PyTorch."""

PRINT = '''
    def print_matrix(name, A):
        """The name, then one line for each row; adding 0 turns -0 into 0."""
        cells = [[f"{round(x, {decimals}) + 0:.{decimals}f}" for x in row] for row in A.tolist()]
        width = max(len(cell) for row in cells for cell in row)
        print(name)
        for row in cells:
            print("  ".join(cell.rjust(width) for cell in row))
'''
"""The same in both: ``tolist`` gives Python's own numbers."""
