// Maps of memory: addresses run from left to right and from top to bottom, one cell a piece.
"use strict";

// The pieces of a panel in order, with where they lie on the map and in memory.
polder.pieces = (panel) => {
  const pieces = [];
  let place = 0;
  for (const span of panel.spans) {
    let address = span.start;
    for (let i = 0; i < span.runs.length; i += 3) {
      const [state, bytes, count] = span.runs.slice(i, i + 3);
      for (let n = 0; n < count; n++) {
        pieces.push({ state, bytes, place, address });
        place += bytes;
        address += bytes;
      }
    }
  }
  return { pieces, bytes: place };
};

// Bytes of a row: the same for all panels, so that they can be compared.
polder.rowBytes = (panels, rowsMax) => {
  const most = Math.max(...panels.map((panel) => panel.bytes));
  let bytes = 1024;
  while (most / bytes > rowsMax) bytes *= 2;
  return bytes;
};

polder.drawMap = (canvas, panel, states, rowBytes) => {
  const ratio = devicePixelRatio;
  const width = canvas.clientWidth;
  const row = polder.rowHeight;
  const rows = Math.ceil(panel.bytes / rowBytes);
  canvas.style.height = rows * row + "px";
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(rows * row * ratio);
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  const colours = states.map((state) => polder.colour(state.id));
  // Edges lie between dots, so that cells narrower than a few dots keep their colours.
  const edge = (bytes) => Math.round(bytes * width * ratio / rowBytes) / ratio;
  for (const piece of panel.pieces) {
    context.fillStyle = colours[piece.state];
    const end = piece.place + piece.bytes;
    // Cells that are wide enough stand apart; a piece goes on where the next row begins.
    for (let from = piece.place; from < end;) {
      const y = Math.floor(from / rowBytes);
      const to = Math.min(end, (y + 1) * rowBytes);
      const left = edge(from - y * rowBytes);
      const right = edge(to - y * rowBytes);
      const gap = to !== end || right - left <= 2 ? 0 : right - left < 5 ? 1 / ratio : 1;
      context.fillRect(left, y * row, Math.max(right - left - gap, 1 / ratio), row - 1);
      // Rows of one piece are not apart.
      const below = edge(Math.min(end - (y + 1) * rowBytes, rowBytes));
      if (below > left) {
        context.fillRect(left, (y + 1) * row - 1, Math.min(right, below) - left, 1);
      }
      from = to;
    }
  }
};

polder.rowHeight = 9;

polder.say = (panel, piece, states) => {
  const bytes = polder.units.bytes;
  const address = panel.start > 0 ? "0x" + piece.address.toString(16) : bytes(piece.address);
  const what = panel.block > 0 && piece.bytes === panel.block
    ? "most of " + bytes(piece.bytes) : bytes(piece.bytes);
  return panel.title + ": " + what + " at " + address + ", " + states[piece.state].label;
};

polder.map = (figure, data) => {
  const reading = figure.querySelector(".reading");
  const canvases = [...figure.querySelectorAll("canvas")];
  const panels = data.panels.map((panel) => ({
    ...panel, ...polder.pieces(panel), start: panel.spans[0].start,
  }));
  const rowBytes = polder.rowBytes(panels, 40);
  const draw = () => canvases.forEach((canvas, i) =>
    polder.drawMap(canvas, panels[i], data.states, rowBytes));
  const show = (i, index) => {
    const panel = panels[i];
    const piece = panel.pieces[index];
    draw();
    polder.frame(canvases[i], piece, rowBytes);
    panel.chosen = index;
    reading.textContent = polder.say(panel, piece, data.states);
  };
  canvases.forEach((canvas, i) => {
    const pieces = panels[i].pieces;
    canvas.onpointermove = (event) => {
      const scale = rowBytes / canvas.clientWidth;
      const place = Math.floor(event.offsetY / polder.rowHeight) * rowBytes + event.offsetX * scale;
      const index = pieces.findLastIndex((piece) => piece.place <= place);
      if (index >= 0 && place < panels[i].bytes && index !== panels[i].chosen) show(i, index);
    };
    canvas.onpointerleave = canvas.onblur = () => {
      panels[i].chosen = undefined;
      draw();
    };
    canvas.onkeydown = (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const now = panels[i].chosen ?? (by > 0 ? -1 : pieces.length);
      show(i, Math.min(pieces.length - 1, Math.max(0, now + by)));
    };
  });
  draw();
  return { resize: draw, destroy: () => {}, canvases: () => canvases };
};

// A frame around the piece that is being read.
polder.frame = (canvas, piece, rowBytes) => {
  const context = canvas.getContext("2d");
  const scale = canvas.clientWidth / rowBytes;
  const row = polder.rowHeight;
  context.strokeStyle = polder.colour("ink");
  context.lineWidth = 1.5;
  for (let from = piece.place; from < piece.place + piece.bytes;) {
    const y = Math.floor(from / rowBytes);
    const to = Math.min(piece.place + piece.bytes, (y + 1) * rowBytes);
    context.strokeRect((from - y * rowBytes) * scale + 0.5, y * row + 0.5,
      Math.max(2, (to - from) * scale - 1), row - 2);
    from = to;
  }
};
