"""Names whose values are logarithms of rationals, which a softmax makes rational weights of."""

from __future__ import annotations

from functools import partial

from flint import fmpq_mat

from symattn.solution.givens import given_logs
from symattn.solution.shown import Shown
from symattn.solution.store import Store
from symattn.values.logarithm import Logs, logs
from symattn.values.rational import rational


def operand(solution: Store, name: str) -> fmpq_mat | Logs | None:
    """The exact value that a step starts from, if it is rational or made of logarithms."""
    known = solution.operand_rational(name)
    return known if known is not None else logarithms(solution, name)


def logarithms(solution: Store, name: str) -> Logs | None:
    """The exact value as logarithms of rationals, or ``None`` if it is anything else."""
    if not solution.has_logarithms or solution.style.carry == "rounded":
        return None
    known = solution.proved.logs
    for needed in solution.needed(name):
        if needed not in known:
            known[needed] = _logarithms(solution, needed)
    return known[name]


def _logarithms(solution: Store, name: str) -> Logs | None:
    if solution.shown(name) is not Shown.FIGURES:
        return None
    if name in solution.givens:
        return given_logs(solution.givens[name])
    if solution.rational(name) is not None:
        return None
    return logs(solution.formula(name), partial(operand, solution), rational)
