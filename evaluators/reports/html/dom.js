// Elements. What a user wrote only ever becomes the text of a node: nothing here reads markup.

/** An element with properties and children; a child is an element, a text, or nothing. */
function el(name, properties, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) set(node, key, value);
  fill(node, children);
  return node;
}

/** An element of a drawing. */
function svg(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  fill(node, children);
  return node;
}

function set(node, key, value) {
  if (value === undefined || value === null || value === false) return;
  if (key === "text") node.textContent = value;
  else if (key === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
  else if (key === "vars") for (const [name, share] of Object.entries(value)) node.style.setProperty(`--${name}`, share);
  else node.setAttribute(key, value === true ? "" : value);
}

function fill(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.appendChild(child instanceof Node ? child : textNode(child));
  }
}

function textNode(text) {
  const node = document.createTextNode("");
  node.textContent = String(text);
  return node;
}

/** Puts other children into a node. */
function refill(node, ...children) {
  node.textContent = "";
  fill(node, children);
}

/** A text that may run in either direction, kept from turning what stands around it. */
function plain(text, className) {
  return el("bdi", { class: className, text });
}

/** A choice among options; `groups` are [label, [[value, text], …]], a group without a label stands alone. */
function choice(label, value, groups, changed) {
  const select = el("select", { on: { change: () => changed(select.value) } });
  for (const [group, options] of groups) {
    const made = options.map(([key, text]) => el("option", { value: key, text }));
    fill(select, group ? [el("optgroup", { label: group }, made)] : made);
  }
  select.value = value;
  if (select.selectedIndex < 0) select.selectedIndex = 0;
  return el("label", { class: "choice" }, el("span", { text: label }), select);
}

function button(text, act, properties) {
  return el("button", { type: "button", text, on: { click: act }, ...properties });
}

/** A wide thing that scrolls on its own, also by keyboard. */
function scrollable(label, ...children) {
  return el("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" }, children);
}
