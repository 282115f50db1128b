// New changes appear at the top of the list as they come in.
export function tail(localTimes) {
  const status = document.querySelector("[data-tail]");
  const list = document.querySelector("#changes");
  if (!status || !list) return;
  const said = status.lastElementChild;
  const source = new EventSource(status.dataset.tail);
  let count = 0;
  source.onmessage = (event) => {
    const holder = document.createElement("template");
    holder.innerHTML = event.data;
    holder.content.firstElementChild?.classList.add("fresh");
    localTimes(holder.content);
    list.prepend(holder.content);
    document.querySelector("main > .empty")?.remove();
    count += 1;
    said.textContent = `Live: ${count} new ${count === 1 ? "change" : "changes"}`;
    while (list.children.length > 200) list.lastElementChild.remove();
  };
  source.onopen = () => status.classList.add("on");
  source.onerror = () => status.classList.remove("on");
  addEventListener("pagehide", () => source.close());
}
