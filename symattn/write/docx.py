"""Write a document as a Word file, whose formulas are Word's own equations, with pandoc, from the extra ``word``.

The pandoc is that of the package ``pypandoc-binary``, so that a page gives the same file on every computer, byte by
byte. It runs in its sandbox, in an empty folder: it reads only its input, and accesses no other computer.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from symattn.base import words as languages
from symattn.base.budget import spend
from symattn.base.errors import OutputError, RenderError, cut, printable
from symattn.show.blocks import Document, Picture
from symattn.write import escape
from symattn.write.environment import Macros
from symattn.write.pandoc import CENTRED, KEPT, LEAD, POINTS, SHOWN, SIZE, tree
from symattn.write.pdf import run, typst_made
from symattn.write.pictures.sketch import sketch
from symattn.write.pictures.svg import svg

NEEDS = "a Word file needs pandoc: pip install 'symattn[word]' brings it"

MEGABYTES = 300
"""Memory that pandoc may take."""

PACKED = 5
"""Steps that pandoc takes for a byte of its input."""

_OPTIONS = (
    "+RTS",
    f"-M{MEGABYTES}m",
    "-RTS",
    "--sandbox",
    "--from=json",
    "--to=docx",
    "--fail-if-warnings",
    "--output=-",
)
_WARNING = re.compile(r"\[WARNING\] (.*)")

FONT = "Cambria"
"""The font of Latin letters, which goes with that of Word's equations."""

TITLE = 40
"""The size of the title, in half points."""

_A4 = (
    '<w:pgSz w:w="11906" w:h="16838"/>'
    '<w:pgMar w:top="1134" w:right="1417" w:bottom="1134" w:left="1417" w:header="567" w:footer="567" w:gutter="0"/>'
)
_PAGES = (
    (re.compile("</w:sectPr>"), f"{_A4}</w:sectPr>"),
    (re.compile(r'(<m:jc m:val=")center'), r"\1left"),
    # The letters of a formula need bold twice.
    (re.compile(r'<m:sty m:val="bi?" /></m:rPr>'), r"\g<0><w:rPr><w:b/></w:rPr>"),
    # Here pandoc writes the whole picture once more.
    (re.compile(r'(<pic:cNvPr descr=")data:[^"]*'), r"\1"),
)
_DATES = re.compile(r"<dcterms:(created|modified) .*?</dcterms:\1>")
"""Dates in the file: in its sandbox pandoc knows no time, and writes 1970."""
_LANGUAGE = re.compile(r"<w:lang [^>]*>")
_LETTERS = re.compile(r'(<w:szC?s? w:val=")24')
_TITLE = re.compile(r'(<w:szC?s? w:val=")56')
_LATIN = re.compile(r"<a:latin [^>]*>")
_EAST_ASIAN = re.compile(r"<a:ea [^>]*>")
_THEME_LANGUAGE = re.compile(r"<w:themeFontLang [^>]*>")

_LOOKS: Mapping[str, str] = MappingProxyType(
    {
        LEAD: '<w:keepNext/><w:spacing w:before="120" w:after="60"/>',
        KEPT: '<w:keepNext/><w:keepLines/><w:spacing w:before="120" w:after="60"/>',
        SHOWN: '<w:spacing w:before="60" w:after="60"/><w:ind w:left="425"/>',
        CENTRED: '<w:keepNext/><w:spacing w:before="120" w:after="60"/>',
    }
)
"""The formatting of our own paragraph styles: an introduction stays on the page of what it introduces."""

_SAID = ("lang", "east_asia", "font")
"""The settings of each language for Word: its code, that of Chinese characters, and the font of these."""

_OWN = re.compile(
    rf'<w:style [^>]*><w:name w:val="(?P<name>{"|".join(map(re.escape, _LOOKS))})(?: (?P<size>[0-9.]+))?" />'
    ".*?</w:style>"
)


def docx(document: Document, words: Macros, math: str | None, fragment: bool) -> bytes:
    """Write a document as a Word file, with the phrases ``words``.

    Raises :class:`~symattn.base.errors.RenderError` for a choice that belongs to other formats, and
    :class:`~symattn.base.errors.OutputError` where the file cannot be made.
    """
    if fragment:
        raise RenderError("format docx has no fragment: a file of Word is whole")
    program = _pandoc()
    about = {key: escape.in_xml(languages.text(document.language, languages.ABOUT, "word", key)) for key in _SAID}
    told = json.dumps(tree(document, words, list(_pictures(document, words)))).encode()
    spend(PACKED * len(told))
    with TemporaryDirectory() as folder:
        done = run([program, *_OPTIONS], Path(folder), {}, "pandoc", told)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        warned = _WARNING.search(said)
        silent = f"ended with the status {done.returncode} and said nothing: try fewer or shorter formulas"
        raise OutputError(f"pandoc: {cut(printable(warned[1] if warned else said or silent), 200)}")
    return _packed(done.stdout, about)


def _pandoc() -> str:
    """Return the path of the extra's pandoc."""
    try:
        import pypandoc
    except ImportError:
        raise OutputError(NEEDS) from None
    folder = Path(pypandoc.__file__).parent / "files"
    found = next((file for file in (folder / "pandoc", folder / "pandoc.exe") if file.is_file()), None)
    if found is None:  # `pypandoc` alone
        raise OutputError(NEEDS)
    return str(found)


def _pictures(document: Document, words: Macros) -> Iterator[bytes]:
    """Yield the pictures of a document as PNG: Word draws no SVG by itself."""
    drawn = [block for block in document.blocks if isinstance(block, Picture)]
    if not drawn:
        return
    pages = "#pagebreak()\n".join(
        f"#image(bytes({escape.typst_code(svg(each, words, document.language))}), "
        f'format: "svg", width: {POINTS * sketch(each.drawing, words).width:.2f}pt)\n'
        for each in drawn
    )
    text = f"#set page(width: auto, height: auto, margin: 0pt)\n{pages}"
    yield from typst_made(text.encode(), "png", NEEDS)


def _packed(made: bytes, about: Mapping[str, str]) -> bytes:
    """Adapt the file for Word: paper size A4, the fonts and the code of the language, and our own styles."""
    packed = io.BytesIO()
    with ZipFile(io.BytesIO(made)) as old, ZipFile(packed, "w", ZIP_DEFLATED) as new:
        for entry in old.infolist():
            data = old.read(entry)
            if entry.filename in _CHANGED:
                data = _CHANGED[entry.filename](data.decode(), about).encode()
            kept = ZipInfo(entry.filename, entry.date_time)
            kept.compress_type = ZIP_DEFLATED
            new.writestr(kept, data)
    return packed.getvalue()


def _pages(xml: str, about: Mapping[str, str]) -> str:
    """Fix details of the text that pandoc cannot control, or does differently from Word."""
    for pattern, text in _PAGES:
        xml = pattern.sub(text, xml)
    return escape.word_xml(xml)


def _styles(xml: str, about: Mapping[str, str]) -> str:
    """Format our own styles, which pandoc does not know."""
    xml = _LANGUAGE.sub(f'<w:lang w:val="{about["lang"]}" w:eastAsia="{about["east_asia"]}" w:bidi="ar-SA"/>', xml)
    xml = _LETTERS.sub(rf"\g<1>{round(2 * SIZE)}", xml, count=2)
    return _OWN.sub(_with_looks, _TITLE.sub(rf"\g<1>{TITLE}", xml))


def _with_looks(style: re.Match[str]) -> str:
    """Format one of our styles; that of a display has the size of letters in its name."""
    name, size = style["name"], style["size"]
    letters = f'<w:rPr><w:sz w:val="{round(2 * float(size))}"/></w:rPr>' if size else ""
    return style[0].replace("</w:style>", f"<w:pPr>{_LOOKS[name]}</w:pPr>{letters}</w:style>")


def _theme(xml: str, about: Mapping[str, str]) -> str:
    """Set the fonts that all styles use."""
    return _EAST_ASIAN.sub(f'<a:ea typeface="{about["font"]}"/>', _LATIN.sub(f'<a:latin typeface="{FONT}"/>', xml))


def _about(xml: str, about: Mapping[str, str]) -> str:
    xml = _DATES.sub("", xml)
    return xml.replace("</cp:coreProperties>", f"<dc:language>{about['lang']}</dc:language></cp:coreProperties>")


def _settings(xml: str, about: Mapping[str, str]) -> str:
    language = f'<w:themeFontLang w:val="{about["lang"]}" w:eastAsia="{about["east_asia"]}"/>'
    return _THEME_LANGUAGE.sub(f'<m:mathPr><m:mathFont m:val="Cambria Math"/></m:mathPr>{language}', xml)


_CHANGED: Mapping[str, Callable[[str, Mapping[str, str]], str]] = MappingProxyType(
    {
        "word/document.xml": _pages,
        "word/styles.xml": _styles,
        "word/theme/theme1.xml": _theme,
        "word/settings.xml": _settings,
        "docProps/core.xml": _about,
    }
)
"""The functions that change parts of the file that pandoc has made."""
