// The panel of an opened entry: what it is, how it is worked out, and the way to the entries behind it.

/** @type {Element | null} */
let cameFrom = null;

/** @returns {Place | undefined} */
const openPlace = () => state.trail.at(-1);

/**
 * Opens an entry from the page: a new way begins.
 * @param {Place} place
 * @param {Element | null} from
 * @param {boolean} [focus]
 */
function openEntry(place, from, focus = true) {
  cameFrom = from;
  state.trail = [place];
  showPanel(focus);
}

/**
 * Goes on to an entry behind the one that is open; one that was on the way already is gone back to.
 * @param {Place} place
 */
function goOn(place) {
  const before = state.trail.findIndex((each) => key(each) === key(place));
  state.trail = before >= 0 ? state.trail.slice(0, before + 1) : [...state.trail, place];
  showPanel(true);
}

function goBack() {
  if (state.trail.length > 1) {
    state.trail.pop();
    showPanel(true);
  } else closePanel();
}

/**
 * The neighbouring entry of the same matrix, in the place of the one that is open.
 * @param {number} down
 * @param {number} right
 */
function walk(down, right) {
  const place = openPlace();
  if (place === undefined) return;
  const next = { name: place.name, row: place.row + down, column: place.column + right };
  if (!isThere(next)) return;
  state.trail[state.trail.length - 1] = next;
  if (state.trail.length === 1) cameFrom = shownFigure(next, cameFrom)?.target ?? cameFrom;
  showPanel(true);
}

function closePanel() {
  state.trail = [];
  byId("panel").hidden = true;
  document.body.classList.remove("opens");
  unmark();
  const back = cameFrom;
  cameFrom = null;
  if (back?.isConnected) focusOn(figures.get(back));
}

/** @param {boolean} focus */
function showPanel(focus) {
  const place = openPlace();
  if (place === undefined) return;
  const panel = byId("panel");
  forget(panel);
  panel.replaceChildren(...panelParts(place));
  panel.hidden = false;
  panel.setAttribute("aria-label", say("panel"));
  document.body.classList.add("opens");
  take(panel);
  showFigures();
  const own = state.trail.length === 1 ? cameFrom : null;
  mark(place, own);
  speak(sentence(place));
  if (focus) panel.focus({ preventScroll: true });
  panel.scrollTop = 0;
  (own ?? shownFigure(place, cameFrom)?.target)?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/**
 * Figures that are about to leave the page.
 * @param {Element} root
 */
function forget(root) {
  for (const element of root.querySelectorAll(".figure")) {
    const figure = figures.get(element);
    if (figure === undefined) continue;
    figures.delete(element);
    const group = groupOf(element);
    if (group !== null) {
      groups.delete(group);
      active.delete(group);
    }
    byName.set(figure.place.name, (byName.get(figure.place.name) ?? []).filter((each) => each !== figure));
  }
}

/**
 * @param {Place} place
 * @returns {HTMLElement[]}
 */
function panelParts(place) {
  const matrix = named(place.name);
  const head = [panelBar(), trailList(), panelTitle(place)];
  if (covers(place)) return [...head, guessForm(place)];
  const [lines, regions, exact] = entryOf(place);
  const isTouched = state.touched.has(key(place));
  /** @type {HTMLElement[]} */
  const parts = [...head, made("p", { class: "spoken" }, sentence(place))];
  if (isTouched && !matrix.given) parts.push(made("p", { class: "uncertified" }, say("recomputed")));
  if (matrix.given && !isTouched) parts.push(made("p", {}, say("is_given")));
  if (matrix.given) parts.push(...(canCompute() ? [changeForm(place)] : []));
  else if (isTouched) parts.push(...block("general", matrix.general), ...resultLine(place));
  else if (lines.length > 0) parts.push(...block("worked", lines));
  else parts.push(made("p", { class: "faint" }, say("no_lines")));
  if (regions.length > 0) parts.push(made("h3", {}, say("made_of")), operands(regions));
  parts.push(...block("shapes", [...matrix.formula, ...matrix.shapes]));
  if (exact && !isTouched) parts.push(...block("exactly", [exact]));
  if (matrix.numbers) parts.push(valueLine(place));
  return parts;
}

/** @returns {HTMLElement} */
function panelBar() {
  const bar = made("div", { class: "bar" });
  bar.append(button(say("back"), goBack, { class: "quiet", ...(state.trail.length < 2 ? { hidden: "" } : {}) }), button("×", closePanel, { class: "close", "aria-label": say("close") }));
  return bar;
}

/** @returns {HTMLElement} */
function trailList() {
  const list = made("ol", { class: "trail", "aria-label": say("trail") });
  for (const [at, place] of state.trail.entries()) {
    const last = at === state.trail.length - 1;
    list.append(made("li", {}, last ? made("b", { "aria-current": "true" }, short(place)) : button(short(place), () => goOn(place))));
  }
  list.hidden = state.trail.length < 2;
  return list;
}

/** @param {Place} place */
function panelTitle(place) {
  const matrix = named(place.name);
  const rest = say("row_column", { row: counted("row", matrix, place.row), column: counted("column", matrix, place.column) });
  return made("h2", {}, parsed(matrix.symbol), made("span", {}, rest));
}

/**
 * A heading with lines of mathematics; nothing where there are none.
 * @param {string} title
 * @param {string[]} lines
 * @returns {HTMLElement[]}
 */
function block(title, lines) {
  if (lines.length === 0) return [];
  const group = made("div", { class: "lines", tabindex: "0", role: "group", "aria-label": say(title) });
  for (const line of lines) group.append(made("div", { class: "line" }, parsed(line)));
  return [made("h3", {}, say(title)), group];
}

/** @param {Place} place */
function resultLine(place) {
  return [made("p", { class: "result" }, parsed(named(place.name).symbol), ` (${place.row + 1}, ${place.column + 1}) ≈ `, made("b", { class: "recomputed" }, spokenFigure(place)))];
}

const SHOWN_OPERANDS = 36;

/**
 * The numbers behind an entry, each a button to it.
 * @param {Region[]} regions
 */
function operands(regions) {
  const list = made("ul", { class: "operands" });
  for (const region of regions) {
    const [name, top, bottom, first, last] = region;
    const item = made("li", {}, made("span", {}, regionWords(region)));
    const table = made("span", { class: "numbers" });
    let left = SHOWN_OPERANDS;
    for (let row = top; row <= bottom && left > 0; row++) {
      const line = made("span", {});
      for (let column = first; column <= last && left-- > 0; column++) {
        const place = { name, row, column };
        const text = covers(place) ? "?" : spokenFigure(place);
        const uncertified = state.touched.has(key(place)) ? " recomputed" : "";
        line.append(button(text, () => goOn(place), { class: `number${uncertified}`, "aria-label": `${told(place)}: ${text}` }));
      }
      table.append(line);
    }
    if (left < 0) table.append("…");
    item.append(table);
    list.append(item);
  }
  return list;
}

/** @param {Place} place */
function valueLine(place) {
  const line = made("p", { class: "value" }, `${say("value")} `);
  const value = made("b", state.touched.has(key(place)) ? { class: "recomputed" } : {}, spokenFigure(place));
  line.append(value, " ", digitsChoice("panel-digits"));
  return line;
}
