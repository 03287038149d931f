"""Signs with their places: LaTeX, Unicode, plain text and programs become one kind of lexemes."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

from symattn.checking.reading import signs
from symattn.checking.reading.numerals import PLAIN, Numerals, in_thousands
from symattn.checking.reading.tree import Expressed
from symattn.checking.source import Stretch

OPEN: Final = {"(": "(", "[": "[", "{": "{", "（": "(", "［": "[", "【": "[", "⟨": "⟨", "⌊": "⌊", "⌈": "⌈"}
CLOSE: Final = {")": "(", "]": "[", "}": "{", "）": "(", "］": "[", "】": "[", "⟩": "⟨", "⌋": "⌊", "⌉": "⌈"}
STOPS: Final = {**dict.fromkeys(",，、､", "comma"), **dict.fromkeys(";；", "semicolon"), "。": "stop"}
STOPS_MORE: Final = {**dict.fromkeys(".!?！？．", "stop"), **dict.fromkeys(":：", "colon")}


def _all(kind: str, pairs: str) -> dict[str, tuple[str, str]]:
    signs = pairs.split()
    return {command: (kind, sign) for command, sign in zip(signs[::2], signs[1::2], strict=True)}


DELIMITERS: Final = {
    **_all("open", r"\{ { \lbrace { \lbrack [ \langle ⟨ \lfloor ⌊ \lceil ⌈"),
    **_all("close", r"\} { \rbrace { \rbrack [ \rangle ⟨ \rfloor ⌊ \rceil ⌈"),
    **_all("bar", r"\| ‖ \Vert ‖ \lVert ‖ \rVert ‖ \parallel ‖ \vert | \lvert | \rvert | \mid |"),
    **_all("other", r"\( ( \) )"),
    **_all("name", r"\top ⊤ \intercal ⊤"),
    **_all("sum", r"\sum ∑ \prod ∏"),
    **_all("frac", r"\frac frac \dfrac frac \tfrac frac \cfrac frac \binom binom \dbinom binom \tbinom binom"),
    **_all("over", r"\overset overset \underset underset"),
    **_all("figure", r"\infty ∞"),
    **_all("prime", r"\prime '"),
    **_all("root", r"\sqrt √"),
    **_all("op", r"\over / \% %"),
    **_all("colon", r"\colon :"),
    r"\hfill": ("break", ""),
}
SINGLE: Final = {
    sign: kind
    for group, kind in (("√∛∜", "root"), ("∑Σ∏", "sum"), ("∞", "figure"), ("′″", "prime"), ("ᵀ", "T"))
    for sign in group
}


LetterMode = Literal["math", "prose", "plain", "code"]
"""How letters are read: ``math``: each is a name; ``prose``: they are words; ``plain``: a formula in plain text, where
a run of letters is a name; ``code``: the same of a program."""


@dataclass(slots=True)
class Lexeme:
    """One sign. ``blank`` says whether a blank stands before it, ``piece`` counts the pieces of text."""

    kind: str
    text: str
    start: int
    end: int
    blank: bool
    piece: int
    mode: LetterMode
    """A closing bracket has the text of the one it closes."""
    made: Expressed | None = None
    """What it is where it was read already: rows of figures under each other."""


_CJK: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u3005\uff66-\uff9f"
_PERCENT: Final = r"\\?%|(?:[ \u00a0\u202f]|\\[,;: ])\\?%(?!\s*(?:\d|\(\s*[-\d]))"
_FIGURE: Final = (
    r"(?P<figure>(?:\d+(?:\{,\}\d+)+|\d+|(?=\.\d))(?:\.\d+)?(?:[eE][-+]?\d+(?![\w.]))?" rf"(?:{_PERCENT})?)"
)
_BLANK: Final = r"(?P<newline>\n)|(?P<blank>[^\S\n]+)"
_UP: Final = re.escape("".join(signs.SUPERSCRIPTS))
_DOWN: Final = re.escape("".join(signs.SUBSCRIPTS))
_SCRIPTS: Final = rf"(?P<up>[{_UP}]+(?:\.[{_UP}]+)?)|(?P<down>[{_DOWN}]+(?:\.[{_DOWN}]+)?)"
_RELATION: Final = "|".join(
    re.escape(one) for one in sorted((key for key in signs.RELATIONS if key[0] != "\\"), key=len, reverse=True)
)
_SIGNS: Final = rf"(?P<dots>\.\.\.+|[…⋯⋮⋱])|(?P<relation>{_RELATION})"
_ENVIRONMENT: Final = r"\\(?P<side>begin|end)\s*\{(?P<environment>[A-Za-z]{1,20}\*?)\}"
_COMMAND: Final = rf"(?P<edge>{_ENVIRONMENT})|(?P<command>\\(?:[A-Za-z]+\*?|.|\n|$))"
_WORD_PROSE: Final = (
    rf"(?P<word>[{_CJK}]+|[^\W\d_{_CJK}{_UP}{_DOWN}](?:[^\W_{_CJK}{_UP}{_DOWN}]|['’′](?=_|[A-Za-z]{{2}}|[{_DOWN}]))*"
    rf"(?:[-‐][^\W\d_{_CJK}][^\W_{_CJK}]*)*(?:(?<=[A-Z]{{3}})-\d(?![\d.,]))?(?:_(?:[^\W_{_CJK}{_UP}{_DOWN}]+)(?:['’]+(?=_))?)*)"
)
_WORD_PLAIN: Final = (
    rf"(?P<word>[{_CJK}]+|[^\W\d{_CJK}{_UP}{_DOWN}](?:[^\W{_CJK}{_UP}{_DOWN}]|['’′](?=_[A-Za-z0-9]|[{_DOWN}]))*)"
)
_STRING: Final = r"""(?P<string>[rbuf]{0,2}(?:"(?:[^"\\\n]|\\.){0,2000}+"|'(?:[^'\\\n]|\\.){0,2000}+'))"""
_PYTHON_FIGURE: Final = r"(?P<figure>(?:\d[\d_]*(?:\.\d+|\.(?=\s*[\])},*/+-]))?|\.\d+)(?:[eE][-+]?\d+)?(?![A-Za-z]))"
_ATTRIBUTE: Final = r"(?P<attribute>\.[A-Za-z_]\w*)"
_METHOD: Final = (
    r"(?P<attribute>(?<=[\w)\]])\.(?:m?T(?=\s*(?:[-+*/@=≈·×)\],;]|$))|[A-Za-z_]\w*(?=(?:\.\w+){0,3}\())"
    r"|(?:(?<=\bnp)|(?<=\bmath)|(?<=\btorch))\.(?:inf|pi|e|nan)\b)"
)
_SPLIT: Final = re.compile(r"([XQKVAEHZ])(W_[^\W_]+)|[QKVXWAZOSHE]{2,3}")
_WEIGHTS: Final = re.compile("W[QKVO]")
_FACTOR: Final = re.compile("W[QKVO]|.")
_RULE: Final = r"(?P<rule>(?:-{3,}|={3,}|_{3,}|[─━—]{2,})(?!>))"
_ONE: Final = r"(?P<one>.)"

_ENDS: Final = (_SCRIPTS, _SIGNS, _ONE)
_PATTERNS: Final = {
    mode: re.compile("|".join((_BLANK, *parts, *_ENDS)), re.S)
    for mode, parts in {
        "math": (_FIGURE, _COMMAND, r"(?P<letters>[A-Za-z]+)"),
        "prose": (_RULE, _METHOD, _FIGURE, _COMMAND, _WORD_PROSE),
        "plain": (_RULE, _METHOD, _FIGURE, _COMMAND, _WORD_PLAIN),
        "code": (_STRING, _PYTHON_FIGURE, _ATTRIBUTE, r"(?P<matmul>%\*%)", _WORD_PLAIN),
    }.items()
}
_COMMANDS: Final = {
    **{text: ("name", text[1:]) for text in signs.FUNCTION_COMMANDS},
    **{text: ("mark", sign) for text, sign in signs.MARKS.items()},
    **{text: ("name", sign) for text, sign in signs.LETTERS.items()},
    **{text: ("relation", sign) for text, sign in signs.RELATIONS.items()},
    **{text: ("op", sign) for text, sign in signs.OPERATORS.items()},
    **dict.fromkeys(signs.DOTS, ("dots", "…")),
    **DELIMITERS,
}
_ONES: Final = {
    **{sign: ("script", sign) for sign in "^_"},
    **{sign: ("bar", "|" if sign == "|" else "‖") for sign in "|‖∥"},
    **dict.fromkeys("'’", ("prime", "'")),
    **{sign: ("name", letter) for sign, letter in signs.LETTERS.items()},
    **{sign: (kind, sign) for sign, kind in {**STOPS_MORE, **STOPS}.items()},
    **{sign: ("close", bracket) for sign, bracket in CLOSE.items()},
    **{sign: ("open", bracket) for sign, bracket in OPEN.items()},
    **{sign: ("relation", meant) for sign, meant in signs.RELATIONS.items()},
    **{sign: ("op", meant) for sign, meant in signs.OPERATORS.items()},
    **{sign: (kind, {"Σ": "∑", "′": "'", "″": "'"}.get(sign, sign)) for sign, kind in SINGLE.items()},
    "&": ("cell", "&"),
}
"""What one character is."""
_SPEC: Final = re.compile(r"\s*(?:\[[a-z]\])?\s*\{([^{}\n]{0,60})\}")
_SKIPPED: Final = re.compile(r"\s*\[\s*-?[\d.]*\s*(?:pt|em|ex|mm|cm|px)\s*\]")
_DECIMAL_COMMA: Final = re.compile(r"\d+,\d+(?!\d|,\d)")


class _Lexer:
    """One piece of text on its way."""

    def __init__(self, piece: Stretch, number: int, mode: LetterMode, numerals: Numerals) -> None:
        self.piece, self.number, self.mode, self.numerals = piece, number, mode, numerals
        self.text = piece.text
        self.out: list[Lexeme] = []
        self.blank = True
        self.depth = 0
        self.matrices = 0
        self.is_in_bars = False

    def put(self, kind: str, text: str, start: int, end: int) -> None:
        begins, ends = self.piece.place(start, end)
        self.out.append(Lexeme(kind, text, begins, ends, self.blank, self.number, self.mode))
        self.blank = False

    def run(self) -> list[Lexeme]:
        pattern, place, size = _PATTERNS[self.mode], 0, len(self.text)
        while place < size:
            found = pattern.match(self.text, place)
            assert found is not None  # the last alternative takes any sign
            place = self.sign(found.lastgroup or "one", found[0], place, found.end(), found)
        return self.out

    def sign(self, kind: str, text: str, start: int, end: int, found: re.Match[str]) -> int:
        """Puts what was found, and says where to go on."""
        match kind:
            case "blank":
                self.blank = True
            case "newline":
                if self.mode != "math":
                    self.put("line", "\n", start, end)
                self.blank = True
            case "figure":
                return self.figure(text, start, end)
            case "edge":
                return self.environment(found["side"] == "begin", found["environment"], start, end)
            case "command":
                return self.command(text, start, end)
            case "letters":
                self.letters(text, start)
            case "word":
                return self.word(text, start, end)
            case "up" | "down":
                self.scripts(text, start, kind)
            case "relation":
                self.relation(text, start, end)
            case "attribute":
                self.put("attribute", text[1:], start, end)
            case "matmul":
                self.put("op", "@", start, end)
            case "one":
                return self.one(text, start, end)
            case _:
                self.put(kind, text, start, end)
        return end

    def figure(self, text: str, start: int, end: int) -> int:
        if self.mode == "math" and text.isdecimal() and self.is_argument():
            self.put("figure", text[0], start, start + 1)  # \frac23 is two thirds
            return start + 1
        divided, text = None, "".join(text.split())
        if self.numerals.has_braces and text.count("{,}") == 1 and "." not in text:
            text = text.replace("{,}", "{.}")
        elif (grouped := self.grouped(start)) is not None:
            return grouped
        elif self.numerals.has_commas and self.mode != "code":
            divided = _DECIMAL_COMMA.match(self.text, start)
        elif self.mode != "code":
            last = self.out[-1].kind if self.out else "relation"
            is_free = not self.depth and (self.mode == "prose" or last in ("relation", "op"))
            divided = in_thousands(self.text, start, is_free=is_free)
        if divided is not None and divided.end() > end:
            text, end = divided[0], divided.end()
            if (percent := _PERCENT_BEHIND.match(self.text, end)) is not None:
                text, end = text + percent[0].strip(), percent.end()
        elif self.text[end : end + 1] == "." and self.mode in ("prose", "plain") and self.depth and "." not in text:
            text, end = text + ".", end + 1
        self.put("figure", text if text.isascii() else unicodedata.normalize("NFKC", text), start, end)
        return end

    def grouped(self, start: int) -> int | None:
        """Put a figure whose thousands blanks or points divide, and say where to go on."""
        last = self.out[-1].kind if self.out else "line"
        is_term = last in ("relation", "op") or self.mode == "prose"
        found = self.numerals.grouped(self.text, start, is_listed=bool(self.depth), is_term=is_term)
        if found is None or self.mode == "code":
            return None
        text, end = found
        if (percent := _PERCENT_BEHIND.match(self.text, end)) is not None:
            text, end = text + percent[0].strip(), percent.end()
        self.put("figure", text, start, end)
        return end

    def is_argument(self) -> bool:
        """Return True where the one sign comes that is above or below the line of a fraction without braces."""
        kinds = [each.kind for each in self.out[-2:]]
        return kinds[-1:] == ["frac"] or kinds == ["frac", "figure"]

    def relation(self, text: str, start: int, end: int) -> None:
        if text == "!=" and not self.blank and self.out and self.out[-1].kind == "figure" and self.mode != "code":
            self.put("factorial", "!", start, start + 1)
            text, start = "=", start + 1
        tag = text == "<" and self.mode == "prose" and self.text[end : end + 1].isalpha()
        if text == "~" and self.mode == "math":
            self.blank = True
        elif tag or (self.mode == "code" and text in ("==", "!=", "->", "~")):
            self.put("other", text, start, end)
        elif text == "<-" and self.text[end : end + 1].isdigit():
            self.put("relation", "<", start, start + 1)
            self.put("op", "-", start + 1, end)
        elif text == "<-" and self.mode == "code":
            self.put("relation", "=", start, end)
        else:
            self.put("relation", signs.RELATIONS[text], start, end)

    def environment(self, begins: bool, name: str, start: int, end: int) -> int:
        if name not in signs.MATRICES:
            self.blank = True
            return end
        self.put("open" if begins else "close", f"\\{name}", start, end)
        self.matrices = max(0, self.matrices + (1 if begins else -1))
        if begins and name in ("array", "tabular") and (spec := _SPEC.match(self.text, end)):
            end = spec.end()
        self.blank = True
        return end

    def is_behind_function(self) -> bool:
        """Whether the last sign is a function, as in ``\\mathrm{ln}\\ 2``."""
        last = self.out[-1] if self.out else None
        return last is not None and last.kind in ("name", "text") and last.text in _FUNCTIONS_OF_ONE

    def command(self, text: str, start: int, end: int) -> int:
        if self.mode == "prose" and not text[1:2].isalpha():
            self.put("other", text, start, end)
            return end
        if text in signs.ROW_ENDS:
            self.put("row", "\\\\", start, end)
            skipped = _SKIPPED.match(self.text, end)
            return skipped.end() if skipped else end
        if text in ("\\ ", "\\\n", "\\") and (
            not self.matrices or self.is_behind_function() or _WORD_NEXT.match(self.text, end)
        ):
            self.blank = True
        elif text in ("\\ ", "\\\n", "\\"):
            self.put("torn", "\\", start, start + 1)
            self.blank = True
        elif text in (r"\mathbb", r"\Bbb", r"\mathds") and (field := _FIELD.match(self.text, end)) is not None:
            self.put("name", {"R": "ℝ", "N": "ℕ", "Z": "ℤ"}[field[1]], start, field.end())
            return field.end()
        elif text in signs.TRANSPARENT or text in signs.BLANKS:
            self.blank = self.blank or text in signs.BLANKS
            if text in (r"\left", r"\right") and self.text[end : end + 1] == ".":
                return end + 1
        elif text in signs.BREAKS:
            self.put("break", text, start, end)
        elif (over := _OVER_RELATION.match(self.text, start)) is not None:
            self.put("relation", signs.RELATIONS.get(over[1] or "", "→"), start, over.end())
            return over.end()
        elif text in signs.DROPPED:
            return self.dropped(end, text)
        elif text in signs.TEXTS:
            return self.words(text, start, end)
        else:
            self.put(*_COMMANDS.get(text, ("other", text)), start, end)
        return end

    def group(self, place: int) -> tuple[int, int] | None:
        """Where the group that begins here has its inner text."""
        while place < len(self.text) and self.text[place] in " \t":
            place += 1
        if self.text[place : place + 1] != "{":
            return None
        depth, inner = 0, place + 1
        for here in range(place, min(len(self.text), place + 400)):
            depth += {"{": 1, "}": -1}.get(self.text[here], 0)
            if depth == 0:
                return inner, here
        return None

    def dropped(self, end: int, text: str) -> int:
        for _ in range(signs.DROPPED[text]):
            inner = self.group(end)
            if inner is None:
                break
            end = inner[1] + 1
        self.blank = True
        return end

    def words(self, text: str, start: int, end: int) -> int:
        inner = self.group(end)
        if inner is None:
            return end
        said = self.text[inner[0] : inner[1]].replace("\\_", "_").replace("~", " ").replace("\\ ", " ")
        words = said.strip()
        if any(sign in words for sign in "\\$^{}=") or (len(words) == 1 and words.isalpha()) or not words:
            return end  # a formula in there: its braces are read as a group
        if not any(sign.isalpha() for sign in words):
            return end
        self.blank = self.blank or said[:1].isspace()
        self.put("text", said.strip(" "), start, inner[1] + 1)
        if text.startswith(r"\operatorname"):
            self.out[-1].kind = "name"
        self.blank = said[-1:].isspace()
        return inner[1] + 1

    def letters(self, text: str, start: int) -> None:
        """A run of letters in a formula: a word where it looks like one, else names beside each other."""
        if text in signs.WORDS_IN_MATH or text in signs.FUNCTIONS or _looks_like_word(text):
            self.put("name", text, start, start + len(text))
            return
        place = 0
        while place < len(text):
            size = 2 if text[place] == "d" and text[place + 1 : place + 2].isupper() else 1
            self.put("name", text[place : place + size], start + place, start + place + size)
            place += size

    def word(self, text: str, start: int, end: int) -> int:
        marks = unicodedata.normalize("NFD", text[:2]) if len(text) <= 2 else text
        if len(marks) == 2 and marks[1] in signs.COMBINING:
            self.put("mark", signs.COMBINING[marks[1]], start, end)
            text = marks[0]
        if self.mode != "code" and (split := _SPLIT.fullmatch(text)) is not None:
            if split[1]:
                self.put("name", split[1], start, start + 1)
                self.put("name", split[2], start + 1, end)
                return end
            if _WEIGHTS.fullmatch(text):
                text = f"W_{text[1]}"
            elif self.mode == "plain" or _AFTER_PRODUCT.match(self.text, end):
                for one in _FACTOR.finditer(text):
                    self.put("name", "_".join(one[0]), start + one.start(), start + one.end())
                return end
        before = self.out[-1] if self.out else None
        if text in "½⅓⅔¼¾⅛" and (before is None or before.kind != "figure" or self.blank):
            above, below = unicodedata.normalize("NFKC", text).split("⁄")
            for kind, sign in (("open", "("), ("figure", above), ("op", "/"), ("figure", below), ("close", "(")):
                self.put(kind, sign, start if kind == "open" else end, end)
            return end
        is_behind_figure = before is not None and before.kind == "figure" and not self.blank
        is_between = before is not None and before.kind == "figure" and _OPERAND.match(self.text, end) is not None
        if text in ("x", "X") and is_between and self.mode != "code":  # 0.4 x 0.2
            self.put("op", "\\times", start, end)
            return end
        if is_behind_figure and text[:1] == "x" and text[1:].isdecimal():
            self.put("op", "\\times", start, start + 1)
            return start + 1
        if text[:1] == "Σ":
            self.put("sum", "∑", start, start + 1)
            return start + 1
        if self.mode != "code" and _WORD_BELOW.fullmatch(text) and (more := _WORDS_ON.match(self.text, end)):
            text, end = text + more[0], more.end()  # T_text→image: one name
        plain = unicodedata.normalize("NFKC", text)
        self.put("name" if self.mode == "code" else "word", plain, start, end)
        return end

    def scripts(self, text: str, start: int, kind: str) -> None:
        table = signs.SUPERSCRIPTS if kind == "up" else signs.SUBSCRIPTS
        if text == "ᵀ":
            self.put("T", "T", start, start + 1)
            return
        self.blank = False
        self.put("script", "^" if kind == "up" else "_", start, start)
        self.put("open", "{", start, start)
        inner = "".join(table.get(sign, sign) for sign in text)
        for found in re.finditer(r"\d+(?:\.\d+)?|.", inner):
            one = found[0]
            sort = "figure" if one[0].isdigit() else "op" if one in "+-" else "name" if one.isalpha() else "other"
            if one == "x" and inner[: found.start()][-1:].isdigit() and inner[found.end() :][:1].isdigit():
                sort, one = "op", "\\times"
            self.put(sort, one, start + found.start(), start + found.end())
        self.put("close", "{", start + len(text), start + len(text))
        self.blank = False

    def one(self, text: str, start: int, end: int) -> int:
        """A single sign that is neither letter nor figure, or a letter that stands for itself."""
        if text in signs.COMBINING and self.out:
            before = self.out.pop()
            self.out.append(
                Lexeme("mark", signs.COMBINING[text], before.start, end, before.blank, self.number, self.mode)
            )
            before.blank = False
            self.out.append(before)
            return end
        self.is_in_bars ^= text == "|"
        if text == "|" and self.is_in_bars and self.text[end : end + 1] == "|" and self.mode != "code":
            self.is_in_bars = False
            self.put("bar", "‖", start, end + 1)
            return end + 1
        if text == "*" and self.mode != "math" and _POWER.search(self.text, max(0, start - 2), start + 4):
            self.put("script", "**", start, end + 1)
            return end + 1
        if text == "/" and self.text[end : end + 1] == "/" and self.mode != "math":
            self.put("op", "//", start, end + 1)
            return end + 1
        is_behind = not self.blank and bool(self.out) and self.out[-1].kind in ("figure", "close", "name")
        if text == "!" and is_behind and (self.mode == "math" or _AFTER_FACTORIAL.match(self.text, end)):
            self.put("factorial", "!", start, end)
            return end
        plain = text if text in SINGLE else unicodedata.normalize("NFKC", text)
        plain = plain if len(plain) == 1 else text
        kind, sign = _ONES.get(text) or _ONES.get(plain) or ("other", text)
        if kind == "open":
            # 32（the third）is a figure and a remark, and no product
            self.blank |= text == "（" and self.mode == "prose" and bool(self.out) and self.out[-1].kind == "figure"
            self.depth += sign != "{"
        elif kind == "close":
            self.depth = max(0, self.depth - (sign != "{"))
        elif kind == "other" and plain.isalpha():
            kind, sign = ("name" if self.mode == "math" and plain < "\u2e80" else "word"), plain
        self.put(kind, sign, start, end)
        return end


_OVER_RELATION: Final = re.compile(
    r"\\(?:xrightarrow\s*(?:\[[^\[\]]*\])?\s*\{(?:[^{}]|\{[^{}]*\})*\}"
    r"|(?:stackrel|overset|underset)\s*\{(?:[^{}]|\{[^{}]*\})*\}\s*\{?\s*(=|≈|→|\\approx|\\to)\s*\}?)"
)
"""A relation with a remark above it, which is no side of a chain."""
_PERCENT_BEHIND: Final = re.compile(_PERCENT)
_OPERAND: Final = re.compile(r"[^\S\n]*\(?[-−]?(?:\d|√|(?:sqrt|exp|ln|log\d*|sin|cos|tan)\b)")
_AFTER_FACTORIAL: Final = re.compile(r"\s*(?:[-+−*/·×÷=≈)\]}!]|\\c?dot|\\times)")
_POWER: Final = re.compile(r"(?<=[\w)\]])[ ]?\*\*[ ]?(?=[-+(\d.]|[a-z]\b)")
_WORD_NEXT: Final = re.compile(r"[ \t]*\\(?:mathrm|operatorname|text|ln|log|exp|sqrt)\b")

_FUNCTIONS_OF_ONE: Final = frozenset("ln log exp sin cos tan tanh max min".split())

_FIELD: Final = re.compile(r"\s*\{?\s*([RNZ])\s*\}?")
_WORD_BELOW: Final = re.compile(r"[A-Za-z]+_[A-Za-z]{2,}")
_WORDS_ON: Final = re.compile(r"(?:(?:→|->|⇒|=>)[A-Za-z]{2,})+(?![A-Za-z0-9_(\[]|\s*\()")
_AFTER_PRODUCT: Final = re.compile(r"[\^ᵀ]|\s*(?:[=≈·×/]|\\cdot)")


def _looks_like_word(text: str) -> bool:
    lower = sum(letter.islower() for letter in text[1:])
    return len(text) >= 4 and lower >= 0.6 * (len(text) - 1) and any(letter in "aeiouyAEIOUY" for letter in text)


def lexemes(piece: Stretch, number: int, mode: LetterMode, numerals: Numerals = PLAIN) -> list[Lexeme]:
    """The signs of a piece of text, each with its place in the file.

    >>> from symattn.checking.source import Stretch
    >>> [sign.text for sign in lexemes(Stretch("math", "QK^T = -0.5", range(12)), 0, "math")]
    ['Q', 'K', '^', 'T', '=', '-', '0.5']
    """
    return _Lexer(piece, number, mode, numerals).run()
