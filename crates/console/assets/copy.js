// Buttons that copy the text beside them. Characters that are shown as their codes are copied as they are, also when
// somebody selects text and copies it.
export function copyButtons() {
  document.addEventListener("copy", (event) => {
    const selection = document.getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return;
    const part = selection.getRangeAt(0).cloneContents();
    if (!part.querySelector(HIDDEN)) return;
    // The selection as text keeps the lines of the page, so only its codes are replaced.
    const codes = [...part.querySelectorAll(HIDDEN)].map((shown) => shown.title);
    let rest = selection.toString();
    let text = "";
    for (const code of codes) {
      const at = rest.indexOf(code);
      if (at < 0) break;
      text += rest.slice(0, at) + character(code);
      rest = rest.slice(at + code.length);
    }
    event.clipboardData.setData("text/plain", text + rest);
    event.preventDefault();
  });
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      const text = plain(button.parentElement.querySelector("pre"));
      const label = button.lastChild;
      const before = label.textContent;
      label.textContent = (await copied(text)) ? "Copied" : "Not copied";
      setTimeout(() => { label.textContent = before; }, 1500);
    });
  }
}

// A page that isn't served over TLS or from this machine has no clipboard.
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

const HIDDEN = ".hidden-character";

// The character that a code such as U+200D stands for.
const character = (code) => String.fromCodePoint(Number.parseInt(code.slice(2), 16));

// The text of an element, with the characters that are shown as codes.
function plain(element) {
  if (!element) return "";
  const copy = element.cloneNode(true);
  for (const shown of copy.querySelectorAll(HIDDEN)) shown.replaceWith(character(shown.title));
  return copy.textContent;
}
