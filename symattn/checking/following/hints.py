"""What words around figures speak of: operations, axes, rows and tokens, and what names mostly stand for.

>>> said = hints("Softmax, row by row. Row 2:")
>>> said.does, said.axis, said.which
(('softmax',), 'rows', (WhichOne(kind='row', number=2, from_zero=False),))
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, cast

from symattn.checking.phrases import (
    NAMES,
    Chinese,
    Heard,
    heard,
    is_letter,
    is_undone,
    lexicon,
    ordinal_endings,
    plain,
    written_in,
)

WhichKind = Literal["row", "column", "token", "head", "position", "step"]

_JOINS = re.compile(r"[ _]?(?:[#№(]|no\.?|nr\.?|n[o°]\.?|thứ|第)? ?\Z")
"""What may stand between ``row`` and its number."""

_AND = re.compile(r" ?(?:, ?and|,|and|&) ")

_NUMBER = re.compile(r"\d{1,4}")


@dataclass(frozen=True)
class WhichOne:
    """One row, column, token, head, position or step that words speak of."""

    kind: WhichKind
    number: int
    """As it is written; ``first`` is 1."""
    from_zero: bool
    """Whether it is surely counted from 0: it is the number 0."""


@dataclass(frozen=True)
class Hints:
    """What a stretch of words speaks of, in reading order."""

    does: tuple[str, ...] = ()
    """Operations: ``softmax``, ``scale``, ``product``, …"""
    axis: Literal["rows", "columns"] | None = None
    which: tuple[WhichOne, ...] = ()
    roles: tuple[str, ...] = ()
    """What is named: ``query``, ``scores``, ``weights``, …"""
    given: bool = False
    """Whether something is said to be given."""
    before: bool = False
    """Whether it is about what there was before an update."""
    after: bool = False
    approximate: bool = False


_KANA = re.compile("[\u3040-\u30ff]")


def chinese_of(text: str) -> Chinese | None:
    """WhichOne Chinese a text is written in, as far as its characters tell; ``None`` of Japanese and all others.

    >>> chinese_of("對每一列做 softmax"), chinese_of("对每一行做 softmax"), chinese_of("各行に対して")
    ('hant', 'hans', None)
    """
    if _KANA.search(text):
        return None
    hant, hans = (sum(map(only.__contains__, text)) for only in _only())
    if hant == hans:
        return None
    return "hant" if hant > hans else "hans"


def rows_of(document: str) -> Chinese | None:
    """Which Chinese tells what 行 is in a whole document: that of its script, but 行 is a row in traditional characters
    too where 列 and 欄 never stand for anything, for people speak of rows more than of columns.

    >>> rows_of("對每一列做 softmax"), rows_of("第一行的權重，第二行的權重"), rows_of("第 1 行、第 2 列的權重")
    ('hant', 'hans', 'hant')
    """
    script = chinese_of(document)
    if script != "hant":
        return script
    words = plain(document)
    lines = [one for one in heard(words, "hant") if one.named("axis") or one.named("which")]
    said = {character for one in lines for character in words[one.start : one.end]}
    return "hans" if "行" in said and said.isdisjoint("列欄橫直") else "hant"


@cache
def _only() -> tuple[frozenset[str], frozenset[str]]:
    """The characters that only one of the two scripts has."""
    hant, hans = lexicon(written_in("hant")), lexicon(written_in("hans"))
    return frozenset(hant["only"]), frozenset(hans["only"])


def hints(text: str, chinese: Chinese | None = None) -> Hints:
    """What a stretch of words speaks of; ``chinese`` says in which Chinese the document is, where it is in one."""
    words = plain(text)
    found = tuple(heard(words, chinese or chinese_of(text)))
    marks = {name for one in found for name in one.named("marks")}
    axes = [name for one in found for name in one.named("axis")]
    return Hints(
        does=_without_repeats([name for one in found for name in one.named("does") if not is_undone(words, one)]),
        axis=cast(Literal["rows", "columns"], axes[0]) if axes else None,
        which=tuple(_which(words, found)),
        roles=_without_repeats([name for one in found for name in one.named("roles")]),
        given="given" in marks,
        before="before" in marks,
        after="after" in marks,
        approximate="approximate" in marks,
    )


_NUMBERED = re.compile(
    r"\s*[#№(]?\s*(?:\d{1,3}|[A-H]|[ivx]{1,4}|[一二三四五六七八九十])?\s*(?:[.:：)）—–-].*|)\Z", re.DOTALL
)


_IF = frozenset(
    """if when whenever for where wenn falls für bei wobei si pour quand lorsque où cuando para donde se quando onde per
    если при когда для где jeśli gdy dla gdzie als voor waar eğer için якщо коли nếu khi với 若 当 當 如果 对 對 对于
    對於 만약 h₀ h0 h_0 h₁ h1 h_1""".split()
)
"""Words before a condition, ``if y = 1``, or a hypothesis, ``H₀: μ = 500``: what follows them is set, not claimed."""


def is_condition(text: str) -> bool:
    """Return True for words that end where a condition begins.

    >>> is_condition("and it is this if"), is_condition("H₀:"), is_condition("the figure")
    (True, True, False)
    """
    last = text.strip(" *_$\n:").lower().split()[-1:]
    return bool(last) and (last[0] in _IF or any(last[0].endswith(each) for each in _IF if each > "一"))


def starts_problem(text: str) -> bool:
    """Return True for words that begin an exercise or an example with names of its own.

    >>> starts_problem("Problem 2"), starts_problem("Example: two tokens"), starts_problem("Example values")
    (True, True, False)
    """
    bare = text.strip(" *_#`\n")
    words = plain(bare)
    first = next((one for one in heard(words, chinese_of(text)) if "problem" in one.named("marks")), None)
    return first is not None and first.start == 0 and _NUMBERED.match(words, first.end) is not None


def _without_repeats(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for place, name in enumerate(names) if place == 0 or names[place - 1] != name)


# -- which row ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Kind:
    """A word such as ``row``, and what stands beside it."""

    name: WhichKind
    languages: tuple[str, ...]
    start: int
    end: int
    is_counted: bool
    """Whether the word itself says that the number before it counts, as 行目 does."""


def _which(words: str, found: Sequence[Heard]) -> Iterator[WhichOne]:
    """Every row, token or head that a number or an ordinal belongs to."""
    ordinals = {one.end: int(one.named("ordinals")[0]) for one in found if one.named("ordinals")}
    kinds = [_kind(words, one) for one in found if one.named("which")]
    taken = -1
    for kind in kinds:
        number, end = _before(words, kind, ordinals, taken), kind.end
        numbers = [] if number is None else [number]
        if number is None:
            numbers, end = _after(words, kind)
        for one in numbers:
            taken = end
            yield WhichOne(kind.name, one, one == 0)


def _kind(words: str, one: Heard) -> _Kind:
    means = [meaning for meaning in one.means if meaning.section == "which"]
    languages = tuple(dict.fromkeys(meaning.language for meaning in means))
    is_counted = words[one.end - 1] == "目" or words[one.end : one.end + 1] == "目"
    return _Kind(cast(WhichKind, means[0].name), languages, one.start, one.end, is_counted)


def _before(words: str, kind: _Kind, ordinals: dict[int, int], taken: int) -> int | None:
    """The number of ``second row``, ``2nd row``, ``第 2 行``, ``2行目``."""
    start = max(taken, kind.start - 8, 0)
    gap_start = kind.start
    while gap_start > start and words[gap_start - 1] in " 个個の":
        gap_start -= 1
    if gap_start in ordinals:
        return ordinals[gap_start]
    return _counted(words, kind, gap_start, start)


def _counted(words: str, kind: _Kind, end: int, start: int) -> int | None:
    """The figures before a kind, if they count."""
    for language in kind.languages:
        for ending in ordinal_endings(language):
            if (not ending or words.startswith(ending, end - len(ending))) and end - len(ending) >= start:
                number = _figures_before(words, end - len(ending), start)
                if number is not None and (ending != "." or language != "en"):
                    return number[0]
    number = _figures_before(words, end, start)
    if number is None:
        return None
    is_first = words[: number[1]].rstrip(" ").endswith("第")
    return number[0] if is_first or kind.is_counted else None


def _figures_before(words: str, end: int, start: int) -> tuple[int, int] | None:
    """A whole number that ends at a place, and where it begins."""
    while end > start and words[end - 1] == " ":
        end -= 1
    place = end
    while place > start and words[place - 1].isdigit():
        place -= 1
    before = words[place - 1] if place else ""
    if place == end or end - place > 4 or before in (".", ",", "-") or is_letter(before or " "):
        return None
    return int(words[place:end]), place


def _after(words: str, kind: _Kind) -> tuple[list[int], int]:
    """The number of ``row 2``, ``行 2``, ``token #2``, or those of ``rows 1, 2 and 3``, and where they end."""
    place = kind.end
    while place < min(len(words), kind.end + 5) and not words[place].isdigit():
        place += 1
    end = _whole(words, place)
    if end is None or kind.is_counted or not _JOINS.match(words[kind.end : place]) or _is_size(words, kind, end):
        return [], kind.end
    numbers = [int(words[place:end])]
    while words[kind.end - 1] == "s" and (joined := _AND.match(words, end)):  # of several only where it says so
        following = _whole(words, joined.end())
        if following is None:
            break
        numbers.append(int(words[joined.end() : following]))
        end = following
    return numbers, end


def _whole(words: str, place: int) -> int | None:
    """Where the whole number at a place ends, if there is one."""
    found = _NUMBER.match(words, place)
    if found is None:
        return None
    rest = words[found.end() : found.end() + 2]
    is_longer = rest[:1].isdigit() or (rest[:1] in (".", ",") and rest[1:].isdigit()) or is_letter(rest[:1] or " ")
    return None if is_longer else found.end()


def _is_size(words: str, kind: _Kind, end: int) -> bool:
    """Whether a kind stands between two numbers, the second of which counts something else: ``3 行 2 列``."""
    following = words[end:].lstrip(" ")[:1] if end < len(words) else ""
    before = words[: kind.start].rstrip(" ")[-1:]
    return before.isdigit() and following in ("列", "行", "欄", "열", "행")


# -- names -------------------------------------------------------------------------------------------------------------


def role_of_name(base: str, below: str = "", above: str = "", marks: Sequence[str] = ()) -> tuple[str, ...]:
    """What a name in a formula may stand for, the likeliest first; nothing where it does not say."""
    names = lexicon(NAMES)
    found = [role for mark in marks for role in names["marks"].get(mark, ())]
    found += [role for beside in (below, above) for role in _beside(beside)]
    if base in ("W", "w") and (below or above):
        found.append("weight_matrix")
    elif base == "σ" and above.strip("()") == "2":
        found.append("variance")
    else:
        found += names["letters"].get(base) or _of_word(base)
    return tuple(dict.fromkeys(found))


def _beside(text: str) -> Sequence[str]:
    return cast("Sequence[str]", lexicon(NAMES)["below"].get(plain(text), ()))


@cache
def _of_word(base: str) -> tuple[str, ...]:
    """The roles of a word, in any language, with underscores or as ``attnWeights``."""
    names = lexicon(NAMES)
    if re.match(r"(?:d|∂|grad_?|∇|delta_?|nabla_?)[A-Z∂]", base) or re.match(r"(?:grad|d)_\w", base):
        return ("gradient",)
    if re.fullmatch(r"[wW]_?[qkvoQKVO]", base):
        return ("weight_matrix",)
    words = plain(re.sub(r"[\\^{}$]", "", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", base)))
    known = names["words"].get(words)
    if known:
        return tuple(known)
    found = [role for one in heard(words, chinese_of(base)) for role in one.named("roles")]
    for part in words.split(" "):
        found += names["words"].get(part, ()) if not found else ()
    return tuple(dict.fromkeys(found))
