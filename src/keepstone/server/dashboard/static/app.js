"use strict";
// What pages do beside showing: the theme, choosing several memories, and the keys of the review queue.
const root = document.documentElement;
const themes = ["", "light", "dark"], names = ["as the system", "light", "dark"];

function theme() {
  return root.dataset.theme || "";
}
function setTheme(value) {
  if (value) root.dataset.theme = value; else delete root.dataset.theme;
  for (const button of document.querySelectorAll("[data-act=theme]")) button.textContent = "Theme: " + names[themes.indexOf(theme())];
}
function keep(name, value) {
  try { localStorage.setItem(name, value); } catch (refused) { /* a browser that keeps nothing forgets it */ }
}

function chosen() {
  const bar = document.querySelector(".chosen");
  if (!bar) return;
  const boxes = [...document.querySelectorAll("input[name=id]:checked")], count = boxes.length;
  const alike = new Set(boxes.map(box => box.dataset.like)).size < 2;
  bar.hidden = !count;
  bar.querySelector("[data-count]").textContent = count === 1 ? "1 memory chosen: choose another to merge them"
    : count + (alike ? " memories chosen" : " memories chosen: only those of one kind and project can be merged");
  bar.querySelector("button").disabled = count < 2 || !alike;
}

const waiting = () => [...document.querySelectorAll(".proposal")];
function move(by) {
  const all = waiting(), at = all.indexOf(document.activeElement?.closest(".proposal"));
  const next = all[Math.min(all.length - 1, Math.max(0, at + by))];
  if (next) next.focus();
}
function press(key) {
  const one = document.activeElement?.closest(".proposal");
  if (one) one.querySelector(`button[data-key="${key}"]`)?.click();
  else move(1);  // nothing is marked yet: a key settles only what is
}
const moves = { j: 1, s: 1, k: -1 };

document.addEventListener("click", event => {
  const act = event.target.closest("[data-act]")?.dataset.act;
  if (act === "theme") {
    setTheme(themes[(themes.indexOf(theme()) + 1) % themes.length]);
    keep("theme", theme());
    document.dispatchEvent(new Event("theme"));
  }
  if (act === "unchoose") {
    for (const box of document.querySelectorAll("input[name=id]:checked")) box.checked = false;
    chosen();
  }
});
document.addEventListener("change", event => {
  if (event.target.matches("input[name=id]")) chosen();
  if (event.target.matches(".scope select")) event.target.form.requestSubmit();
});
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;  // a key that is held settles nothing
  if (event.target.closest("input, textarea, select")) return;
  const search = document.querySelector("input[type=search]");
  if (event.key === "/" && search) { event.preventDefault(); search.focus(); return; }
  if (!waiting().length) return;
  if (event.key in moves) move(moves[event.key]);
  else if ("ynt".includes(event.key)) press(event.key);
});
document.addEventListener("keydown", event => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("textarea")) event.target.form.requestSubmit();
});
document.addEventListener("toggle", event => {
  if (!event.target.matches("details.act[open]")) return;
  event.target.scrollIntoView({ block: "nearest" });
  const first = event.target.querySelector("textarea, input:not([type=hidden]), button");
  first?.focus();
  if (first?.matches("textarea")) first.setSelectionRange(first.value.length, first.value.length);
}, true);
// Back in a browser shows a page as it was left: what has been changed since is asked for anew.
window.addEventListener("pageshow", event => { if (event.persisted) location.reload(); });

let goesOn = false;
document.addEventListener("htmx:beforeRequest", event => { goesOn = event.target.textContent === "Show more"; });
document.addEventListener("htmx:load", event => {
  if (goesOn && event.detail.elt.querySelector) { goesOn = false; event.detail.elt.querySelector("a")?.focus(); }
});
document.addEventListener("htmx:afterSwap", event => {
  chosen();
});
document.addEventListener("htmx:load", event => {
  const done = event.detail.elt;
  if (!done.matches?.(".settled")) return;
  const left = waiting(), after = left.find(one => done.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
  document.querySelector("#left").textContent = left.length ? left.length + " left on this page" : "Nothing is left on this page";
  (after || left.at(-1) || document.querySelector("h1"))?.focus();
});
const shown = new URL(location.href);
if (shown.searchParams.has("done")) {  // it is told once: a bookmark of this page tells nothing
  shown.searchParams.delete("done");
  history.replaceState(history.state, "", shown);
}
setTheme(theme());
chosen();
