// The figures of the page: each has a place in a matrix, and shows its certified digits or what stands for them.

const MATHML = "http://www.w3.org/1998/Math/MathML";

/**
 * @typedef {object} Figure
 * @property {Place} place
 * @property {MathMLElement} target The element that holds it: a cell, or a row around it.
 * @property {Node[]} original
 * @property {boolean} live Whether it is an entry of a matrix that is shown, and not one in a line that is worked out.
 * @property {string} shows
 */

/** @type {Map<Element, Figure>} */
const figures = new Map();
/** @type {Map<string, Figure[]>} */
const byName = new Map();

/** @param {Element} element */
function placeOf(element) {
  const name = element.getAttribute("data-of") ?? "";
  const [row, column] = (element.getAttribute("data-at") ?? "").split(",").map(Number);
  return { name, row, column };
}

/**
 * Finds the figures inside an element. Those of one formula or matrix are one stop of the Tab key: what has the focus is
 * the box around them, for inside a formula assistive technology expects nothing that has it.
 * @param {Element} root
 */
function take(root) {
  for (const element of root.querySelectorAll("math [data-of]")) {
    const place = placeOf(element);
    if (isThere(place) && !element.parentElement?.closest("[data-of]")) takeFigure(element, place);
  }
}

/**
 * @param {Element} element
 * @param {Place} place
 */
function takeFigure(element, place) {
  const cell = element.parentElement;
  let target = /** @type {MathMLElement} */ (cell);
  if (cell?.localName !== "mtd" || cell.childNodes.length !== 1) {
    target = /** @type {MathMLElement} */ (document.createElementNS(MATHML, "mrow"));
    element.replaceWith(target);
    target.append(element);
  }
  const live = target.closest("[data-matrix]")?.getAttribute("data-matrix") === place.name;
  const figure = { place, target, original: [...target.childNodes], live, shows: "" };
  figures.set(target, figure);
  const others = byName.get(place.name);
  if (others === undefined) byName.set(place.name, [figure]);
  else others.push(figure);
  target.classList.add("figure");
  if (live && named(place.name).given && canCompute()) target.classList.add("given");
  const group = groupOf(target);
  if (group !== null) takeGroup(group, figure);
}

/** @type {Map<HTMLElement, Figure[]>} */
const groups = new Map();
/** @type {Map<HTMLElement, Figure>} */
const active = new Map();
let count = 0;

/**
 * @param {HTMLElement} group
 * @param {Figure} figure
 */
function takeGroup(group, figure) {
  figure.target.id = `figure-${++count}`;
  const others = groups.get(group);
  if (others !== undefined) return others.push(figure);
  groups.set(group, [figure]);
  group.tabIndex = 0;
  group.setAttribute("role", "group");
  group.classList.add("group");
}

/**
 * The box around the figures of one formula or matrix; words have none.
 * @param {Element} element
 */
const groupOf = (element) => /** @type {HTMLElement | null} */ (element.closest(".math, .lines"));

/** The figure that the keys speak of in a group. @param {Element} group */
function activeIn(group) {
  const box = /** @type {HTMLElement} */ (group);
  return active.get(box) ?? groups.get(box)?.[0];
}

/**
 * Makes a figure the one that the keys speak of.
 * @param {Figure} figure
 */
function activate(figure) {
  const group = groupOf(figure.target);
  if (group === null) return;
  activeIn(group)?.target.classList.remove("active");
  active.set(group, figure);
  group.setAttribute("aria-activedescendant", figure.target.id);
  figure.target.classList.add("active");
  figure.target.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** @param {Figure | null | undefined} figure */
function focusOn(figure) {
  const group = figure && groupOf(figure.target);
  if (!group) return;
  activate(figure);
  group.focus({ preventScroll: true });
}

/** What a group is called. */
function nameGroups() {
  for (const group of groups.keys()) {
    const name = group.getAttribute("data-matrix");
    const matrix = name === null ? undefined : names.get(name);
    const { text, rows, columns } = matrix ?? { text: "", rows: 0, columns: 0 };
    group.setAttribute("aria-label", matrix === undefined ? say("figures") : say("matrix", { name: text, rows, columns }));
  }
}

/**
 * What a figure's text is as MathML.
 * @param {string} text
 * @returns {Node[]}
 */
function asMath(text) {
  const written = text.startsWith("<") ? text : data.written[text]?.[0];
  if (written !== undefined) return inMath(written.startsWith("<math") ? written : `<math>${written}</math>`);
  const number = document.createElementNS(MATHML, "mn");
  number.textContent = minus(text);
  return [number];
}

/** @param {string} written */
function inMath(written) {
  return [...(parsed(written).firstElementChild?.childNodes ?? [])];
}

/** @param {Place} place */
function certifiedText({ name, row, column }) {
  const matrix = named(name);
  return (matrix.digits[state.digits] ?? matrix.shown)[row][column];
}

/**
 * How many decimals a computed figure is written with: as many as were asked for, else as its matrix prints.
 * @param {Name} matrix
 */
function decimalsOf(matrix) {
  if (state.digits !== "") return Number(state.digits);
  const points = matrix.shown.flat().map((text) => (/^-?\d+\.(\d+)$/.exec(text)?.[1] ?? "").length);
  return Math.max(2, ...points);
}

/**
 * A double as a figure.
 * @param {number} value
 * @param {number} decimals
 */
function fixed(value, decimals) {
  if (Number.isNaN(value)) return "—";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  if (Math.abs(value) >= 1e15) return String(value);
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

/** @param {Place} place */
function textOf(place) {
  const { name, row, column } = place;
  const change = state.changes.get(key(place));
  if (change !== undefined) return change.text;
  if (state.touched.has(key(place))) return fixed(state.values[name][row][column], decimalsOf(named(name)));
  return certifiedText(place);
}

/** Writes every figure as it is to be read now. */
function showFigures() {
  for (const figure of figures.values()) {
    const { place, target, live } = figure;
    const id = key(place);
    const isCovered = covers(place);
    const isTouched = state.touched.has(id);
    const exact = state.exact && entryOf(place)[2];
    const shows = isCovered ? "?" : !live ? "" : isTouched ? textOf(place) : exact ? exact : digitsOf(place);
    if (shows !== figure.shows) {
      figure.shows = shows;
      target.replaceChildren(...(shows === "" ? figure.original : isCovered ? asText("?") : asMath(shows)));
    }
    target.classList.toggle("covered", isCovered);
    target.classList.toggle("recomputed", live && isTouched && !isCovered);
    target.classList.toggle("changed", live && state.changes.has(id));
    target.classList.toggle("stale", !live && isTouched && target.closest("#panel") === null);
  }
}

/** @param {Place} place */
const digitsOf = (place) => (named(place.name).digits[state.digits] === undefined ? "" : certifiedText(place));

/** @param {string} text */
function asText(text) {
  const element = document.createElementNS(MATHML, "mtext");
  element.textContent = text;
  return [element];
}

/** @param {Place} place */
function spokenFigure(place) {
  return spokenText(textOf(place));
}

/**
 * A figure as plain text.
 * @param {string} text
 */
function spokenText(text) {
  if (!text.startsWith("<")) return data.written[text]?.[1] ?? minus(text);
  return asMath(text)
    .map((node) => node.textContent)
    .join("");
}

/** @param {string} text */
const minus = (text) => text.replace("-", "−");
