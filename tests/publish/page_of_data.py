"""Writes the page of Markdown from a solution as data, with the standard library alone: it knows nothing of symattn.

The data says what stands where. How Markdown wants that to be written is Markdown's business, and so is written here
once more: what has a meaning in a line and is text, and where GitHub takes a ``$`` for the beginning of a formula.
"""

from __future__ import annotations

import json
import re
from typing import Any

PLAIN = {char: f"\\{char}" for char in "`*~^{}"} | {"\\": "&#92;", "[": "&#91;", "<": "&lt;", "$": "<span>&#36;</span>"}
"""What is text though Markdown, or what looks for formulas in it, would take it for something else."""

LABEL = {"note": "> **{label}** {text}", "source": "*{label}{gap}{text}*"}


def page(text: str) -> str:
    """The page of Markdown."""
    document = json.loads(text)["document"]
    parts = [f"# {heading(document['title'])}" if document["title"] else ""]
    parts += [block(each) for passage in document["passages"] for each in passage["blocks"]]
    return re.sub(" +$", "", "\n\n".join(filter(None, parts)) + "\n", flags=re.MULTILINE)


def block(said: dict[str, Any]) -> str:
    """The text of one block; of a picture, which has no address, nothing."""
    match said["block"]:
        case "heading":
            number = f" {plain(said['number'])}" if said["number"] else ""
            return f"{'#' * min(said['level'] + 1, 6)}{number} {heading(said['title'])}"
        case "paragraph":
            label, text = said["label"], line(said["runs"])
            gap = "" if label[-1:] > "\u2e7f" else " "
            usual = "**{label}** {text}" if label else "{text}"
            return LABEL.get(said["role"], usual).format(label=label, text=text, gap=gap) if text else ""
        case "question":
            opens, answer = (f"<summary>{plain(said['opens'])}</summary>", line(said["answer"]))
            return f"**{plain(said['label'])}** {line(said['runs'])}\n\n<details>\n{opens}\n\n{answer}\n\n</details>"
        case "readings":
            return "\n".join(f"- {line(item)}" for item in said["items"])
        case "labels":
            items = [f"* {formula(item['tex'])}{label_of(item['label'])}" for item in said["items"]]
            return "\n".join([line(said["lead"]), "", *items]).strip("\n")
        case "display":
            return "\n\n".join(f"$$\n{tex}\n$$" for tex in said["displays"])
        case "table":
            rows = [said["header"], *said["rows"]]
            cells = [[unlinked(spaced(runs)).replace("|", "\\|") for runs in row] for row in rows]
            cells.insert(1, ["---"] * len(said["header"]))
            return "\n".join(f"| {' | '.join(row)} |" for row in cells)
        case "listing":
            return listing(said)
        case "picture":
            return ""
    raise AssertionError(f"no way to write {said['block']}")


def label_of(label: str) -> str:
    return f" = {line([{'text': label}])}" if label else ""


def listing(said: dict[str, Any]) -> str:
    runs = re.findall("`+", f"{said['code']}\n{said['output']}")
    fence = "`" * max(3, 1 + max(map(len, runs), default=0))
    language = said["language"] if re.fullmatch("[A-Za-z0-9+#-]+", said["language"]) else ""
    code = f"{fence}{language}\n{said['code']}\n{fence}"
    output = f"\n\n{line(said['label'])}\n\n{fence}text\n{said['output']}\n{fence}"
    return code + (output if said["output"] else "")


# -- lines -------------------------------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """Text that prints as itself."""
    text = re.sub(r"&(?=#?\w*(?:;|$))", "&amp;", text)
    text = "".join(PLAIN.get(char, char) for char in text)
    return re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", text)


def formula(tex: str) -> str:
    """A formula in a line: VS Code takes ``$(`` and the like for a program."""
    return f"${'{}' if tex[0] in '.(#' + chr(39) + chr(34) + ',;' else ''}{tex}$"


def spaced(runs: list[dict[str, str]]) -> str:
    """Runs in a row; a formula stands apart from words, without which GitHub does not see it."""
    text = "".join(plain(run["text"]) if "text" in run else formula(run["tex"]) for run in runs)
    text = re.sub(r"(.?)（(\$[^（）]*)）(?=(.?))", lambda found: beside(found, f"({found[2]})", 3, "（「『《“‘"), text)
    return re.sub(r"(.?)(\$[^$]+\$)(?=(.?))", lambda found: beside(found, found[2], 3, ""), text).strip()


def beside(found: re.Match[str], text: str, after: int, opening: str) -> str:
    before, behind = found[1], found[after]
    left = " " if before and not before.isspace() and before not in "(" + opening else ""
    closing = "$.,;:!?)]}'\"*、。》」』】！），：；？"
    right = " " if behind and not behind.isspace() and behind not in closing else ""
    return f"{before}{left}{text}{right}"


def unlinked(text: str) -> str:
    """An address in which something is written as a number is none that leads anywhere: it is text."""

    def broken(found: re.Match[str]) -> str:
        rest = text[found.end() :].split(" ", 1)[0]
        is_text = re.search(r"\\|&(?:amp|lt|#\d+);", rest)
        return f"{found[0][:-1]}&#{ord(found[0][-1])};" if is_text else found[0]

    return re.sub(r"(?:https?|ftp):(?=//)|www\.", broken, text, flags=re.IGNORECASE)


def line(runs: list[dict[str, str]]) -> str:
    """A line by itself: no heading, list or quotation begins with it."""
    text = unlinked(spaced(runs))
    if re.match(r"#{1,6}(\s|$)|[-+]([\s-]|$)", text):
        return "\\" + text
    if text.startswith(">"):
        return "&gt;" + text[1:]
    return re.sub(r"^(\d{1,9})([.)])(?=\s|$)", lambda found: found[1] + {".": "\\.", ")": "&#41;"}[found[2]], text)


def heading(runs: list[dict[str, str]]) -> str:
    """A line as a heading: number signs at its end are text."""
    return re.sub(r"(?:^|(?<=\s))#(?=#*$)", r"\\#", unlinked(spaced(runs)))
