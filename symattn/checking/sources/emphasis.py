"""Which stars and underscores are emphasis, and which are products, powers and parts of names."""

from __future__ import annotations

_OPENS = frozenset("([{")
_CLOSES = frozenset(")]}")


class TextRuns:
    """Runs of signs of emphasis of one paragraph; two that belong together are no text.

    >>> runs = TextRuns("**a** 2*3*4 W_Q _b_")
    >>> for place, size in ((0, 2), (3, 2), (7, 1), (9, 1), (13, 1), (16, 1), (18, 1)):
    ...     runs.add(place, place + size)
    >>> sorted(runs.removed)
    [(0, 2), (3, 5), (16, 17), (18, 19)]
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: dict[str, list[tuple[int, int]]] = {"*": [], "_": [], "~": []}
        self.removed: list[tuple[int, int]] = []

    def add(self, start: int, end: int) -> None:
        """The next run, which ends before ``end``."""
        sign = self._text[start]
        before = self._text[start - 1] if start else " "
        after = self._text[end] if end < len(self._text) else " "
        if (sign == "~" and end - start != 2) or _is_product(sign, before, after):
            return
        opened = self._open[sign]
        if _can_close(sign, before, after) and opened:
            start = self._close(opened, start, end)
        if start < end and _can_close(sign, after, before):
            opened.append((start, end))

    def _close(self, opened: list[tuple[int, int]], start: int, end: int) -> int:
        while opened and start < end:
            first, last = opened.pop()
            size = min(last - first, end - start)
            self.removed += [(last - size, last), (start, start + size)]
            start += size
            if first < last - size:
                opened.append((first, last - size))
        return start


def _is_product(sign: str, before: str, after: str) -> bool:
    """Whether the sign stands between two things that it multiplies, or inside a name."""
    if (before.isspace() and after.isspace()) or (_is_latin(before) and _is_latin(after)):
        return True
    return sign == "*" and (before in _CLOSES or before.isdigit()) and (after in _OPENS or after.isdigit())


def _is_latin(character: str) -> bool:
    return character.isalnum() and character < "\u2e80"


def _can_close(sign: str, inside: str, outside: str) -> bool:
    """Whether a run can stand between what is emphasised and what is not."""
    if inside.isspace():
        return False
    if _is_latin(outside) and not (inside.isalnum() and sign == "*" and not _is_latin(inside)):
        return False
    return sign != "_" or not outside.isalnum() or not _is_latin(outside)
