// What the page carries with it, and what a reader has chosen.

/** @typedef {{name: string, row: number, column: number}} Place An entry, counted from 0. */
/** @typedef {[string, number, number, number, number]} Region A matrix, first and last row, first and last column. */
/** @typedef {[string[], Region[], string | 0]} Entry Worked lines, what it is made of, its closed form. */
/** @typedef {[string, ...[string, boolean][]]} Factors A sign, and operands with whether they are transposed. */
/**
 * @typedef {object} Name
 * @property {string} name
 * @property {string} symbol
 * @property {string} text
 * @property {boolean} given
 * @property {boolean} numbers
 * @property {number} rows
 * @property {number} columns
 * @property {[string, string]} axes
 * @property {string[]} formula
 * @property {string} says The formula as text, to be spoken; empty where there is none.
 * @property {string[]} shapes
 * @property {string[]} general
 * @property {string[][]} shown
 * @property {Record<string, string[][]>} digits
 * @property {Entry[]} entries
 * @property {Factors | null} product
 */
/**
 * @typedef {object} Language
 * @property {string} called
 * @property {Record<string, string>} words
 * @property {Record<string, string[]>} labels
 * @property {string} fonts
 * @property {Record<string, string>} mistakes
 * @property {string} [title]
 * @property {string} [body]
 */
/** @typedef {Record<string, number[][]>} Values */
/** @typedef {[number, number]} Between The smallest and the largest number that is taken. */
/** @typedef {{mistake: string, entries: (Between | null)[][]}} Slip What a mistake makes of a step. */
/** @typedef {{right: (Between | null)[][], slips: Slip[], decimals: number}} Guess */
/**
 * @typedef {object} Data
 * @property {string} language
 * @property {Name[]} names
 * @property {string[]} closed
 * @property {Record<string, [string, string]>} written What is more than digits: as MathML, as text.
 * @property {Record<string, Language>} languages
 * @property {string} givens
 * @property {string} guesses
 * @property {string[]} computed
 * @property {string[]} choices Names whose entries say which of several was chosen.
 */

/**
 * The packed data of the page; null where the browser cannot unpack them.
 * @returns {Promise<Data | null>}
 */
async function unpacked() {
  const packed = byId("opens").textContent ?? "";
  if (!("DecompressionStream" in window)) return null;
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** @type {Data} */
let data;
/** @type {Record<string, Guess>} */
let guesses = {};
/** @type {Map<string, Name>} */
const names = new Map();
/**
 * What a reader has chosen; a page in another language keeps it.
 */
const state = {
  language: "",
  digits: "",
  exact: false,
  theme: "system",
  letters: true,
  step: -1,
  predict: false,
  projector: false,
  /** @type {Set<string>} */ revealed: new Set(),
  /** @type {Place[]} */ trail: [],
  /** @type {Map<string, {place: Place, value: number, text: string}>} */ changes: new Map(),
  /** @type {Values} */ base: {},
  /** @type {Values} */ values: {},
  /** @type {Set<string>} */ touched: new Set(),
};

/** @param {string} id */
function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`no element ${id}`);
  return found;
}

/** @param {Place} place */
const key = ({ name, row, column }) => `${name}:${row},${column}`;

/** @param {string} name */
function named(name) {
  const found = names.get(name);
  if (found === undefined) throw new Error(`no name ${name}`);
  return found;
}

/** @param {Place} place */
function entryOf({ name, row, column }) {
  const matrix = named(name);
  return matrix.entries[row * matrix.columns + column];
}

/** @param {Place} place */
function isThere({ name, row, column }) {
  const matrix = names.get(name);
  return matrix !== undefined && row >= 0 && column >= 0 && row < matrix.rows && column < matrix.columns;
}

/**
 * Words of the language that is read, with their blanks filled in.
 * @param {string} which
 * @param {Record<string, string | number>} [blanks]
 */
function say(which, blanks = {}) {
  const text = data.languages[state.language].words[which];
  if (text === undefined) throw new Error(`no words ${which}`);
  return text.replace(/\{(\w+)\}/g, (blank, name) => (name in blanks ? String(blanks[name]) : blank));
}

/**
 * A row or column of a matrix in words, with its label where its axis has labels.
 * @param {"row" | "column"} which
 * @param {Name} matrix
 * @param {number} at
 */
function counted(which, matrix, at) {
  const label = data.languages[state.language].labels[matrix.axes[which === "row" ? 0 : 1]]?.[at];
  return label === undefined ? say(`${which}_at`, { at: at + 1 }) : say(`${which}_at_label`, { at: at + 1, label });
}

/** @param {Place} place */
function told({ name, row, column }) {
  const matrix = named(name);
  return say("place", { name: matrix.text, row: counted("row", matrix, row), column: counted("column", matrix, column) });
}

/**
 * An entry in few words, without labels.
 * @param {Place} place
 */
function short({ name, row, column }) {
  return `${named(name).text} (${row + 1}, ${column + 1})`;
}

/**
 * An element of HTML with text in it.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} [attributes]
 * @param {...(Node | string)} inner
 */
function made(tag, attributes = {}, ...inner) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inner);
  return element;
}

/**
 * A button that does something.
 * @param {string} text
 * @param {() => void} act
 * @param {Record<string, string>} [attributes]
 */
function button(text, act, attributes = {}) {
  const element = made("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", act);
  return element;
}

/**
 * Nodes of what Python has written as HTML or MathML, and escaped.
 * @param {string} written
 */
function parsed(written) {
  const template = document.createElement("template");
  template.innerHTML = written;
  return template.content;
}

/** @param {string} sentence */
function speak(sentence) {
  byId("says").textContent = sentence;
}
