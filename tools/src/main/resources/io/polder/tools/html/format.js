// Numbers, colours and dashes, as the tables of the page have them.
"use strict";
const polder = {};

polder.significant = (value) => {
  const size = Math.abs(value);
  return value.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0);
};

polder.prefixed = (value, step, prefixes) => {
  let prefix = 0;
  while (Math.abs(value) >= step && prefix < prefixes.length - 1) {
    value /= step;
    prefix++;
  }
  const whole = prefix === 0 && value === Math.round(value);
  return (whole ? value.toFixed(0) : polder.significant(value)) + " " + prefixes[prefix];
};

polder.units = {
  bytes: (value) => polder.prefixed(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]),
  nanos: (value) => polder.prefixed(value, 1000, ["ns", "µs", "ms", "s"]),
  count: (value) => (value === Math.round(value) ? value.toFixed(0) : polder.significant(value)),
  times: (value) => polder.significant(value) + "×",
  share: (value) => (value * 100).toFixed(1) + " %",
};

// The same on an axis, where values are round.
polder.tick = (unit, value) =>
  polder.units[unit](value).replace(/(\.\d*?)0+(?=\D|$)/, "$1").replace(/\.(?=\D|$)/, "");

polder.colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

// Lines that look alike without colours differ by their dashes.
polder.dashes = {
  "ours": [], "ours-too": [7, 4], "ours-third": [2, 3], "ground": [],
  "a": [10, 3], "b": [4, 3], "c": [10, 3, 2, 3], "d": [2, 2], "e": [14, 4], "f": [6, 2, 2, 2, 2, 2],
};

polder.element = (tag, style, text) => {
  const element = document.createElement(tag);
  if (style) element.className = style;
  if (text !== undefined) element.textContent = text;
  return element;
};
