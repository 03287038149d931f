"""Pictures read back: every figure is a certified decimal of the solution, lengths and shades follow from the figures,
and what comes from outside prints as itself."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import acos, degrees, hypot
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from symattn.api.worked import WorkedSolution, derive
from symattn.base.errors import NoValueError, ScenarioError
from symattn.base.words import languages
from symattn.read.scenario.load import builtin_names, loads
from symattn.show.blocks import Picture
from symattn.show.build import build_document, scenario_names
from symattn.show.drawings import Arcs, BarChart, Flow, HeatMap, Moves, Vectors, WavePlot
from symattn.show.window import Window
from symattn.write import escape
from symattn.write.pictures.strokes import token_tint
from symattn.write.pictures.svg import colour
from symattn.write.pictures.tikz import ShownPicture
from symattn.write.plain_math import characters
from tests.cases import solved
from tests.render.test_escape import NASTY

SVG = "{http://www.w3.org/2000/svg}"
FIGURE = re.compile(r"−?\d+\.\d+|−?∞")
LENGTH = r"-?[\d.]+"
NODE = re.compile(rf"\\node\[([^\]]*)\] at \(({LENGTH}),({LENGTH})\) \{{(.*)\}};")


@dataclass(frozen=True)
class Written:
    """A text of a picture and where it stands."""

    y: float
    x: float
    text: str


def in_svg(text: str) -> list[Written]:
    return [
        Written(float(each.attrib["y"]), float(each.attrib["x"]), "".join(each.itertext()))
        for each in ElementTree.fromstring(text).iter(f"{SVG}text")
    ]


def in_tikz(text: str) -> list[Written]:
    said = ((float(y), float(x), _plain(body)) for _, x, y, body in NODE.findall(text))
    return [Written(*each) for each in said]


def _plain(body: str) -> str:
    """The figure of a node, as SVG writes it."""
    inner = re.sub(r"^\\\((?:\\boldsymbol\{(.*)\}|(.*))\\\)$", lambda m: m[1] or m[2], body)
    return inner.replace("-", "−").replace(r"\infty", "∞") if FIGURE.fullmatch(inner.replace("-", "−")) else body


def figures(written: list[Written]) -> list[str]:
    """The figures in reading order."""
    order = sorted(written, key=lambda each: (each.y, each.x))
    return [each.text for each in order if FIGURE.fullmatch(each.text)]


def certified(solution: WorkedSolution, name: str, text: str, i: int, j: int) -> bool:
    """Whether a printed figure is that entry, to as many decimals as it has."""
    places = len(text.partition(".")[2])
    return solution.decimals(name, places)[i][j].replace("-", "−") == text


def pictures(solution: WorkedSolution, language: str = "en", **options: Any) -> list[Picture]:
    blocks = build_document(solution.scenario, solution.store, language=language, **options).blocks
    return [block for block in blocks if isinstance(block, Picture)]


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", builtin_names())
def test_every_figure_of_every_picture_is_a_certified_decimal(name: str) -> None:
    solution = solved(name)
    kinds = set()
    for language in languages():
        for picture in pictures(solution, language):
            shown, drawing = ShownPicture(picture, language), picture.drawing
            svg, tikz = in_svg(shown.svg()), in_tikz(shown.tikz())
            assert figures(svg) == figures(tikz)
            kinds.add(type(drawing))
            if isinstance(drawing, Flow):
                shapes = {(characters(node.symbol), characters(node.shape)) for node in drawing.nodes}
                texts = [each.text for each in svg]
                back = sum(len(edge.back) + 1 for edge in drawing.edges if edge.back)
                sums = sum(len(node.sums) for node in drawing.nodes)
                assert len(texts) >= 2 * len(drawing.nodes) + back + sums
                assert len(texts) == len(tikz)
                if language == "en" and {"queries", "keys"} <= {node.role for node in drawing.nodes}:
                    assert {"queries", "keys"} <= set(texts)
                assert {shape for _, shape in shapes} <= set(texts)
                known = {" × ".join(map(str, step.shape.sizes)) for step in solution.derivation.steps}
                assert {shape for _, shape in shapes} <= known
                continue
            of = picture.name.split("-")[1]
            if isinstance(drawing, Vectors):
                item = picture.of
                assert item is not None
                assert item.row is not None
                ends = [(item.of[0], item.row - 1), *((item.of[-1], i) for i in range(len(drawing.arrows) - 1))]
                for (name_of, i), arrow in zip(ends, drawing.arrows, strict=True):
                    assert all(certified(solution, name_of, each.text, i, j) for j, each in enumerate(arrow.at))
                continue
            if isinstance(drawing, Moves):
                assert picture.of is not None
                first, last = picture.of.of
                for i, move in enumerate(drawing.moves):
                    points = [(first, move.before), *([(last, move.after)] if move.after else [])]
                    assert all(certified(solution, m, x.text, i, j) for m, point in points for j, x in enumerate(point))
                continue
            rows, columns = solution.derivation[of].shape.sizes
            places = [(i, j) for i in range(int(rows)) for j in range(int(columns))]
            if isinstance(drawing, HeatMap):
                places = [
                    (i, j) for i, row in enumerate(drawing.cells) for j, each in enumerate(row) if each and each.text
                ]
            found = figures(svg)
            assert len(found) == len(places)
            assert all(certified(solution, of, text, *place) for text, place in zip(found, places, strict=True))
            said = re.findall(r"−?\d+\.\d+", str(shown))
            assert said
            assert set(said) <= set(found)
    assert kinds >= ({Vectors, Moves} if name == "bank" else {Flow, HeatMap})


@pytest.mark.long
def test_the_pages_have_the_pictures_that_say_most() -> None:
    named = {name: [picture.name for picture in pictures(solved(name))] for name in ("weather", "good")}
    assert named == {"weather": ["flow", "heatmap-A", "bars-probs"], "good": ["flow", "heatmap-W", "heatmap-A"]}
    for name, missing in (("good", "s"), ("ironman", "M")):  # general, and on another way than the main one
        (flow,) = [picture.drawing for picture in pictures(solved(name)) if isinstance(picture.drawing, Flow)]
        shown = {characters(node.symbol) for node in flow.nodes}
        assert shown
        assert missing not in shown
    journey = [picture.name for picture in pictures(solved("journey"))]
    assert "heatmap-A" in journey
    assert "heatmap-A_shift" not in journey  # which has the figures of A
    assert pictures(solved("weather"), detail="result") == []
    assert pictures(solved("weather"), pictures=False) == []
    (flow,) = [picture.drawing for picture in pictures(solved("weather")) if isinstance(picture.drawing, Flow)]
    shown = {characters(node.symbol) for node in flow.nodes}
    assert shown >= {"E", "P", "X", "Q", "K", "V", "A", "probs"}
    assert "W_Q" not in shown


@pytest.mark.parametrize("name", builtin_names())
def test_an_arrow_of_the_flow_passes_only_names_that_are_left_out(name: str) -> None:
    solution = solved(name)
    shown = solution.figure("flow").picture.drawing
    assert isinstance(shown, Flow)
    names = {scenario_names(solution.scenario)(step.name): step.name for step in solution.derivation.steps}
    nodes = [names[node.symbol] for node in shown.nodes]

    def made_of(each: str) -> Iterator[str]:
        for used in solution.derivation[each].uses:
            yield from (used,) if used in nodes else made_of(used)

    wanted = {(start, end) for end in nodes for start in made_of(end)}
    assert {(nodes[edge.start], nodes[edge.end]) for edge in shown.edges} == wanted


PLANE = """
title = "Plane"
tokens = ["the", "river", "bank"]
token_axis = "n"
given.X = {axes = ["n", "2"], value = [["0", "1"], ["3", "0"], ["1", "1"]]}
[[section]]
title = "A"
steps = [
    { figure = "heatmap", of = "A", caption = "Asked for." }, "Q = rotary(X)", "K = rotary(X + X)",
    "S = Q @ K.T / sqrt(2)", "A = softmax(S)", "Z = A @ X", { figure = "move", of = ["X", "Z"], row = 3 },
    { figure = "move", of = ["X", "Z"], row = 3, caption = "Again." }, "T = Z @ X.T", "B = softmax(T)",
]
"""


def test_the_flow_frames_attention_and_names_what_each_matrix_is() -> None:
    for name, count in (("weather", 1), ("refund", 0)):  # where another matrix is between, there is no frame
        flow = solved(name).figure("flow", language="en")
        assert isinstance(flow.picture.drawing, Flow)
        assert {"queries", "keys", "values", "mixtures"} <= {each.text for each in in_svg(flow.svg())}
        frames = [each for each in rects(flow.svg()) if each.attrib["fill"] == colour("rust", 6)]
        assert len(frames) == count
        for frame in frames:
            x, y, width, height = (float(frame.attrib[key]) for key in ("x", "y", "width", "height"))
            corners = [(float(each.attrib["x"]), float(each.attrib["y"])) for each in rects(flow.svg())[2:]]
            inside = [(a, b) for a, b in corners if x <= a <= x + width and y <= b <= y + height]
            assert len(inside) == sum(node.group == "attention" for node in flow.picture.drawing.nodes)
            assert min(x, y) >= 0


def rects(svg: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter(f"{SVG}rect"))


def test_a_plane_is_drawn_unasked_and_no_picture_twice() -> None:
    found = pictures(derive(loads(PLANE)))
    assert [picture.name for picture in found] == [
        "flow", "heatmap-A", "move-X-Q", "vectors-Q-K-row3", "move-X-Z-row3", "heatmap-B",
    ]  # fmt: skip
    assert found[1].caption == ("Asked for.",)
    wide = PLANE.replace('"2"], value = [["0", "1"], ["3", "0"], ["1", "1"]]', '"3"], value = [["0", "1", "1"]]')
    lines = [
        line for line in wide.replace("tokens = ", "#").replace("token_axis", "#").splitlines() if "fig" not in line
    ]
    text = "\n".join(lines).replace('"n", "3"', '"1", "3"').replace("rotary(X)", "2 * X").replace("rotary(X + X)", "X")
    assert not {"vectors", "move"} & {picture.name.split("-")[0] for picture in pictures(derive(loads(text)))}


TOML = """
title = "Small"
tokens = ["the", "cat", "sat"]
token_axis = "n"
pictures = false
given.Q = {axes = ["n", "2"], value = [["1", "0.5"], ["-0.5", "1"], ["0.3", "-0.8"]]}
given.K = {axes = ["n", "2"], value = [["1", "0.2"], ["-1", "-2"], ["0", "0"]]}
[[section]]
title = "A"
steps = [
    "S = Q @ K.T", "A = softmax(S)", "B = softmax(S + causal_mask(3))", "P = sinusoidal(20, 4)", "L = S @ ones(3, 30)",
    "P_5 = sinusoidal(5, 4)", "M = causal_mask(3)", "T = S + M", "F = softmax(S + causal_mask(3, -10^9))",
]
"""


@cache
def small() -> WorkedSolution:
    return derive(loads(TOML))


def drawn(*asked: str, **options: Any) -> tuple[Any, ElementTree.Element, str]:
    shown = small().figure(*asked, language="en", **options)
    return shown.picture.drawing, ElementTree.fromstring(shown.svg()), shown.tikz()


def test_bars_are_as_long_and_arcs_as_thick_as_the_figures() -> None:
    chart, svg, _ = drawn("bars", "S", row=1)
    assert isinstance(chart, BarChart)
    sizes = [abs(bar[1].size) for bar in chart.groups[0].bars if bar]
    widths = [float(each.attrib["width"]) for each in svg.iter(f"{SVG}rect")][1:]
    unit = widths[0] / sizes[0]
    assert widths == pytest.approx([size * unit for size in sizes], abs=0.2)

    arcs, svg, tikz = drawn("arcs", "A", row=2)
    assert isinstance(arcs, Arcs)
    weights = [each.size for each in arcs.rows[0].weights if each]
    thick = [float(each.attrib["stroke-width"]) for each in svg.iter(f"{SVG}path")]
    assert [width / 9 for width in thick] == pytest.approx(weights, abs=0.07)
    points = [float(width) for width in re.findall(rf"\\draw\[[^\]]*line width=({LENGTH})pt", tikz)]
    assert points == pytest.approx([0.75 * width for width in thick], abs=0.05)
    _, svg, _ = drawn("arcs", "B", row=1)
    assert sum("stroke-dasharray" in each.attrib for each in svg.iter(f"{SVG}path")) == 2  # what a mask hides


def test_the_darker_a_cell_the_larger_its_figure() -> None:
    _, svg, tikz = drawn("heatmap", "A")
    grounds = [each.attrib["fill"] for each in svg.iter(f"{SVG}rect")][1:]
    light = [sum(int(colour[k : k + 2], 16) for k in (1, 3, 5)) for colour in grounds]
    weights = [float(text) for row in small()["A"].decimals(9) for text in row]
    assert sorted(range(9), key=lambda k: light[k]) == sorted(range(9), key=lambda k: -weights[k])
    shares = [int(share) for share in re.findall(r"fill=symattnblue!(\d+)", tikz)]
    assert shares == [round(60 * weight / max(weights)) for weight in weights]
    signs = [text.startswith("-") for row in small()["S"].decimals(2) for text in row]
    _, _, tikz = drawn("heatmap", "S")
    assert [name == "rust" for name in re.findall(r"\[fill=symattn(blue|rust)", tikz)] == signs
    captions = [small().figure(kind, name, language="en").picture.caption[0] for kind, name in SIGNED]
    said = [_sentence(caption) for caption in captions]
    assert [re.search(r"orange|to the left", text) is not None for text in said] == [False, True, False, True]


@pytest.mark.parametrize("name", ["B", "T", "M", "F"])
def test_masked_cells_are_hatched_and_have_no_figure(name: str) -> None:
    drawing, svg, _ = drawn("heatmap", name)
    assert isinstance(drawing, HeatMap)
    hidden = {(0, 1), (0, 2), (1, 2)}
    assert {
        (i, j) for i, row in enumerate(drawing.cells) for j, cell in enumerate(row) if cell and not cell.text
    } == hidden
    assert len(figures(in_svg(ElementTree.tostring(svg, "unicode")))) <= 6
    grounds = list(svg.iter(f"{SVG}rect"))[1:]
    for place, ground in enumerate(grounds):
        x, y = float(ground.attrib["x"]), float(ground.attrib["y"])
        right, bottom = x + float(ground.attrib["width"]), y + float(ground.attrib["height"])
        ends = [re.findall(LENGTH, path.attrib["d"]) for path in svg.iter(f"{SVG}path")]
        inside = [each for each in ends if x <= float(each[0]) <= right and y <= float(each[1]) <= bottom]
        lines = [each for each in inside if x <= float(each[2]) <= right and y <= float(each[3]) <= bottom]
        assert bool(lines) == (divmod(place, 3) in hidden)
    assert "Hatched" in _sentence(small().figure("heatmap", name, language="en").picture.caption[0])


@pytest.mark.parametrize("language", languages())
def test_weights_say_who_looks_at_whom(language: str) -> None:
    heads = {"en": ["who", "looks at"], "zh-Hant": ["誰在看", "看向誰"], "zh-Hans": ["谁在看", "看向谁"]}
    for name, has in (("A", True), ("S", False)):
        svg = small().figure("heatmap", name, language=language).svg()
        assert [each in {text.text for text in in_svg(svg)} for each in heads[language]] == [has, has]


def test_a_dashed_line_is_at_an_even_share_of_shares_alone() -> None:
    for name, even in (("A", True), ("S", False), ("B", False)):
        _, svg, _ = drawn("bars", name, row=2)
        lines = [each.attrib["d"] for each in svg.iter(f"{SVG}path") if "stroke-dasharray" in each.attrib]
        zero = next(float(each.attrib["x"]) for each in list(svg.iter(f"{SVG}rect"))[1:])
        assert len(lines) == even
        widths = [float(each.attrib["width"]) for each in svg.iter(f"{SVG}rect")][1:]
        if even:
            weights = [float(text) for text in small()[name].decimals(9)[1]]
            assert float(re.findall(LENGTH, lines[0])[0]) - zero == pytest.approx(widths[0] / weights[0] / 3, abs=0.3)


SIGNED = (("heatmap", "A"), ("heatmap", "S"), ("bars", "A"), ("bars", "S"))


def test_angles_are_those_between_the_rows() -> None:
    vectors, svg, tikz = drawn("vectors", "Q", "K", row=2)
    assert isinstance(vectors, Vectors)
    (x, y), *_ = [(-0.5, 1.0)]
    wanted = [degrees(acos((x * a + y * b) / hypot(x, y) / hypot(a, b))) for a, b in ((1, 0.2), (-1, -2))]
    found = [float(each.text[:-1]) for each in in_svg(ElementTree.tostring(svg, "unicode")) if each.text.endswith("°")]
    assert found == pytest.approx(wanted, abs=0.05)
    assert vectors.arrows[-1].angle is None  # a row of zeros has no direction
    assert [float(text) for text in re.findall(rf"\{{\\\(({LENGTH})\\text\{{°\}}\\\)\}}", tikz)] == found
    heads = [each.attrib["points"].split()[0] for each in svg.iter(f"{SVG}polygon")][2:]
    tips = [tuple(map(float, each.split(","))) for each in heads][::-1]  # the first lies above the others
    origin = [float(svg.find(f"{SVG}circle").attrib[key]) for key in ("cx", "cy")]  # type: ignore[union-attr]
    arrows = [each for each in vectors.arrows if hypot(each.at[0].size, each.at[1].size)]
    unit = (tips[0][0] - origin[0]) / arrows[0].at[0].size
    for (tip_x, tip_y), each in zip(tips, arrows, strict=True):
        assert (tip_x - origin[0], origin[1] - tip_y) == pytest.approx(
            (unit * each.at[0].size, unit * each.at[1].size), abs=0.5
        )


@pytest.mark.parametrize("row", [None, 2])
def test_tokens_move_in_their_colours_from_where_they_were(row: int | None) -> None:
    moves, svg, tikz = drawn("move", "Q", "K", row=row)
    assert isinstance(moves, Moves)
    rows = {"Q": [(1, 0.5), (-0.5, 1), (0.3, -0.8)], "K": [(1, 0.2), (-1, -2), (0, 0)]}
    which = range(3) if row is None else [row - 1]
    dashed = [each for each in svg.iter(f"{SVG}path") if "stroke-dasharray" in each.attrib]
    heads = [(each.attrib["fill"], each.attrib["points"].split()[0]) for each in svg.iter(f"{SVG}polygon")][2:]
    ways: list[tuple[float, float]] = []
    for i, path in zip(which, dashed, strict=True):
        tint = colour(token_tint(i))
        assert path.attrib["stroke"] == tint
        (x, y), *_ = [tuple(map(float, each.split(","))) for each in path.attrib["d"][1:].split("L")]
        tip_x, tip_y = [tuple(map(float, tip.split(","))) for fill, tip in heads if fill == tint][-1]
        ways.append((tip_x - x, y - tip_y))
        assert f"symattn{token_tint(i)},line width=0.90pt,dash" in tikz
    wanted = [(rows["K"][i][0] - rows["Q"][i][0], rows["K"][i][1] - rows["Q"][i][1]) for i in which]
    unit = ways[0][1] / wanted[0][1]
    assert [part / unit for way in ways for part in way] == pytest.approx([x for way in wanted for x in way], abs=0.01)
    names = {each.text: each.tag for each in svg.iter() if each.text in ("the", "cat", "sat")}
    assert set(names) == {"the", "cat", "sat"}
    said = _sentence(small().figure("move", "Q", "K", row=row, language="en").picture.caption[0])
    assert said.startswith("“cat” moves" if row else "Rows as arrows")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(40))
def test_labels_in_a_plane_do_not_collide(seed: int) -> None:
    draw = random.Random(seed)
    words = draw.sample(["the", "river", "bank", "is", "very", "wide", "today"], draw.choice((3, 5, 7)))
    rows = [[str(draw.choice((0, 0.3, 1, draw.randint(-30, 30) / 10))) for _ in range(2)] for _ in words]
    given = f'given.X = {{axes = ["n", "2"], value = {json.dumps(rows)}}}'
    section = '[[section]]\ntitle = "s"\nsteps = ["Y = X @ X.T"]'
    solution = derive(loads(f'title = "t"\ntokens = {json.dumps(words)}\ntoken_axis = "n"\n{given}\n{section}'))
    svg = ElementTree.fromstring(solution.figure("vectors", "X", language="en").svg())
    boxes = []
    for each in svg.iter(f"{SVG}text"):
        text, size = "".join(each.itertext()), float(each.attrib.get("font-size", 13))
        width, x, y = 0.45 * size * len(text), float(each.attrib["x"]), float(each.attrib["y"])
        left = x - width * {"middle": 0.5, "end": 1.0}.get(each.attrib.get("text-anchor", ""), 0.0)
        boxes.append((left, y - 0.6 * size, left + width, y))
    assert len(boxes) >= 2 * len(words)
    for one, other in combinations(boxes, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def test_what_there_is_no_room_for_is_left_out_and_said() -> None:
    page = build_document(
        derive(loads(TOML.replace('"L =', '{figure = "heatmap", of = "P"}, "L ='))).scenario,
        small().store,
        language="en",
        window=Window(6, 8),
    )
    wide = small().figure("heatmap", "L", language="en")
    for picture, said in (
        (small().figure("heatmap", "P", language="en", max_rows=6).picture, "Shown are 4 of 20 rows."),
        (wide.picture, "Shown are 6 of 30 columns."),
        (small().figure("bars", "P", language="en").picture, "Shown are 3 of 20 rows."),
        (next(block for block in page.blocks if isinstance(block, Picture)), "Shown are 4 of 20 rows."),
    ):
        text = in_svg(ShownPicture(picture, "en").svg())
        assert {"⋯", "⋮"} & {each.text for each in text} or picture.name.startswith("bars")
        (part,) = [each for each in picture.caption if not isinstance(each, str)][1:]
        assert said in _sentence(part)


def test_waves_run_through_all_positions() -> None:
    for name, figures_shown in (("P", False), ("P_5", True)):
        waves, svg, _ = drawn("waves", name)
        assert isinstance(waves, WavePlot)
        spots = [(float(each.attrib["cx"]), float(each.attrib["cy"])) for each in svg.iter(f"{SVG}circle")]
        count = len(waves.positions)
        assert len(spots) == 4 * count
        assert bool(figures(in_svg(ElementTree.tostring(svg, "unicode")))) == figures_shown
        curves = [each.attrib["d"] for each in svg.iter(f"{SVG}path") if each.attrib["d"].count(",") > 2]
        assert len(curves) == 4
        for k, curve in enumerate(curves):
            pairs = [tuple(map(float, each.split(","))) for each in curve[1:].replace("L", " ").split()]
            assert all(any(hypot(x - a, y - b) < 0.3 for a, b in pairs) for x, y in spots[k * count : (k + 1) * count])


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(
        ScenarioError, match=r"figure\('vectors'\): P is \(20, 4\): vectors are drawn of matrices with 2"
    ):
        small().figure("vectors", "P")
    text = 'title = "t"\nsymbols = ["a"]\ngiven.X = [["a", "1"]]\n[[section]]\ntitle = "s"\nsteps = ["X"]'
    symbols = derive(loads(text))
    with pytest.raises(NoValueError, match=r"X cannot be drawn: what there is to show of it is closed forms"):
        symbols.figure("heatmap", "X")
    with pytest.raises(
        NoValueError, match=r"S\[1,1\] is 1.10: arcs are as thick as weights from 0 to 1; a heatmap can"
    ):
        small().figure("arcs", "S")


def _sentence(part: Any) -> str:
    from symattn.write import environment
    from symattn.write.runs import plain_sentence

    return plain_sentence(part, environment.phrases("en"))


ELEMENTS = {f"{SVG}{name}" for name in "svg title rect path polygon circle text tspan".split()}


@pytest.mark.long
def test_what_comes_from_outside_prints_as_itself() -> None:
    for token in (text for text in NASTY if text.strip() and len(escape.clean(text)) <= 24 and text.isprintable()):
        toml = TOML.replace('["the", "cat", "sat"]', json.dumps([token, "a", "b"], ensure_ascii=False))
        solution = derive(loads(toml))
        for asked in (("heatmap", "A"), ("bars", "A"), ("arcs", "A"), ("vectors", "Q", "K"), ("flow",)):
            shown = solution.figure(*asked)
            root = ElementTree.fromstring(shown.svg())
            assert {each.tag for each in root.iter()} <= ELEMENTS, token
            texts = ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]
            if asked[0] != "flow":
                assert any(escape.clean(token) in text for text in texts), (asked, token)
                written = escape.latex(token, unbroken=10**6)
                assert asked[0] == "vectors" or f"{{{written}}}" in shown.tikz(), (asked, token)


def test_a_page_refers_to_its_pictures_and_a_notebook_holds_them(tmp_path: Path) -> None:
    solution = solved("refund")
    pages = solution.files(tmp_path / "a lesson.md", language="en")
    page, *files = pages
    found = re.findall(r"^!\[[^\]]+\]\(([^)]+)\)\n\n[^*\n]+$", pages[page], re.MULTILINE)
    assert [tmp_path / unquote(address) for address in found] == files
    assert all(pages[file].startswith("<svg") for file in files)
    assert solution._repr_markdown_().count('src="data:image/svg+xml;base64,') == len(files)
    assert "![" not in solution.render()
    assert solution.render("latex").count(r"\begin{tikzpicture}") == len(files)
    assert "tikz" not in solution.render("latex", figures="none")
