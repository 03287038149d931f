r"""Formulas as on a page: translate LaTeX, and characters beyond ASCII, to signs that the parser knows.

Pure typesetting is dropped (``\left``, ``\,``, ``\mathbf``). Characters first become their LaTeX commands, so that
there is one path for both.

>>> folded(FormulaText("x₁ · √2", "formula"))[0]
'x_{1} \\cdot  √2'
>>> [token.text for token in in_plain_signs(FormulaText(r"\mathrm{softmax}\left(\mu^\top\right)", "formula"))]
['softmax', '(', 'mu', '^', '⊤', ')', '']
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import normalize

from symattn.read.formula.tokens import FormulaText, Token, cut_up
from symattn.read.formula.wrong import instead_of

# -- characters ----------------------------------------------------------------------------------------------------

_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi "
    "psi omega"
).split()
_GREEK_LETTERS = {
    **{chr(0x3B1 + place + (place > 16)): name for place, name in enumerate(_GREEK)},
    **{chr(0x391 + place + (place > 16)): name.capitalize() for place, name in enumerate(_GREEK)},
    **{"ϵ": "epsilon", "ϕ": "phi", "ϑ": "theta", "µ": "mu", "ς": "sigma", "ϱ": "rho"},
}
LETTERS = frozenset(_GREEK_LETTERS.values())
_VARIANTS = {f"var{name}": name for name in ("epsilon", "theta", "phi", "rho", "sigma", "pi")}

_CHARACTERS = {
    **dict.fromkeys("−–—‐‑‒", "-"),
    **dict.fromkeys("·⋅∙•‧・", "\\cdot "),
    **dict.fromkeys("×✕✖⨯", "\\times "),
    **dict.fromkeys("⊙ʘ", "\\odot "),
    **dict.fromkeys("∘", "\\circ "),
    **dict.fromkeys("⊘", "\\oslash "),
    **dict.fromkeys("÷∕", "\\div "),
    **dict.fromkeys("∗＊", "*"),
    **dict.fromkeys("’′ʹ＇‘", "'"),
    **dict.fromkeys("⊤⊺", "\\top "),
    **dict.fromkeys("‖∥", "\\Vert "),
    **dict.fromkeys("∣｜", "|"),
    **dict.fromkeys("∑", "\\sum "),
    **{"∞": "\\infty ", "∀": "\\forall "},
    **dict.fromkeys("°˚", "\\degree "),
    **dict.fromkeys("⟨〈", "\\langle "),
    **dict.fromkeys("⟩〉", "\\rangle "),
    **dict.fromkeys("【［", "["),
    **dict.fromkeys("】］", "]"),
    **dict.fromkeys("…⋯", "\\dots "),
    **{"⌊": "\\lfloor ", "⌋": "\\rfloor ", "⌈": "\\lceil ", "⌉": "\\rceil ", "、": ",", "，": ",", "√": "√"},
    **{character: f"\\{name} " for character, name in _GREEK_LETTERS.items()},
}
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿⁱᵀᵏᵐᵈˣʲᵗᴷᵠ", "0123456789+-()niTkmdxjtKQ", strict=False))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789+-()aehijklmnoprstuvx", strict=True))
_ACCENTS = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "bar", "\u20d7": "vec"}
_DELIMITERS = re.compile(r"\s*(\$\$?|\\\(|\\\[)(.*?)(\$\$?|\\\)|\\\])\s*\Z", re.DOTALL)
_CLOSES = {"$": "$", "$$": "$$", "\\(": "\\)", "\\[": "\\]"}


def folded(source: FormulaText) -> tuple[str, list[int]]:
    """Return a text in ASCII and LaTeX commands, and the original place of each of its characters.

    Raises :class:`~symattn.base.errors.FormulaError` for characters that formulas do not have.
    """
    text = source.text
    if (around := _DELIMITERS.match(text)) and _CLOSES[around[1]] == around[3]:
        text = " " * around.start(2) + around[2] + " " * (len(text) - around.end(2))
    pieces: list[str] = []
    places: list[int] = []
    run = ""
    for place, mark in enumerate(text):
        kind = "" if mark.isascii() else "^" if mark in _RAISED else "_" if mark in _LOWERED else ""
        if run and kind != run:
            pieces.append("}")
            places.append(place - 1)
        piece = f"{kind}{{" if kind and kind != run else ""
        run = kind
        piece += _RAISED[mark] if kind == "^" else _LOWERED[mark] if kind else _plain(source, pieces, mark, place)
        pieces.append(piece)
        places.extend([place] * len(piece))
    if run:
        pieces.append("}")
        places.append(len(text) - 1)
    return "".join(pieces), places


def _plain(source: FormulaText, before: list[str], mark: str, place: int) -> str:
    """Return a character in ASCII, if formulas have it."""
    if mark.isascii():
        return mark
    if mark in _CHARACTERS:
        return _CHARACTERS[mark]
    if mark.isspace():
        return " "
    if mark in _ACCENTS:
        return f"\\accent{_ACCENTS[mark]} "
    simple = normalize("NFKC", mark)
    if "\u2044" in simple:
        if before and before[-1].strip().isdigit():
            whole = before[-1].strip()
            part = simple.replace("\u2044", "/")
            raise source.two(f"{whole}{mark}", f"{whole} + {part}", f"{whole} * {part}")
        return "\\frac{{{}}}{{{}}}".format(*simple.split("\u2044"))
    if len(simple) == 1 and simple.isascii() and simple.isprintable():
        return simple
    apart = normalize("NFD", simple)
    if len(apart) == 2 and apart[0].isascii() and apart[1] in _ACCENTS:
        return f"{apart[0]}\\accent{_ACCENTS[apart[1]]} "
    if simple in _GREEK_LETTERS:
        return f"\\{_GREEK_LETTERS[simple]} "
    raise source.no_place(mark, place)


# -- commands ------------------------------------------------------------------------------------------------------

_NAMED = "exp log sin cos tan tanh sinh cosh max min arccos arcsin arctan argmax softmax relu gelu sigmoid"
_FUNCTIONS = {
    **{name: name for name in _NAMED.split()},
    **{"ln": "log", "infty": "oo"},
}
_SIGNS = {
    **dict.fromkeys(("cdot", "bullet", "centerdot"), "·"),
    **dict.fromkeys(("odot", "bigodot"), "⊙"),
    **dict.fromkeys(("top", "intercal"), "⊤"),
    **dict.fromkeys(("lvert", "rvert", "vert", "mid"), "|"),
    **dict.fromkeys(("lVert", "rVert", "Vert", "|", "parallel"), "‖"),
    **dict.fromkeys(("frac", "dfrac", "tfrac", "cfrac"), "\\frac"),
    **{"times": "×", "circ": "∘", "oslash": "⊘", "div": "÷", "ast": "*", "sqrt": "\\sqrt", "over": "\\over"},
    **{"{": "(", "}": ")", "lbrace": "(", "rbrace": ")", "lbrack": "[", "rbrack": "]", "lparen": "(", "rparen": ")"},
    **{"sum": "∑", "forall": "∀", "degree": "°", "prime": "′", "\\": "\\\\", "cr": "\\\\", "_": "_"},
    **{"langle": "⟨", "rangle": "⟩", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "colon": ":"},
}
_NOTHING = frozenset(
    ", ; : ! / > quad qquad left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr limits nolimits "
    "displaystyle textstyle scriptstyle rm bf it cal mathstrut thinspace medspace thickspace nonumber middle".split()
) | {" ", "\t"}
_TYPEFACES = frozenset(
    "text operatorname mathrm mathbf mathit mathsf mathtt mathcal mathbb mathfrak boldsymbol bm pmb textbf textit "
    "textrm textsf texttt mathop vec mathord mbox underline".split()
)
_OVER = {"hat": "hat", "widehat": "hat", "tilde": "tilde", "widetilde": "tilde", "bar": "bar", "overline": "bar"}
_GRIDS = frozenset("matrix pmatrix bmatrix Bmatrix smallmatrix array psmallmatrix bsmallmatrix".split())
_KEPT = frozenset("+ - * / @ ^ ** ( ) [ ] { } , . : ; = | || ' _ & √".split())
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")


def in_plain_signs(source: FormulaText) -> list[Token]:
    """Return the tokens of a formula in LaTeX or Unicode, with its commands as signs, letters and words.

    Raises :class:`~symattn.base.errors.FormulaError` for an unknown command or character.
    """
    plain, places = folded(source)
    tokens = [
        token._replace(start=places[token.start], end=places[token.end - 1] + 1)
        for token in cut_up(source, plain)
        if token.kind != "end"
    ]
    end = len(source.text)
    return _Commands(source, [*tokens, Token("end", "", end, end)]).all()


class _Commands:
    """Reads commands from left to right."""

    def __init__(self, source: FormulaText, tokens: Sequence[Token]) -> None:
        self.source, self.tokens, self.place = source, tokens, 0
        self.out: list[Token] = []

    def all(self) -> list[Token]:
        while self.place < len(self.tokens):
            token = self.tokens[self.place]
            self.place += 1
            if token.kind != "sign" or token.text in _KEPT:
                self.out.append(token)
            elif token.text[0] == "\\":
                self.command(token, token.text[1:])
            elif token.text != "~":
                raise self.source.no_place(token.text, token.start)
        return self.out

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    def command(self, token: Token, name: str) -> None:
        name = _VARIANTS.get(name, name)
        if name in _NOTHING:
            self.fence(name)
        elif name.endswith("frac") and (derivative := self.derivative()):
            self.out.append(token._replace(kind="word", text=derivative, end=self.tokens[self.place - 1].end))
        elif name in _SIGNS:
            self.out.append(token._replace(text=_SIGNS[name]))
        elif name in _FUNCTIONS:
            self.out.append(token._replace(kind="word", text=_FUNCTIONS[name]))
        elif name in _OVER:
            self.accented(token, _OVER[name])
        elif name.startswith("accent") and self.out and self.out[-1].kind in ("word", "letter"):
            self.accent(token, name.removeprefix("accent"))
        elif name in LETTERS:
            self.out.append(token._replace(kind="letter", text=name))
        elif name in _TYPEFACES:
            self.in_type()
        elif name in ("begin", "end"):
            self.grid(token, name)
        elif name in ("cdots", "ldots", "dots", "vdots", "ddots"):
            where = f"… at character {token.start + 1}"
            raise self.source.unreadable(f"{where} leaves out what a formula has to say: write all of it, or sum(x)")
        elif instead_of(f"\\{name}"):
            raise self.source.no_place(f"\\{name}", token.start)
        else:
            raise self.source.unreadable(f"\\{name} at character {token.start + 1} is no command that formulas have")

    def fence(self, name: str) -> None:
        """Read a fence: ``\\left[`` opens a group, which need not be a list; ``\\left.`` opens nothing."""
        if name not in ("left", "right") and not name.lower().startswith("big"):
            return
        if self.next.text in ("[", "]"):
            self.out.append(self.next._replace(text=f"\\{self.next.text}"))
            self.place += 1
        elif self.next.text == ".":
            self.place += 1

    def braced(self) -> Sequence[Token]:
        """Return the content of the braces that come next; empty if there are none."""
        return _in_braces(self.tokens, self.place)

    def derivative(self) -> str:
        """Read ``\\frac{\\partial L}{\\partial O}`` as one name, dL_dO; return an empty text for other fractions."""
        above = self.braced()
        below = _in_braces(self.tokens, self.place + len(above) + 2) if above else ()
        parts = [_joined(each[1:]) for each in (above, below) if each and each[0].text in ("\\partial", "∂")]
        if len(parts) != 2 or not all(map(_WORD.match, parts)):
            return ""
        self.place += len(above) + len(below) + 4
        return "d{}_d{}".format(*parts)

    def in_type(self) -> None:
        """Join a word in a typeface, as in ``\\text{softmax}``, to one word; drop the typeface of anything else."""
        if self.next.text == "*":
            self.place += 1
        inside = self.braced()
        word = _joined(inside)
        if _WORD.match(word):
            self.place += len(inside) + 2
            self.out.append(Token("word", word, inside[0].start, inside[-1].end))

    def accented(self, token: Token, accent: str) -> None:
        """Read ``\\hat{x}`` as the name x_hat, whatever its typeface."""
        inside, braces = self.braced(), 2
        if not inside:
            inside, braces = [self.next], 0
        primes = [part for part in inside if part.text == "'"]
        plain = [part for part in inside if part.text not in "{}'" and part.text[1:] not in _TYPEFACES]
        name = plain[0].text.removeprefix("\\") if plain else ""
        if len(plain) != 1 or not name.isalpha() or (not braces and len(plain[0].text) > 1 and plain[0].kind == "word"):
            over = f"{token.text} at character {token.start + 1}"
            raise self.source.unreadable(f"{over}: expected one name below it in braces, as in \\hat{{x}}")
        self.place += len(inside) + braces
        letter = f"{_VARIANTS.get(name, name)}_{accent}"
        self.out += [Token("letter", letter, token.start, self.tokens[self.place - 1].end), *primes]

    def accent(self, token: Token, accent: str) -> None:
        """Read an accent that follows its letter, as in Unicode."""
        word = self.out.pop()
        if word.kind == "word" and len(word.text) > 1:
            self.out.append(word._replace(text=word.text[:-1], end=word.end - 1))
            word = word._replace(text=word.text[-1], start=word.end - 1)
        text = word.text if accent == "vec" else f"{word.text}_{accent}"
        self.out.append(Token("letter", text, word.start, token.end))

    def grid(self, token: Token, name: str) -> None:
        kind = _joined(self.braced())
        if kind not in _GRIDS:
            where = f"\\{name} at character {token.start + 1}"
            raise self.source.unreadable(f"{where}: expected a matrix, \\{name}{{bmatrix}}")
        self.out.append(token._replace(text=f"\\{name}"))
        self.place += len(self.braced()) + 2
        if kind == "array" and name == "begin" and (columns := self.braced()):
            self.place += len(columns) + 2


def _in_braces(tokens: Sequence[Token], start: int) -> Sequence[Token]:
    """Return the content of the braces that open at a place; empty if none do."""
    if tokens[start].text == "{":
        depth = 0
        for place in range(start, len(tokens)):
            depth += {"{": 1, "}": -1}.get(tokens[place].text, 0)
            if depth == 0:
                return tokens[start + 1 : place]
    return ()


def _joined(parts: Sequence[Token]) -> str:
    """Return a name in a typeface: its words and numbers, joined by underscores."""
    text, end = "", parts[0].start if parts else 0
    for part in parts:
        if part.kind == "sign" and part.text not in ("_", "\\_", "-"):
            return ""
        text += "_" * (part.start > end) + ("_" if part.kind == "sign" else part.text)
        end = part.end
    return text
