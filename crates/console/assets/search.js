// The list below the search: entities, patterns and keys that have all of the words.
const SHOWN_MAX = 12;

// Returns a function that opens the search.
export function search() {
  const input = document.getElementById("search");
  const form = input.form;
  const list = form.appendChild(document.createElement("div"));
  list.id = "found";
  list.className = "found";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Found");
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-controls", "found");
  input.setAttribute("aria-expanded", "false");
  input.setAttribute("aria-autocomplete", "list");

  let index = null;
  let chosen = 0;
  const options = () => [...list.children];
  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const choose = (position) => {
    const all = options();
    if (all.length === 0) return;
    chosen = (position + all.length) % all.length;
    all.forEach((option, place) => option.setAttribute("aria-selected", String(place === chosen)));
    input.setAttribute("aria-activedescendant", all[chosen].id);
    all[chosen].scrollIntoView({ block: "nearest" });
  };
  const show = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return close();
    index ??= await fetch(new URL("-/index.json", consoleAddress(form))).then((answer) => answer.json(), () => []);
    const found = ranked(index, words).slice(0, SHOWN_MAX);
    list.replaceChildren(...found.map(option));
    list.hidden = found.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
    choose(0);
  };

  input.addEventListener("input", show);
  input.addEventListener("focus", show);
  input.addEventListener("blur", () => setTimeout(close, 150));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { close(); input.blur(); }
    if (list.hidden) return;
    if (event.key === "ArrowDown") { event.preventDefault(); choose(chosen + 1); }
    if (event.key === "ArrowUp") { event.preventDefault(); choose(chosen - 1); }
    if (event.key === "Enter") { event.preventDefault(); options()[chosen].click(); }
  });
  return () => { input.focus(); input.select(); };
}

// The search page lies two steps below the console.
function consoleAddress(form) {
  return new URL("../../", form.action);
}

// Names that begin with the first word come first, then names that have it.
function ranked(index, words) {
  const text = (entry) => `${entry.kind} ${entry.name} ${entry.design} ${entry.about}`.toLowerCase();
  const place = (entry) => {
    const at = entry.name.toLowerCase().indexOf(words[0]);
    return at < 0 ? 2 : Math.min(at, 1);
  };
  return index.filter((entry) => words.every((word) => text(entry).includes(word)))
    .sort((one, other) => place(one) - place(other));
}

function option(entry, position) {
  const element = document.createElement("div");
  element.id = `found-${position}`;
  element.setAttribute("role", "option");
  const part = (name, text) => {
    const span = element.appendChild(document.createElement("span"));
    span.className = name;
    span.textContent = text;
  };
  part("name", entry.name);
  part("mark", `${entry.kind} in ${entry.design}`);
  part("about", entry.about);
  element.addEventListener("click", () => { location.href = entry.link; });
  return element;
}
