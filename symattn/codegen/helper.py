"""The helper function of an operation in a language, from its equations.

>>> from symattn.equations.read import read_operation
>>> from symattn.codegen.language import read
>>> softcap = read_operation("softcap(X, c)\\n y[i,j] = c * tanh(X[i,j] / c)")
>>> print(helper(softcap, "softcap", read("numpy")))
def softcap(X, c):
    \"\"\"y[i,j] = c*tanh(X[i,j]/c)\"\"\"
    return c * np.tanh(X / c)
>>> print(helper(softcap, "softcap", read("r")))
# y[i,j] = c*tanh(X[i,j]/c)
softcap <- function(X, c) c * tanh(X / c)
"""

from __future__ import annotations

from symattn.codegen.language import ProgramLanguage
from symattn.codegen.loops import Loops
from symattn.codegen.safe import in_doubles, may_overflow
from symattn.codegen.whole import WholeArrays
from symattn.codegen.writing import LocalNames, NotWholeError, said
from symattn.equations.tree import Operation


def helper(operation: Operation, name: str, language: ProgramLanguage) -> str:
    """A function of that name which computes an operation."""
    spelling = language.spelling
    safe = in_doubles(operation, spelling.keeps_domains)

    def written(writing: type[WholeArrays] | type[Loops]) -> tuple[list[str], list[str], str]:
        made = writing(safe, language, LocalNames(language.avoided | {name}, language.suffix))
        parameters = made.parameters()
        return parameters, *made.body()

    try:
        parameters, lines, result = written(Loops if spelling.entries_only else WholeArrays)
    except NotWholeError:
        parameters, lines, result = written(Loops)
    template = spelling.function if lines or not spelling.short_function else spelling.short_function
    text = template.format(
        name=name,
        parameters=", ".join(parameters),
        comment=said(operation),
        body="".join(map(spelling.body.format, lines)),
        result=result,
    )
    return f"{spelling.overflow}\n{text}" if spelling.overflow and may_overflow(safe) else text
