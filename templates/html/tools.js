// The bar at the top: steps, what is covered, the projector, settings, keys.

/**
 * A list to choose from.
 * @param {string} id
 * @param {string} label
 * @param {[string, string][]} options
 * @param {string} chosen
 * @param {(value: string) => void} act
 */
function choice(id, label, options, chosen, act) {
  const select = made("select", { id });
  for (const [value, text] of options) select.append(made("option", { value, ...(value === chosen ? { selected: "" } : {}) }, text));
  select.addEventListener("change", () => act(select.value));
  return made("span", { class: "choice" }, made("label", { for: id }, label), " ", select);
}

/** @param {string} id */
function digitsChoice(id) {
  /** @type {[string, string][]} */
  const options = [["", say("as_printed")]];
  for (let decimals = 2; decimals <= 12; decimals++) options.push([String(decimals), String(decimals)]);
  return choice(id, say("digits"), options, state.digits, (value) => {
    state.digits = value;
    refresh();
    byId(id).focus({ preventScroll: true });
  });
}

/**
 * A button that is on or off.
 * @param {string} word
 * @param {boolean} on
 * @param {() => void} act
 * @param {Record<string, string>} [attributes]
 */
function toggle(word, on, act, attributes = {}) {
  return button(say(word), act, { "aria-pressed": String(on), "data-tool": word, ...attributes });
}

/**
 * @param {string} id
 * @param {boolean} on
 * @param {(on: boolean) => void} act
 */
function checkbox(id, on, act) {
  const box = made("input", { type: "checkbox", id, ...(on ? { checked: "" } : {}) });
  box.addEventListener("change", () => {
    act(box.checked);
    remember();
    refresh();
    byId(id).focus({ preventScroll: true });
  });
  return made("span", { class: "choice" }, box, " ", made("label", { for: id }, say(id)));
}

/** The bar is written anew whenever something is chosen; the focus stays where it is. */
function showTools() {
  const bar = byId("tools");
  const focused = document.activeElement?.getAttribute("data-tool");
  const isOpen = bar.querySelector("details")?.open ?? false;
  const isLast = state.step >= sections().length - 1;
  const walkers = made("span", { class: "walkers" });
  walkers.append(
    button("‹", () => goTo(state.step - 1), { "aria-label": say("previous"), "data-tool": "previous", ...(state.step < 0 ? { disabled: "" } : {}) }),
    made("span", { class: "at" }, state.step < 0 ? say("steps") : stepSentence()),
    button("›", () => goTo(state.step + 1), { "aria-label": say("next"), "data-tool": "next", ...(isLast ? { disabled: "" } : {}) }),
  );
  const buttons = made("span", { class: "buttons" });
  buttons.append(toggle("predict", state.predict, () => predict(!state.predict)));
  if (state.predict) buttons.append(button(say("reveal_step"), revealStep, { "data-tool": "reveal" }));
  buttons.append(toggle("projector", state.projector, () => project(!state.projector)));
  buttons.append(settings(isOpen), button("?", showHelp, { "aria-label": say("help"), "data-tool": "help" }));
  bar.setAttribute("aria-label", say("settings"));
  bar.replaceChildren(walkers, buttons);
  const again = focused && bar.querySelector(`[data-tool="${focused}"]`);
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}

/** @param {boolean} isOpen */
function settings(isOpen) {
  const details = made("details", isOpen ? { open: "" } : {}, made("summary", { "data-tool": "settings" }, say("settings")));
  const box = made("div", { class: "settings" }, digitsChoice("digits"));
  if ([...names.values()].some((matrix) => matrix.entries.some((entry) => entry[2]))) {
    box.append(checkbox("exact", state.exact, (on) => (state.exact = on)));
  }
  box.append(checkbox("letters", state.letters, (on) => (state.letters = on)));
  /** @type {[string, string][]} */
  const spoken = Object.entries(data.languages).map(([language, { called }]) => [language, called]);
  box.append(choice("language", say("language"), spoken, state.language, speakIn));
  /** @type {[string, string][]} */
  const themes = [["system", say("system")], ["light", say("light")], ["dark", say("dark")]];
  box.append(choice("theme", say("theme"), themes, state.theme, chooseTheme));
  details.append(box);
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    details.open = false;
    details.querySelector("summary")?.focus();
  });
  return details;
}

/** @param {string} theme */
function chooseTheme(theme) {
  state.theme = theme;
  if (theme === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme);
  remember();
}

const KEYS = ["open", "arrows", "back", "close", "change", "certified", "steps", "predict", "projector", "help"];

function showHelp() {
  const dialog = /** @type {HTMLDialogElement} */ (byId("help"));
  const list = made("ul", {});
  for (const each of KEYS) list.append(made("li", {}, say(`key_${each}`)));
  dialog.replaceChildren(made("h2", { id: "help-title" }, say("help")), list, button(say("close"), () => dialog.close()));
  dialog.showModal();
}

/** Colours and decimals are remembered where the browser allows it; nothing leaves the page. */
function remember() {
  try {
    localStorage.setItem("symattn", JSON.stringify({ theme: state.theme, letters: state.letters }));
  } catch {
    // Some browsers have no memory for files: then everything is as usual the next time.
  }
}

function recall() {
  try {
    const { theme, letters } = JSON.parse(localStorage.getItem("symattn") ?? "{}");
    state.letters = letters !== false;
    if (theme === "light" || theme === "dark") chooseTheme(theme);
  } catch {
    // As above.
  }
}

// Languages

/** What of a page is in its language; a way to other pages stays. */
const PARTS = ["a.skip", "header", "nav.contents", "main"];

/** @type {string} */
let ownBody = "";
let ownTitle = "";

/**
 * The page in another language, with everything that was chosen.
 * @param {string} language
 */
function speakIn(language) {
  const told = data.languages[language];
  const at = nearestSection();
  state.language = language;
  document.documentElement.lang = language;
  document.title = told.title ?? ownTitle;
  document.documentElement.style.setProperty("--text", told.fonts);
  if (told.fonts === "") document.documentElement.style.removeProperty("--text");
  const body = parsed(told.body ?? ownBody);
  for (const which of PARTS) {
    const [old, now] = [document.querySelector(`body > ${which}`), body.querySelector(which)];
    if (old !== null && now !== null) old.replaceWith(now);
  }
  figures.clear();
  byName.clear();
  groups.clear();
  active.clear();
  cameFrom = null;
  begin();
  if (openPlace() !== undefined) showPanel(false);
  if (at !== null) sections()[at]?.scrollIntoView({ block: "start" });
  byId("language").focus({ preventScroll: true });
}

/** The step that is on the screen, so that another language shows it too. */
function nearestSection() {
  const at = sections().findIndex((section) => section.getBoundingClientRect().bottom > 80);
  return at < 0 || scrollY < 80 ? null : at;
}
