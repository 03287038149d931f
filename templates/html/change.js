// Given numbers that somebody changes, and everything below computed again, in double precision.

/** @type {Values} */
let givens = {};

function canCompute() {
  return PROGRAM !== null && data.computed.length > 0;
}

/**
 * A number as people type it: a decimal, or a fraction.
 * @param {string} text
 */
function read(text) {
  const match = /^\s*([-−+]?)(\d+(?:[.,]\d*)?|[.,]\d+)(?:e([-+]?\d{1,3}))?(?:\s*\/\s*(\d+))?\s*$/i.exec(text);
  if (match === null) return null;
  const [, sign, digits, power, below] = match;
  const size = Number(`${digits.replace(",", ".")}e${power ?? 0}`) / Number(below ?? 1);
  return Number.isFinite(size) ? (sign === "-" || sign === "−" ? -size : size) : null;
}

/**
 * Puts a number in the place of a given one; what was there before is not changed.
 * @param {Place} place
 * @param {number} value
 * @param {string} text
 */
function change(place, value, text) {
  const { name, row, column } = place;
  if (value === givens[name][row][column]) state.changes.delete(key(place));
  else state.changes.set(key(place), { place, value, text });
  computeAgain();
}

/**
 * What is read stays where it is on the screen, whatever comes or goes above it.
 * @param {() => void} act
 */
function holdStill(act) {
  const read = [...document.querySelectorAll("main > :not(.live)")].find((each) => each.getBoundingClientRect().bottom > innerHeight / 3);
  const before = read?.getBoundingClientRect().top ?? 0;
  act();
  scrollBy({ top: (read?.getBoundingClientRect().top ?? 0) - before, behavior: "instant" });
}

function backToCertified() {
  if (state.changes.size === 0) return;
  state.changes.clear();
  computeAgain();
  speak(say("is_certified"));
}

function computeAgain() {
  const changed = Object.fromEntries(Object.entries(givens).map(([name, rows]) => [name, rows.map((row) => [...row])]));
  for (const { place, value } of state.changes.values()) changed[place.name][place.row][place.column] = value;
  if (PROGRAM !== null && state.changes.size > 0) state.values = { ...changed, ...PROGRAM(changed) };
  state.touched = touched();
  holdStill(refresh);
}

/** Every entry that a changed number is behind, in the order of the derivation. */
function touched() {
  const found = new Set(state.changes.keys());
  if (found.size === 0) return found;
  const whole = new Set([...state.changes.values()].map(({ place }) => place.name));
  for (const matrix of names.values()) {
    if (matrix.given) continue;
    for (let row = 0; row < matrix.rows; row++) {
      for (let column = 0; column < matrix.columns; column++) {
        const place = { name: matrix.name, row, column };
        if (entryOf(place)[1].some((region) => whole.has(region[0]) && holds(region, found))) found.add(key(place));
      }
    }
    if (isTouchedIn(matrix, found)) whole.add(matrix.name);
  }
  return found;
}

/**
 * Whether one of the entries of a region is among some; of a matrix that does not open, any may be.
 * @param {Region} region
 * @param {Set<string>} found
 */
function holds([name, top, bottom, first, last], found) {
  for (let row = top; row <= bottom; row++) {
    for (let column = first; column <= last; column++) if (found.has(key({ name, row, column }))) return true;
  }
  return false;
}

/**
 * @param {Name} matrix
 * @param {Set<string>} found
 */
function isTouchedIn({ name, rows, columns }, found) {
  return holds([name, 0, rows - 1, 0, columns - 1], found);
}

/** Whether the page computes a name. @param {string} name */
const isComputed = (name) => name in state.values;

// What flips

/** @typedef {[number, string]} Flip How much it says about the result, the least number the most; a sentence. */

/**
 * Sentences about what is otherwise than before: the largest entry of a row of weights, its order, a sign. What somebody
 * looks for comes first, and not behind the signs of everything on the way to it.
 * @returns {string[]}
 */
function flips() {
  /** @type {Flip[]} */
  const found = [];
  for (const matrix of names.values()) {
    if (matrix.given || !isComputed(matrix.name) || !isTouchedIn(matrix, state.touched)) continue;
    for (let row = 0; row < matrix.rows; row++) found.push(...rowFlips(matrix, row));
  }
  return found.sort(([one], [other]) => one - other).map(([, text]) => text);
}

/**
 * @param {Name} matrix
 * @param {number} row
 * @returns {Flip[]}
 */
function rowFlips(matrix, row) {
  const before = state.base[matrix.name][row];
  const after = state.values[matrix.name][row];
  const text = say("row", { name: matrix.text, at: row + 1 });
  if (isWeights(before) && isWeights(after) && !data.choices.includes(matrix.name)) {
    const [old, now] = [largest(before), largest(after)];
    if (old !== now) return [[0, say("flip_largest", { row: text, old: counted("column", matrix, old), new: counted("column", matrix, now) })]];
    if (order(before).join() !== order(after).join()) return [[2, say("flip_order", { row: text })]];
    return [];
  }
  return after.flatMap((value, column) => {
    /** @type {Place} */
    const place = { name: matrix.name, row, column };
    if (data.choices.includes(matrix.name)) return value === before[column] ? [] : [/** @type {Flip} */ ([0, choiceFlip(place, before[column], value)])];
    if (signOf(value) === signOf(before[column])) return [];
    const which = signOf(value) * signOf(before[column]) === 0 ? "flip_zero" : "flip_sign";
    const decimals = decimalsOf(matrix);
    const told = say(which, { place: short(place), old: minus(fixed(before[column], decimals)), new: minus(fixed(value, decimals)) });
    return [/** @type {Flip} */ ([1, told])];
  });
}

/**
 * @param {Place} place
 * @param {number} before
 * @param {number} after
 */
function choiceFlip(place, before, after) {
  return say("flip_choice", { place: short(place), old: spokenText(String(before)), new: spokenText(String(after)) });
}

/** @param {number[]} row */
function isWeights(row) {
  return row.length > 1 && row.every((value) => value >= 0) && Math.abs(row.reduce((sum, value) => sum + value, 0) - 1) < 1e-9;
}

/** @param {number[]} row */
const largest = (row) => row.indexOf(Math.max(...row));

/** Rounding in doubles is no sign. @param {number} value */
const signOf = (value) => (Math.abs(value) < 1e-12 ? 0 : Math.sign(value));

/** @param {number[]} row */
function order(row) {
  return row.map((_, column) => column).sort((a, b) => (Math.abs(row[b] - row[a]) < 1e-12 ? a - b : row[b] - row[a]));
}

// The banner

const SHOWN_FLIPS = 6;

function showBanner() {
  const banner = byId("banner");
  banner.hidden = state.changes.size === 0;
  document.body.classList.toggle("recomputes", !banner.hidden);
  if (banner.hidden) return banner.replaceChildren();
  const sentences = flips();
  const list = made("ul", {});
  for (const each of sentences.slice(0, SHOWN_FLIPS)) list.append(made("li", {}, each));
  if (sentences.length > SHOWN_FLIPS) list.append(made("li", {}, say("more_flips", { count: sentences.length - SHOWN_FLIPS })));
  const isOpen = banner.querySelector("details")?.open ?? matchMedia("(min-width: 75rem)").matches;
  const count = sentences.length === 0 ? say("no_flips") : `${say("flips")} (${sentences.length})`;
  const details = made("details", isOpen ? { open: "" } : {}, made("summary", {}, count), list);
  details.append(made("p", { class: "changes" }, changesTold([...state.changes.values()])), made("p", { class: "legend" }, say("legend")));
  banner.setAttribute("aria-label", say("banner"));
  banner.replaceChildren(made("p", {}, made("b", {}, say("banner")), " ", button(say("certified"), backToCertified, { class: "certify" })), details);
  speak([say("banner"), ...sentences.slice(0, 2)].join(" "));
}

/** What was typed over. @param {{place: Place, text: string}[]} changes */
function changesTold(changes) {
  const each = changes.map(({ place, text }) => say("change_of", { place: short(place), old: spokenText(certifiedText(place)), new: spokenText(text) }));
  return say("changed", { changes: each.join("; ") });
}

/** Rows whose largest entry is another one, cells whose sign is another: marked in their matrices. */
function markFlips() {
  for (const figure of figures.values()) {
    const { place, target, live } = figure;
    const isSeen = live && state.touched.has(key(place)) && isComputed(place.name) && !named(place.name).given && !covers(place);
    target.classList.toggle("flipped", isSeen && isFlipped(place));
  }
}

/** @param {Place} place */
function isFlipped({ name, row, column }) {
  const [before, after] = [state.base[name][row], state.values[name][row]];
  if (data.choices.includes(name)) return before[column] !== after[column];
  if (isWeights(before) && isWeights(after)) return largest(before) !== largest(after) && largest(after) === column;
  return signOf(before[column]) !== signOf(after[column]);
}

// Typing and dragging

/**
 * @param {Place} place
 * @returns {HTMLElement}
 */
function changeForm(place) {
  const input = made("input", { id: "new-value", inputmode: "decimal", autocomplete: "off", size: "10" });
  input.value = state.changes.get(key(place))?.text ?? certifiedText(place);
  const note = made("p", { class: "note", role: "alert" });
  const form = made("form", { class: "change" }, made("label", { for: "new-value" }, say("new_value")), input);
  form.append(made("button", { type: "submit" }, say("apply")), note);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!changeTo(place, input.value)) note.textContent = say("not_a_number", { text: input.value });
    else if (openPlace() !== undefined) showPanel(true);
  });
  return form;
}

/**
 * @param {Place} place
 * @param {string} text
 */
function changeTo(place, text) {
  const value = read(text);
  if (value === null) return false;
  change(place, value, text.trim().replace("−", "-").replace(",", "."));
  return true;
}

/**
 * A box over a given number, in which another is typed.
 * @param {Figure} figure
 * @param {string} [begun]
 */
function typeOver(figure, begun) {
  const place = figure.place;
  const box = figure.target.getBoundingClientRect();
  const input = made("input", { class: "over", inputmode: "decimal", autocomplete: "off", "aria-label": `${say("new_value")}: ${told(place)}` });
  input.value = begun ?? textOf(place);
  input.style.left = `${box.left + scrollX - 4}px`;
  input.style.top = `${box.top + scrollY - 4}px`;
  input.style.width = `${Math.max(box.width + 24, 72)}px`;
  document.querySelector("main")?.append(input);
  input.focus({ preventScroll: true });
  if (begun === undefined) input.select();
  let isOver = false;
  /** @param {boolean} keeps */
  const end = (keeps) => {
    if (isOver) return;
    isOver = true;
    const isRead = !keeps || changeTo(place, input.value);
    if (!isRead) speak(say("not_a_number", { text: input.value }));
    input.remove();
    focusOn(figure);
  };
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter" && read(input.value) === null) {
      input.setAttribute("aria-invalid", "true");
      speak(say("not_a_number", { text: input.value }));
    } else if (event.key === "Enter") end(true);
    else if (event.key === "Escape") end(false);
  });
  input.addEventListener("blur", () => end(true));
}

/**
 * A given number with so many units of its last decimal more.
 * @param {Place} place
 * @param {number} units
 * @param {string} [from]
 */
function step(place, units, from = textOf(place)) {
  const value = read(from);
  if (value === null) return;
  const decimals = Math.max((/\.(\d+)$/.exec(from)?.[1] ?? "").length, from.includes("/") ? 2 : 0);
  const text = fixed(value + units * 10 ** -decimals, decimals);
  change(place, Number(text), text);
}

const PIXELS = 6;

/**
 * Dragging a given number sideways.
 * @param {PointerEvent} event
 * @param {Figure} figure
 */
function drag(event, figure) {
  const [start, from] = [event.clientX, textOf(figure.place)];
  let units = 0;
  let moved = false;
  /** @param {PointerEvent} now */
  const move = (now) => {
    if (now.pointerId !== event.pointerId) return;
    const next = Math.round((now.clientX - start) / PIXELS);
    moved ||= Math.abs(now.clientX - start) > PIXELS;
    if (!moved || next === units) return;
    units = next;
    step(figure.place, units, from);
  };
  const stop = () => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", stop);
    removeEventListener("pointercancel", stop);
    if (moved) addEventListener("click", (click) => click.stopPropagation(), { capture: true, once: true });
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", stop);
  addEventListener("pointercancel", stop);
}
