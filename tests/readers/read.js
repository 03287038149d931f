// Reads pages of Markdown with what people use, and says what each reader found and what it could not show.
//
//     NODE_PATH=… node read.js FOLDER
//
// FOLDER holds pages with $ in dollar/ and with \( in brackets/. Prints as JSON, for each reader and each page, how many
// formulas inside lines and how many displays it found, and what was wrong.
"use strict";
const fs = require("fs");
const path = require("path");
const { createRequire } = require("module");
const MarkdownIt = require("markdown-it");

const folder = process.argv[2];

// VS Code: its Markdown preview (extensions/markdown-language-features/src/markdownEngine.ts) and its rule for formulas
// (extensions/markdown-math/src/extension.ts), which takes no "$" for the begin of a formula before these signs.
const NO_FORMULA_IN_VSCODE = [".", "(", "#", "'", '"', ",", ";"];

function vscode(text) {
    const md = new MarkdownIt({ html: true, linkify: true, breaks: false, typographer: false });
    md.linkify.set({ fuzzyLink: false });
    md.use(require("@vscode/markdown-it-katex").default, { enableFencedBlocks: true, globalGroup: true, macros: {} });
    const rule = md.inline.ruler.__rules__.find((each) => each.name === "math_inline");
    const read = rule.fn;
    rule.fn = (state, silent) => {
        if (state.src[state.pos] !== "$" || !NO_FORMULA_IN_VSCODE.includes(state.src[state.pos + 1])) return read(state, silent);
        if (!silent) state.pending += "$";
        state.pos += 1;
        return true;
    };
    const html = md.render(text);
    const wrong = [...html.matchAll(/katex-error" title="([^"]*)"[^>]*>([^<]*)/g)].map((each) => `${each[2]}: ${each[1]}`);
    return { ...counted(md.parse(text, {}), ["math_inline"], ["math_block", "math_inline_block"]), wrong };
}

// markdown-it with another plugin and the newest KaTeX, which must not even warn.
function strict(text) {
    const wrong = [];
    const katex = require("katex");
    const engine = {
        renderToString(tex, options) {
            try {
                return katex.renderToString(tex, { ...options, strict: "error", throwOnError: true });
            } catch (error) {
                wrong.push(`${error.message}: ${tex}`);
                return "";
            }
        },
    };
    const texmath = require("markdown-it-texmath").use(engine);
    const md = new MarkdownIt({ html: true }).use(texmath, { delimiters: "dollars" });
    md.render(text);
    const inline = ["math_inline"];
    return { ...counted(md.parse(text, {}), inline, ["math_block", "math_inline_double"]), wrong };
}

// The TeX that stands on a page.
function formulas(text) {
    const texmath = require("markdown-it-texmath");
    const tokens = new MarkdownIt({ html: true }).use(texmath, { delimiters: "dollars" }).parse(text, {});
    const all = tokens.flatMap((token) => [token, ...(token.children || [])]);
    const of = (kind) => all.filter((token) => token.type === kind).map((token) => token.content);
    return { inline: of("math_inline"), display: of("math_block") };
}

function counted(tokens, inline, display) {
    const all = tokens.flatMap((token) => [token, ...(token.children || [])]);
    const number = (kinds) => all.filter((token) => kinds.includes(token.type)).length;
    return { inline: number(inline), display: number(display) };
}

// GitHub, as far as that is known, for nobody here can ask it:
// - "Writing mathematical expressions" of its documentation: $ … $, and $$ … $$ on lines of their own; a sign of a dollar
//   stands in <span>.
// - It reads the page as Markdown first and looks for formulas in the text that is left. So emphasis and links break a
//   formula, and every escaped punctuation mark loses its backslash (nschloe/github-math-bugs), save \\ at the end of a
//   line (github/markup issue 1547).
// - Before $ stands white space, "(" or nothing (github/markup issues 1612, 1742 and 1887, teorth/optimizationproblems
//   pull 143, bojieli/ai-agent-book pull 905); behind it no letter and no digit (1742).
// - A formula inside a line ends on its line (mahmoudimus/ida-sigmaker pull 43).
// - MathJax draws it, without \operatorname, \newcommand and the like.
const MARK = "\ue000";

function github(text) {
    const md = new MarkdownIt("commonmark", { html: true }).enable(["table", "strikethrough"]);
    const wrong = [];
    const found = { inline: 0, display: 0 };
    const source = formulas(text);
    const kept = (kind) => (all, ...groups) => {
        const tex = groups[groups.length - 3];
        const same = tex.trim() === source[kind][found[kind]]?.trim();
        found[kind] += 1;
        const error = same ? mathjaxError(tex, kind === "display") : "is read as Markdown";
        if (error) wrong.push(`${error}: ${tex.replaceAll(MARK, "¦")}`);
        return groups.length === 4 ? groups[0] : "";
    };
    for (const token of md.parse(text.replace(/\\\\\n/g, "\\\\\\\\\n"), {})) {
        if (token.type !== "inline") continue;
        const plain = token.children.map(textOf).join("").replaceAll(`${MARK}$${MARK}`, MARK);
        const left = plain
            .replace(/^\$\$\n([^$]*)\n\$\$$/, kept("display"))
            .replace(/(^|[\s(])\$(?!\s)([^$\n]*[^$\n\s])\$(?![A-Za-z0-9])/g, kept("inline"));
        if (left.includes("$")) wrong.push(`a formula is shown as text: ${left.replaceAll(MARK, "¦")}`);
    }
    return { ...found, wrong };
}

function textOf(token) {
    if (token.type === "text" || token.type === "text_special") return token.content;
    if (token.type === "softbreak") return "\n";
    return MARK;
}

// MathJax, with the packages that a page loads by itself; a command that it does not know is an error here.
const mathjaxError = (() => {
    const { mathjax } = require("mathjax-full/js/mathjax.js");
    const { TeX } = require("mathjax-full/js/input/tex.js");
    const { liteAdaptor } = require("mathjax-full/js/adaptors/liteAdaptor.js");
    const { RegisterHTMLHandler } = require("mathjax-full/js/handlers/html.js");
    const { STATE } = require("mathjax-full/js/core/MathItem.js");
    require("mathjax-full/js/input/tex/AllPackages.js");
    RegisterHTMLHandler(liteAdaptor());
    const fail = (_, error) => {
        throw error;
    };
    const input = new TeX({ packages: ["base", "ams"], formatError: fail });
    const page = mathjax.document("", { InputJax: input });
    return (tex, display) => {
        try {
            page.convert(tex, { display, end: STATE.CONVERT });
            return "";
        } catch (error) {
            return error.message;
        }
    };
})();

// Pages with brackets, as MathJax finds formulas in them.
function brackets(text) {
    const found = { inline: 0, display: 0 };
    const wrong = [];
    const without = text.replace(/^(`{3,})[^]*?^\1$/gm, "");
    for (const [, display, inline] of without.matchAll(/\\\[([^]*?)\\\]|\\\(([^]*?)\\\)/g)) {
        const kind = display === undefined ? "inline" : "display";
        found[kind] += 1;
        const error = mathjaxError(display ?? inline, kind === "display");
        if (error) wrong.push(`${error}: ${display ?? inline}`);
    }
    return { ...found, wrong };
}

const READERS = { vscode: [vscode, "dollar"], strict: [strict, "dollar"], github: [github, "dollar"], mathjax: [brackets, "brackets"] };
const answer = {};
for (const [name, [read, kind]] of Object.entries(READERS)) {
    answer[name] = {};
    for (const file of fs.readdirSync(path.join(folder, kind)).sort()) {
        answer[name][file] = read(fs.readFileSync(path.join(folder, kind, file), "utf8"));
    }
}
process.stdout.write(JSON.stringify(answer));
