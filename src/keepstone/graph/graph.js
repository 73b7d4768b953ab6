"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const { color: ink, backgroundColor: paper } = getComputedStyle(document.body);
const says = data.relations, byId = new Map(data.nodes.map(node => [node.id, node]));
const palette = ["#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#e15759", "#76b7b2", "#9c755f", "#edc948", "#ff9da7", "#8cd17d"];
const lines = { references: "#4e79a7", related_to: "#8a939c", caused_by: "#d08700", contradicts: "#d6336c", supersedes: "#b3541e", similar_to: "#59a14f", depends_on: "#7b61c9", derived_from: "#9c755f" };
const communities = [...new Set(data.nodes.map(node => node.community).filter(Boolean))];
const size = new Map(communities.map(name => [name, data.nodes.filter(node => node.community === name).length]));
communities.sort((a, b) => size.get(b) - size.get(a) || (a < b ? -1 : 1));
const colourOf = name => name && communities.indexOf(name) < palette.length ? palette[communities.indexOf(name)] : "#8a939c";
const short = text => text.length > 42 ? text.slice(0, 41) + "…" : text;

function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  return Object.assign(made, attributes);
}
function choices(select, values, all) {
  select.append(element("option", all, { value: "" }), ...values.map(([value, label]) => element("option", label, { value })));
  select.onchange = refresh;
}

const nodes = new vis.DataSet(data.nodes.map(node => ({
  id: node.id, label: short(node.title), shape: node.status === "active" ? "dot" : "square",
  size: 8 + 16 * (node.pagerank || 0), opacity: node.status === "active" ? 1 : .45,
  color: { background: colourOf(node.community), border: colourOf(node.community), highlight: { background: colourOf(node.community), border: ink } },
})));
const edges = new vis.DataSet(data.edges.map((edge, id) => ({
  id, from: edge.source, to: edge.target, width: .5 + 2.5 * edge.weight, dashes: edge.weight < .3,
  color: { color: lines[edge.type], opacity: .3 + .6 * edge.weight, highlight: lines[edge.type] },
  arrows: edge.bidirectional || edge.type === "related_to" ? "" : { to: { enabled: true, scaleFactor: .5 } },
})));
const held = { weak: false, type: "", kind: "", community: "", words: [] };
const matches = node => held.words.every(word => (node.title + " " + node.content + " " + node.tags.join(" ")).toLowerCase().includes(word));
const seen = node => (!held.kind || node.kind === held.kind) && (!held.community || node.community === held.community);
const nodeView = new vis.DataView(nodes, { filter: item => seen(byId.get(item.id)) });
const edgeView = new vis.DataView(edges, { filter: item => (held.weak || data.edges[item.id].weight >= data.least) && (!held.type || data.edges[item.id].type === held.type) });
const network = new vis.Network($("graph"), { nodes: nodeView, edges: edgeView }, {
  nodes: { font: { color: ink, size: 13, strokeWidth: 4, strokeColor: paper }, borderWidth: 1.5, widthConstraint: { maximum: 150 }, scaling: { label: { drawThreshold: data.nodes.length > 60 ? 8 : 4 } } },
  edges: { smooth: false, selectionWidth: 1.5 },
  layout: { randomSeed: 7, improvedLayout: false },
  physics: { solver: "forceAtlas2Based", forceAtlas2Based: { gravitationalConstant: -110, springLength: 140, avoidOverlap: .8 }, stabilization: { iterations: 250 } },
  interaction: { hover: true, tooltipDelay: 1e6, hideEdgesOnDrag: data.edges.length > 2000 },
});
network.once("stabilizationIterationsDone", () => { network.setOptions({ physics: false }); document.body.dataset.ready = "yes"; });
network.on("selectNode", event => show(event.nodes[0]));
network.on("deselectNode", () => list());

function go(id) {
  if (!nodeView.get(id)) { held.kind = held.community = $("kind").value = $("community").value = ""; refresh(); }
  network.selectNodes([id]);
  network.focus(id, { scale: Math.max(network.getScale(), .9), animation: !matchMedia("(prefers-reduced-motion: reduce)").matches });
  show(id);
}
function entry(id, prefix = "") {
  const item = element("li"), node = byId.get(id);
  item.append(element("button", prefix + node.title, { type: "button", onclick: () => go(id) }));
  return item;
}
function show(id) {
  const node = byId.get(id), facts = element("dl"), around = element("ul");
  for (const [name, value] of [["id", node.id], ["kind", node.kind], ["project", node.project], ["community", node.community], ["status", node.status], ["made", (node.created_at || "").slice(0, 10)], ["from", node.origin], ["tags", node.tags.join(", ")]])
    if (value) facts.append(element("dt", name), element("dd", value));
  for (const edge of data.edges) {
    if (edge.source !== id && edge.target !== id) continue;
    const other = edge.source === id ? edge.target : edge.source;
    const item = entry(other, says[edge.type][edge.target === id ? 1 : 0] + ": ");
    item.append(element("div", edge.method + " " + edge.weight.toFixed(2) + (edge.notes ? ": " + edge.notes : ""), { className: "dim" }));
    around.append(item);
  }
  if (data.pages) facts.append(element("dt", "all of it"), element("dd"));
  if (data.pages) facts.lastChild.append(element("a", "Open its page", { href: "/memories/" + node.id + location.search }));
  const back = element("button", "Back to the list", { type: "button", onclick: () => { network.unselectAll(); list(); } });
  $("aside").replaceChildren(back, element("h2", node.title), element("p", node.content === node.title ? "" : node.content, { className: "text" }), facts, element("h2", around.children.length ? "Hangs together with" : "Hangs together with nothing"), around);
}
function list() {
  const found = data.nodes.filter(node => seen(node) && matches(node)).sort((a, b) => (b.pagerank || 0) - (a.pagerank || 0));
  const items = element("ul");
  items.append(...found.slice(0, 100).map(node => entry(node.id)));
  $("aside").replaceChildren(element("h2", held.words.length ? "Found" : "From the most central on"), items);
  if (found.length > 100) $("aside").append(element("p", `and ${found.length - 100} more`, { className: "dim" }));
  if (!found.length) $("aside").append(element("p", data.nodes.length ? "Nothing says that." : "There are no memories here yet: keepstone store \"...\" makes one.", { className: "dim" }));
}
function refresh() {
  held.weak = $("weak").checked; held.type = $("type").value; held.kind = $("kind").value; held.community = $("community").value;
  held.words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  nodeView.refresh(); edgeView.refresh();
  nodes.update(data.nodes.map(node => {
    const found = matches(node), font = found ? { color: ink, strokeColor: paper } : { color: "transparent", strokeColor: "transparent" };
    return { id: node.id, opacity: (node.status === "active" ? 1 : .45) * (found ? 1 : .15), font };
  }));
  const some = data.nodes.filter(seen), ids = some.filter(matches).map(node => node.id);
  if (held.words.length && ids.length) network.fit({ nodes: ids, maxZoomLevel: 1.2 });
  $("count").textContent = `${some.filter(matches).length} of ${data.nodes.length} memories, ${edgeView.length} relationships`;
  list();
}
choices($("type"), [...new Set(data.edges.map(edge => edge.type))].sort().map(type => [type, type]), "all");
choices($("kind"), [...new Set(data.nodes.map(node => node.kind))].sort().map(kind => [kind, kind]), "all");
choices($("community"), communities.map(name => [name, `${name} (${size.get(name)})`]), "all");
$("search").oninput = $("weak").onchange = refresh;
$("search").onkeydown = event => { if (event.key === "Enter") { const first = $("aside").querySelector("li button"); if (first) first.click(); } };
$("fit").onclick = () => network.fit({ animation: true });
function key(name, colour, className) {
  const entry = element("b"), mark = element("span", undefined, { className });
  mark.style.background = colour;
  entry.append(mark, name);
  $("legend").append(entry, " ");
}
for (const name of communities.slice(0, palette.length)) key(name, colourOf(name), "");
for (const type of [...new Set(data.edges.map(edge => edge.type))].sort()) key(says[type][0], lines[type], "line");
if (data.nodes.some(node => node.status !== "active")) key("square: no longer active", "#8a939c", "");
if (!$("legend").children.length) $("legend").remove();
refresh();
