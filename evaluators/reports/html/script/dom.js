// Elements. What a user wrote only ever becomes the text of a node: nothing here reads markup.

const SVG = "http://www.w3.org/2000/svg";
const IN_SVG = ["svg", "rect", "line", "title"];

/** An element, `el("p.quiet", { title }, children)`: a child is an element, a text, a list of children, or nothing.
 * @param {string} kind @param {...any} parts
 * @returns {any} */
export function el(kind, ...parts) {
  const [name, ...classes] = kind.split(".");
  const node = IN_SVG.includes(name) ? document.createElementNS(SVG, name) : document.createElement(name);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  const properties = isProperties(parts[0]) ? parts.shift() : {};
  for (const [key, value] of Object.entries(properties)) set(node, key, value);
  fill(node, parts);
  return node;
}

const isProperties = (part) =>
  part !== null && typeof part === "object" && !Array.isArray(part) && !(part instanceof Node);

function set(node, key, value) {
  if (value === undefined || value === null || value === false) return;
  if (typeof value === "function") node.addEventListener(key, value);
  else if (key === "vars")
    for (const [name, share] of Object.entries(value)) node.style.setProperty(`--${name}`, share);
  else node.setAttribute(key, value === true ? "" : value);
}

/** @param {any} node @param {any[]} children */
export function fill(node, children) {
  for (const child of children.flat(Number.POSITIVE_INFINITY)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : String(child));
  }
}

/** Puts other children into a node.
 * @param {any} node @param {...any} children */
export function refill(node, ...children) {
  node.textContent = "";
  fill(node, children);
}

/** A text that may run in either direction, kept from turning what stands around it.
 * @param {unknown} text @param {string} [kind] */
export const plain = (text, kind = "bdi") => el(kind, String(text));

/** What only a screen reader says, and what only eyes see.
 * @param {string} text */
export const unseen = (text) => el("span.unseen", text);
/** @param {string} text */
export const seenOnly = (text) => el("span", { "aria-hidden": "true" }, text);

/** A choice among options; `groups` are [label, [[value, text], …]], a group without a label stands alone.
 * @param {string} label @param {string} value @param {[string, [string, string][]][]} groups @param {(value: string) => void} changed */
export function choice(label, value, groups, changed) {
  const select = el("select", { change: () => changed(select.value) });
  for (const [group, options] of groups) {
    const made = options.map(([key, text]) => el("option", { value: key }, text));
    fill(select, group ? [el("optgroup", { label: group }, made)] : made);
  }
  select.value = value;
  if (select.selectedIndex < 0) select.selectedIndex = 0;
  return el("label.choice", el("span", label), select);
}

/** @param {any} text @param {((event: Event) => void) | null} act @param {Record<string, any>} [properties] @param {string} [kind] */
export const button = (text, act, properties = {}, kind = "button") =>
  el(kind, { type: "button", click: act, ...properties }, text);

/** A wide thing that scrolls on its own, also by keyboard.
 * @param {string} label @param {...any} children */
export const scrollable = (label, ...children) =>
  framed(el("div.scroll", { role: "region", "aria-label": label, tabindex: "0" }, children));

/** A box in a frame that shows on which sides more of it is out of sight.
 * @param {any} box */
export function framed(box) {
  const frame = el("div.frame", box, el("div.more-aside", { "aria-hidden": "true" }, "scrolls sideways →"));
  const show = () => {
    const beyond = box.scrollWidth - box.clientWidth;
    frame.classList.toggle("has-left", box.scrollLeft > 1);
    frame.classList.toggle("has-right", box.scrollLeft < beyond - 1);
    frame.classList.toggle("is-wide", beyond > 1);
  };
  box.addEventListener("scroll", show, { passive: true });
  new ResizeObserver(show).observe(box);
  return frame;
}

/** @param {string} kind @param {any[]} heads @param {any} body @param {any} [caption] */
export const table = (kind, heads, body, caption) => el(kind, caption, el("thead", el("tr", heads)), body);

/** The head of a column or, with `kind`, of a column of numbers.
 * @param {any} text @param {string} [kind] */
export const head_ = (text, kind = "th") => el(kind, { scope: "col" }, text);

/** A section under its title, by its id.
 * @param {string} id @param {string} title @param {...any} children */
export function titled(id, title, ...children) {
  const heading = el("h2", { id: `section-${id}-title`, tabindex: "-1" }, title);
  return el("section", { id: `section-${id}`, "aria-labelledby": heading.id }, heading, children);
}

/** @param {string} id */
export function goTo(id) {
  const section = document.getElementById(id);
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  section?.scrollIntoView({ behavior: isStill ? "auto" : "smooth" });
  section?.querySelector("h2")?.focus({ preventScroll: true });
}

/** Fills a table body with the first lines, and makes the button that shows all of them.
 * @template Kind
 * @param {any} body @param {Kind[]} items @param {number} most @param {(item: Kind) => any} make */
export function growing(body, items, most, make) {
  fill(body, items.slice(0, most).map(make));
  if (items.length <= most) return null;
  const more = button(
    `Show all ${items.length.toLocaleString("en-US")}`,
    () => {
      const shown = body.rows.length;
      fill(body, items.slice(most).map(make));
      more.remove();
      body.rows[shown].querySelector("button, td").focus();
    },
    {},
    "button.more",
  );
  return more;
}
