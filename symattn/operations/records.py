"""The built-in operations: those that consist only of a record (equations and a source), and all of them by the names
they have in formulas. Their names on a page are in ``operations.toml`` of each language.

>>> RECORDS["softcap"].parameters[1].name, dict(RECORDS["softcap"].page)["en"]
('c', 'soft cap')
>>> record_named("softmax").parameters[0].name, record_named("argmax")
('S', None)
>>> sentence(record_named("relu"))
'ReLU(X)_{ij} = max(0, x_{ij}): (m, n) → (m, n).'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from inspect import cleandoc
from types import MappingProxyType
from typing import Any

from sympy import Identity, OneMatrix

from symattn.base.remembered import Named
from symattn.base.words import named, texts
from symattn.operations import NODES, Quotient, Repeated
from symattn.operations.equations.ranges import piece_text
from symattn.operations.equations.read import read_operation
from symattn.operations.equations.tree import Apply, Operation, Parameter, Tree
from symattn.operations.node import record_of_kind


@dataclass(frozen=True)
class _Record:
    """A record as written; ``called`` is its name in formulas on the page, by default that of the formula language.

    Where mathematics has bars and no name, it is the bars with a dot between them: |·|.
    """

    text: str
    source: str
    called: str = ""


_WRITTEN: tuple[_Record, ...] = (
    _Record(
        """
        softcap(X: m×n, c) -> m×n
            y[i,j] = c * tanh(X[i,j] / c)
        """,
        "Gemma Team 2024, *Gemma 2: Improving Open Language Models at a Practical Size*, section 2.",
    ),
    _Record(
        """
        sigmoid(X: m×n) -> m×n
            e[i,j] = exp(-X[i,j])
            y[i,j] = 1 / (1 + e[i,j])
        """,
        "Hochreiter and Schmidhuber 1997, *Long Short-Term Memory*, appendix A.1.",
    ),
    _Record(
        """
        softplus(X: m×n) -> m×n
            e[i,j] = exp(X[i,j])
            y[i,j] = log(1 + e[i,j])
        """,
        "Dugas et al. 2001, *Incorporating Second-Order Functional Knowledge for Better Option Pricing*, equation (1).",
    ),
    _Record(
        """
        mish(X: m×n) -> m×n
            s[i,j] = log(1 + exp(X[i,j]))
            y[i,j] = X[i,j] * tanh(s[i,j])
        """,
        "Misra 2019, *Mish: A Self Regularized Non-Monotonic Activation Function*, equation (1).",
        "Mish",
    ),
    _Record(
        """
        leaky_relu(X: m×n, slope = 1/100) -> m×n
            y[i,j] = X[i,j] if X[i,j] > 0 else slope * X[i,j]
        """,
        "Maas, Hannun and Ng 2013, *Rectifier Nonlinearities Improve Neural Network Acoustic Models*, section 2.",
        "LeakyReLU",
    ),
    _Record(
        """
        log_softmax(S: m×n) -> m×n
            e[i,j] = exp(S[i,j])
            t[i] = sum(k, e[i,k])
            y[i,j] = S[i,j] - log(t[i])
        """,
        "Goodfellow, Bengio and Courville 2016, *Deep Learning*, equation (6.30).",
        "logsoftmax",
    ),
    _Record(
        """
        erf(X: m×n) -> m×n
            y[i,j] = erf(X[i,j])
        """,
        "Abramowitz and Stegun 1964, *Handbook of Mathematical Functions*, 7.1.1.",
    ),
    _Record(
        """
        abs(X: m×n) -> m×n
            y[i,j] = abs(X[i,j])
        """,
        "",
        "|·|",
    ),
    _Record(
        """
        sqrt(X: m×n) -> m×n
            y[i,j] = sqrt(X[i,j])
        """,
        "",
        "√·",
    ),
    _Record(
        """
        power(X: m×n, k: whole) -> m×n
            y[i,j] = X[i,j]^k
        """,
        "",
        "·ᵏ",
    ),
    _Record(
        """
        floor(X: m×n) -> m×n
            y[i,j] = floor(X[i,j])
        """,
        "Iverson 1962, *A Programming Language*, section 1.5.",
        "⌊·⌋",
    ),
    _Record(
        """
        rotary_halves(X: n×d, positions: n, base = 10000) -> n×d
            theta[j] = base^(-2 * (j - 1) / d) if j <= d / 2 else base^(1 - 2 * (j - 1) / d)
            phi[i,j] = positions[i] * theta[j]
            y[i,j] = X[i,j] * cos(phi[i,j]) - X[i,j + d/2] * sin(phi[i,j])
                if j <= d / 2
                else X[i,j - d/2] * sin(phi[i,j]) + X[i,j] * cos(phi[i,j])
        """,
        "Su et al. 2021, *RoFormer*, equation (34), with the pairs of Black et al. 2022, *GPT-NeoX-20B*, section 2.",
        "RoPE",
    ),
    _Record(
        """
        row_sum(X: m×n) -> m×1
            y[i] = sum(k, X[i,k])
        """,
        "",
        "sum",
    ),
    _Record(
        """
        row_mean(X: m×n) -> m×1
            y[i] = sum(k, X[i,k]) / n
        """,
        "",
        "mean",
    ),
    _Record(
        """
        row_min(X: m×n) -> m×1
            y[i] = -max(k, -X[i,k])
        """,
        "",
        "min",
    ),
    _Record(
        """
        row_var(X: m×n, correction = 0) -> m×1
            mu[i] = sum(k, X[i,k]) / n
            y[i] = sum(k, (X[i,k] - mu[i])^2) / (n - correction)
        """,
        "Fisher 1918, *The Correlation between Relatives on the Supposition of Mendelian Inheritance*, which names it.",
        "Var",
    ),
    _Record(
        """
        maximum(X: m×n, Y: m×n) -> m×n
            y[i,j] = max(X[i,j], Y[i,j])
        """,
        "",
        "max",
    ),
    _Record(
        """
        minimum(X: m×n, Y: m×n) -> m×n
            y[i,j] = min(X[i,j], Y[i,j])
        """,
        "",
        "min",
    ),
    _Record(
        """
        sin(X: m×n) -> m×n
            y[i,j] = sin(X[i,j])
        """,
        "",
    ),
    _Record(
        """
        cos(X: m×n) -> m×n
            y[i,j] = cos(X[i,j])
        """,
        "",
    ),
    _Record(
        """
        tan(X: m×n) -> m×n
            y[i,j] = sin(X[i,j]) / cos(X[i,j])
        """,
        "",
    ),
    _Record(
        """
        cross_entropy(Z: m×n, ids: m) -> 1×1
            e[i,j] = exp(Z[i,j])
            t[i] = sum(k, e[i,k])
            l[i] = log(t[i]) - sum(j, Z[i,j] if j == ids[i] + 1 else 0)
            y = sum(i, l[i]) / m
        """,
        "Goodfellow, Bengio and Courville 2016, *Deep Learning*, equations (6.12) and (6.29).",
        "CE",
    ),
    _Record(
        """
        mse(X: m×n, Y: m×n) -> 1×1
            y = sum(i, sum(j, (X[i,j] - Y[i,j])^2)) / (m * n)
        """,
        "Goodfellow, Bengio and Courville 2016, *Deep Learning*, equation (5.4).",
        "MSE",
    ),
    _Record(
        """
        diag(x: n) -> n×n
            y[i,j] = x[i] if i == j else 0
        """,
        "",
    ),
    _Record(
        """
        kron(X: m×n, Y: p×q) -> (m*p)×(n*q)
            y[i,j] = X[floor((i - 1)/p) + 1,floor((j - 1)/q) + 1] * Y[(i - 1) % p + 1,(j - 1) % q + 1]
        """,
        "Magnus and Neudecker 2019, *Matrix Differential Calculus*, section 2.2.",
    ),
)


def _name(record: _Record) -> str:
    return record.text.partition("(")[0].strip()


_BY_NAME: Mapping[str, _Record] = {_name(record): record for record in _WRITTEN}


def _read(name: str) -> Operation:
    record = _BY_NAME[name]
    words = texts("operations", name)
    own = tuple((language, words[language]) for language in named())
    return replace(read_operation(record.text, record.source, record.called), page=own)


RECORDS: Mapping[str, Operation] = Named(_BY_NAME, _read)
"""The built-in operations without a class of nodes, by name, each read on first use."""


def _name_of_kind(kind: Any) -> str:
    """Return the name at the start of a definition, without parsing the rest."""
    text: str = getattr(kind, "definition", "")
    return text.partition("(")[0].strip()


BY_SIGNS = (Quotient, Repeated)
"""Operations that are written with operators and have no name."""

_KINDS: Mapping[str, Any] = MappingProxyType(
    {
        **{_name_of_kind(kind): kind for kind in NODES if _name_of_kind(kind) and not issubclass(kind, BY_SIGNS)},
        "identity": Identity,
        "ones": OneMatrix,
    }
)

OURS: Mapping[str, Any] = MappingProxyType({**_KINDS, **dict.fromkeys(RECORDS)})
"""Every operation with a name in formulas, with the class of its nodes if it has one of its own."""


def record_named(name: str) -> Operation | None:
    """Return the record of a built-in operation, or ``None``."""
    kind = _KINDS.get(name)
    return RECORDS.get(name) if kind is None else record_of_kind(kind)


def node_named(name: str) -> Any:
    """Return the class of an operation's nodes; ``None`` where it is applied by its record alone."""
    return _KINDS.get(name)


def sentence(record: Operation) -> str:
    """Describe a built-in operation in one sentence, with its shapes."""
    kind = node_named(record.name)
    said = " ".join(cleandoc(kind.__doc__ or "").split("\n\n")[0].split()) if hasattr(kind, "definition") else ""
    if not said:
        said = "; ".join(" ".join(equation.text.split()) for equation in record.equations)
    return f"{said.removesuffix('.')}: {shapes(record)}."


def shapes(record: Operation) -> str:
    """Return the shapes of the operands and of the result."""
    given = ", ".join(_shape(parameter) for parameter in record.parameters if parameter.is_matrix)
    result = f"({', '.join(map(_length, record.shape))})"
    return f"{given} → {result}" if given else f"→ {result}"


def _shape(parameter: Parameter) -> str:
    axes = ", ".join(map(_length, parameter.axes))
    text = f"({axes})" if parameter.kind == "matrix" else f"(1, {axes})"
    return f"{text}, …" if parameter.many else f"{parameter.name} {text}" if parameter.default is not None else text


def _length(axis: Tree) -> str:
    match axis:
        case Apply("sum", (of,)):
            return f"{piece_text(of)} + …"
    return piece_text(axis)
