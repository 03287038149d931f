"""Write a solution as a notebook: the words of the page in Markdown cells, and Python cells that compute it again.

A matrix of the page becomes a cell that defines and shows it, a picture a cell that draws it. Outputs are stored, and
are the same as those of a run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from symattn import __version__
from symattn.api.publish.display import value_tex, value_text
from symattn.api.publish.edition import Edition
from symattn.api.publish.in_python import DERIVATION, InPython, Verbatim, call, literal
from symattn.base.budget import remark
from symattn.base.errors import RenderError, SymattnError
from symattn.base.remembered import cached_property
from symattn.compute.solution.evaluation import Evaluation
from symattn.compute.solution.store import Store
from symattn.course import generate
from symattn.read.gradients.graph import derived_in
from symattn.read.scenario.model import FigureItem
from symattn.show.blocks import Block, Document, Heading, Matrices, Matrix, Phrase, Picture, Prose
from symattn.show.math import Math
from symattn.show.notation.formulas import Names
from symattn.show.pictures.kinds import PictureMaker
from symattn.show.step_parts import StepParts
from symattn.show.window import Window
from symattn.write.formats import render
from symattn.write.pictures.tikz import ShownPicture

FORMAT = "ipynb"

EXERCISE = "fill-in-the-blanks"
"""The form of the exercise at the end: it leads through the steps, so that no reader faces the last one unprepared."""

Cell = dict[str, Any]
Outputs = list[dict[str, Any]]

_ID = re.compile(r"[^a-zA-Z0-9_-]")


def notebook(edition: Edition) -> str:
    """Return the notebook as JSON of the format 4.5.

    Raises :class:`~symattn.base.errors.OutputError` for a scenario with more given numbers than a person can read, and
    :class:`~symattn.base.errors.RenderError` for a fragment.
    """
    if edition.fragment:
        raise RenderError("format ipynb has no fragment: a notebook is a whole one")
    cells = _Cells(edition)
    cells.write(edition.document(FORMAT))
    told = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
        "symattn": {"version": __version__, "language": edition.language, "scenario": edition.scenario.name},
        "title": cells.python.title,
    }
    whole = {"cells": cells.made, "metadata": told, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


@dataclass
class _Cells:
    """Collects the cells in order."""

    edition: Edition
    made: list[Cell] = field(default_factory=list)
    text: list[Block] = field(default_factory=list)
    """The blocks of the next Markdown cell."""
    there: dict[str, None] = field(default_factory=dict)
    """The names that the cells define so far, in order."""
    waiting: list[Picture] = field(default_factory=list)
    """Pictures that show names not yet defined."""

    @cached_property
    def python(self) -> InPython:
        return InPython(self.edition.scenario, self.edition.language, self.edition.store.style)

    @cached_property
    def names(self) -> Names:
        """The notation of names in the language of the notebook."""
        return self.edition.names

    @cached_property
    def parts(self) -> StepParts:
        return StepParts(self.edition.store, self.names, self.edition.window)

    @cached_property
    def named(self) -> dict[Math, str]:
        """The name of each symbol on the page."""
        return {self.names(step.name): step.name for step in self.edition.scenario.derivation.steps}

    # -- the order of the cells ----------------------------------------------------------------------------------

    def write(self, document: Document) -> None:
        """Write all cells of the page."""
        whole = not (self.edition.steps or self.edition.section)
        self.markdown((Phrase("notebook_start"),), document.title)
        self.code("start", self.python.opening())
        for block in document.blocks:
            self.take(block)
        self.flush()
        if whole and (rest := self.python.needed(self.python.of, self.there)):
            self.define("rest", rest)
        for picture in list(self.waiting):
            self.draw(picture)
        self.close()

    def take(self, block: Block) -> None:
        """Add the next block of the page."""
        matrices = block.items if isinstance(block, Matrices) else (block,) if isinstance(block, Matrix) else ()
        names = [name for each in matrices if (name := self.shown(each))]
        if names and len(names) == len(matrices):
            self.flush()
            self.values(names)
        elif isinstance(block, Picture):
            self.waiting.append(block)
            if self.can_be_drawn(block):
                self.draw(block)
        else:
            if isinstance(block, Heading):
                self.headed()
            self.text.append(block)

    def headed(self) -> None:
        """Prepare for a heading: draw the pictures that can be drawn now, and keep consecutive headings in one cell."""
        for picture in filter(self.can_be_drawn, tuple(self.waiting)):
            self.draw(picture)
        if not all(isinstance(block, Heading) for block in self.text):
            self.flush()

    def shown(self, block: Matrix) -> str:
        """Return the name whose values a matrix of the page shows as a cell would; ``""`` if there is none."""
        name = self.named.get(block.symbol, "")
        if not name or self.edition.store.step(name).general:
            return ""
        return name if self.parts.matrix(name).entries == block.entries else ""

    # -- cells of Markdown ---------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Turn the collected blocks into a cell."""
        blocks, self.text = tuple(self.text), []
        if blocks:
            self.markdown(blocks)

    def markdown(self, blocks: Sequence[Block], title: tuple[Any, ...] = ()) -> None:
        """Add a cell with some blocks of a page."""
        written = Document(title, self.edition.language, tuple(blocks))
        text = render(written, "markdown", math=self.edition.math)
        if text.strip():
            self.add("text", {"cell_type": "markdown", "metadata": {}, "source": _lines(text.strip("\n"))})

    # -- cells of Python -----------------------------------------------------------------------------------------

    def values(self, names: Sequence[str]) -> None:
        """Add a cell that defines some names, where necessary, and shows their values."""
        needed = self.python.needed([*(() if self.there else self.python.first), *names], self.there)
        self.there |= dict.fromkeys(needed)
        store = self.so_far()
        data = [self.value(store, name) for name in names]
        solved = f"{DERIVATION}.solve()"
        if len(names) == 1:
            shown, outputs = f"{solved}[{literal(names[0])}]", _result(data[0])
        else:
            shown = f"solution = {solved}\ndisplay({', '.join(f'solution[{literal(name)}]' for name in names)})"
            outputs = [{"output_type": "display_data", "data": each, "metadata": {}} for each in data]
        self.define("-".join(names), needed, shown, outputs)

    def define(self, id: str, names: Sequence[str], shown: str = "", outputs: Outputs | None = None) -> None:
        """Add a cell with the definitions of some names."""
        self.there |= dict.fromkeys(names)
        lines = [*map(self.python.definition, names), *([shown] if shown else [])]
        if not shown:
            lines[-1] += ";"  # the value of the last line is not worth showing
        self.code(id, "\n".join(lines), outputs)

    def value(self, store: Store, name: str) -> dict[str, Any]:
        """Return the output of a cell that shows a value."""
        plain = value_text(name, store.shape(name))
        return {"text/latex": _lines(value_tex(store, self.names, name)), "text/plain": [plain]}

    def can_be_drawn(self, picture: Picture) -> bool:
        """Return True if everything that a picture shows is defined by now."""
        return all(self.python.of[name] in self.there for name in self.asked(picture).of or self.python.of)

    def asked(self, picture: Picture) -> FigureItem:
        """Return the picture to draw: in a notebook a gradient is an ordinary step, and the flow leads to its loss."""
        item = picture.of
        assert item is not None, "every picture of a solution was asked for"
        losses = dict.fromkeys(each.of for each in derived_in(self.edition.store.derivation))
        return replace(item, of=tuple(losses)) if item.kind == "flow" and not item.of else item

    def draw(self, picture: Picture) -> None:
        """Add a cell that draws a picture, and collect its caption for the next one."""
        self.waiting.remove(picture)
        item = self.asked(picture)
        if missing := self.python.needed(item.of or self.python.of, self.there):
            self.define(f"for-{picture.name}", missing)
        row = {} if item.row is None else {"row": item.row}
        drawn = f"{DERIVATION}.solve().{call('figure', *map(literal, (item.kind, *item.of)), options=row)}"
        text, self.text = self.text, []
        if text:
            self.markdown(text)
        maker = PictureMaker(self.so_far(), self.names, Window(), self.edition.language, self.edition.told)
        made = maker.picture(item)
        shown = ShownPicture(made, self.edition.language)
        self.code(picture.name, drawn, _result({"image/svg+xml": _lines(shown.svg()), "text/plain": [repr(shown)]}))
        self.text.append(Prose(made.caption))

    def so_far(self) -> Store:
        """Return the solution of the cells so far, computed from scratch as in a cell.

        The number of decimals may depend on what was computed before, and a flow on the order of names: givens are
        first.
        """
        plan, place = self.edition.store.derivation, list(self.there)
        steps = [replace(step, derivative=None) for step in plan.steps if self.python.of[step.name] in self.there]
        ordered = sorted(
            steps, key=lambda each: (not each.is_given, each.general, place.index(self.python.of[each.name]))
        )
        given = {name: matrix.given for name, matrix in self.edition.scenario.givens.items()}
        store = Evaluation(replace(plan, steps=tuple(ordered)), given, self.edition.store.style)
        store.labels = self.python.scenario.labels
        return store

    def code(self, id: str, source: str, outputs: Outputs | None = None) -> None:
        """Add a Python cell with its outputs."""
        count = 1 + sum(cell["cell_type"] == "code" for cell in self.made)
        for output in outputs or ():
            if output["output_type"] == "execute_result":
                output["execution_count"] = count
        cell = {"cell_type": "code", "metadata": {}, "source": _lines(source)}
        self.add(id, {**cell, "execution_count": count, "outputs": outputs or []})

    def add(self, id: str, cell: Cell) -> None:
        """Add a cell whose id stays the same when its neighbours change."""
        stem = _ID.sub("", id)[:40] or "cell"
        taken = {each["id"] for each in self.made}
        ids = (stem if n == 1 else f"{stem}-{n}" for n in range(1, len(self.made) + 2))
        self.made.append({**cell, "id": next(each for each in ids if each not in taken)})

    # -- the end -------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Add things to try: other numbers, the page of a step in words, an exercise."""
        self.flush()
        computed = [name for name in self._computed() if self.python.of[name] in self.there]
        if not computed:
            return
        asked = computed[-1]
        # The outputs of these cells are not stored: readers run them with changes of their own.
        self.say("notebook_change", asked)
        self.code("changed", f"{DERIVATION}.solve()[{literal(asked)}].render()")
        self._exercise(asked)

    def _computed(self) -> Iterator[str]:
        store = self.edition.store
        for step in self.edition.scenario.derivation.steps:
            if not step.is_given and not step.general and store.shown(step.name).is_numbers:
                yield step.name

    def _exercise(self, name: str) -> None:
        language = self.edition.language

        def made() -> object:
            return generate(EXERCISE, scenario=self.edition.scenario, ask=(name,), fresh=True, language=language)

        try:
            possible = remark(made)
        except SymattnError:
            possible = None
        if possible is None:
            return  # not every lesson makes an exercise: too many numbers, or none that can be drawn
        self.say("notebook_exercise", name)
        imported = "from symattn.course import answer, generate, question"
        told = {"scenario": Verbatim(f"{DERIVATION}.scenario"), "ask": [name], "fresh": True, "language": language}
        asking = call("generate", literal(EXERCISE), options=told, wide=True)
        self.code("exercise", f"{imported}\n\n(exercise,) = {asking}\nquestion(exercise)")
        self.code("key", "# answer(exercise)")

    def say(self, key: str, name: str) -> None:
        """Add a heading, and a sentence about a name below it."""
        sentence = Phrase(key, (("name", self.names(name)),))
        self.markdown((Heading(1, "", (Phrase(f"{key}_title"),)), sentence))


def _result(data: dict[str, Any]) -> Outputs:
    return [{"output_type": "execute_result", "data": data, "metadata": {}}]


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
