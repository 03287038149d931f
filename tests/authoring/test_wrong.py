"""What goes wrong in Python is told at its line: what was being built, what came, what clashes, what to try.

In ``wrong.txt`` a frame is what was written before, a case the line, and its answer the error.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from sympy import Matrix, MatrixSymbol, symbols

import symattn
from symattn import derive
from symattn.base.errors import SymattnError
from symattn.course import generate
from tests.cases import groups, is_told

GROUPS = groups(Path(__file__).with_name("wrong.txt"))
USED = (Decimal, Fraction, Matrix, MatrixSymbol, symbols)
NAMES = {one.__name__: one for one in USED} | {"np": np, "sympy": sympy, "symattn": symattn}


@pytest.mark.parametrize("name", GROUPS)
def test_what_goes_wrong_is_told_at_its_line(name: str) -> None:
    for line, wanted in GROUPS[name].cases:
        names: dict[str, Any] = dict(NAMES)
        exec(f"from symattn import *\n{GROUPS[name].frame}", names)  # noqa: S102
        before = names["d"].toml() if "nothing" in name else ""
        with pytest.raises(SymattnError) as error:
            eval(line, names)  # noqa: S307
        found = f"{type(error.value).__name__}: {error.value}"
        assert is_told([found], wanted), (line, found)
        assert before == (names["d"].toml() if before else "")


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    assert derive("refund")["A"].decimals(np.int64(3)) == derive("refund")["A"].decimals(3)
    assert generate("softmax-row", seed=np.int64(7)).exercises == generate("softmax-row", seed=7).exercises
