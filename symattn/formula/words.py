"""Words of a formula: names with what stands below and above them, functions with and without parentheses, sums."""

from __future__ import annotations

import ast
import re

from symattn.formula import wrong
from symattn.formula.naming import defined_name
from symattn.formula.signs import beside
from symattn.formula.sums import OVER_INDEX, SumParser
from symattn.formula.tokens import Token
from symattn.formula.tree import Caret

_LITERALS = {"True": True, "False": False, "None": None}
_ALONG = {"row": None, "rows": None, "col": 0, "cols": 0, "column": 0, "columns": 0}


class WordParser(SumParser):
    """What begins with a word."""

    def back_to(self, place: int) -> None:
        self.at_place, self.token = place, self.tokens[place]

    # -- names ---------------------------------------------------------------------------------------------------------

    def word(self) -> ast.expr:
        token, behind = self.token, self.ahead()
        text, start = token.text, token.start
        if token.kind == "word":
            if text in _LITERALS:
                self.advance()
                return self.made(ast.Constant(_LITERALS[text]), start)
            if wrong.is_python_word(text):
                raise self.missing()
            function = self.names.function(text) if behind.text == "(" else None
            if function and (function == text or not self.names.known(text)):
                self.advance()
                return self.call(self.name(function, start), start)
            if behind.text == "(" and not function and not self.names.known(text) and (name := self.of_what(text)):
                return self.name(name, start)
            if behind.text in ("[", "\\[") and text == "E" and not self.names.known(text):
                self.advance()
                return self.called("mean", [self.in_brackets(start)], start)  # the expectation, E[x]
            if behind.text in (".", "[") and not self.names.known(text) and not self.names.function(text):
                return self.library(token, behind)
        if behind.text not in ("_", "^", "'") and token.kind == "word" and self.names.known(text):
            self.advance()
            self.must_be_one_word(text)
            return self.name(text, start)
        return self.written(token)

    def of_what(self, text: str) -> str:
        """The name that a step gave by ``FFN(x) = …``; empty, and nothing is read, where there is none."""
        place, close = self.at_place, self.at_place + 1
        while self.tokens[close].text not in (")", "") and self.tokens[close].kind != "end":
            close += 1
        whole = self.source.text[self.token.start : self.tokens[close].end]
        name = defined_name(f"{text}{whole[whole.find('(') :]}")
        if not self.names.known(name):
            return ""
        self.skip(close + 1 - place)
        return name

    def must_be_one_word(self, text: str) -> None:
        """Where Q, K and QK are names, QK is a name in Python and a product on paper."""
        if len(text) > 1 and not self.doubtful and (pieces := self.names.splits(text)):
            self.doubtful = (text, pieces[0])

    def library(self, token: Token, behind: Token) -> ast.expr:
        """The name of a library, or what is not known; ``QK.T`` is the one or the other."""
        pieces = self.names.splits(token.text)
        if pieces and (behind.text == "[" or self.ahead(2).text in ("T", "mT")):
            tail, apart = ".T" if behind.text == "." else "[…]", " @ ".join(pieces[0])
            raise self.source.two(f"{token.text}{tail}", f"{apart}{tail}", f"({apart}){tail}")
        self.advance()
        return self.name(token.text, token.start)

    def written(self, token: Token) -> ast.expr:
        """A word with what stands below and above it."""
        at, start, text = self.at_place, token.start, token.text
        is_letter = token.kind == "letter"
        self.advance()
        below = [self.script()] if self.at("_") else []
        if not below and not is_letter and not self.names.known(text) and "_" in text[1:-1] and text[-1] != "_":
            text, _, under = text.rpartition("_")
            below = [under]
        found: list[ast.expr] = [self.name(name, start) for name in self.names.spelled(text, is_letter, below)]
        if self.at("^") and (above := self.with_above(text, is_letter, below, found, start)) is not None:
            return above
        if below:
            # W_1 is a row of W only where nothing is called W_1.
            entries = self.names.entries(text, below[0], not found)
            found += [self.from_one(self.name(name, start), place, start) for name, place in entries]
        if below and not found and "," in below[0]:  # \\alpha_{1,1} may be the name alpha_11
            names = self.names.spelled(text, is_letter, [below[0].replace(",", "")])
            found += [self.name(name, start) for name in names]
        if self.at("'") and (primed := self.primed(text, below, start)) is not None:
            return primed
        if len(found) > 1:
            raise self.two(self.typed(start) + "'" * self.at("'"), found[0], found[1])
        if found:
            if is_letter and self.at("(") and (function := {"Sigma": "sum", "sigma": "sigmoid"}.get(text)):
                raise self.source.two(f"{self.typed(start)}(…)", f"{function}(…)", f"{text} @ (…)")
            if not below and not is_letter:
                self.must_be_one_word(text)
            return found[0]
        if below and self.index and (node := self.with_index(text, below[0], start)) is not None:
            return node
        return self.other_word(token, at, text, below)

    def primed(self, text: str, below: list[str], start: int) -> ast.expr | None:
        """x' where something is called x_prime: who has defined it means that and no transpose."""
        place = self.at_place
        self.advance()
        scripts = [*below, *([self.script()] if self.at("_") else [])]
        if self.names.known(name := "_".join([text, "prime", *scripts])):
            return self.name(name, start)
        self.back_to(place)
        return None

    def other_word(self, token: Token, place: int, text: str, below: list[str]) -> ast.expr:
        """What is no name: a function, several names without a gap, or not known."""
        start = token.start
        if token.kind == "letter" and (text == "Sigma" or (text == "sigma" and not below)):
            if text == "Sigma":
                return self.summed(start, *below)
            if self.at("("):
                return self.call(self.name("sigmoid", start), start)
        if token.kind == "word" and (whole := self.names.function(token.text)):
            return self.applied(whole, below if token.text == text else [], start)
        if token.kind == "word" and below and (function := self.names.function(text)):
            return self.applied(function, below, start)
        if text == "I" and below and (below[0].isdecimal() or below[0] in self.names.scope.sizes):
            size = self.number(below[0], start) if below[0].isdecimal() else self.name(below[0], start)
            return self.called("identity", [size], start)
        pieces = self.pieces(token, text, below)
        if pieces:
            self.back_to(place)
            self.instead_of_here(*pieces)
            return self.word()
        name = self.name("_".join([text, *below]), start)
        if not re.fullmatch(r"\w+", name.id, re.ASCII):
            where = f"{self.typed(start)} at character {start + 1}"
            raise self.source.unreadable(f"{where}: expected a name or numbers below, as in W_{{Q}} and s_{{12}}")
        return self.call(name, start) if self.at("(") and name.id == token.text else name

    def pieces(self, token: Token, text: str, below: list[str]) -> list[Token]:
        """A word as the names that it is made of: ``QK``, ``Wx_1``; empty where it is none."""
        if token.kind != "word" or self.source.text[token.start] == "\\":
            return []  # \max is one word, whatever m, a and x are
        ways, rest = self.names.splits(token.text, self.token.text), ""
        if not ways and self.at("^"):
            ways = self.before_above(token.text)
        if not ways and text != token.text:
            ways, rest = self.names.splits(text), token.text[len(text) :]
        if len(ways) > 1:
            one, other = (beside([ast.Name(piece) for piece in way]) for way in ways)
            raise self.two(token.text, one, other)
        pieces: list[Token] = []
        start = token.start
        for piece in ways[0] if ways else ():
            pieces.append(Token("word", piece, start, start + len(piece)))
            start += len(piece)
        if pieces:
            self.is_on_paper = True
            last = pieces[-1]
            pieces[-1] = last._replace(text=last.text + rest, end=last.end + len(rest))
        return pieces

    def before_above(self, text: str) -> list[tuple[str, ...]]:
        """``XW^Q``: the names of a word whose last is one with what stands above it."""
        place = self.at_place
        self.advance()
        above, _ = self.above()
        self.back_to(place)
        found = []
        for cut in range(1, len(text)):
            if above not in ("", "T") and self.names.spelled(text[cut:], False, [above]):
                first = [(text[:cut],)] if self.names.known(text[:cut]) else self.names.splits(text[:cut])
                found += [(*pieces, text[cut:]) for pieces in first]
        return found[:2]

    def with_above(
        self, text: str, is_letter: bool, below: list[str], found: list[ast.expr], start: int
    ) -> ast.expr | None:
        """``W^Q``, ``W^{(1)}`` and ``σ²``, where that is a name; else nothing is read."""
        place = self.at_place
        self.advance()
        above, meant = self.above()
        if meant == "power":
            names = self.names.squared(text, is_letter, below) if above == "2" else []
            names = names or ([] if found else self.names.spelled(text, is_letter, [*below, above]))
        elif above and above != "T":
            more = [self.script()] if self.at("_") and not below else []
            spelled = self.names.spelled(text, is_letter, [*below, above, *more])
            names = [name for name in spelled if not found or name != text + above]
        else:
            names = []
        if not names:
            self.back_to(place)
            return None
        readings: list[ast.expr] = [self.name(name, start) for name in names]
        if (
            found
            and meant != "name"
            and (above.isdecimal() or (self.names.known(above) and self.names.shape(above) is None))
        ):
            exponent = ast.Constant(int(above)) if above.isdecimal() else ast.Name(above)
            readings.append(ast.BinOp(found[0], ast.Pow(), exponent))
        if len(readings) > 1:
            raise self.two(self.typed(start), readings[0], readings[1])
        return readings[0]

    def above(self) -> tuple[str, str]:
        """What stands above, where it is one word or number, and whether it can only be a power or a name."""
        closes: list[str] = []
        while self.at("{", "(") and len(closes) < 2:
            closes.append(")" if self.advance().text == "(" else "}")
        if self.token.kind not in ("word", "number", "letter"):
            return "", ""
        token = self.advance()
        for close in reversed(closes):
            if not self.at(close):
                return "", ""
            self.advance()
        if closes == ["}", ")"]:
            return token.text, "name"  # W^{(1)} is no power
        return token.text, "power" if token.kind == "number" and not closes.count(")") else ""

    # -- functions -----------------------------------------------------------------------------------------------------

    def applied(self, name: str, below: list[str], start: int) -> ast.expr:
        """A function whose argument may stand without parentheses: ``\\exp x``, ``\\sin^2 x``, ``\\max_j s_j``."""
        along: list[ast.keyword] = []
        if below and name in OVER_INDEX and re.match(r"[a-z](=|$)", below[0]):
            return self.over(name, below[0], "", start)
        if below and name == "softmax" and below[0] in _ALONG:
            if (axis := _ALONG[below[0]]) is not None:
                along = [ast.keyword("axis", self.made(ast.Constant(axis), start))]
        elif below:
            typed = self.typed(start)
            way = f"nothing is called {typed}, and nothing stands below {name}; write {name}(…)"
            if name == "log":
                way = f"nothing stands below log; write log(x) / log({below[0]})"
            raise self.source.unreadable(f"{typed} at character {start + 1}: {way}")
        power = self.power_of_function(name, start)
        if self.at("("):
            call = self.call(self.name(name, start), start)
            call.keywords += along
        elif (argument := self.argument(start)) is not None:
            call = self.made(ast.Call(self.name(name, start), [argument], along), start, argument)
        elif power is None and not along:
            return self.name(name, start)
        else:
            raise self.missing()
        return call if power is None else self.made(ast.BinOp(call, Caret(), power), start, call, power)

    def power_of_function(self, name: str, start: int) -> ast.expr | None:
        """``\\sin^2 x`` is a power of what comes out; ``\\sin^{-1} x`` may be that or the inverse function."""
        if not self.at("^"):
            return None
        self.advance()
        exponent = self.group() if self.at("{") else self.signed() if self.at("-") else self.operand()
        if isinstance(exponent, ast.Constant) and isinstance(exponent.value, int):
            return exponent
        if isinstance(exponent, ast.UnaryOp) and isinstance(exponent.operand, ast.Constant):
            raise self.source.two(self.typed(start), f"1 / {name}(x)", f"arc{name}(x)")
        where = f"{self.typed(start)} at character {start + 1}"
        raise self.source.unreadable(f"{where}: no power of a function: what {name} is of stands behind it, {name}(x)")

    def argument(self, start: int) -> ast.expr | None:
        """What a function without parentheses is applied to: what comes next, if it is clear where that ends."""
        if self.at("{"):
            return self.group()
        if self.at("[", "\\["):
            return self.in_brackets(start)
        is_minus = self.at("-") and self.token.start > self.end and self.ahead().start == self.token.end
        if not is_minus and self.token.kind != "number" and not self.begins_operand():
            return None
        first = self.token.start
        argument = self.signed()
        function = self.typed(start, first).strip()
        if isinstance(argument, ast.BinOp) and argument.left.col_offset == first:
            call = ast.Call(ast.Name(function.lstrip("\\")), [argument], [])
            power = ast.BinOp(ast.Call(call.func, [argument.left], []), ast.Pow(), argument.right)
            call.args = [ast.BinOp(argument.left, ast.Pow(), argument.right)]
            raise self.two(self.typed(start), power, call)
        self.must_end(argument, function, start)
        return argument

    def in_brackets(self, start: int) -> ast.expr:
        """A list, or what stands in brackets instead of parentheses."""
        raise NotImplementedError
