// What pages do beyond their forms and links: clicks in pictures, keys, time that runs down, lost connections, and
// projectors. Everything can be done without it.
"use strict";

const KEYS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", Enter: "enter",
    Backspace: "backspace", " ": "space", ",": "comma", ".": "full_stop" };
const CYCLE_MS = 12000;

function post(address, fields) {
    fetch(address, { method: "POST", headers: { "HX-Request": "true" }, body: new URLSearchParams(fields) })
        .then((answer) => { if (answer.status === 401) { window.location.reload(); } })
        .catch(() => say(true));
}

// An invitation stands behind the '#' of its link: no server and no log is told it.
const invitation = document.querySelector("[data-fragment]");
if (invitation && window.location.hash.startsWith("#fpi_")) {
    invitation.value = window.location.hash.slice(1);
    window.history.replaceState(null, "", window.location.pathname);
}

function say(lost) {
    const line = document.getElementById("connection");
    if (line) { line.hidden = !lost; }
}

// Pictures: a click on a part chooses it.
document.addEventListener("click", (event) => {
    const part = event.target.closest("[data-part]");
    const board = event.target.closest("[data-choose]");
    if (part && board) { post(board.dataset.choose, { part: part.dataset.part }); }
});

// Keys of the game work on the board, and where nothing else takes keys.
document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) { return; }
    const board = document.querySelector("[data-press]");
    const active = document.activeElement;
    if (board && (active === document.body || active === board || active.id === "main")) {
        const key = KEYS[event.key] || (event.key.length === 1 ? event.key.toLowerCase() : "");
        if (key) { event.preventDefault(); post(board.dataset.press, { key }); }
        return;
    }
    const step = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" }[event.key];
    if (step && !active.matches("input, select, textarea, [role=log]")) {
        const link = document.querySelector(`a[rel="${step}"]`);
        if (link) { event.preventDefault(); link.click(); }
    }
});

// Time that runs down is counted here between two messages of the server.
const started = new WeakMap();
setInterval(() => {
    for (const line of document.querySelectorAll("[data-left]")) {
        if (!started.has(line)) { started.set(line, performance.now()); }
        const left = Number(line.dataset.left) - (performance.now() - started.get(line)) / 1000;
        line.textContent = left > 0 ? `${Math.ceil(left)} s left.` : "Time is over.";
    }
}, 250);

// A computer without a network may notice much later that a stream is broken.
// What was under way still arrives then, and does not mean that there is a network again.
window.addEventListener("offline", () => say(true));
window.addEventListener("online", () => say(false));

// A stream that breaks is opened again by the browser, or by the extension.
document.addEventListener("htmx:sseError", () => say(true));
document.addEventListener("htmx:sseOpen", (event) => {
    say(false);
    // What the page shows is over: its address says what follows. The extension hears only events that parts take.
    event.detail.source.addEventListener("over", () => window.location.reload(), { once: true });
});
document.addEventListener("htmx:sseMessage", () => say(!navigator.onLine));
document.addEventListener("htmx:sendError", () => say(true));
document.addEventListener("htmx:responseError", (event) => {
    if (event.detail.xhr.status === 401) { window.location.reload(); }
});
document.addEventListener("htmx:afterRequest", (event) => {
    const form = event.detail.elt;
    if (event.detail.successful && form.matches && form.matches("form[data-clear]")) { form.reset(); }
});

// On a small screen a large picture shows one of its regions at a time: the one that was asked for since the last
// question, or the one where most can be chosen. Where nothing is left to choose, what was chosen last stays in sight.
const small = window.matchMedia("(max-width: 50rem)");
const WHOLE = "All";
let asked = { prompt: "", region: "" };

function showRegion() {
    const picture = document.querySelector(".board svg");
    const bar = document.getElementById("regions");
    if (!picture || !bar) { return; }
    const regions = Array.from(picture.querySelectorAll("[data-region]"));
    bar.hidden = !small.matches || !regions.length;
    const prompt = document.querySelector("#offer .prompt")?.firstChild?.textContent ?? "";
    if (prompt !== asked.prompt) { asked = { prompt, region: "" }; }
    const named = (name) => regions.find((region) => region.dataset.region === name);
    const before = named(bar.querySelector("[aria-pressed=true]")?.textContent);
    const fitting = named(asked.region) ?? fullest(regions, ".choice")
        ?? (before && !before.querySelector(".chosen") ? fullest(regions, ".chosen") : before);
    const region = bar.hidden || asked.region === WHOLE ? null : fitting;
    fit(picture, region);
    const shown = region ? region.dataset.region : WHOLE;
    const names = [WHOLE, ...regions.map((each) => each.dataset.region)];
    bar.replaceChildren(...names.map((name) => regionButton(name, name === shown)));
}

// The region that has most of such parts, or null if none has any.
function fullest(regions, parts) {
    const found = (region) => region.querySelectorAll(parts).length;
    return regions.filter(found).reduce((one, other) => (one && found(one) >= found(other) ? one : other), null);
}

function fit(picture, region) {
    picture.dataset.whole ??= picture.getAttribute("viewBox");
    let box = picture.dataset.whole;
    if (region) {
        const inner = region.getBBox();
        const moved = picture.getScreenCTM().inverse().multiply(region.getScreenCTM());
        const [x, y] = [inner.x * moved.a + moved.e - 6, inner.y * moved.d + moved.f - 6];
        box = [x, y, inner.width * moved.a + 12, inner.height * moved.d + 12].join(" ");
    }
    const [width, height] = box.split(" ").slice(2);
    for (const [name, value] of [["viewBox", box], ["width", width], ["height", height]]) {
        if (picture.getAttribute(name) !== value) { picture.setAttribute(name, value); }
    }
}

function regionButton(name, isShown) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.setAttribute("aria-pressed", String(isShown));
    button.addEventListener("click", () => {
        asked.region = name;
        showRegion();
        Array.from(document.querySelectorAll("#regions button")).find((each) => each.textContent === name).focus();
    });
    return button;
}

showRegion();
small.addEventListener("change", showRegion);
document.addEventListener("htmx:sseMessage", showRegion);
document.addEventListener("htmx:afterSwap", showRegion);

// Small boards of games that run are drawn anew from time to time.
setInterval(() => {
    for (const board of document.querySelectorAll("img[data-board]")) {
        board.src = `${board.src.split("?")[0]}?t=${Date.now()}`;
    }
}, 2000);

// A projector shows one part after the other.
const parts = () => Array.from(document.querySelectorAll(".screen [data-cycle]"));
let shown = 0;
function cycle() {
    const all = parts();
    all.forEach((part, index) => part.classList.toggle("shown", index === shown % all.length));
    shown += 1;
}
if (parts().length) { cycle(); setInterval(cycle, CYCLE_MS); }
const full = document.querySelector("[data-fullscreen]");
if (full && document.fullscreenEnabled) {
    full.hidden = false;
    full.addEventListener("click", () => document.documentElement.requestFullscreen());
}
