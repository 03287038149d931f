// Which entries an entry is made of: told in words, and marked in the nearest copy of each matrix.

/**
 * @param {Region} region
 * @returns {string}
 */
function regionWords([name, top, bottom, first, last]) {
  const matrix = named(name);
  const text = matrix.text;
  if (top === bottom && first === last) return say("entry", { name: text, row: top + 1, column: first + 1 });
  if (bottom - top + 1 === matrix.rows && last - first + 1 === matrix.columns) return say("whole", { name: text });
  if (top === bottom && last - first + 1 === matrix.columns) return say("row", { name: text, at: top + 1 });
  if (first === last && bottom - top + 1 === matrix.rows) return say("column", { name: text, at: first + 1 });
  return say("block", { name: text, top: top + 1, bottom: bottom + 1, first: first + 1, last: last + 1 });
}

/**
 * Several things in one sentence.
 * @param {string[]} parts
 */
function listed(parts) {
  const [last, ...others] = [...parts].reverse();
  if (others.length === 0) return last;
  return say("and", { left: others.reverse().reduce((left, right) => say("comma", { left, right })), right: last });
}

/** Whether words alone say how an entry comes about: it is a product of names, or a sum. @param {string} name */
function isProduct(name) {
  const { product } = named(name);
  return product?.slice(1).every((factor) => names.has(factor[0])) ?? false;
}

/**
 * What an entry is made of, in words: of a product the row and the column, of anything else all regions.
 * @param {Place} place
 */
function madeOf(place) {
  const { product } = named(place.name);
  const regions = entryOf(place)[1];
  if (product === null || !isProduct(place.name)) {
    return regions.length === 0 ? "" : listed(regions.map(regionWords));
  }
  const factors = /** @type {[string, boolean][]} */ (product.slice(1));
  if (product[0] === "times") {
    return say("times", { left: factorWords("row", place.row, factors[0]), right: factorWords("column", place.column, factors[1]) });
  }
  return factors
    .map(([name, turned]) => {
      const [row, column] = turned ? [place.column, place.row] : [place.row, place.column];
      return say("entry", { name: named(name).text, row: row + 1, column: column + 1 });
    })
    .reduce((left, right) => say("plus", { left, right }));
}

/**
 * @param {"row" | "column"} which
 * @param {number} at
 * @param {[string, boolean]} factor
 */
function factorWords(which, at, [name, turned]) {
  return say(turned ? `turned_${which}` : which, { name: named(name).text, at: at + 1 });
}

/**
 * The sentence that is spoken of an entry.
 * @param {Place} place
 */
function sentence(place) {
  if (covers(place)) return say("comes", { place: told(place), parts: say("covered") });
  const value = spokenFigure(place);
  const { given, says } = named(place.name);
  const change = state.changes.get(key(place));
  if (change !== undefined) return changesTold([change]);
  if (given) return say("given_value", { place: told(place), value });
  const parts = madeOf(place);
  if (parts === "") return say("comes", { place: told(place), parts: value });
  if (isProduct(place.name) || says === "") return say("comes_to", { place: told(place), parts, value });
  return say("comes_by", { place: told(place), formula: says, parts, value });
}

const MARKS = ["opened", "made", "top", "bottom", "first", "last"];

function unmark() {
  for (const element of document.querySelectorAll(".opened, .made")) element.classList.remove(...MARKS);
}

/**
 * Marks an entry and what it is made of.
 * @param {Place} place
 * @param {Element | null} from The element that the nearest copies are looked for around.
 */
function mark(place, from) {
  unmark();
  const own = from ?? shownFigure(place, null)?.target ?? null;
  for (const figure of byName.get(place.name) ?? []) {
    if (key(figure.place) === key(place) && figure.live && nearest(place.name, own) === figure.target.closest("[data-matrix]")) {
      figure.target.classList.add("opened");
    }
  }
  own?.classList.add("opened");
  if (covers(place)) return;
  for (const region of entryOf(place)[1]) markRegion(region, own);
}

/**
 * @param {Region} region
 * @param {Element | null} from
 */
function markRegion([name, top, bottom, first, last], from) {
  const copy = nearest(name, from);
  for (const { place, target } of byName.get(name) ?? []) {
    const { row, column } = place;
    if (row < top || row > bottom || column < first || column > last || target.closest("[data-matrix]") !== copy) continue;
    target.classList.add("made");
    target.classList.toggle("top", row === top);
    target.classList.toggle("bottom", row === bottom);
    target.classList.toggle("first", column === first);
    target.classList.toggle("last", column === last);
  }
}

/**
 * The nearest copy of a matrix before an element, else the first after it.
 * @param {string} name
 * @param {Element | null} from
 */
function nearest(name, from) {
  const copies = [...document.querySelectorAll("main [data-matrix]")].filter((each) => each.getAttribute("data-matrix") === name);
  const before = copies.filter((each) => from === null || each.contains(from) || each.compareDocumentPosition(from) & Node.DOCUMENT_POSITION_FOLLOWING);
  return before.at(-1) ?? copies[0] ?? null;
}

/**
 * The figure of an entry in the nearest copy of its matrix, if the page shows it.
 * @param {Place} place
 * @param {Element | null} from
 */
function shownFigure(place, from) {
  const copy = nearest(place.name, from);
  return (byName.get(place.name) ?? []).find((each) => key(each.place) === key(place) && each.live && each.target.closest("[data-matrix]") === copy);
}
