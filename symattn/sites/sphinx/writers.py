"""Write the nodes that Sphinx's builders do not know: pictures, and keys that are hidden at first."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from hashlib import sha256
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any

from docutils.nodes import SkipNode

from symattn.write.pictures.svg import TINTS

Visits = tuple[Callable[[Any, Any], None], Callable[[Any, Any], None] | None]

LARGEST_MATRIX = 30
"""The columns that a matrix may have in LaTeX, whose default is ten."""


def preamble(app: Any, config: Any) -> None:
    """Add to LaTeX's preamble: TikZ, the colours of pictures, matrices with many columns."""
    app.add_latex_package("tikz")
    colours = "".join(
        f"\\definecolor{{symattn{name}}}{{RGB}}{{{','.join(map(str, parts))}}}\n" for name, parts in TINTS.items()
    )
    told = f"{colours}\\setcounter{{MaxMatrixCols}}{{{LARGEST_MATRIX}}}\n"
    config.latex_elements = {**config.latex_elements, "preamble": config.latex_elements.get("preamble", "") + told}


def _picture_html(self: Any, node: Any) -> None:
    name = f"symattn-{sha256(node['svg'].encode()).hexdigest()[:20]}.svg"
    folder = Path(self.builder.outdir) / self.builder.imagedir
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(node["svg"], encoding="utf-8")
    source = posixpath.join(self.builder.imgpath, name)
    self.body.append(f'<img src="{escape(source)}" alt="{escape(node["alt"])}" class="symattn-picture"/>')
    raise SkipNode


def _picture_latex(self: Any, node: Any) -> None:
    self.body.append(
        "\n\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n" + node["tikz"] + "}\n"
    )
    raise SkipNode


def _picture_text(self: Any, node: Any) -> None:
    self.add_text(f"[{node['alt']}]")
    raise SkipNode


def _picture_other(self: Any, node: Any) -> None:
    self.body.append(f"[{node['alt']}]")
    raise SkipNode


def _key_html(self: Any, node: Any) -> None:
    self.body.append(f'<details class="symattn-key"><summary>{escape(node["summary"])}</summary>\n')


def _after_key_html(self: Any, node: Any) -> None:
    self.body.append("</details>\n")


def _key_latex(self: Any, node: Any) -> None:
    self.body.append(f"\n\n\\sphinxstylestrong{{{self.encode(node['summary'])}}}\\par\n")


def _key_text(self: Any, node: Any) -> None:
    self.add_text(node["summary"])


def _nothing(self: Any, node: Any) -> None:
    """Do nothing: the node is complete."""


PICTURES: Mapping[str, Visits] = MappingProxyType(
    {
        "html": (_picture_html, None),
        "latex": (_picture_latex, None),
        "text": (_picture_text, None),
        "man": (_picture_other, None),
        "texinfo": (_picture_other, None),
    }
)
KEYS: Mapping[str, Visits] = MappingProxyType(
    {
        "html": (_key_html, _after_key_html),
        "latex": (_key_latex, _nothing),
        "text": (_nothing, _nothing),
        "man": (_nothing, _nothing),
        "texinfo": (_nothing, _nothing),
    }
)
