// A slider that sets the moment of its form. The input of the form works without it.
export function moments() {
  for (const slider of document.querySelectorAll("[data-moment]")) {
    const input = document.getElementById(slider.dataset.moment);
    slider.addEventListener("input", () => {
      input.value = new Date(slider.value * 1000).toISOString().slice(0, 19);
    });
    slider.addEventListener("change", () => slider.form.requestSubmit());
    input.addEventListener("change", () => {
      const time = Date.parse(`${input.value}Z`);
      if (!Number.isNaN(time)) slider.value = time / 1000;
    });
  }
}
