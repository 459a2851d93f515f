// Returns how much of the page, or of the dialog over it, the largest rectangle takes in which nothing is drawn.
() => {
  const cell = 16;
  const dialogs = [];
  const look = (it) => {
    if (it.matches(":modal")) dialogs.push(it);
    for (const child of [...(it.shadowRoot?.children ?? []), ...it.children]) look(child);
  };
  look(document.body);
  const top = dialogs.at(-1);
  // What is in a dialog may stand elsewhere, in a slot.
  const isIn = (it) => {
    for (let at = it; at; at = at.assignedSlot ?? at.parentNode?.host ?? at.parentElement) if (at === top) return true;
    return !top;
  };
  const { left: x0, top: y0, width, height } = top?.getBoundingClientRect() ?? { left: 0, top: 0, width: innerWidth, height: innerHeight };
  const [columns, rows] = [Math.floor(width / cell), Math.floor(height / cell)];
  const isFull = Array.from({ length: rows }, () => new Uint8Array(columns));
  const mark = ({ left, top, right, bottom }) => {
    for (let y = Math.max(0, Math.floor((top - y0) / cell)); y < Math.min(rows, (bottom - y0) / cell); y++)
      for (let x = Math.max(0, Math.floor((left - x0) / cell)); x < Math.min(columns, (right - x0) / cell); x++) isFull[y][x] = 1;
  };
  const walk = (it) => {
    if (it instanceof HTMLElement && getComputedStyle(it).display === "none") return;
    if (isIn(it) && it.matches?.("img, svg, button, input, select, ha-card, ha-icon, hui-view-header, .header, .toolbar")) mark(it.getBoundingClientRect());
    for (const node of it.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE || !node.data.trim() || !isIn(it)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const box of range.getClientRects()) mark(box);
    }
    for (const child of [...(it.shadowRoot?.children ?? []), ...it.children]) walk(child);
  };
  walk(document.body);
  // The largest rectangle under a histogram of empty cells above each row.
  let largest = 0;
  const heights = new Array(columns).fill(0);
  for (const row of isFull) {
    row.forEach((full, x) => (heights[x] = full ? 0 : heights[x] + 1));
    for (let from = 0; from < columns; from++) {
      let lowest = Infinity;
      for (let to = from; to < columns && lowest; to++) {
        lowest = Math.min(lowest, heights[to]);
        largest = Math.max(largest, lowest * (to - from + 1));
      }
    }
  }
  return largest / (columns * rows);
}
