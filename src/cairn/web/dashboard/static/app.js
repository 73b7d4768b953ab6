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
  const count = document.querySelectorAll("input[name=id]:checked").length;
  bar.hidden = !count;
  bar.querySelector("[data-count]").textContent = count === 1 ? "1 memory chosen: choose another to merge them" : count + " memories chosen";
  bar.querySelector("button").disabled = count < 2;
}

const waiting = () => [...document.querySelectorAll(".proposal")];
function move(by) {
  const all = waiting(), at = all.indexOf(document.activeElement?.closest(".proposal"));
  const next = all[Math.min(all.length - 1, Math.max(0, at + by))];
  if (next) next.focus();
}
function settle(verdict) {
  const one = document.activeElement?.closest(".proposal") || waiting()[0];
  one?.querySelector(`button[value=${verdict}]`)?.click();
}
const keys = { j: () => move(1), s: () => move(1), k: () => move(-1), y: () => settle("accept"), n: () => settle("reject") };

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
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  const search = document.querySelector("input[type=search]");
  if (event.key === "/" && search) { event.preventDefault(); search.focus(); return; }
  if (waiting().length && keys[event.key]) { event.preventDefault(); keys[event.key](); }
});
document.addEventListener("htmx:afterSwap", event => {
  chosen();
  if (event.detail.target.matches?.(".proposal") || event.detail.elt.matches?.(".settled")) {
    const left = waiting();
    document.querySelector("#left").textContent = left.length ? left.length + " left on this page" : "Nothing is left on this page";
    (left.find(one => one.getBoundingClientRect().top > 0) || left[0] || document.querySelector("h1"))?.focus();
  }
});
setTheme(theme());
chosen();
