"""Pages in HTML in a browser: from phone to print, in light and dark, by keys, by touch, with other numbers."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sympy import Rational

from symattn import WorkedSolution, derive
from symattn.api.publish.slips import guesses
from symattn.claims.mistakes.model import mistake_text
from symattn.read.given import Given
from symattn.read.scenario.load import loads
from symattn.write import environment
from tests.browser.conftest import Open

# -- pages as a browser shows them -------------------------------------------------------------------------------------


pytestmark = pytest.mark.slow

WIDTHS = (320, 768, 1280)
EVERY = (
    "weather.en weather.zh-Hant weather.zh-Hans journey.zh-Hant good.zh-Hant refund.zh-Hant ironman.zh-Hant "
    "exercise-attention-row exercise-attention-row-key exercise-fading exercise-fading-key nasty entry index"
).split()
CHECKED = [
    *((name, 1280, scheme) for name in ("weather.zh-Hans", "exercise-fading") for scheme in ("light", "dark")),
    *((name, 320, "light") for name in ("refund.zh-Hant", "nasty", "entry", "index")),
]

SCROLLING = """[...document.querySelectorAll('body *')].filter(each => each.clientWidth
    && each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX === 'auto')
    .filter(each => each.tabIndex < 0 || !each.getAttribute('aria-label')).map(each => each.outerHTML.slice(0, 200))"""
"""Boxes that scroll sideways, and that no key gets to or nobody says what they are."""

FENCES = """[...document.querySelectorAll('mtable')].filter(table => /^[\\[{]$/.test(
    table.previousElementSibling?.textContent ?? '')).map(table => table.previousElementSibling.getBoundingClientRect()
    .height / table.getBoundingClientRect().height)"""
"""How high the bracket before each matrix is, as a part of the matrix."""


@contextmanager
def window(browser: Any, address: str, width: int = 1280, **choices: Any) -> Iterator[Any]:
    """A page in a window of its own."""
    context = browser.new_context(viewport={"width": width, "height": 800}, **choices)
    page = context.new_page()
    page.told, page.asked = [], []
    page.on("console", lambda message: page.told.append(message.text))
    page.on("pageerror", lambda error: page.told.append(str(error)))
    page.on("request", lambda request: page.asked.append(request.url))
    page.goto(address)
    yield page
    context.close()


@pytest.mark.parametrize("name", EVERY)
def test_nothing_is_asked_of_a_host_and_nothing_sticks_out(browser: Any, files: dict[str, str], name: str) -> None:
    with window(browser, files[name]) as page:
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate(SCROLLING) == []
        assert page.told == []
        assert page.asked == [files[name]]
        heights = page.evaluate(FENCES)
        assert all(0.9 < height < 2.5 for height in heights), "a bracket is as high as what it holds"
        assert heights or name in ("nasty", "entry", "index")


@pytest.mark.parametrize(("name", "width", "scheme"), CHECKED)
def test_axe_finds_nothing(browser: Any, files: dict[str, str], axe: str, name: str, width: int, scheme: str) -> None:
    with window(browser, files[name], width, color_scheme=scheme) as page:
        page.evaluate(axe)
        found = page.evaluate("axe.run()")["violations"]
        told = [(each["id"], [node["html"][:150] for node in each["nodes"][:3]]) for each in found]
        assert told == []


def test_a_page_is_read_and_printed_without_javascript(browser: Any, files: dict[str, str]) -> None:
    with window(browser, files["weather.en"]) as page:
        everything = page.locator("main").inner_text()
    with window(browser, files["weather.en"], java_script_enabled=False) as page:
        assert page.locator("main").inner_text() == everything
        assert page.locator("main math").count() > 200
        printed = page.pdf(prefer_css_page_size=True)
    assert 8 < len(re.findall(rb"/Type\s*/Page\b", printed)) < 25
    assert len(everything) > 10_000


def test_keys_are_enough(browser: Any, files: dict[str, str]) -> None:
    with window(browser, files["weather.en"], 320) as page:
        page.keyboard.press("Tab")
        box = page.evaluate(
            "(({left, top, width}) => [left, top, width])(document.activeElement.getBoundingClientRect())"
        )
        assert min(box) > 0, "the way to the content is seen when a key gets there"
        page.keyboard.press("Enter")
        assert page.url.endswith("#content")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('main') !== null")


def test_nobody_who_does_not_want_motion_gets_any(browser: Any, files: dict[str, str]) -> None:
    for wanted, behaviour in (("no-preference", "smooth"), ("reduce", "auto")):
        with window(browser, files["index"], reduced_motion=wanted) as page:
            assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == behaviour


def test_pages_of_a_site_lead_to_one_another(browser: Any, files: dict[str, str]) -> None:
    with window(browser, files["index"]) as page:
        links = page.eval_on_selector_all("main a, .ways a", "all => all.map(each => each.getAttribute('href'))")
    assert {"weather.html", "catalogue-attention.html", "exercise-fading.html", "../zh-Hant/index.html"} <= set(links)


# -- the page that one can touch ---------------------------------------------------------------------------------------


LANGUAGES = ("zh-Hant", "zh-Hans", "en")
NEAR = 2e-12
"""A double printed with twelve decimals: half a unit of the last one, and what is lost on the way."""


def cell(page: Any, name: str, row: int, column: int, columns: int) -> Any:
    return page.locator(f'main [data-matrix="{name}"]').first.locator("mtd").nth(row * columns + column)


def go(page: Any, name: str, row: int, column: int) -> None:
    """To an entry, by keys."""
    page.locator(f'main [data-matrix="{name}"]').first.focus()
    press(page, "Home", *["ArrowDown"] * row, *["ArrowRight"] * column)


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def type_over(page: Any, name: str, row: int, column: int, text: str) -> None:
    """Another number for one that is given."""
    go(page, name, row, column)
    press(page, "F2", *text, "Enter")


def figures(page: Any, solution: WorkedSolution) -> dict[tuple[str, int, int], str]:
    """What stands in the matrices of the page, with a minus that Python reads."""
    found = {}
    tables = page.evaluate(
        "() => [...document.querySelectorAll('main [data-matrix]')].map((each) =>"
        " [each.dataset.matrix, [...each.querySelectorAll('mtable mtd')].map((cell) => cell.textContent)])"
    )
    for name, cells in tables:
        columns = solution.store.columns(name)
        for at, text in enumerate(cells):
            found[name, at // columns, at % columns] = text.replace("−", "-")
    return found


def matrices(page: Any) -> str:
    """Everything that stands in them, letter by letter."""
    inner = "e.querySelector('mtable')?.textContent ?? e.textContent"
    return str(page.evaluate(f"() => [...document.querySelectorAll('main [data-matrix]')].map((e) => {inner}).join()"))


def decimals(page: Any, digits: int) -> None:
    if page.locator("#tools details[open]").count() == 0:
        page.locator("#tools summary").click()
    page.locator("#digits").select_option(str(digits))


def test_keys_alone_open_an_entry_and_lead_to_a_given_number_and_back(opened: Open) -> None:
    page = opened()
    focused = "() => document.activeElement.closest('[data-matrix]')?.dataset.matrix ?? ''"
    for _ in range(400):
        page.keyboard.press("Tab")
        if page.evaluate(focused) == "S":
            break
    else:
        pytest.fail("the Tab key does not come to S")
    press(page, "ArrowDown", "Enter")
    panel = page.locator("#panel")
    words = environment.phrases("en")
    row, column = (
        words.call(f"touch_{axis}_at_label", {"at": at, "label": label})
        for axis, at, label in (("row", 2, "weather"), ("column", 1, "today’s"))
    )
    assert panel.locator("h2").text_content() == f"S{row}, {column}"
    assert page.locator("main .made").count() == 1  # S = QKᵀ/√4: one entry of QKᵀ
    way = ["S (2, 1)"]
    while panel.locator(".number").count():
        while not page.evaluate("() => document.activeElement.classList.contains('number')"):
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        way.append(panel.locator(".trail b").inner_text())
    assert way == ["S (2, 1)", "Q Kᵀ (2, 1)", "Q (2, 1)", "X (2, 1)", "E (2, 1)"]
    assert words.call("touch_is_given", {}) in panel.inner_text()
    for name in reversed(way[:-1]):
        page.keyboard.press("Backspace")
        assert panel.locator("h2").text_content().startswith(name[0])
    page.keyboard.press("Escape")
    assert panel.is_hidden()
    assert page.evaluate(focused) == "S"
    assert page.locator("main .made").count() + page.locator("main .opened").count() >= 1  # the focus marks it still


def test_a_product_marks_the_row_and_the_column_it_is_made_of(opened: Open) -> None:
    page = opened()
    cell(page, "Q", 1, 2, 4).click()
    marked = page.evaluate(
        "() => [...document.querySelectorAll('main .made [data-of]')].map((e) =>"
        " [e.dataset.of, ...e.dataset.at.split(',').map(Number)])"
    )
    assert sorted(map(tuple, marked)) == [("W_Q", k, 2) for k in range(4)] + [("X", 1, k) for k in range(4)]
    assert "row 2 of X times column 3 of W_Q" in page.locator("#panel .spoken").inner_text()
    page.keyboard.press("ArrowRight")
    assert "row 2 of X times column 4 of W_Q" in page.locator("#says").text_content()


def test_touch_opens_beside_what_is_marked(opened: Open) -> None:
    page = opened(width=390, height=780, has_touch=True, is_mobile=True)
    target = cell(page, "A", 1, 0, 3)
    target.scroll_into_view_if_needed()
    target.tap()
    page.wait_for_timeout(400)
    box, panel = target.bounding_box(), page.locator("#panel").bounding_box()
    assert box["y"] + box["height"] <= panel["y"]
    page.locator("#panel .close").tap()
    assert page.locator("#panel").is_hidden()
    shown = page.locator('main svg .leads[data-of="A"]').first  # a cell of the heat map opens the weight
    shown.scroll_into_view_if_needed()
    shown.tap(force=True)
    assert page.locator("#panel h2").text_content().startswith("A")


@pytest.mark.parametrize("width", [1024, 1280, 1440])
def test_nothing_moves_under_the_pointer_when_an_entry_opens_or_changes(opened: Open, width: int) -> None:
    page = opened(width=width)
    target = cell(page, "E", 1, 1, 4)
    target.scroll_into_view_if_needed()
    before = corner(target)
    target.click()
    assert page.locator("#panel").is_visible()
    assert corner(target) == before
    page.locator("#panel .close").click()
    target.dblclick()  # the first click opens; the second must meet the same number
    page.keyboard.type("0.5")
    page.keyboard.press("Enter")
    assert page.locator("#banner").is_visible()
    assert target.text_content() == "0.5"
    assert corner(target) == pytest.approx(before, abs=3)  # a row that is marked is two pixels higher


def corner(target: Any) -> tuple[float, float]:
    box = target.bounding_box()
    return box["x"], box["y"]


def test_changed_numbers_are_computed_again_as_symattn_does(opened: Open, weather: WorkedSolution) -> None:
    page, rng = opened(), random.Random(16)
    decimals(page, 12)
    before = matrices(page)
    texts = {name: [list(row) for row in given.texts] for name, given in weather.givens.items()}
    for turn in range(20):
        name = rng.choice(sorted(texts))
        row, column = rng.randrange(len(texts[name])), rng.randrange(len(texts[name][0]))
        text = f"{rng.uniform(-2, 2):.{rng.randint(1, 4)}f}"
        changed = {each: [list(line) for line in rows] for each, rows in texts.items()}
        changed[name][row][column] = text
        type_over(page, name, row, column, text)
        other = solved(weather, changed)
        for (of, i, j), shown in figures(page, weather).items():
            if "×" in shown or of in texts:
                continue  # −10⁹, which nobody has changed; what is given stands as it was typed
            true = float(other.decimals(of, 15)[i][j])
            assert abs(float(shown) - true) <= NEAR * max(1, abs(true)), (turn, name, text, of, i, j)
        assert page.locator("#banner").is_visible()
        page.keyboard.press("r")
        assert page.locator("#banner").is_hidden()
        assert matrices(page) == before


def solved(solution: WorkedSolution, texts: dict[str, list[list[str]]]) -> WorkedSolution:
    scenario = solution.scenario
    givens = {name: replace(given, given=Given.read(texts[name])) for name, given in scenario.givens.items()}
    return WorkedSolution(replace(scenario, givens=givens))


def test_dragging_changes_the_last_decimal_and_flips_are_told(opened: Open) -> None:
    page = opened()
    target = cell(page, "E", 0, 0, 4)
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 5 + 10 * 6, box["y"] + 5, steps=10)
    page.mouse.up()
    assert target.text_content() == "0.30"
    assert page.locator("#panel").is_hidden()  # a drag opens nothing
    page.keyboard.press("r")
    go(page, "E", 0, 0)
    page.keyboard.press("Alt+ArrowUp")
    assert target.text_content() == "0.21"
    page.keyboard.press("F2")
    page.keyboard.type("-3")
    page.keyboard.press("Enter")
    told = page.locator("#banner li").all_text_contents()
    assert [at for at, text in enumerate(told) if "the largest" in text] == [0, 1, 2]  # before the signs of everything
    assert page.locator("main .flipped").count() > 0
    assert page.locator("main .recomputed").count() > 50
    assert page.locator("main figure.stale .picture-note").count() > 0  # bars do not follow
    drawn = page.locator(".heatmap").filter(has=page.locator('[data-of="A"]')).first
    shown = [drawn.locator(f'text[data-of="A"][data-at="1,{j}"]').text_content() for j in range(2)]
    assert shown == [f"{float(cell(page, 'A', 1, j, 3).text_content()):.2f}" for j in range(2)] != ["0.50", "0.50"]
    assert drawn.locator('text[data-of="A"][data-at="1,2"]').count() == 0  # masked
    page.locator("#tools details > summary").click()
    page.locator("#letters").uncheck()
    page.locator("h1").first.click()
    page.keyboard.press("r")  # who speaks to the machine switches letters off
    assert page.locator("main .recomputed").count() > 50
    page.locator("#letters").check()
    page.locator("h1").first.click()
    page.keyboard.press("r")
    assert drawn.locator('text[data-of="A"][data-at="1,0"]').text_content() == "0.50"
    assert drawn.locator("text.recomputed").count() == 0


def test_every_number_of_decimals_is_certified(opened: Open, weather: WorkedSolution) -> None:
    page = opened()
    first = matrices(page)
    for digits in range(2, 13):
        decimals(page, digits)
        for (name, i, j), text in figures(page, weather).items():
            true = weather.decimals(name, digits)[i][j]
            if abs(float(true)) < 1e6:  # what is hidden is written with a power, and of large numbers fewer decimals
                assert text == true or float(text) == float(true), (name, i, j, digits)
    page.locator("#digits").select_option("")
    assert matrices(page) == first


def test_exact_values_stand_where_they_are_short(opened: Open, weather: WorkedSolution) -> None:
    page = opened()
    before = figures(page, weather)
    page.locator("#tools summary").click()
    page.locator("#exact").check()
    now = {place: text for place, text in figures(page, weather).items() if text != before[place]}
    assert now
    for (name, i, j), text in now.items():
        assert Rational(text) == weather.exact_value(name)[i, j] != Rational(before[name, i, j])
    page.locator("#exact").uncheck()
    assert figures(page, weather) == before


def test_languages_change_in_place_and_keep_what_was_chosen(opened: Open, weather: WorkedSolution) -> None:
    page = opened()
    type_over(page, "E", 0, 0, "0.7")
    english = page.locator("h1").inner_text()
    page.locator("#tools summary").click()
    for language in LANGUAGES:
        page.locator("#language").select_option(language)
        title = weather.render(language=language).splitlines()[0].removeprefix("# ")
        assert page.locator("h1").inner_text().replace("\n", "") == title
        assert page.evaluate("() => document.documentElement.lang") == language
        assert cell(page, "E", 0, 0, 4).text_content() == "0.7"
        assert environment.phrases(language).call("touch_banner", {}) in page.locator("#banner").inner_text()
        assert environment.phrases(language).call("touch_next", {}) == page.get_by_role("button").nth(1).get_attribute(
            "aria-label"
        )
    assert page.locator("h1").inner_text() == english


def test_what_comes_is_covered_until_somebody_guesses_it(opened: Open, weather: WorkedSolution) -> None:
    page = opened()
    found = guesses(weather.scenario, weather.store)["S"]
    slip, i, j, wrong = next(
        (slip, i, j, each)
        for slip in found.slips
        for i, row in enumerate(slip.entries)
        for j, each in enumerate(row)
        if each is not None and i != j
    )
    page.keyboard.press("h")
    while "S" not in page.locator(".at").inner_text().split():
        page.keyboard.press("n")
    assert {figures(page, weather)[name, 0, 0] for name in ("S", "A", "probs")} == {"?"}
    assert figures(page, weather)["QK_T", 0, 0] != "?"
    cell(page, "S", i, j, 3).click()
    page.locator("#guess").fill(f"{(wrong[0] + wrong[1]) / 2:.4f}")
    page.keyboard.press("Enter")
    assert mistake_text(slip.mistake, "feedback", "en") in page.locator("#panel .answer").inner_text()
    feedback = {
        weather.decimals("S", 4)[j][i]: f"row {j + 1}",
        weather.decimals("S", 2)[i][j]: "3 decimals",
        "77": "again",
    }
    for guess, answer in feedback.items():
        page.locator("#guess").fill(guess)
        page.keyboard.press("Enter")
        assert answer in page.locator("#panel .answer").inner_text()
    page.locator("#guess").fill(weather.decimals("S", 3)[i][j])
    page.locator("#tools summary").click()
    for language in LANGUAGES:
        page.locator("#language").select_option(language)  # somebody guesses on in another language
    page.keyboard.press("Escape")
    assert page.locator("#tools details").get_attribute("open") is None
    page.locator("#guess").press("Enter")
    assert page.locator("#panel .answer.right").is_visible()
    assert figures(page, weather)["S", i, j] != "?"
    press(page, "Escape", "v")
    assert "?" not in {figures(page, weather)["S", a, b] for a in range(3) for b in range(3)}
    page.keyboard.press("f")
    visible = "() => [...document.querySelectorAll('main > *')].filter((e) => e.checkVisibility()).length"
    assert page.evaluate(visible) == 2  # the step and the heading that it stands under
    press(page, "Escape", "h")
    assert "?" not in figures(page, weather).values()


def test_on_a_projector_every_step_is_read_from_afar_on_one_screen(opened: Open) -> None:
    page = opened(width=1920, height=1080)
    page.keyboard.press("f")
    higher = []
    while page.locator("[data-tool=next]").is_enabled():
        size = page.evaluate("() => parseFloat(getComputedStyle(document.querySelector('.current')).fontSize)")
        assert size >= 24
        if page.evaluate("() => document.querySelector('.current').getBoundingClientRect().bottom > innerHeight"):
            higher.append(page.locator(".at").inner_text().split()[-1])
        assert page.locator("main > .context").bounding_box()["y"] > 40  # the heading is not under the bar
        page.keyboard.press("ArrowRight")
    assert higher in ([], ["Q"], ["A"])  # what is higher is scrolled: a softmax with its readings and its picture


def test_what_comes_from_outside_stays_text(opened: Open, tmp_path: Path) -> None:
    strange = "</script><script>alert(1)</script>"
    scenario = loads(
        f'title = "{strange}"\ntokens = ["{strange}", "=cmd()", "{{{{7*7}}}}"]\n'
        '[given]\nX = [["1", "0"], ["0", "1"], ["1", "1"]]\n'
        '[[section]]\ntitle = "<img src=x onerror=alert(1)>"\nsteps = ["A = softmax(X @ X.T)"]\n'
    )
    WorkedSolution(scenario).save(tmp_path / "strange.html", language="en")
    page = opened(tmp_path / "strange.html")
    cell(page, "A", 0, 0, 3).click()
    assert strange in page.locator("#panel h2").inner_text()
    assert page.locator("main img").count() == 0


def test_nothing_is_wider_than_a_small_phone(opened: Open) -> None:
    page = opened(width=320, height=640)
    for act in ("", "open", "h", "f"):
        if act == "open":
            cell(page, "A", 1, 0, 3).click()
            go(page, "E", 0, 0)
            page.keyboard.type("5")
            page.keyboard.press("Enter")
        elif act:
            page.keyboard.press("Escape")
            page.keyboard.press(act)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 320, act


def test_without_scripts_and_without_unpacking_everything_is_read(opened: Open) -> None:
    still = opened(java_script_enabled=False)
    assert still.locator("main [data-matrix]").count() > 20
    assert "row i of X times column j of W_Q" in still.locator('section[data-step="Q"] .spoken').text_content()
    assert still.locator("#tools").count() == 0


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_touched(opened: Open, axe: str, dark: bool) -> None:
    page = opened(color_scheme="dark" if dark else "light", bypass_csp=True)
    page.evaluate(axe)
    found: dict[str, Any] = {}

    def look(mode: str) -> None:
        result = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        for each in result["violations"]:
            found[f"{mode}: {each['id']}"] = [node["html"][:160] for node in each["nodes"]][:3]

    look("page")
    cell(page, "A", 1, 0, 3).click()
    look("panel")
    go(page, "E", 0, 0)
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    cell(page, "A", 1, 0, 3).click()
    look("changed")
    press(page, "Escape", "r", "h")
    cell(page, "X", 0, 0, 4).click()
    look("predict")
    press(page, "Escape", "f")
    look("projector")
    page.keyboard.press("?")
    look("help")
    assert found == {}, json.dumps(found, indent=1, ensure_ascii=False)


def test_page_is_usable_soon(opened: Open, record_property: pytest.RecordProperty) -> None:
    """Milliseconds until entries open; how long it takes is a matter of the machine."""
    taken = int(opened().evaluate("() => document.documentElement.dataset.opens"))
    record_property("milliseconds", taken)
    assert taken < 10_000


def test_small_enough(lesson: Path) -> None:
    assert lesson.stat().st_size < 600_000


@pytest.mark.parametrize("language", ["zh-Hant"])
def test_journey_opens(opened: Open, tmp_path: Path, language: str) -> None:
    derive("journey").save(tmp_path / "journey.html", language=language)
    assert (tmp_path / "journey.html").stat().st_size < 1_500_000
    page = opened(tmp_path / "journey.html")
    cell(page, "A", 0, 0, 6).click()
    assert page.locator("#panel .number").count() > 0
