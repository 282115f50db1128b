// Elements and texts of the examples. Everything that comes from the API is set as text, never as markup.

/** Makes an element: h("a.link", { href }, "text", child, null). `on…` members are listeners. */
export function h(selector, attributes, ...children) {
  const [name, ...classes] = selector.split(".");
  const element = document.createElement(name || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** An icon of the sprite in the page: <symbol id="icon-NAME">. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#icon-${name}`);
  svg.append(use);
  return svg;
}

/** A number from 0 to 2^32 - 1 that is always the same for a text. */
function hash(text) {
  let value = 2166136261;
  for (const character of text) value = Math.imul(value ^ character.codePointAt(0), 16777619) >>> 0;
  return value;
}

/** A round picture of a person: initials on a colour of their own. */
export function avatar(name, id, size = "") {
  const words = (name || "?").trim().split(/\s+/);
  const initials = words.length > 1 ? words[0][0] + words.at(-1)[0] : words[0].slice(0, 2);
  const picture = h(`span.avatar${size && `.${size}`}`, { "aria-hidden": "true" }, initials.toUpperCase());
  picture.style.setProperty("--hue", hash(id ?? name ?? "") % 360);
  return picture;
}

/** A picture drawn from an id, for sample data whose addresses lead nowhere. */
export function drawing(id, label) {
  const seed = hash(id);
  const hue = seed % 360;
  const part = (shift, range) => (seed >>> shift) % range;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 400 300");
  svg.setAttribute("preserveAspectRatio", "xMidYMid slice");
  if (label) svg.setAttribute("role", "img");
  svg.setAttribute(label ? "aria-label" : "aria-hidden", label || "true");
  const add = (name, attributes) => {
    const shape = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, value);
    svg.append(shape);
  };
  const tone = (shift, light) => `hsl(${(hue + shift) % 360} 55% ${light}%)`;
  add("rect", { width: 400, height: 300, fill: tone(0, 82) });
  add("circle", { cx: 60 + part(3, 280), cy: 60 + part(7, 60), r: 24 + part(11, 26), fill: tone(40, 92) });
  for (const [step, light] of [[0, 68], [1, 54], [2, 40]]) {
    const top = 130 + step * 45;
    const [a, b] = [part(step * 5 + 2, 80), part(step * 5 + 6, 80)];
    const path = `M0 ${top + a / 2} C 110 ${top - a} 190 ${top + b} 280 ${top - b / 3} S 400 ${top - a / 2} 400 ${top} V300 H0Z`;
    add("path", { d: path, fill: tone(step * 22, light) });
  }
  return svg;
}

/** A picture of an address, or a drawing if it can't be loaded. */
export function picture(address, id, label) {
  if (!/^https?:/.test(address ?? "") || /\.example(\.|\/|$)|example\.com/.test(address)) return drawing(id, label);
  const image = h("img", { src: address, alt: label, loading: "lazy" });
  image.addEventListener("error", () => image.replaceWith(drawing(id, label)));
  return image;
}

const UNITS = [["year", 31536000], ["month", 2592000], ["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60]];
const AGO = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

/** A time as people say it, with the exact one on hover. */
export function ago(time) {
  const date = new Date(time);
  const seconds = (date - Date.now()) / 1000;
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? [];
  const text = unit ? AGO.format(Math.round(seconds / length), unit) : "just now";
  return h("time", { datetime: time, title: date.toLocaleString() }, text);
}

/** `1 like`, `2 likes`, `1,200 likes`. */
export function counted(number, word) {
  return `${Number(number ?? 0).toLocaleString("en")} ${word}${Number(number) === 1 ? "" : "s"}`;
}

/** Says something at the foot of the page for some seconds. Screen readers hear it. */
export function toast(text, kind = "") {
  const place = document.getElementById("toasts");
  const note = h(`p.toast${kind && `.${kind}`}`, {}, text);
  place.append(note);
  setTimeout(() => note.remove(), 5000);
}

/** Runs an action of a button once at a time, and says what went wrong. */
export function action(work) {
  return async (event) => {
    event.preventDefault();
    const button = event.submitter ?? event.currentTarget;
    if (button.disabled) return;
    button.disabled = true;
    try {
      await work(event);
    } catch (error) {
      toast(error.message, "bad");
    } finally {
      button.disabled = false;
    }
  };
}
