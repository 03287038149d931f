"""A second reader of answers, slow and careful: all numbers that a text may mean, to people who write differently.

It shares no code with the reader of the program, and its own table of signs. Where it finds several numbers, or none,
nobody may read one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mpmath import almosteq, log, mpf, sqrt
from mpmath import e as euler

Found = Iterator[tuple[mpf, int]]

OTHER = mpf("918273.645546372819")
"""Stands for a reading that is no number of these letters: a date, a second number, a title."""

SIGNS = {"−": "-", "–": "-", "×": "*", "÷": "/", "٫": ".", "\u3000": " ", "＋": "+", "－": "-", "／": "/", "％": "%"}
SIGNS |= {"（": "(", "）": ")", "．": ".", "，": ",", "\xa0": " ", "\u202f": " "}
SIGNS |= {chr(zero + digit): str(digit) for zero in (0xFF10, 0x0660) for digit in range(10)}
RAISED = {"⁰": "0", "¹": "1", "²": "2", "³": "3"}
FRACTIONS = {"½": mpf("0.5"), "¼": mpf("0.25"), "¾": mpf("0.75")}

TOKEN = re.compile(r" *([0-9.,]+|[⁰¹²³]+|[½¼¾]|ln|[eE]|[-+*/^()√%·])")


def readings(text: str, thousands: bool = False) -> tuple[mpf, ...]:
    """The numbers that ``text`` may mean. With ``thousands`` a comma or a point before three digits may part them."""
    line = "".join(SIGNS.get(mark, mark) for mark in text.replace("**", "^")).strip()
    if re.fullmatch(r"[+-]? *([0-9]+([.,][0-9]*)?|[.,][0-9]+)(e[+-]?| *E *[+-]? *)[0-9]+", line):
        mantissa, _, power = re.sub(" ", "", line).lower().replace(",", ".").partition("e")
        return (mpf(re.sub(r"^([+-]?)", r"\g<1>0", f"{mantissa}e{power}")),)
    if re.search(r"[0-9.,] +[0-9.,]", line) or re.search(r"[0-9]['’]", line):
        return ()
    if re.fullmatch(r"[+-]?(0[0-9][/-][0-9]{1,2}|[0-9]{1,2}[/-]0[0-9])|[0-9]+([/.-])[0-9]{1,2}\2[0-9]+", line):
        return ()  # a date
    tokens: list[str] = []
    gaps: list[bool] = []
    place = 0
    while place < len(line):
        match = TOKEN.match(line, place)
        if match is None:
            return ()
        tokens.append(match[1])
        gaps.append(match[0].startswith(" "))
        place = match.end()
    reader = _Reader(tokens, gaps, thousands)
    found = [value for value, end in reader.sum(0) if end == len(tokens)]
    if tokens and tokens[-1] == "%":
        found += [value / 100 for value, end in reader.sum(0) if end == len(tokens) - 1]
    distinct: list[mpf] = []
    for value in found:
        if not any(almosteq(value, other, 1e-11, 0) for other in distinct):
            distinct.append(value)
    return tuple(distinct)


def decimals(text: str, thousands: bool) -> Iterator[mpf]:
    """What digits with points and commas may mean."""
    if re.fullmatch(r"[0-9]+[.,]?|[0-9]*[.,][0-9]+", text) and not text.endswith(","):
        yield mpf("0" + text.replace(",", "."))
        if thousands and re.fullmatch(r"[1-9][0-9]{0,2}[.,][0-9]{3}", text):
            yield mpf(re.sub("[.,]", "", text))
    elif re.fullmatch(r"[1-9][0-9]{0,2}(,[0-9]{3}){2,}|[1-9][0-9]{0,2}(\.[0-9]{3}){2,}", text):
        yield mpf(re.sub("[.,]", "", text))


class _Reader:
    """Goes through tokens and tries everything: each method yields values with the place after them."""

    def __init__(self, tokens: list[str], gaps: list[bool], thousands: bool) -> None:
        self.tokens, self.gaps, self.thousands = tokens, gaps, thousands

    def at(self, place: int) -> str:
        return self.tokens[place] if place < len(self.tokens) else ""

    def is_operand(self, place: int) -> bool:
        return bool(re.match(r"[0-9.,½¼¾√(eEl]", self.at(place)))

    def sum(self, place: int) -> Found:
        for value, end in self.signed(self.term, place):
            yield from self.more_terms(value, end)

    def more_terms(self, value: mpf, place: int) -> Found:
        yield value, place
        if self.at(place) in ("+", "-"):
            sign = 1 if self.at(place) == "+" else -1
            for other, end in self.term(place + 1):
                yield from self.more_terms(value + sign * other, end)

    def signed(self, read: object, place: int) -> Found:
        assert callable(read)
        if self.at(place) in ("+", "-"):
            yield from ((-value if self.at(place) == "-" else value, end) for value, end in read(place + 1))
        else:
            yield from read(place)

    def term(self, place: int) -> Found:
        for value, end in self.factor(place):
            yield from self.more_factors(value, end)

    def more_factors(self, value: mpf, place: int) -> Found:
        yield value, place
        if self.at(place) in ("*", "·"):
            for other, end in self.signed(self.factor, place + 1):
                yield from self.more_factors(value * other, end)
        elif self.at(place) == "/":
            for other, end in self.signed(self.divisor, place + 1):
                if other:
                    yield from self.more_factors(value / other, end)
        elif self.is_operand(place):
            if self.gaps[place] and re.match(r"[0-9.,)]\(|\)[0-9.,]", self.at(place - 1)[-1] + self.at(place)):
                yield OTHER, len(self.tokens)
            for other, end in self.factor(place):
                yield from self.more_factors(value * other, end)

    def divisor(self, place: int) -> Found:
        """One factor, or all that stands beside it or is divided by."""
        for value, end in self.factor(place):
            yield value, end
            if self.is_operand(end):
                yield from ((value * other, last) for other, last in self.divisor(end))
            if self.at(end) == "/":
                yield from ((value / other, last) for other, last in self.signed(self.divisor, end + 1) if other)

    def factor(self, place: int) -> Found:
        for value, end in self.atom(place):
            yield from self.powers(value, end)

    def powers(self, value: mpf, place: int) -> Found:
        yield value, place
        if self.at(place) == "%":
            yield value / 100, place + 1
        elif all(mark in RAISED for mark in self.at(place)) and self.at(place):
            yield from self.powers(power(value, int("".join(RAISED[mark] for mark in self.at(place)))), place + 1)
        elif self.at(place) == "^":
            for other, end in self.signed(self.atom, place + 1):
                yield from self.powers(power(value, other), end)
            for other, end in self.signed(self.factor, place + 1):
                yield power(value, other), end
            if self.at(place + 1) != "(":
                yield from ((power(value, other), end) for other, end in self.signed(self.divided, place + 1))

    def divided(self, place: int) -> Found:
        """What is an exponent for somebody who draws it as one: a fraction or a product of numbers."""
        for value, end in self.atom(place):
            if self.at(end) == "/" and re.match("[0-9]", self.at(end + 1)):
                yield from ((value / other, last) for other, last in self.atom(end + 1) if other)
            if self.is_operand(end):
                yield from ((value * other, last) for other, last in self.atom(end))

    def atom(self, place: int) -> Found:
        token = self.at(place)
        if re.match("[0-9.,]", token):
            yield from self.number(place)
        elif token in FRACTIONS:
            yield FRACTIONS[token], place + 1
            if re.match("[0-9.,½¼¾]", self.at(place + 1)):
                yield OTHER, len(self.tokens)
        elif token == "(":
            yield from ((value, end + 1) for value, end in self.sum(place + 1) if self.at(end) == ")")
        elif token == "√":
            yield from ((sqrt(value), end) for value, end in self.atom(place + 1) if value >= 0)
        elif token in ("e", "E"):
            yield +euler, place + 1
            if re.match("[0-9.,]", self.at(place + 1)):
                yield OTHER, len(self.tokens)
        elif token == "ln":
            if self.at(place + 1) not in ("e", "E"):
                yield from ((log(value), end) for value, end in self.atom(place + 1) if value > 0)
            if self.at(place + 1) != "(":
                yield from ((log(value), end) for value, end in self.factor(place + 1) if value > 0)
                yield from ((log(value), end) for value, end in self.divided(place + 1) if value > 0)

    def number(self, place: int) -> Found:
        for value in decimals(self.at(place), self.thousands):
            yield value, place + 1
            if self.at(place + 1) in FRACTIONS:
                yield value + FRACTIONS[self.at(place + 1)], place + 2
            if self.at(place + 1) in ("e", "E"):
                yield from self.powers_of_ten(value, place + 2)
            spaced = any(self.gaps[place + 1 : place + 3])
            if self.at(place + 1) == "·" and not spaced and re.fullmatch("[0-9]+", self.at(place) + self.at(place + 2)):
                yield mpf(f"{self.at(place)}.{self.at(place + 2)}"), place + 3

    def powers_of_ten(self, value: mpf, place: int) -> Found:
        sign = self.at(place) if self.at(place) in ("+", "-") else ""
        digits = self.at(place + len(sign))
        if re.fullmatch("[0-9]{1,3}", digits):
            yield value * mpf(f"1e{sign}{digits}"), place + len(sign) + 1


def power(base: mpf, exponent: mpf) -> mpf:
    """A power, or something that is none of the numbers of a text."""
    try:
        found = mpf(base) ** exponent
    except ZeroDivisionError:
        return OTHER
    return found if isinstance(found, mpf) else OTHER
