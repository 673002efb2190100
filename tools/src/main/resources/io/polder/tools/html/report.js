// Draws all charts, draws them again when colours or the width change, and says what was drawn.
"use strict";
(() => {
  const root = document.documentElement;
  const failures = [];
  addEventListener("error", (event) => failures.push(event.message));

  // A canvas has drawn if some of its dots are not transparent: looked at in a small copy.
  const copy = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const isBlank = (canvas) => {
    if (canvas.width === 0 || canvas.height === 0) return true;
    copy.canvas.width = copy.canvas.height = 64;
    copy.drawImage(canvas, 0, 0, 64, 64);
    return copy.getImageData(0, 0, 64, 64).data.every((part) => part === 0);
  };

  const check = (figure, drawing) => {
    const bars = [...figure.querySelectorAll("rect.bar")];
    const blank = drawing
      ? [...drawing.canvases()].find(isBlank)
      : bars.length === 0 || bars.find((bar) => bar.getBoundingClientRect().width === 0);
    figure.dataset.drawn = !blank ? "yes" : "blank: " + (blank.outerHTML ?? "nothing to draw");
  };

  const draw = (figure) => {
    const text = figure.querySelector('script[type="application/json"]');
    const data = text && JSON.parse(text.textContent);
    switch (figure.dataset.kind) {
      case "timeline": return polder.lines(figure, data, false);
      case "latency": return polder.lines(figure, data, true);
      case "map": return polder.map(figure, data);
      default: return null;
    }
  };

  const drawings = new Map();
  const drawOne = (figure) => {
    try {
      drawings.get(figure)?.destroy();
      drawings.set(figure, draw(figure));
    } catch (error) {
      figure.dataset.drawn = String(error);
      figure.append(polder.element("p", "failed", "This chart could not be drawn: " + error));
      throw error;
    }
  };

  const figures = [...document.querySelectorAll("figure[data-kind]")];
  const drawAll = () => {
    delete root.dataset.ready;
    figures.forEach((figure) => {
      try {
        drawOne(figure);
      } catch (error) {
        failures.push(String(error));
        console.error(error);
      }
    });
    // uPlot draws in a microtask, which is over in the next task.
    setTimeout(() => {
      for (const [figure, drawing] of drawings) check(figure, drawing);
      root.dataset.failures = failures.length;
      root.dataset.ready = "yes";
    });
  };

  const stored = () => {
    try {
      return localStorage.getItem("polder-theme") ?? "auto";
    } catch {
      return "auto";
    }
  };

  const choose = (theme) => {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    try {
      localStorage.setItem("polder-theme", theme);
    } catch {
      // Files may have no storage: then the choice lasts as long as the page is open.
    }
  };

  const theme = document.querySelector(".theme");
  theme.hidden = false;
  const first = stored();
  for (const input of theme.querySelectorAll("input")) {
    input.checked = input.value === first;
    input.onchange = () => {
      choose(input.value);
      drawAll();
    };
  }
  if (first !== "auto") choose(first);
  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);

  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    drawAll();
  });

  // On paper colours are the light ones, everything is open, and charts are as wide as the paper.
  let closed = [];
  const media = matchMedia("print");
  media.addEventListener("change", () => {
    if (media.matches) {
      closed = [...document.querySelectorAll("main details:not([open])")];
      closed.forEach((details) => details.open = true);
    } else {
      closed.forEach((details) => details.open = false);
    }
    drawAll();
  });
})();
