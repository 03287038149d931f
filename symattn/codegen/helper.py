"""The helper function of an operation in a language, from its equations.

>>> from symattn.equations.read import read_operation
>>> from symattn.codegen.python import NUMPY
>>> from symattn.codegen.r import R
>>> softcap = read_operation("softcap(X, c)\\n y[i,j] = c * tanh(X[i,j] / c)")
>>> print(helper(softcap, "softcap", NUMPY))
def softcap(X, c):
    \"\"\"y[i,j] = c*tanh(X[i,j]/c)\"\"\"
    return c * np.tanh(X / c)
>>> print(helper(softcap, "softcap", R))
# y[i,j] = c*tanh(X[i,j]/c)
softcap <- function(X, c) c * tanh(X / c)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symattn.codegen.derived import Names, NotWholeError, said
from symattn.codegen.loops import Loops
from symattn.codegen.safe import in_doubles, may_overflow
from symattn.codegen.whole import Whole
from symattn.equations.tree import Operation

if TYPE_CHECKING:
    from symattn.codegen.language import Language


def helper(operation: Operation, name: str, language: Language) -> str:
    """A function of that name which computes an operation."""
    spelling = language.spelling
    safe = in_doubles(operation)

    def written(writing: type[Whole] | type[Loops]) -> tuple[list[str], list[str], str]:
        names = Names(spelling.avoided | {name}, language.suffix)
        made = writing(safe, spelling, language.words(str), names)
        parameters = made.parameters()
        return parameters, *made.body()

    try:
        parameters, lines, result = written(Whole)
    except NotWholeError:
        parameters, lines, result = written(Loops)
    text = spelling.function(name, parameters, said(operation), lines, result)
    return f"{spelling.overflow}\n{text}" if spelling.overflow and may_overflow(safe) else text
