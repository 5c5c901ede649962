// A filter above the table of estimators: words, and what an estimator must be able to do.
document.addEventListener("DOMContentLoaded", () => {
  const box = document.querySelector(".estimator-table");
  if (!box) return;
  const heads = [...box.querySelectorAll("thead th")].map((cell) => cell.textContent.trim());
  const rows = [...box.querySelectorAll("tbody tr")];
  const form = document.createElement("form");
  form.className = "estimator-filter";
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "Filter estimators");
  form.addEventListener("submit", (event) => event.preventDefault());

  const words = document.createElement("input");
  words.type = "search";
  words.placeholder = "Filter, e.g. stream";
  words.setAttribute("aria-label", "Words in the row");
  form.append(words);

  const boxes = ["Sparse", "Weights", "partial_fit", "GPU", "Dask", "Exact"].map((name) => {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "checkbox";
    label.append(input, name);
    form.append(label);
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
});
