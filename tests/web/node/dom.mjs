// As much of a browser's document as the page's own modules need: whatever is written into it is remembered.

export const written = new Set();
const SAID = new Set(["aria-label", "title", "alt", "placeholder"]);
const note = (value) => {
  for (const word of String(value ?? "").split(/[\s:,()“”]+/)) written.add(word);
};

class Node_ {
  constructor(name) {
    Object.assign(this, { localName: name, nodeName: name, tagName: name, childNodes: [], attributes: {}, heard: {}, parentNode: null, dataset: {}, style: { setProperty() {} }, classList: { add() {}, remove() {} } });
  }
  get firstChild() { return this.childNodes[0] ?? null; }
  get nextSibling() { return this.parentNode?.childNodes[this.parentNode.childNodes.indexOf(this) + 1] ?? null; }
  get isConnected() { return this === page || Boolean(this.parentNode?.isConnected); }
  get textContent() { return this.childNodes.map((one) => one.textContent).join(" "); }
  set textContent(text) { this.replaceChildren(text); }
  insertBefore(node, before) {
    node.parentNode?.removeChild(node);
    const at = before ? this.childNodes.indexOf(before) : this.childNodes.length;
    this.childNodes.splice(at < 0 ? this.childNodes.length : at, 0, node);
    node.parentNode = this;
    return node;
  }
  appendChild(node) { return this.insertBefore(node, null); }
  append(...given) { for (const one of given) this.appendChild(typeof one === "object" ? one : document.createTextNode(one)); }
  replaceChildren(...given) {
    for (const one of [...this.childNodes]) this.removeChild(one);
    this.append(...given);
  }
  removeChild(node) {
    this.childNodes = this.childNodes.filter((one) => one !== node);
    node.parentNode = null;
    return node;
  }
  remove() { this.parentNode?.removeChild(this); }
  contains(node) { return node === this || this.childNodes.some((one) => one.contains?.(node)); }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
    if (SAID.has(name)) note(value);
    if (name.startsWith("data-")) this.dataset[name.slice(5)] = String(value);
  }
  removeAttribute(name) { delete this.attributes[name]; }
  getAttribute(name) { return this.attributes[name] ?? null; }
  addEventListener(kind, act) { this.heard[kind] = act; }
  removeEventListener(kind) { delete this.heard[kind]; }
  getBoundingClientRect() { return { x: 0, y: 0, width: 10, height: 10, top: 0, bottom: 10 }; }
  querySelectorAll() { return []; }
  querySelector() { return null; }
  animate() { return { finished: Promise.resolve() }; }
  focus() {}
  scrollIntoView() {}
  showModal() {}
  close() {}
  does(kind) { return this.heard[kind].call(this, { type: kind, detail: 0, target: this, currentTarget: this, preventDefault() {} }); }
  click() { return this.heard.click && this.does("click"); }
}

class Text extends Node_ {
  constructor(data) {
    super("#text");
    this.nodeType = 3;
    this.data = data;
  }
  get data() { return this.kept; }
  set data(text) {
    this.kept = text;
    note(text);
  }
  get textContent() { return String(this.kept); }
  set textContent(text) { this.data = text; }
}

export function every(node = page) {
  return [node, ...node.childNodes.flatMap((one) => every(one))];
}
const page = new Node_("html");
page.lang = "";
const make = (name) => Object.assign(new Node_(name), { nodeType: 1, value: "" });

export const document = {
  documentElement: page, body: make("body"), visibilityState: "visible", activeElement: null,
  createElement: make, createElementNS: (_, name) => make(name), createTextNode: (text) => new Text(text),
  getElementById: (id) => every().find((one) => one.attributes.id === id || one.id === id) ?? null,
  querySelector: () => null, querySelectorAll: () => [], addEventListener() {}, removeEventListener() {},
  fonts: { add() {} },
  set title(text) { note(text); },
};

/** The document as a page begins: a place for messages, one for the goal of the games, one for the rest. */
export function fresh() {
  delete page.dataset.state;
  page.replaceChildren(document.body);
  document.body.replaceChildren(...["page", "notice", "meanwhile"].map((id) => Object.assign(make("div"), { id })));
  document.getElementById("page").append(document.getElementById("notice"), document.getElementById("meanwhile"));
}

/** The state, in which from now on nothing can be written. @param {any} given */
export function frozen(given) {
  if (given === null || typeof given !== "object" || Object.isFrozen(given) || given instanceof Node_) return given;
  Object.values(Object.freeze(given)).forEach(frozen);
  return given;
}

// Opened without a link.
Object.assign(globalThis, { location: { hash: "" } });
