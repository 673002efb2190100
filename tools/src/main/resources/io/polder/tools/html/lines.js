// Time lines and latencies, by uPlot.
"use strict";

// A key of the legend: a piece of the line, its name, and its value where the cursor stands.
polder.lineKey = (line) => {
  const key = polder.element("span", "key");
  const colour = polder.colour(line.tone);
  const dash = polder.dashes[line.tone].join(" ");
  const name = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(name, "svg");
  svg.setAttribute("width", "26");
  svg.setAttribute("height", "10");
  if (line.tone === "ground") {
    const area = document.createElementNS(name, "rect");
    area.setAttribute("width", "26");
    area.setAttribute("height", "10");
    area.setAttribute("fill", polder.colour("ground-fill"));
    svg.append(area);
  }
  const stroke = document.createElementNS(name, "line");
  for (const [key, value] of Object.entries({
    x1: 0, x2: 26, y1: line.tone === "ground" ? 1 : 5, y2: line.tone === "ground" ? 1 : 5,
    "stroke": colour, "stroke-width": line.tone.startsWith("ours") ? 2.5 : 1.75,
    "stroke-dasharray": dash,
  })) stroke.setAttribute(key, value);
  svg.append(stroke);
  const value = polder.element("b");
  key.append(svg, polder.element("span", "", line.name), value);
  return { key, value };
};

polder.series = (line) => ({
  label: line.name,
  stroke: polder.colour(line.tone),
  width: line.tone.startsWith("ours") ? 2.5 : 1.75,
  dash: polder.dashes[line.tone],
  fill: line.tone === "ground" ? polder.colour("ground-fill") : undefined,
  points: { show: false },
});

// Names at the right ends of lines, as far apart as text needs, and their room beside the plot.
polder.endLabels = (lines, font) => {
  const context = document.createElement("canvas").getContext("2d");
  context.font = font;
  const width = Math.max(...lines.map((line) => context.measureText(line.name).width));
  const draw = (plot) => {
    const ratio = devicePixelRatio;
    const apart = 14 * ratio;
    const box = plot.bbox;
    const labels = lines.map((line, i) => {
      const values = plot.data[i + 1];
      let last = values.length - 1;
      while (last > 0 && values[last] == null) last--;
      return { line, y: plot.valToPos(values[last], "y", true), x: plot.valToPos(plot.data[0][last], "x", true) };
    }).filter((label) => Number.isFinite(label.y));
    labels.sort((a, b) => a.y - b.y);
    // Apart from above, then back up from below what has no room left.
    let next = box.top;
    for (const label of labels) next = (label.at = Math.max(label.y, next)) + apart;
    let room = box.top + box.height;
    for (const label of labels.toReversed()) room = (label.at = Math.min(label.at, room)) - apart;
    const context = plot.ctx;
    context.save();
    context.font = font.replace("12px", 12 * ratio + "px");
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (const { line, x, y, at } of labels) {
      const left = box.left + box.width;
      context.strokeStyle = context.fillStyle = polder.colour(line.tone);
      context.globalAlpha = 0.6;
      context.lineWidth = ratio;
      context.beginPath();
      context.moveTo(x + 2 * ratio, y);
      context.lineTo(left + 8 * ratio, at);
      context.stroke();
      context.globalAlpha = 1;
      context.fillText(line.name, left + 11 * ratio, at);
    }
    context.restore();
  };
  return { width: Math.ceil(width) + 14, draw };
};

polder.axis = (more) => ({
  stroke: polder.colour("soft"),
  font: polder.font,
  grid: { stroke: polder.colour("faint"), width: 1 },
  ticks: { show: false },
  ...more,
});

polder.font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

polder.textWidth = (text) => {
  polder.measuring ??= document.createElement("canvas").getContext("2d");
  polder.measuring.font = polder.font;
  return polder.measuring.measureText(text ?? "").width;
};

// How far a label below the plot sticks out at its right end.
polder.overhang = (plot, place, text) =>
  plot.valToPos(place, "x") + polder.textWidth(text) / 2 - plot.bbox.width / devicePixelRatio;

// Fewer labels where they would run into each other: earlier ones win. None that has no room at an
// end of the axis, however much is made for it there.
polder.thin = (places, texts, plot) => {
  let end = -plot.bbox.left / devicePixelRatio;
  return texts.map((text, i) => {
    const half = polder.textWidth(text) / 2;
    const at = plot.valToPos(places[i], "x");
    if (at - half < end || polder.overhang(plot, places[i], text) > plot.width / 4) return "";
    end = at + half + 10;
    return text;
  });
};

// Room at the right for labels that stick out there.
polder.roomAtEnd = (plot, least) => {
  const { _splits: places, _values: texts } = plot.axes[0];
  const overhangs = (places ?? []).map((place, i) =>
    texts?.[i] ? polder.overhang(plot, place, texts[i]) + 2 : 0);
  return Math.ceil(Math.max(least, ...overhangs));
};

polder.timeAxis = (data) =>
  data.marks.length === 0
    ? polder.axis({ size: 26, space: 60 })
    : polder.axis({
        splits: () => data.marks.map((mark) => mark.x),
        values: (plot, places) => polder.thin(places, data.marks.map((mark) => mark.label), plot),
        size: 26,
        space: 1,
      });

polder.percentAxis = () => polder.axis({
  filter: (plot, values) => values,
  splits: (plot) => {
    const places = [1];
    for (let place = 10; place <= plot.scales.x.max; place *= 10) places.push(place);
    return places;
  },
  values: (plot, places) => polder.thin(places, places.map((place) => {
    const nines = Math.round(Math.log10(place));
    return nines === 0 ? "0 %" : nines === 1 ? "90 %" : nines === 2 ? "99 %"
      : "99." + "9".repeat(nines - 2) + " %";
  }), plot),
  size: 26, space: 1,
});

polder.lines = (figure, data, latency) => {
  const place = figure.querySelector(".plot");
  const legend = figure.querySelector(".legend");
  const format = polder.units[data.unit];
  const keys = data.lines.map(polder.lineKey);
  legend.replaceChildren(...keys.map((key) => key.key));
  const labels = polder.endLabels(data.lines, polder.font);
  const across = latency ? "so many were not longer" : data.marks.length ? "" : data.across;
  const beside = labels.width < place.clientWidth / 3;
  const options = {
    width: place.clientWidth,
    height: (latency ? 320 : 250) - (across ? 22 : 0), // which that takes below the plot
    padding: [10, (plot) => polder.roomAtEnd(plot, beside ? labels.width + 4 : 12), 0, 0],
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { size: 7 } },
    scales: latency
      ? { x: { time: false, distr: 3, range: (plot, min, max) => [1, max] }, y: { distr: 3 } }
      : { x: { time: false, range: (plot, min, max) => [min, max > min ? max : min + 1] },
          y: { range: (plot, min, max) => [Math.min(0, min), max > 0 ? max * 1.06 : 1] } },
    series: [{}, ...data.lines.map(polder.series)],
    axes: [
      latency ? polder.percentAxis() : polder.timeAxis(data),
      polder.axis({
        splits: latency ? polder.powers : undefined,
        filter: (plot, values) => values,
        values: (plot, values) => values.map((value) => polder.tick(data.unit, value)),
        incrs: data.unit === "bytes" ? polder.binarySteps : undefined,
        size: (plot, texts) => 10 + Math.max(26, ...(texts ?? []).map(polder.textWidth)),
        space: 36,
      }),
    ],
    hooks: {
      draw: beside ? [labels.draw] : [],
      setCursor: [(plot) => {
        data.lines.forEach((line, i) => {
          const value = plot.cursor.idx == null ? null : plot.data[i + 1][plot.cursor.idx];
          keys[i].value.textContent = value == null ? "" : format(value);
        });
      }],
    },
  };
  place.replaceChildren();
  const plot = new uPlot(options, uPlot.join(data.lines.map((line) => [line.x, line.y])), place);
  if (across) place.append(polder.element("p", "across", across)); // goes on in the next line
  place.onkeydown = (event) => polder.step(event, plot, place, data);
  return {
    resize: () => plot.setSize({ width: place.clientWidth, height: options.height }),
    destroy: () => plot.destroy(),
    canvases: () => place.querySelectorAll("canvas"),
  };
};

polder.powers = (plot) => {
  const { min, max } = plot.scales.y;
  const step = Math.log10(max / min) > 8 ? 100 : 10;
  const places = [];
  for (let place = 1; place <= max; place *= step) {
    if (place >= min) places.push(place);
  }
  return places;
};

polder.binarySteps = Array.from({ length: 50 }, (_, i) => 2 ** i);

// The arrow keys move the cursor from point to point; what it finds is read out.
polder.step = (event, plot, place, data) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const last = plot.data[0].length - 1;
  const now = plot.cursor.idx ?? (by > 0 ? -1 : last + 1);
  const next = Math.min(last, Math.max(0, now + by));
  plot.setCursor({ left: plot.valToPos(plot.data[0][next], "x"), top: plot.over.clientHeight / 2 });
  const values = data.lines.map((line, i) => [line.name, plot.data[i + 1][next]])
    .filter(([, value]) => value != null)
    .map(([name, value]) => name + " " + polder.units[data.unit](value));
  place.setAttribute("aria-label", "Point " + (next + 1) + " of " + (last + 1) + ": " + values.join(", "));
};
