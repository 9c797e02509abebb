"use strict";
// Draws the plots with the page's colours, and shows the run that is chosen. Says in the page when all are drawn.
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const paperWidth = 690; // pixels that A4 has between its margins
  const configuration = { displayModeBar: false, responsive: true };

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  // All that depends on light, dark or paper.
  function themed(figure) {
    const layout = structuredClone(figure.layout);
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
        textangle: -12, font: { size: layout.height < 260 ? 44 : 84, color: colour("--emulated") }, captureevents: false,
      });
    }
    return layout;
  }

  const drawn = new Map(); // the element of each figure
  async function draw() {
    for (const figure of figures) {
      const element = document.getElementById(figure.id);
      drawn.set(figure, element);
      await Plotly.newPlot(element, figure.data, themed(figure), configuration);
    }
    document.documentElement.dataset.drawn = String(figures.length);
  }

  let chosen = "all";
  function isShown(run) {
    return chosen === "all" || run === undefined || run === null || String(run) === chosen;
  }
  function show(run) {
    chosen = run;
    for (const element of document.querySelectorAll("[data-run]")) element.hidden = !isShown(element.dataset.run);
    for (const [figure, element] of drawn) {
      if (figure.run !== null) {
        if (isShown(figure.run)) Plotly.Plots.resize(element);
        continue;
      }
      Plotly.restyle(element, { visible: figure.data.map((trace) => isShown(trace.meta?.run)) });
    }
  }

  function repaint(width) {
    for (const [figure, element] of drawn) {
      const layout = themed(figure);
      if (width) Object.assign(layout, { width, autosize: false });
      else layout.autosize = true;
      Plotly.react(element, element.data, layout, configuration);
    }
  }

  for (const button of document.querySelectorAll("input[name=run]")) {
    button.addEventListener("change", () => show(button.value));
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => repaint());
  matchMedia("print").addEventListener("change", (event) => repaint(event.matches ? paperWidth : undefined));
  draw();
})();
