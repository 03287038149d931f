// One step after the other; what comes can be covered, and somebody guesses it first.

/** @returns {HTMLElement[]} */
const sections = () => [...document.querySelectorAll("main section[data-step]")].map((each) => /** @type {HTMLElement} */ (each));

/** @param {Element} section */
const stepNames = (section) => (section.getAttribute("data-step") ?? "").split(" ");

/** @type {Map<string, number>} */
const firstStep = new Map();

/** Which step shows a name first. */
function countSteps() {
  firstStep.clear();
  for (const [at, section] of sections().entries()) {
    for (const name of stepNames(section)) if (!firstStep.has(name)) firstStep.set(name, at);
  }
}

/**
 * Whether an entry is covered: it belongs to this step or a later one, and nobody has revealed it.
 * @param {Place} place
 */
function covers(place) {
  if (!state.predict || named(place.name).given) return false;
  const at = firstStep.get(place.name) ?? -1;
  if (at < state.step || state.revealed.has(place.name)) return false;
  return !state.revealed.has(key(place));
}

/** @param {number} at */
function goTo(at) {
  const all = sections();
  if (all.length === 0) return;
  state.step = Math.max(-1, Math.min(at, all.length - 1));
  if (openPlace() !== undefined) closePanel();
  refresh();
  const section = all[state.step];
  fit(section);
  if (section === undefined) return;
  if (state.projector) scrollTo({ top: 0, behavior: "instant" });
  else section.scrollIntoView({ block: "center" });
  speak(stepSentence());
}

const FROM_AFAR = 24;

/**
 * On a projector a step has one screen: type shrinks for a long one, but not below what is read from afar.
 * @param {HTMLElement | undefined} section
 */
function fit(section) {
  const { style } = document.body;
  style.fontSize = "";
  if (!state.projector || section === undefined) return;
  for (const _ of [1, 2, 3]) {
    const size = Number.parseFloat(getComputedStyle(document.body).fontSize);
    const { top, height } = section.getBoundingClientRect();
    const share = (innerHeight - top - scrollY - 16) / height;
    if (share >= 1 || size <= FROM_AFAR) return;
    style.fontSize = `${Math.max(FROM_AFAR, size * share)}px`;
  }
}

function stepSentence() {
  const all = sections();
  if (state.step < 0) return say("all_steps");
  const shown = stepNames(all[state.step]).map((name) => names.get(name)?.text ?? name);
  return say("at_step", { place: state.step + 1, count: all.length, name: shown.join(", ") });
}

function showSteps() {
  const all = sections();
  for (const [at, section] of all.entries()) {
    section.classList.toggle("current", at === state.step);
    section.classList.toggle("outdated", stepNames(section).some((name) => names.has(name) && isTouchedIn(named(name), state.touched)));
    section.classList.toggle("veiled", state.predict && at >= state.step && stepNames(section).some(isCovered));
  }
  for (const heading of document.querySelectorAll("main > .context")) {
    heading.classList.remove("context");
    heading.removeAttribute("aria-level");
  }
  const context = headingOf(all[state.step]);
  context?.classList.add("context");
  if (state.projector) context?.setAttribute("aria-level", "2"); // on the screen it follows the title
  const last = all.at(-1);
  const isOutdated = all.some((section) => section.classList.contains("outdated"));
  const hides = state.predict && last !== undefined && stepNames(last).some(isCovered);
  for (const element of document.querySelectorAll("main > *")) {
    const isEnd = last !== undefined && (last.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    const isDrawn = element.localName === "figure" && element.querySelector("[data-of]") !== null;
    const drawn = isDrawn && [...element.querySelectorAll("[data-of]")].some((each) => isThere(placeOf(each)) && covers(placeOf(each)));
    element.classList.toggle("outdated-end", isEnd && isOutdated);
    element.classList.toggle("veil", (isEnd && hides) || (state.predict && drawn));
  }
  document.body.classList.toggle("predicts", state.predict);
  document.body.classList.toggle("projector", state.projector);
}

/** The heading that a step stands under. @param {Element | undefined} section */
function headingOf(section) {
  let before = section?.previousElementSibling;
  while (before && !/^h[2-6]$/.test(before.localName)) before = before.previousElementSibling;
  return before ?? null;
}

/** Whether something of a name is still covered. @param {string} name */
function isCovered(name) {
  const matrix = names.get(name);
  if (matrix === undefined || matrix.given) return false;
  for (let row = 0; row < matrix.rows; row++) {
    for (let column = 0; column < matrix.columns; column++) if (covers({ name, row, column })) return true;
  }
  return false;
}

/** @param {boolean} on */
function predict(on) {
  state.predict = on;
  state.revealed.clear();
  goTo(on ? Math.max(state.step, firstWorked()) : state.step);
}

/** The first step that has something to predict. */
function firstWorked() {
  return Math.max(0, sections().findIndex((section) => stepNames(section).some((name) => names.get(name)?.given === false)));
}

function revealStep() {
  const section = sections()[state.step];
  if (section === undefined) return;
  for (const name of stepNames(section)) state.revealed.add(name);
  refresh();
}

/** @param {boolean} on */
function project(on) {
  state.projector = on;
  goTo(on ? Math.max(state.step, 0) : state.step);
}

// Guessing

/**
 * @param {Place} place
 * @returns {HTMLElement}
 */
function guessForm(place) {
  const input = made("input", { id: "guess", inputmode: "decimal", autocomplete: "off", size: "10", name: key(place) });
  const before = byId("panel").querySelector("#guess");
  if (before instanceof HTMLInputElement && before.name === input.name) input.value = before.value; // in another language
  const answer = made("p", { class: "answer", role: "status" });
  const form = made("form", { class: "guess" }, made("p", {}, say("guess_first", { decimals: guessed(place) })));
  form.append(made("label", { for: "guess" }, say("guess")), input, made("button", { type: "submit" }, say("check")));
  form.append(button(say("reveal"), () => reveal(place), { class: "quiet" }), answer);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const guess = read(input.value);
    if (guess === null) answer.textContent = say("not_a_number", { text: input.value });
    else if (isRight(place, guess)) {
      reveal(place);
      const said = say("right", { value: spokenFigure(place) });
      byId("panel").querySelector("h2")?.after(made("p", { class: "answer right" }, said));
      speak(said);
    } else answer.textContent = whyWrong(place, guess, decimalsIn(input.value));
  });
  return form;
}

/** @param {Place} place */
function reveal(place) {
  state.revealed.add(key(place));
  refresh();
}

/** @param {Place} place */
function numberAt({ name, row, column }) {
  const values = state.changes.size > 0 && isComputed(name) ? state.values : state.base;
  return values[name]?.[row][column] ?? Number(named(name).shown[row][column]);
}

/**
 * Whether a guess is what the entry rounds to, or as near to it as somebody comes who rounds on the way.
 * @param {Place} place
 * @param {number} guess
 */
function isRight(place, guess) {
  const between = isTouched(place) ? undefined : guesses[place.name]?.right[place.row][place.column];
  if (between) return within(between, guess);
  return isNear(numberAt(place), guess, guessed(place));
}

/** How many decimals a guess is asked for. @param {Place} place */
const guessed = (place) => guesses[place.name]?.decimals ?? Math.min(3, decimalsOf(named(place.name)));

/** @param {Place} place */
const isTouched = (place) => state.touched.has(key(place));

/**
 * @param {Between | null | undefined} between
 * @param {number} number
 */
const within = (between, number) => !!between && between[0] <= number && number <= between[1];

/**
 * What to say of a wrong guess: which mistake leads to it, if one that is known does; else whether it only wants more
 * decimals, or is another entry of the same matrix.
 * @param {Place} place
 * @param {number} guess
 * @param {number} decimals How many were typed.
 */
function whyWrong(place, guess, decimals) {
  const slips = isTouched(place) ? [] : (guesses[place.name]?.slips ?? []);
  const slip = slips.find(({ entries }) => within(entries[place.row][place.column], guess));
  const words = slip && data.languages[state.language].mistakes[slip.mistake];
  if (words) return say("wrong_because", { words });
  if (decimals < guessed(place) && isNear(numberAt(place), guess, decimals)) return say("wrong_short", { decimals: guessed(place) });
  const other = placeWith(place, guess);
  return other === undefined ? say("wrong") : say("wrong_place", { place: told(other) });
}

/** @param {string} text */
const decimalsIn = (text) => /[.,](\d*)/.exec(text)?.[1].length ?? 0;

/**
 * @param {number} number
 * @param {number} guess
 * @param {number} decimals
 */
const isNear = (number, guess, decimals) => Math.abs(guess - number) <= 0.5 * 10 ** -decimals + 1e-12;

/**
 * The other entry of the same matrix that a guess is; where there are several, the one across the diagonal.
 * @param {Place} place
 * @param {number} guess
 */
function placeWith({ name, row, column }, guess) {
  const { rows, columns } = named(name);
  const across = { name, row: column, column: row };
  const all = Array.from({ length: rows * columns }, (_, at) => ({ name, row: Math.floor(at / columns), column: at % columns }));
  const same = all.filter((each) => (each.row !== row || each.column !== column) && isNear(numberAt(each), guess, guessed(each)));
  return same.find((each) => key(each) === key(across)) ?? same[0];
}
