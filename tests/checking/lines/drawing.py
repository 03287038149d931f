"""Pages drawn from templates, and the same with one wrong figure each.

The files of templates have them below the name of their class, parted by blank lines. In a template
``{2|3}`` is one of several texts, ``{-2..2/1}`` a number with one decimal that is not zero; ``{a=…}`` keeps what is
drawn for ``{a}``, and ``{=a*b}`` computes with it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from random import Random

from tests.checking.lines.expressions import AwkwardError, figure, value_of
from tests.checking.scoring import Case, KnownError, Span

START, END = "\ue000", "\ue001"
"""Marks around a claimed figure while a page is written."""

DRAW = re.compile(r"\{(?:(\w*)=(?! ))?([^{}]*)\}")
RANGE = re.compile(r"(-?[\d.]+)\.\.(-?[\d.]+)(?:/(\d))?")
NEGATIVE = re.compile(r"-\d[\d.]*")
_TRIES = 200


def templates(name: str) -> Mapping[str, list[str]]:
    """Read the templates of every class from a file beside this one."""
    classes = (Path(__file__).with_name(name)).read_text(encoding="utf-8").split("==== ")[1:]
    parted = ((head, body.strip("\n")) for head, _, body in (each.partition("\n") for each in classes))
    return {head: body.split("\n\n") for head, body in parted}


def drawn(random: Random, template: str, kept: dict[str, str] | None = None, has_parentheses: bool = False) -> str:
    """Fill a template in; negative numbers get parentheses where that is asked for."""
    kept = {} if kept is None else kept

    def draw(found: re.Match[str]) -> str:
        name, text = found[1], found[2]
        if name == "":
            text = figure(value_of(ast.parse(text, mode="eval").body, numbers(kept)))
        elif name is None and text in kept:
            return kept[text]
        else:
            text = random.choice(text.split("|"))
            if bounds := RANGE.fullmatch(text):
                unit = 10 ** int(bounds[3] or 0)
                least, most = (round(float(bound) * unit) for bound in (bounds[1], bounds[2]))
                text = figure(Fraction(random.choice([n for n in range(least, most + 1) if n]), unit))
        if has_parentheses and NEGATIVE.fullmatch(text):
            text = f"({text})"
        if name:
            kept[name] = text
        return text

    while DRAW.search(template):
        template = DRAW.sub(draw, template, count=1)
    return template


def numbers(kept: Mapping[str, str]) -> dict[str, Fraction]:
    """Return what is kept and is a number."""
    texts = {name: text.strip("()") for name, text in kept.items()}
    return {name: Fraction(text) for name, text in texts.items() if re.fullmatch(r"-?\d[\d.]*", text)}


def claim(text: str) -> str:
    """Mark a figure as claimed: it follows from what is before it."""
    return f"{START}{text}{END}"


def unmarked(marked: str) -> tuple[str, list[Span]]:
    """Take the marks out of a page, and return where its claims are."""
    text, claims = "", []
    for piece in re.split(f"({START}[^{END}]*{END})", marked):
        plain = piece.strip(START + END)
        if piece.startswith(START):
            claims.append((len(text), len(text) + len(plain)))
        text += plain if piece.startswith(START) else piece
    return text, claims


# -- wrong figures -----------------------------------------------------------------------------------------------------


def other_figure(random: Random, text: str, taken: Iterator[str] | list[str] = ()) -> str:
    """Change a digit or the sign of a figure, so much that no rounding excuses it.

    A figure of three decimals or more keeps its last digit: what is computed from rounded figures may differ there.
    """
    others = {worth(text), *map(worth, taken)}
    for _ in range(_TRIES):
        wrong = _other_sign(text) if random.random() < 0.15 else _other_digit(random, text)
        if wrong and not (wrong[0] in "-−" and not re.search("[1-9]", wrong)) and worth(wrong) not in others:
            return wrong
    raise AwkwardError(f"{text}: has no other figure")


def worth(text: str) -> str:
    """Write a figure the same way however a page writes it: its comma, its sign, its last zeros.

    >>> worth("+0.70"), worth("−0{,}5"), worth("12."), worth("-0.0")
    ('0.7', '-0.5', '12', '0')
    """
    plain = text.replace("{,}", ".").replace(",", ".").replace("−", "-").strip().lstrip("+")
    if re.fullmatch(r"-?\d+\.\d*", plain):
        plain = plain.rstrip("0").rstrip(".")
    return "0" if plain == "-0" else plain


def spellings(text: str) -> tuple[str, ...]:
    """Return a figure as it is printed, and with zeros at its end.

    >>> spellings("1.")[:4]
    ('1.', '1', '1.0', '1.00')
    """
    number = worth(text)
    if not re.fullmatch(r"-?\d+(\.\d+)?", number):
        return (text,)
    whole, _, part = number.partition(".")
    return (text, number, *(f"{whole}.{part:0<{places}}" for places in range(len(part) + 1, 7)))


def _other_sign(text: str) -> str | None:
    if not re.search(r"[1-9]", text):
        return None
    return text[1:] if text[0] in "-−" else f"-{text.lstrip('+')}"


def _other_digit(random: Random, text: str) -> str | None:
    found = re.search(r"\d+(?:(?:\.|,|\{,\})\d+)?", text)
    if found is None:
        return None
    places = [place for place, letter in enumerate(found[0]) if letter.isdigit()]
    decimals = len(re.split(r"[.,}]", found[0])[-1]) if re.search(r"[.,]", found[0]) else 0
    place = random.choice(places[:-1] if decimals >= 3 else places)
    least = 2 if decimals and place == places[-1] else 1
    leads = place == 0 and found[0][1:2].isdigit()
    digits = [n for n in range(10) if abs(n - int(found[0][place])) >= least and not (leads and n == 0)]
    at = found.start() + place
    return f"{text[:at]}{random.choice(digits)}{text[at + 1 :]}"


def right_and_wrong(
    random: Random, labels: tuple[str, ...], marked: str, program: tuple[Span, ...] = ()
) -> tuple[Case, Case]:
    """Make two cases of a page: as it is, and with one claimed figure changed."""
    text, claims = unmarked(marked)
    right = Case(labels, text, right_text=text, untouched=program, part="right")
    start, end = random.choice(claims)
    printed = text[start:end]
    other = other_figure(random, printed, [text[first:last] for first, last in claims])
    by = len(other) - len(printed)
    error = KnownError(((start, start + len(other)),), other, spellings(printed))
    moved = tuple((first + by * (first > start), last + by * (last > start)) for first, last in program)
    changed = text[:start] + other + text[end:]
    wrong = Case(labels, changed, errors=(error,), untouched=moved, part="with one error")
    return right, wrong
