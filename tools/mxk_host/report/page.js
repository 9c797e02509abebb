"use strict";
// Draws the plots with the page's colours, and shows the run that is chosen. Says in the page when all are drawn.
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const paperWidth = 690; // pixels that A4 has between its margins
  const narrow = 600; // pixels, below which names do not stand beside a plot
  const configuration = { displayModeBar: false };

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  // Maps beside each other, as many as have room.
  function place(layout, size) {
    const [minimum, gap, below] = [150, 70, 90]; // pixels
    const names = Object.keys(layout).filter((key) => key.startsWith("xaxis")).map((key) => key.slice(5));
    const inner = layout.width - layout.margin.l - layout.margin.r;
    const columns = Math.min(names.length, Math.max(1, Math.floor((inner + gap) / (minimum + gap))));
    const side = Math.min(size.width, (inner + gap) / columns - gap);
    const height = Math.ceil(names.length / columns) * (size.height + below) - below;
    layout.height = height + layout.margin.t + layout.margin.b;
    names.forEach((name, index) => {
      const left = (index % columns) * (side + gap);
      const top = Math.floor(index / columns) * (size.height + below);
      layout[`xaxis${name}`].domain = [left / inner, (left + side) / inner];
      layout[`yaxis${name}`].domain = [1 - (top + size.height) / height, 1 - top / height];
      if (index % columns) layout[`yaxis${name}`].title.text = ""; // said once, as there is little room between the maps
      Object.assign(layout.annotations[index], { x: left / inner, y: 1 - top / height });
    });
  }

  // The names of rows above them, where there is no room beside.
  function nameAbove(layout) {
    const names = layout.yaxis.categoryarray;
    layout.yaxis.showticklabels = false;
    layout.margin.l = 20;
    layout.height += 14 * names.length;
    layout.annotations = names.map((text, y) => ({ text, y, yshift: 3, yanchor: "bottom", x: 0, xref: "paper", xanchor: "left", showarrow: false }));
  }

  // All that depends on light, dark or paper, and on the width.
  function themed(figure, width) {
    const layout = structuredClone(figure.layout);
    layout.width = width;
    if (layout.meta) place(layout, layout.meta);
    else if (width < narrow && layout.yaxis.type === "category") nameAbove(layout);
    layout.paper_bgcolor = layout.plot_bgcolor = "rgba(0,0,0,0)";
    layout.font = { color: colour("--text"), family: getComputedStyle(document.body).fontFamily, size: 13 };
    layout.hoverlabel = { bgcolor: colour("--surface"), bordercolor: colour("--rule"), font: { color: colour("--text") }, align: "left" };
    for (const name of Object.keys(layout).filter((key) => /^[xy]axis/.test(key))) {
      Object.assign(layout[name], { gridcolor: colour("--grid"), linecolor: colour("--rule"), zerolinecolor: colour("--rule"), showline: true });
    }
    for (const shape of layout.shapes ?? []) shape.line.color = colour("--quiet");
    if (figure.kind) {
      layout.annotations = (layout.annotations ?? []).concat({
        text: figure.kind, name: "kind", showarrow: false, xref: "paper", yref: "paper", x: 0.5, y: 0.5,
        textangle: -12, font: { size: Math.min(layout.height < 260 ? 44 : 84, width / 6), color: colour("--emulated") }, captureevents: false,
      });
    }
    return layout;
  }

  let forced; // the width of paper, while it prints
  async function draw(figure) {
    const element = document.getElementById(figure.id);
    const width = forced ?? element.clientWidth;
    if (!width) return; // hidden
    const layout = themed(figure, width);
    const data = figure.data.map((trace) => ({ ...trace, visible: isShown(trace.meta?.run) }));
    await Plotly.react(element, data, layout, configuration);
    // A legend of many lines takes nothing of the plot's height.
    const more = (element.querySelector(".legend")?.getBBox().height ?? 0) - 24;
    if (more > 0) await Plotly.relayout(element, { height: layout.height + more });
  }
  async function drawAll() {
    await Promise.all(figures.map(draw)); // all at once: paper does not wait
    document.documentElement.dataset.drawn = String(figures.length);
  }

  let chosen = "all";
  function isShown(runs) {
    return chosen === "all" || runs === undefined || String(runs).split(" ").includes(chosen);
  }
  function show(run) {
    chosen = run;
    for (const element of document.querySelectorAll("[data-run]")) element.hidden = !isShown(element.dataset.run);
    drawAll();
  }

  // What a link goes to may stand in something that is closed.
  function open(hash) {
    document.getElementById(hash.slice(1))?.closest("details")?.setAttribute("open", "");
  }

  for (const button of document.querySelectorAll("input[name=run]")) {
    button.addEventListener("change", () => show(button.value));
  }
  document.addEventListener("click", (event) => open(event.target.closest("a")?.hash ?? ""));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  matchMedia("print").addEventListener("change", (event) => {
    forced = event.matches ? paperWidth : undefined;
    drawAll();
  });
  addEventListener("resize", drawAll);
  open(location.hash);
  drawAll();
})();
