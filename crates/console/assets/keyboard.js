// Keys that work outside of inputs: `/` searches, `g` and a letter go to a section, `n` to the next page, `?` helps.
export function keyboard(openSearch) {
  const help = document.getElementById("keyboard-help");
  document.getElementById("keyboard")?.addEventListener("click", () => help.showModal());
  let went = 0;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || help.open) return;
    const goes = Date.now() - went < 1500;
    went = 0;
    if (goes) {
      const link = document.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
      if (link) follow(event, link);
      return;
    }
    if (event.key === "g") went = Date.now();
    if (event.key === "n") follow(event, document.querySelector("a[rel=next]"));
    if (event.key === "?") help.showModal();
    if (event.key === "/") {
      event.preventDefault();
      openSearch();
    }
  });
}

function isTyping(element) {
  return element.closest?.("input, textarea, select, [contenteditable]") != null;
}

function follow(event, link) {
  if (!link) return;
  event.preventDefault();
  link.click();
}
