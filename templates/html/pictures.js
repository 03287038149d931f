// Pictures: their cells lead to entries. A heat map of shares follows what is computed again; others say that they do not.

const SHARE = /(\d+)%/;

/**
 * @typedef {object} Cell
 * @property {Place} place
 * @property {SVGElement} ground
 * @property {SVGElement | null} figure  null where a mask hides the entry
 * @property {string} fill
 * @property {Node[]} original
 */

/** The cells of the heat maps that can follow: those of numbers from 0 up. @type {Map<Element, Cell[]>} */
const heatMaps = new Map();

function takePictures() {
  heatMaps.clear();
  for (const element of document.querySelectorAll("main svg [data-of]")) {
    if (isThere(placeOf(element))) element.classList.add("leads");
  }
  for (const picture of document.querySelectorAll("main figure")) {
    const cells = [...picture.querySelectorAll(".heatmap rect.leads")].map((ground) => cellOf(picture, ground));
    if (cells.length > 0 && cells.every(({ place }) => isShare(state.base, place))) heatMaps.set(picture, cells);
  }
}

/**
 * @param {Element} picture
 * @param {Element} ground
 * @returns {Cell}
 */
function cellOf(picture, ground) {
  const place = placeOf(ground);
  const found = [...picture.querySelectorAll("text.leads")].find((each) => key(placeOf(each)) === key(place));
  const fill = ground.getAttribute("fill") ?? "";
  const figure = /** @type {SVGElement | null} */ (found ?? null);
  return { place, ground: /** @type {SVGElement} */ (ground), figure, fill, original: [...(found?.childNodes ?? [])] };
}

/**
 * @param {Values} values
 * @param {Place} place
 */
function isShare(values, { name, row, column }) {
  const value = values[name]?.[row]?.[column];
  return value !== undefined && value >= 0 && Number.isFinite(value);
}

/**
 * Whether a masked entry, which has no figure, can be seen now.
 * @param {Cell} cell
 */
const isUncovered = ({ place, figure }) => figure === null && state.values[place.name][place.row][place.column] > 0;

/**
 * A figure with as many decimals as the one before.
 * @param {Place} place
 * @param {Node[]} original
 */
function inCell({ name, row, column }, original) {
  const decimals = original.map((node) => node.textContent).join("").split(".")[1] ?? "00";
  return fixed(state.values[name][row][column], decimals.length);
}

function markPictures() {
  for (const picture of document.querySelectorAll("main figure")) {
    const isTouched = [...picture.querySelectorAll("[data-of]")].some((each) => state.touched.has(key(placeOf(each))));
    const follows = shade(picture, isTouched);
    picture.classList.toggle("stale", isTouched && !follows);
    picture.querySelector(".picture-note")?.remove();
    if (isTouched) picture.append(made("p", { class: "picture-note" }, follows ? say("followed") : say("stale_picture")));
  }
}

/**
 * Shades the cells of a heat map by the numbers there are now, as it was shaded: the largest the darkest.
 * @param {Element} picture
 * @param {boolean} isTouched
 */
function shade(picture, isTouched) {
  const cells = heatMaps.get(picture) ?? [];
  const follows = isTouched && cells.length > 0 && cells.every((cell) => isShare(state.values, cell.place) && !isUncovered(cell));
  const darkest = Math.max(0, ...cells.map(({ fill }) => Number(SHARE.exec(fill)?.[1] ?? 0)));
  const largest = follows ? Math.max(...cells.map(({ place }) => state.values[place.name][place.row][place.column])) : 0;
  for (const { place, ground, figure, fill, original } of cells) {
    const isNew = follows && state.touched.has(key(place));
    const share = follows && largest > 0 ? Math.round((darkest * state.values[place.name][place.row][place.column]) / largest) : 0;
    ground.setAttribute("fill", follows ? `color-mix(in srgb,var(--blue) ${share}%,var(--paper))` : fill);
    figure?.replaceChildren(...(isNew ? [minus(inCell(place, original))] : original));
    figure?.classList.toggle("recomputed", isNew);
  }
  return follows;
}
