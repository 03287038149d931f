"""``%load_ext symattn`` in a notebook: ``%%derive`` derives the content of a cell, ``%derive`` a scenario.

A cell is a scenario file, or plain lines: givens as lists of numbers, and ``name = formula``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import click

from symattn.cli.options import language_option

CELL = "%%derive"
"""The name of the cell in errors."""

HEADS = ("title", "tokens")
"""Keys that plain lines may set besides givens and steps."""

_TABLE = re.compile(r"\s*\[\[?\s*([A-Za-z_]+)")
_HEAD = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.*)", re.DOTALL)
_REMARK = re.compile(r"""((?:"[^"]*"|'[^']*'|[^"'#])*)#.*\Z""")
_PIECE = re.compile(r"""\s*(\[|\]|,|"[^"]*"|'[^']*'|[^\[\],"']+)""")


@click.command("derive", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1)
@language_option("Default: the scenario's own.")
@click.option("--detail", type=click.Choice(["result", "lesson", "steps", "entries"]), default="lesson")
@click.option("--words", type=click.Choice(["all", "few", "none"]))
@click.option("--asks", type=click.Choice(["all", "own", "none"]))
@click.option("--steps", metavar="NAME,…", help="These steps alone.")
@click.option("--section", metavar="NUMBER", help="This section alone.")
@click.option("--digits", "-d", type=click.IntRange(1, 50), help="Decimals where fewer are not exact.")
@click.option("--carry", type=click.Choice(["exact", "rounded"]))
@click.option("--code", metavar="LANGUAGE,…", help="Programs at the end.")
def options(**chosen: Any) -> None:
    """%derive NAME|FILE.toml [VARIABLE], or %%derive [VARIABLE] above a scenario: VARIABLE is then the solution."""


def load_ipython_extension(shell: Any) -> None:
    """Register the magic, and the display of scenarios, plans, documents and exercises, for ``%load_ext symattn``."""
    from symattn.sites.objects import SHOWN

    def derive(line: str, cell: str | None = None) -> object:
        return _derived(shell, line, cell)

    derive.__doc__ = options.help
    shell.register_magic_function(derive, "line_cell", "derive")
    markdown = shell.display_formatter.formatters["text/markdown"]
    for kind, show in SHOWN.items():
        markdown.for_type(kind, show)


def _derived(shell: Any, line: str, cell: str | None) -> object:
    """Return the page of a solution, and bind the solution to a variable if one is named. Errors are sentences."""
    from IPython.core.error import UsageError

    from symattn.api.publish.display import with_images
    from symattn.api.worked import WorkedSolution, derive
    from symattn.base.errors import SymattnError, readable

    try:
        chosen = _chosen(line)
        if chosen is None:
            return None
        *source, variable = _names(chosen.pop("names"), cell)
        digits, carry = chosen.pop("digits"), chosen.pop("carry")
        if cell is None:
            solution = derive(source[0], digits=digits, carry=carry)
        else:
            solution = WorkedSolution(scenario_of(cell, chosen["language"]), digits=digits, carry=carry)
        page = with_images(solution.render(figures="inline", **chosen))
    except click.ClickException as error:
        raise UsageError(readable(error.format_message())) from None
    except SymattnError as error:
        raise UsageError(str(error)) from None
    if variable:
        shell.user_ns[variable] = solution
    return page


def _chosen(line: str) -> dict[str, Any] | None:
    """Read the arguments of the magic; return ``None`` if they only ask for help."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise click.UsageError(f"%derive {line}: {error}") from None
    try:
        found = options.make_context("%derive", words).params
    except click.exceptions.Exit:
        return None
    several = {
        key: [each.strip() for each in (found[key] or "").split(",") if each.strip()] for key in ("steps", "code")
    }
    return {**found, "steps": several["steps"], "code": several["code"] or None}


def _names(names: tuple[str, ...], cell: str | None) -> tuple[str, ...]:
    """Return the source, unless it is the cell, and the variable, which may be empty."""
    least, most = (1, 2) if cell is None else (0, 1)
    if not least <= len(names) <= most:
        wanted = "%derive NAME|FILE.toml [VARIABLE]" if cell is None else "%%derive [VARIABLE] above a scenario"
        raise click.UsageError(f"expected {wanted}, came {' '.join(names) or 'nothing'}")
    variable = names[most - 1] if len(names) == most else ""
    if variable and not variable.isidentifier():
        raise click.UsageError(f"{variable}: a variable of Python is a name of letters, digits and _")
    return (*names[:least], variable)


def scenario_of(cell: str, language: str | None = None) -> Any:
    """Return the scenario of a cell: a file, or plain lines.

    Raises :class:`~symattn.base.errors.SymattnError` if it is neither.

    >>> list(scenario_of("X = [[1/2, sqrt(2)], [0, 1]]\\nA = softmax(X Xᵀ)").derivation.by_name)
    ['X', 'A']
    """
    from symattn.read.scenario.load import loads
    from symattn.read.scenario.schema import File

    if any((found := _TABLE.match(line)) and found[1] in File.model_fields for line in cell.splitlines()):
        return loads(cell, "derive", CELL)
    return _of_lines(cell, language)


def _of_lines(cell: str, language: str | None) -> Any:
    """Return the scenario of plain lines."""
    from symattn.api.authoring import Derivation
    from symattn.base.errors import ScenarioError
    from symattn.base.words import ABOUT, DEFAULT, text
    from symattn.read.formula import equations

    spoken = language or DEFAULT
    lines, said = list(_statements(cell)), dict[str, Any]()
    if not lines:
        raise ScenarioError(f"{CELL}: the cell is empty: expected a scenario, or lines such as S = Q @ K.T")
    while lines and (found := _HEAD.match(lines[0])) and found[1] in HEADS:
        said[found[1]] = _told(found[1], found[2])
        lines.pop(0)
    title = said.get("title", text(spoken, ABOUT, "untitled").replace("{", "{{").replace("}", "}}"))
    d = Derivation(title, tokens=said.get("tokens"), language=spoken)
    for line in lines:
        found = _HEAD.match(line)
        if found and found[2].startswith("["):
            d.given(found[1], _rows(found[1], found[2]))
        else:
            for name, formula in equations(line):
                d.step(name, formula)
    return d.scenario


def _statements(cell: str) -> Iterator[str]:
    """Yield the statements of a cell: lines with open brackets are joined, and remarks are removed."""
    open_line = ""
    for line in cell.splitlines():
        said = _REMARK.sub(r"\1", line).strip()
        open_line = f"{open_line} {said}".strip()
        if open_line and open_line.count("[") <= open_line.count("]"):
            yield open_line
            open_line = ""
    if open_line:
        yield open_line


def _told(name: str, value: str) -> Any:
    """Read a title, or tokens: in quotes and brackets, or plain."""
    if name == "title":
        plain = value.strip().strip("\"'")
        return plain.replace("{", "{{").replace("}", "}}")
    return _rows(name, value) if value.startswith("[") else value.split()


def _rows(name: str, text: str) -> Any:
    """Read a list as it is typed, with each number as text.

    >>> _rows("X", "[[1/2, sqrt(2)], ['0', -1]]")
    [['1/2', 'sqrt(2)'], ['0', '-1']]
    """
    from symattn.base.errors import ScenarioError

    stack: list[list[Any]] = [[]]
    for piece in _PIECE.findall(text):
        if len(stack) == 1 and (piece != "[" or stack[0]) and piece.strip():
            stack.append([])  # something beside the list
            break
        if piece == "[":
            stack.append([])
            stack[-2].append(stack[-1])
        elif piece == "]":
            stack.pop()
        elif piece != "," and piece.strip():
            stack[-1].append(piece.strip().strip("\"'"))
    if len(stack) > 1:
        raise ScenarioError(f"{CELL}: {name} = …: expected rows such as [[1, 2], [3, 4]], with as many ] as [")
    return stack[0][0]
