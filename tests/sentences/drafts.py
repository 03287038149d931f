"""A lesson that is being written: what is drawn of it, and its text."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

WORDS = ("the", "cat", "sat", "red", "pie", "mat", "on", "it", "who", "ran", "far", "not")
NUMBERS = ("0", "0", "1", "1", "2", "-1", "-2", "0.5", "1/3", "-0.25", "3", "1.5", "0.1")
MASKS = ("", "", ", value=-1", ", value=-10^9", ", value=-99", ", value=-101", ", value=-3", ", value=-50")


@dataclass
class Lesson:
    """A lesson that is being written."""

    random: Random
    tokens: tuple[str, ...] = ()
    n: int = 1
    d: int = 2
    givens: dict[str, tuple[list[list[str]], tuple[str, str] | None]] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    figures: list[str] = field(default_factory=list)
    words: str = "all"
    apart: bool = False
    """Whether the lesson has a section for every two steps, so that it asks more than one question."""
    rounded: set[str] = field(default_factory=set)
    """The givens whose figures stand for all numbers that round to them."""
    sums: dict[str, str] = field(default_factory=dict)
    """What the rows of those sum to."""

    def give(self, names: str, rows: int, columns: int, axes: tuple[str, str] | None = None) -> None:
        """Givens of random numbers, now and then with equal rows, equal entries, or zeros throughout."""
        draw = self.random
        for name in names.split():
            cells = [[draw.choice(NUMBERS) for _ in range(columns)] for _ in range(rows)]
            if draw.random() < 0.3 and rows > 1:
                cells[-1] = list(cells[0])
            if draw.random() < 0.15:
                cells[draw.randrange(rows)] = [draw.choice(("0", "1", "2"))] * columns
            self.givens[name] = (cells, axes)

    def whole(self, name: str, cells: list[list[str]], axes: tuple[str, str] | None = None) -> None:
        self.givens[name] = (cells, axes)

    def do(self, *steps: str) -> None:
        """Steps, with bars between them."""
        self.steps += [step for each in steps for step in each.split(" | ") if step]

    def choose(self, *choices: str) -> None:
        """One of these groups of steps; an empty one has none."""
        self.do(self.random.choice(choices))

    def sometimes(self, share: float, steps: str) -> None:
        if self.random.random() < share:
            self.do(steps)

    def numbers(self, below: int) -> str:
        """A number for each row."""
        return ", ".join(str(self.random.randrange(below)) for _ in range(self.n))

    @property
    def what_if(self) -> list[str]:
        """A change in one step that a lesson may ask about: without the mask, or without the scale."""
        named = dict(step.split(" = ", 1) for step in self.steps)
        changes = [("A", "softmax(T)", "softmax(S)"), ("S", "X @ X.T / 2", "X @ X.T"), ("S", "X @ X.T", "X @ X.T / 2")]
        fits = (f"{name} = {new}" for name, old, new in changes if named.get(name) == old and "A" in named)
        of = "Y" if named.get("Y", "").startswith("A @") and len(self.steps) % 2 else "A"
        return [f'{{ what_if = "{change}", of = "{of}" }}' for change in fits][:1]

    @property
    def text(self) -> str:
        """The lesson as a file."""
        quoted = ", ".join(f'"{word}"' for word in self.tokens)
        lines = ['title = "A lesson"', 'language = "en"', *([f"tokens = [{quoted}]"] if self.tokens else [])]
        lines += [f'words = "{self.words}"'] if self.words != "all" else []
        axes = {axis for _, named in self.givens.values() if named for axis in named}
        wide = [len(cells[0]) for cells, named in self.givens.values() if named and named[1] == "d"]
        sizes = {"n": self.n, "d": (wide or [self.d])[0]}
        wanted = [f"{axis} = {sizes[axis]}" for axis in sorted(axes & sizes.keys()) if axis != "n" or not self.tokens]
        lines += ["[sizes]", *wanted] if wanted else []
        if self.labels:
            lines.append("[labels]")
            lines += [f"{axis} = [{', '.join(map(_quoted, words))}]" for axis, words in self.labels.items()]
        for name, (cells, axes) in self.givens.items():
            rows = ", ".join(f"[{', '.join(map(_quoted, row))}]" for row in cells)
            lines += [
                f"[given.{name}]",
                f"value = [{rows}]",
                *([f"axes = [{', '.join(map(_quoted, axes))}]"] if axes else []),
                *(["rounded = true"] if name in self.rounded else []),
                *([f'row_sums = "{self.sums[name]}"'] if self.sums.get(name) else []),
            ]
        lines += ["[figures]", 'on_empty = "zero"']
        count = 2 if self.apart else len(self.steps)
        for first in range(0, len(self.steps), count):
            figures = [*self.figures, *self.what_if] if first + count >= len(self.steps) else []
            listed = ", ".join((*map(_quoted, self.steps[first : first + count]), *figures))
            title = "Part" if first else "All"
            lines += ["[[section]]", f'title = "{title}"', f"steps = [{listed}]"]
        return "\n".join((*lines, ""))


def _quoted(text: str) -> str:
    return f'"{text}"'
