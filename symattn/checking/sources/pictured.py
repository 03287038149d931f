"""Formulas whose pictures a server draws: their LaTeX stands in the address of the picture."""

from __future__ import annotations

import re
from urllib.parse import unquote

from symattn.checking.sources.traced import Traced

_ADDRESS = re.compile(
    r"https?://(?:latex\.codecogs\.com/[^\s?\"')]{0,40}\?|[^\s?\"')]{0,60}/math\?(?:from=)?(?:math=)?|"
    r"(?:www\.)?zhihu\.com/equation\?tex=|math\.vercel\.app/?\?(?:inline|from)=|chart\.(?:googleapis|apis\.google)\.com/"
    r"chart\?[^\s\"')]{0,40}chl=|[^\s?\"')]{0,60}/(?:latex|tex|svg|gif)\?(?:tex=|latex=|eq=)?)"
)
_ESCAPE = re.compile(r"(?:%[0-9A-Fa-f]{2})+|&(?:space|plus|amp|lt|gt);|\+")
_NAMED = {"&space;": " ", "&plus;": "+", "&amp;": "&", "&lt;": "<", "&gt;": ">", "+": "+"}
_LOOK = re.compile(
    r"\\(?:bg_?\{?white\}?|bg_?\{?black\}?|inline|large|Large|LARGE|huge|small|fn_\w+|dpi\s?\{\d+\}|color\s?\{\w+\}|displaystyle)"
    r"(?![A-Za-z])(?:&space;|%20|\s)?|(?:%5C|\\)(?:bg_white|inline|large|dpi%7B\d+%7D|displaystyle)(?![A-Za-z])(?:%20)?"
)
_BEHIND = re.compile(r"(?:&(?:mode|color|fg|bg|consumer)\b|#gh-)")


def formula_in(address: str) -> tuple[int, int]:
    """Where the formula in an address begins and ends; both are 0 where there is none.

    >>> address = "https://latex.codecogs.com/svg.latex?\\\\bg_white&space;x%20%3D%205"
    >>> start, end = formula_in(address)
    >>> written(Traced.of(address)[start:end]).text
    'x = 5'
    """
    found = _ADDRESS.search(address)
    if found is None:
        return 0, 0
    behind = _BEHIND.search(address, found.end())
    return found.end(), behind.start() if behind else len(address)


def written(traced: Traced) -> Traced:
    """A formula out of an address as it was before it became one, without what it should look like."""
    return traced.sub(_LOOK, lambda look: "").sub(_ESCAPE, lambda escape: _NAMED.get(escape) or unquote(escape))
