// Filters above the table of estimators and the table of all names: words, and for estimators what
// they must be able to do.
document.addEventListener("DOMContentLoaded", () => {
  const addFilter = (box, { label, example, abilities }) => {
    const heads = [...box.querySelectorAll("thead th")].map((cell) => cell.textContent.trim());
    const rows = [...box.querySelectorAll("tbody tr")];
    const form = document.createElement("form");
    form.className = "estimator-filter";
    form.setAttribute("role", "search");
    form.setAttribute("aria-label", label);
    form.addEventListener("submit", (event) => event.preventDefault());

    const words = document.createElement("input");
    words.type = "search";
    words.placeholder = `Filter, e.g. ${example}`;
    words.setAttribute("aria-label", "Words in the row");
    form.append(words);

    const boxes = abilities.map((name) => {
      const caption = document.createElement("label");
      const input = document.createElement("input");
      input.type = "checkbox";
      caption.append(input, name);
      form.append(caption);
      return { input, column: heads.indexOf(name) };
    });
    const count = document.createElement("span");
    count.setAttribute("role", "status");
    form.append(count);
    box.before(form);

    const update = () => {
      const wanted = words.value.toLowerCase().split(/\s+/);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        const able = boxes.every(
          ({ input, column }) => !input.checked || row.cells[column].textContent.includes("✓"),
        );
        row.hidden = !(able && wanted.every((word) => text.includes(word)));
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = `${shown} of ${rows.length}`;
    };
    form.addEventListener("input", update);
    update();
  };

  const estimators = document.querySelector(".estimator-table");
  if (estimators) {
    addFilter(estimators, {
      label: "Filter estimators",
      example: "stream",
      abilities: ["Sparse", "Weights", "partial_fit", "GPU", "Dask", "Exact"],
    });
  }
  const names = document.querySelector(".api-table");
  if (names) addFilter(names, { label: "Filter names", example: "kernel", abilities: [] });
});
