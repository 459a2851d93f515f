// Judges what is seen of our elements by the boxes in which it is drawn, and returns a line for each fault.
([own, smallest]) => {
  const slack = 1.5;
  const faults = new Set();
  const parentOf = (it) => it.assignedSlot ?? it.parentNode?.host ?? it.parentElement;
  const nameOf = (it) => {
    const words = it.title || it.ariaLabel || it.textContent || "";
    return `${it.localName}${it.className && typeof it.className === "string" ? `.${it.className.split(" ").join(".")}` : ""} “${words.trim().replace(/\s+/g, " ").slice(0, 40)}”`;
  };
  const isSeen = (it) => it.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !it.closest("[inert]");
  const elements = [];
  const walk = (it, isOwn) => {
    isOwn ||= it.localName?.startsWith(own);
    if (isOwn && it instanceof HTMLElement) elements.push(it);
    for (const child of [...(it.shadowRoot?.children ?? []), ...it.children]) walk(child, isOwn);
  };
  walk(document.body, false);
  // What is open over a page is all that can be used.
  const over = (kind) => elements.filter((it) => it.matches(kind) && isSeen(it)).at(-1);
  const top = over(":popover-open") ?? over("dialog:modal");
  const isIn = (it) => {
    for (let at = it; at; at = parentOf(at)) if (at === top) return true;
    return !top;
  };
  const seen = elements.filter((it) => isSeen(it) && isIn(it));
  // The part of a box that is not cut off, and by what it is.
  const clip = (it, { left, top, right, bottom }) => {
    let by = null;
    for (let at = it; at instanceof Element && at !== document.body; at = parentOf(at)) {
      const { overflowX, overflowY, position } = getComputedStyle(at);
      if (overflowX !== "visible" || overflowY !== "visible") {
        const box = at.getBoundingClientRect();
        const isCut = (overflowX === "hidden" || overflowX === "clip") && (left < box.left - slack || right > box.right + slack);
        const isShort = (overflowY === "hidden" || overflowY === "clip") && (top < box.top - slack || bottom > box.bottom + slack);
        if (isCut || isShort) by ??= at;
        [left, top, right, bottom] = [Math.max(left, box.left), Math.max(top, box.top), Math.min(right, box.right), Math.min(bottom, box.bottom)];
      }
      if (position === "fixed" || at.matches(":modal, :popover-open")) break;
    }
    return { left, top, right, bottom, by, isEmpty: right - left < slack || bottom - top < slack };
  };
  const hasTooltip = (it) => {
    for (let at = it; at; at = parentOf(at)) if (at.title) return true;
    return false;
  };
  const isScrolled = (it) => {
    for (let at = parentOf(it); at; at = parentOf(at)) if (/auto|scroll/.test(getComputedStyle(at).overflowX) && at.scrollWidth > at.clientWidth + slack) return true;
    return false;
  };
  // Text that is cut off and has no tooltip, and text outside of the page.
  for (const it of seen) {
    for (const node of it.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      if (box.width < 2 || box.height < 2) {
        if (getComputedStyle(it).position !== "absolute") faults.add(`no size: ${nameOf(it)}`);
        continue;
      }
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
      if (lines > 3 && box.width < 80 && !it.matches(".clamp")) faults.add(`squeezed: ${nameOf(it)} into ${Math.round(box.width)} × ${Math.round(box.height)}`);
      const { by, left, right } = clip(it, box);
      if (by && !hasTooltip(it)) faults.add(`cut: ${nameOf(it)} by ${by.localName}.${by.className}`);
      if ((left < -slack || right > innerWidth + slack) && !isScrolled(it)) faults.add(`outside: ${nameOf(it)}`);
    }
    const { overflowX } = getComputedStyle(it);
    if (/auto|scroll/.test(overflowX) && it.scrollWidth > it.clientWidth + slack && !it.querySelector(":scope > li, :scope > button"))
      faults.add(`scrolls sideways: ${nameOf(it)} ${it.scrollWidth} in ${it.clientWidth}`);
  }
  // A menu may lie over its own picture's button, not over the picture or its words.
  const isBeside = (one, other) => {
    if (one.parentElement !== other.parentElement || !one.closest("li")) return false;
    const [whole, part] = one.matches(".corner") ? [other, one] : [one, other];
    if (!part.matches(".corner")) return false;
    const box = part.getBoundingClientRect();
    const parts = [...whole.querySelectorAll("img, .thumb, .words > span")].flatMap((it) => {
      if (!it.matches("span")) return [it.getBoundingClientRect()];
      const range = document.createRange();
      range.selectNodeContents(it);
      const frame = it.getBoundingClientRect();
      return [...range.getClientRects()].map((rect) => ({ left: rect.left, top: rect.top, right: Math.min(rect.right, frame.right), bottom: Math.min(rect.bottom, frame.bottom) }));
    });
    return parts.every((rect) => Math.min(box.right, rect.right) - Math.max(box.left, rect.left) < slack || Math.min(box.bottom, rect.bottom) - Math.max(box.top, rect.top) < slack);
  };
  // What can be tapped: its size, and what lies over it.
  const targets = seen.filter((it) => it.matches("button, a[href], select, summary, input:not([hidden], [type=file])"));
  const drawn = targets.map((it) => [it, it.getBoundingClientRect()]).map(([it, box]) => [it, box, clip(it, box)]).filter(([, , rest]) => !rest.isEmpty);
  drawn.forEach(([it, box, rest], index) => {
    // Pixels of a page that is scaled are fractions. In a sentence of Home Assistant, an address is a link.
    const isInText = own === "ha-" && it.matches("a") && getComputedStyle(it).display === "inline";
    if (Math.min(box.width, box.height) < smallest - 0.5 && !isInText) faults.add(`small: ${nameOf(it)} ${Math.round(box.width)} × ${Math.round(box.height)}`);
    if (rest.by && !hasTooltip(it)) faults.add(`cut: ${nameOf(it)} by ${rest.by.localName}.${rest.by.className}`);
    for (const [other, , otherRest] of drawn.slice(index + 1)) {
      if (it.contains(other) || other.contains(it) || isBeside(it, other)) continue;
      const width = Math.min(rest.right, otherRest.right) - Math.max(rest.left, otherRest.left);
      const height = Math.min(rest.bottom, otherRest.bottom) - Math.max(rest.top, otherRest.top);
      if (width > slack && height > slack) faults.add(`overlap: ${nameOf(it)} and ${nameOf(other)} ${Math.round(width)} × ${Math.round(height)}`);
    }
  });
  // Pictures without a size.
  for (const it of seen) if (it.matches("img") && Math.min(it.offsetWidth, it.offsetHeight) < 2) faults.add(`no size: ${nameOf(it)}`);
  return [...faults];
}
