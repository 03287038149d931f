"""A proof on the page: the statement, the lines with a number over each sign of equality, a reason for each number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sympy import Expr, MatrixExpr, preorder_traversal

from symattn.base.shapes import Shape, Size
from symattn.compute.proof.equality import Proof, ProofStep, prove
from symattn.compute.proof.rules import PAIR
from symattn.compute.proof.tree import Truth
from symattn.compute.proof.variance import VarianceProof, variance
from symattn.operations import Keep, Sinusoidal
from symattn.read.plan import Plan, names_in
from symattn.read.scenario.model import ProveItem, VarianceItem
from symattn.show.blocks import Argument, Block, Equation, Phrase, Readings
from symattn.show.entries.letters import Letters
from symattn.show.entries.nodes import entry
from symattn.show.entries.positions import frequency_of, frequency_power
from symattn.show.entries.trees import Trees, comma_list, laws
from symattn.show.kinds import said_of_derived
from symattn.show.math import EULER, Accented, Call, Chain, Letter, Math, Number, Parens, Script, Sign, equation, seq
from symattn.show.notation.formulas import Names, by_rule, formula, number
from symattn.show.notation.letters import PageLetters


def item_blocks(item: ProveItem | VarianceItem, plan: Plan, names: Names) -> list[Block]:
    """Return the blocks of a statement of a scenario. Raises :class:`~symattn.compute.proof.ProofError` if it cannot be
    proved.
    """
    if isinstance(item, ProveItem):
        return proof_blocks(prove(item.left, item.right, plan), names)
    return variance_blocks(variance(item.formula, plan), names)


def proof_blocks(proof: Proof, names: Names) -> list[Block]:
    """Return the statement, the derivation for all sizes with its reasons, and the sizes that were also compared."""
    left, right = formula(proof.left, names), formula(proof.right, names)
    trees = _trees((proof.left, proof.right), proof.names, names, [step.expr for step in proof.steps])
    lines = ProofLines(trees, proof.steps)
    # The right side itself, by the definition read backwards.
    lines.add(trees.subscript(right, proof.row, proof.column), "definition", True)
    head = trees.subscript(left, proof.row, proof.column)
    places = [trees.place(place) for place in (proof.row, proof.column) if place != 0]
    blocks: list[Block] = [
        Phrase("lead_prove", (), "lead"),
        Equation((equation(left, right),), "statement"),
        *said_of_derived((proof.left, proof.right), names),
    ]
    if proof.symbols:
        blocks.append(Phrase("proof_symbols", (("names", tuple(map(names, proof.symbols))),), "line"))
    if trees.waves:
        blocks.append(Phrase("proof_angles", _angles(proof, trees), "line"))
    if proof.masked:
        power = Script(EULER, sup=_of_mask(proof, trees.letters))
        blocks.append(Phrase("proof_masked", (("power", power),), "line"))
    if any(step.expr.has(Truth) for step in proof.steps):
        condition = names.letters.letter("condition")
        one = Script(Accented("bold", Number("1")), sub=condition)
        blocks.append(Phrase("proof_holds", (("one", one), ("condition", condition)), "line"))
    blocks += [
        Phrase("lead_proof", (("places", tuple(places)),), "lead"),
        Equation((lines.chain(head),), "statement"),
        Readings(reasons(names.letters, lines)),
    ]
    if proof.nonzero:
        blocks.append(Phrase("proof_nonzero", (), "line"))
    blocks.append(Phrase("proof_checked", _checked(proof.checked), "figures"))
    return blocks


def _of_mask(proof: Proof, letters: Letters) -> Math:
    """Return m_{ij}, an entry of the first mask in the statement."""
    kept = (node for side in (proof.left, proof.right) for node in preorder_traversal(side) if isinstance(node, Keep))
    return entry(next(kept).mask, letters, *letters.indices, ())


def _angles(proof: Proof, trees: Trees) -> tuple[tuple[str, Argument], ...]:
    """Return the widths that are even, and the definitions of frequencies and angles."""
    pairs = (index for symbol, index in trees.indices.items() if symbol.name.startswith(PAIR))
    pair = next(pairs, trees.letters.names.letters.letter("pair"))
    waves = (
        equation(frequency_of(pair, letter), frequency_power(Sinusoidal(1, width, base), pair))
        for (base, width), letter in trees.waves.items()
    )
    angles = (equation(Letter(letter), trees.write(angle)) for angle, letter in trees.angles.items())
    return ("widths", tuple(map(number, proof.even))), ("angles", (*waves, *angles))


def variance_blocks(proof: VarianceProof, names: Names) -> list[Block]:
    """Return mean, mean of the square and variance of an entry, each line with its reason."""
    steps = [*proof.mean, *proof.square]
    trees = _trees((proof.formula,), proof.names, names, [step.expr for step in steps])
    entry = trees.subscript(formula(proof.formula, names), proof.row, proof.column)
    squared = Script(entry if isinstance(entry, Letter) else Parens(entry), sup=Number("2"))
    mean = ProofLines(trees, proof.mean)
    square = ProofLines(trees, proof.square, first=len(mean.links) + 1)
    left, last = _expected(entry), trees.write(proof.value)
    difference = seq(_expected(squared), Sign("-"), Script(_expected(entry), sup=Number("2")))
    matrices = tuple(names(name) for name in names_in(proof.formula))
    return [
        Phrase("lead_variance", (("names", matrices),), "lead"),
        Equation((mean.chain(left), square.chain(_expected(squared))), "statement"),
        Readings(reasons(names.letters, mean, square)),
        Phrase("lead_variance_result", (), "lead"),
        Equation((equation(Call("Var", (entry,)), difference, last),), "statement"),
        Phrase("variance_checked", _checked(proof.checked), "figures"),
    ]


class ProofLines:
    """Lines below one another, each with its reason; a line equal to the one before is left out."""

    def __init__(self, trees: Trees, steps: Iterable[ProofStep], first: int = 1) -> None:
        self.first = first
        self.links: list[Math] = []
        self.rules: list[tuple[str, bool]] = []
        for step in steps:
            self.add(trees.write(step.expr), step.rule, step.backwards)

    def add(self, line: Math, rule: str, backwards: bool) -> None:
        """Add the next line, by a rule that may be read backwards."""
        if not self.links or self.links[-1] != line:
            self.links.append(line)
            self.rules.append((rule, backwards))

    @property
    def marks(self) -> tuple[int, ...]:
        """The number over each equals sign."""
        return tuple(range(self.first, self.first + len(self.links)))

    def chain(self, left: Math) -> Chain:
        """Return the whole statement."""
        return Chain(left, tuple(("=", line) for line in self.links), self.marks)


def reasons(letters: PageLetters, *parts: ProofLines) -> tuple[Phrase, ...]:
    """Return one phrase for each rule, with all of its numbers."""
    marks: dict[tuple[str, bool], list[int]] = {}
    for mark, law in (found for lines in parts for found in zip(lines.marks, lines.rules, strict=True)):
        marks.setdefault(law, []).append(mark)
    known = laws(letters)
    phrases = []
    for (rule, backwards), numbers in marks.items():
        arguments: list[tuple[str, Argument]] = [("marks", tuple(numbers)), ("backwards", int(backwards))]
        if rule in known:
            arguments.append(("law", known[rule]))
        phrases.append(Phrase(f"rule_{rule}", tuple(arguments), "reading"))
    return tuple(phrases)


def _trees(formulas: tuple[MatrixExpr, ...], shapes: Mapping[str, Shape], names: Names, lines: list[Expr]) -> Trees:
    used = [name for node in formulas for name in names_in(node)]
    return Trees.of(Letters.choose(names, used, shapes), lines)


def _expected(inner: Math) -> Math:
    return Call("E", (inner,), "square")


def _checked(choices: Iterable[Mapping[str, Size]]) -> tuple[tuple[str, Argument], ...]:
    """Return the letters of the sizes, and the numbers put in for them."""
    found = [choice for choice in choices if choice]
    letters: tuple[Math, ...] = (comma_list(by_rule(name) for name in found[0]),) if found else ()
    numbers = tuple(comma_list(Number(str(size)) for size in choice.values()) for choice in found)
    return ("letters", letters), ("choices", numbers)
