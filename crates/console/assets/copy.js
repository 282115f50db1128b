// Buttons that copy the text beside them.
export function copyButtons() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      const text = button.parentElement.querySelector("pre")?.textContent ?? "";
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
