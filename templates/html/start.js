// What happens when: pointers, keys, the beginning.

/** Shows everything as it was chosen. */
function refresh() {
  showSteps();
  showFigures();
  showBanner();
  markFlips();
  markPictures();
  showTools();
  const place = openPlace();
  if (place !== undefined) showPanel(byId("panel").contains(document.activeElement));
}

/** Takes the page in the language that it is in now. */
function begin() {
  const main = document.querySelector("main");
  if (main === null) return;
  const hints = [say("hint_open"), ...(canCompute() ? [say("hint_change")] : [])];
  document.querySelector(".hint")?.remove();
  main.before(made("aside", { class: "live hint", "aria-label": say("help") }, ...hints.map((each) => made("p", {}, each))));
  take(main);
  nameGroups();
  countSteps();
  takePictures();
  markHere();
  const notes = [canCompute() ? "" : say("not_recomputed"), data.closed.length > 0 ? say("not_opened", { names: data.closed.join(", ") }) : ""];
  for (const note of notes) if (note !== "") main.append(made("p", { class: "note" }, note));
  refresh();
}

/** Marks in the contents the part that is being read: the last heading above the middle of the window. */
function markHere() {
  const links = [...document.querySelectorAll(".contents a")];
  const above = links.filter((link) => (document.querySelector(link.getAttribute("href") ?? "")?.getBoundingClientRect().top ?? Infinity) < innerHeight / 2);
  for (const link of links) {
    if (link === above.at(-1)) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

/**
 * The entry that something on the page stands for.
 * @param {EventTarget | null} target
 * @returns {{place: Place, element: Element, figure: Figure | undefined} | null}
 */
function entryAt(target) {
  if (!(target instanceof Element)) return null;
  const element = target.closest(".figure, .leads");
  if (element === null) return null;
  const figure = figures.get(element);
  return { place: figure?.place ?? placeOf(element), element, figure };
}

/** @param {Event} event */
function onClick(event) {
  const found = entryAt(event.target);
  if (found === null) return;
  const { place, element, figure } = found;
  if (figure !== undefined) activate(figure);
  if (element.closest("#panel") !== null) goOn(place);
  else openEntry(place, figure?.target ?? shownFigure(place, element)?.target ?? null);
}

/** @param {PointerEvent} event */
function onPointerDown(event) {
  const figure = entryAt(event.target)?.figure;
  if (figure !== undefined && event.button === 0 && figure.target.classList.contains("given")) drag(event, figure);
}

/** @param {Event} event */
function onHover(event) {
  const figure = event.type === "focusin" && event.target instanceof Element ? activeIn(event.target) : undefined;
  if (figure !== undefined) activate(figure);
  const found = entryAt(figure?.target ?? event.target);
  const place = openPlace();
  if (found !== null && found.element.closest("#panel") === null) mark(found.place, found.figure?.target ?? shownFigure(found.place, found.element)?.target ?? null);
  else if (place === undefined) unmark();
  else mark(place, state.trail.length === 1 ? cameFrom : null);
}

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** @param {KeyboardEvent} event */
function onKey(event) {
  const target = event.target;
  if (!(target instanceof Element) || target.closest("input, select, textarea, dialog") !== null || event.ctrlKey || event.metaKey) return;
  const inPanel = target.closest("#panel") !== null;
  const figure = activeIn(target);
  const isDone = figure !== undefined && onFigureKey(event, figure, inPanel);
  if (isDone || (inPanel && onPanelKey(event)) || onPageKey(event)) event.preventDefault();
}

/**
 * @param {KeyboardEvent} event
 * @param {Figure} figure
 * @param {boolean} inPanel
 */
function onFigureKey(event, figure, inPanel) {
  const { place, target } = figure;
  const isGiven = target.classList.contains("given") && !inPanel;
  const arrow = ARROWS[event.key];
  if (event.key === "Enter" || event.key === " ") {
    if (inPanel) goOn(place);
    else openEntry(place, target);
  } else if (isGiven && event.altKey && arrow && arrow[0] !== 0) step(place, -arrow[0]);
  else if (isGiven && event.key === "F2") typeOver(figure);
  else if (isGiven && /^[-.\d]$/.test(event.key)) typeOver(figure, event.key);
  else if (event.key === "Home") moveTo(figure);
  else if (arrow && !event.altKey) moveFocus(figure, arrow);
  else return false;
  return true;
}

/**
 * The arrow keys inside a group: in a matrix to the neighbouring entry, in a line to the next figure.
 * @param {Figure} figure
 * @param {[number, number]} arrow
 */
function moveFocus(figure, [down, right]) {
  const group = groupOf(figure.target);
  const others = (group && groups.get(group)) ?? [];
  const { name, row, column } = figure.place;
  const next = figure.live
    ? others.find((each) => key(each.place) === key({ name, row: row + down, column: column + right }))
    : others[others.indexOf(figure) + down + right];
  if (next === undefined) return;
  activate(next);
  mark(next.place, next.target);
  speak(`${told(next.place)}: ${covers(next.place) ? say("covered") : spokenFigure(next.place)}`);
}

/** To the first figure of a group. @param {Figure} figure */
function moveTo(figure) {
  const group = groupOf(figure.target);
  const first = group && groups.get(group)?.[0];
  if (!first) return;
  activate(first);
  mark(first.place, first.target);
}

/** @param {KeyboardEvent} event */
function onPanelKey(event) {
  const arrow = ARROWS[event.key];
  if (event.key === "Backspace" || (event.altKey && event.key === "ArrowLeft")) goBack();
  else if (arrow && !event.altKey) walk(...arrow);
  else return false;
  return true;
}

/** @param {KeyboardEvent} event */
function onPageKey(event) {
  const steps = state.step >= 0 || state.projector;
  if (event.key === "Escape") {
    if (openPlace() !== undefined) closePanel();
    else if (state.projector) project(false);
    else return false;
  } else if (event.altKey || (event.key.length === 1 && !state.letters)) return false;
  else if (event.key === "n" || (steps && event.key === "ArrowRight")) goTo(state.step + 1);
  else if (event.key === "p" || (steps && event.key === "ArrowLeft")) goTo(state.step - 1);
  else if (event.key === "h") predict(!state.predict);
  else if (event.key === "v" && state.predict) revealStep();
  else if (event.key === "f") project(!state.projector);
  else if (event.key === "r") backToCertified();
  else if (event.key === "?") showHelp();
  else return false;
  return true;
}

/** What the page has only where it opens. */
function frame() {
  const tools = made("section", { id: "tools", class: "live" });
  const banner = made("section", { id: "banner", class: "live", hidden: "", "aria-live": "off" });
  const panel = made("aside", { id: "panel", class: "live", tabindex: "-1", hidden: "" });
  const says = made("div", { id: "says", class: "unseen", "aria-live": "polite" });
  const help = made("dialog", { id: "help", "aria-labelledby": "help-title" });
  document.querySelector("a.skip")?.after(tools);
  document.body.append(panel, banner, says, help);
  document.body.classList.add("live-page");
}

async function start() {
  const found = await unpacked();
  if (found === null) {
    document.querySelector("main")?.append(made("p", { class: "note" }, byId("opens").getAttribute("data-sorry") ?? ""));
    return;
  }
  data = found;
  for (const each of data.names) names.set(each.name, each);
  state.language = data.language;
  givens = JSON.parse(data.givens);
  guesses = JSON.parse(data.guesses);
  if (PROGRAM !== null) state.base = { ...givens, ...PROGRAM(givens) };
  ownTitle = document.title;
  ownBody = PARTS.map((which) => document.querySelector(`body > ${which}`)?.outerHTML ?? "").join("");
  frame();
  recall();
  begin();
  addEventListener("click", onClick);
  addEventListener("dblclick", (event) => {
    const figure = entryAt(event.target)?.figure;
    if (figure?.target.classList.contains("given")) typeOver(figure);
  });
  addEventListener("pointerdown", onPointerDown);
  addEventListener("pointerover", onHover);
  addEventListener("focusin", onHover);
  addEventListener("keydown", onKey);
  addEventListener("scroll", markHere, { passive: true });
  document.documentElement.setAttribute("data-opens", String(Math.round(performance.now())));
}

start();
