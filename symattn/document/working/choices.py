"""Choices worked in figures: which entry of a row is the largest, which are among the largest."""

from __future__ import annotations

from math import inf

from symattn import operations as ops
from symattn.document.entries.nodes import entry
from symattn.document.math import Call, Chain, Math, Number, Sign, counted, seq
from symattn.document.notation.figures import LONGEST, plain, relation, shortened
from symattn.document.working.equations import entry_work, row_work
from symattn.document.working.lines import Work
from symattn.solution import proofs
from symattn.values.rounding import Figure


@entry_work.register
def _(node: ops.ArgMax, work: Work, i: int, j: int) -> Chain | None:
    word, of, best = ("argmax", node.argument, max) if node.of_smallest is None else ("argmin", node.of_smallest, min)
    row, chosen = work.cells(of)[i], int(work.result(i, j).text)
    printed = [_printed(figure) for figure in row]
    if printed.index(best(printed)) != chosen:
        return None  # rounding has made a tie, or more than that, of what is none
    one = (Sign("-"), Number("1"))
    return Chain(
        work.left(i, j),
        (
            (relation(row), seq(Call(word, shortened([plain(x) for x in row])), *one)),
            ("=", seq(counted(chosen), *one)),
            ("=", Number(str(chosen))),
        ),
    )


def _printed(figure: Figure) -> float:
    """The number that a figure prints, to be compared with others in its row."""
    if figure.number is None:
        return -inf if figure.text.startswith("-") else inf
    return float(figure.number)


@row_work.register
def _(node: ops.TopK, work: Work, i: int) -> tuple[Chain, ...]:
    """The entries of a row in order: p_{13} > p_{11} = p_{12} > …; no line where the order is not known."""
    signs: list[str] = []
    columns: list[int] = []
    groups = proofs.groups(work.solution, work.solution.part(node.argument), i)
    for group in groups:
        signs += [">", *["="] * (len(group.columns) - 1)]
        columns += group.columns
    for each in work.cells(node.argument)[i]:
        del each  # the line says which of these is larger: each is used
    sides: list[Math] = [entry(node.argument, work.letters, counted(i), counted(j), ()) for j in columns]
    if len(sides) > LONGEST:
        sides, signs = [*sides[: LONGEST - 1], Sign("⋯")], [*signs[: LONGEST - 1], ">"]
    if len(sides) == 1 or any(group.open for group in groups):
        return ()
    return (Chain(sides[0], tuple(zip(signs[1:], sides[1:], strict=True))),)  # type: ignore[arg-type]


@entry_work.register
def _(node: ops.TopK, work: Work, i: int, j: int) -> Chain | None:
    return Chain(work.left(i, j), (("=", plain(work.result(i, j))),))
