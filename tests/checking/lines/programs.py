"""Short programs and what NumPy really prints for them; each is run before it is written down."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import numpy as np

from tests.checking.lines.drawing import claim, drawn, right_and_wrong, templates, unmarked
from tests.checking.scoring import Case, Span

PROGRAMS = templates("programs.txt")
"""The templates of every class, without the import of NumPy.

``<3>`` is an array of three numbers and ``<2x3>`` one of two rows; ``<show a>`` prints an array, ``<number a>`` one
number.
"""

_FIGURE = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:e[-+]?\d+)?(?![\w])")
_BUILTINS = {each.__name__: each for each in (abs, bool, enumerate, float, int, len, max, min, range, round, sum, zip)}
"""What a program may call, apart from NumPy and ``print``."""

_AWKWARD = re.compile(r"nan|inf|-0\.(?!\d*[1-9])|\de[-+]\d")
"""Outputs that say little: no number, a zero with a sign, a rounded number with a power of ten."""

SOFTMAX = """def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)
"""
FIXED = {"softmax": SOFTMAX, "blank": ""}
ENTRIES = {"": ("{-2..2/1}", "{-2..2/1}", "{0|-4..9}"), " real": ("{-2..2/1}",), " positive": ("{0.5..4/1}",)}
"""Of some kinds of arrays one has real numbers and another one integers."""


def _filled(random: Random, template: str) -> str:
    """Fill a template in, and write its arrays and what it prints."""
    digits = random.choice("34")

    def written(found: re.Match[str]) -> str:
        rows, columns, kind, asked, name = found.groups()
        if asked in FIXED:
            return FIXED[asked]
        if asked:
            return f"print({random.choice(_printed(asked, name, digits))})"
        entry = random.choice(ENTRIES[kind or ""] if columns else ENTRIES[" real"])
        lists = [f"[{', '.join([entry] * int(columns or rows))}]" for _ in range(int(rows) if columns else 1)]
        return f"np.array({f'[{chr(44).join(lists)}]'.replace(',[', ', [') if columns else lists[0]})"

    marks = r"<(?:(\d)(?:x(\d)( \w+)?)?|(softmax|blank|show|number|plain)(?: (\w+))?)>"
    template = re.sub(r"<\{(.*?)\}x", lambda found: f"<{random.choice(found[1].split('|'))}x", template)
    return drawn(random, re.sub(marks, written, template)).replace("⟦", "{").replace("⟧", "}") + "\n"


def _printed(asked: str, name: str, digits: str) -> tuple[str, ...]:
    if asked == "show":
        ways = (f"np.round({name}, {digits})", f"np.round({name}, {digits})", f"{name}.round({digits})")
        return tuple(label + way for label in ("", "", f'"{name}:", ', f'"{name} =", ') for way in ways)
    plain = f'f"⟦{name}:.{digits}f⟧"'  # the brackets stand for braces, which would be drawn
    labelled = (f'f"{name} = ⟦{name}:.{digits}f⟧"', f'"{name}:", round(float({name}), {digits})')
    return (plain,) if asked == "plain" else (plain, *labelled)


def outputs_of(program: str) -> list[str]:
    """Run a program of ours; return what each call of ``print`` wrote."""
    written: list[str] = []

    def show(*values: Any) -> None:
        written.append(" ".join(map(str, values)))

    with np.errstate(all="ignore"):
        exec(program, {"np": np, "print": show, "__builtins__": {**_BUILTINS, "__import__": __import__}})  # noqa: S102 - drawn above
    return written


def program_page(kind: str, seed: int) -> tuple[str, tuple[Span, ...]]:
    """Write the page of a class that belongs to a seed, its claims marked, and return where the program is.

    What the program prints is in a block, or in comments behind its calls or below them.
    """
    random = Random(f"program {kind} {seed}")
    while True:
        program = _filled(random, random.choice(PROGRAMS[kind]))
        outputs = outputs_of(program)
        if outputs and all(re.search(r"[1-9]", each) and not _AWKWARD.search(each) for each in outputs):
            break
    claimed = [_FIGURE.sub(lambda found: claim(found[0]), each) for each in outputs]
    head = random.choice(("", "This program:\n\n", "# Example\n\n")) + "```python\nimport numpy as np\n\n"
    calls = re.findall(r"^( *)print\(.*\)$", program, re.MULTILINE)
    if seed % 3 < 2 or len(calls) != len(outputs) or any(calls):
        said = random.choice(("```\n\n```\n", "```\n\nOutput:\n\n```\n", "```\n\nIt prints\n\n```text\n"))
        return head + program + said + "\n".join(claimed) + "\n```\n", ((0, len(head + program + said)),)
    pieces = [head]
    for line in program.splitlines(keepends=True):
        if not line.startswith("print("):
            pieces[-1] += line
            continue
        output = claimed.pop(0)
        pieces[-1] += line if "\n" in output else line.rstrip() + "  "
        pieces += ["".join(f"# {part}\n" for part in output.split("\n")), ""]
    pieces[-1] += "```\n"
    lengths = [len(unmarked(piece)[0]) for piece in pieces]
    starts = [sum(lengths[:place]) for place in range(len(pieces) + 1)]
    return "".join(pieces), tuple((starts[place], starts[place + 1]) for place in range(0, len(pieces), 2))


def program_cases(kind: str, seed: int) -> tuple[Case, Case]:
    """Write the right page and the wrong one."""
    marked, program = program_page(kind, seed)
    return right_and_wrong(Random(f"planted {kind} {seed}"), (f"program: {kind}", "program"), marked, program)
