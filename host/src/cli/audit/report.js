// Filters the rows of the table. Without this script, the page shows all of them.
const form = document.querySelector("form");
const count = document.querySelector("output");
const rows = [...document.querySelectorAll(".entries tbody tr")].map((row) => ({
  row,
  text: row.textContent.toLowerCase(),
}));

function filter() {
  const words = form.elements.words.value.toLowerCase().split(/\s+/);
  const kind = form.elements.kind.value;
  let shown = 0;
  for (const { row, text } of rows) {
    row.hidden = !((!kind || row.dataset.kind === kind) && words.every((word) => text.includes(word)));
    shown += row.hidden ? 0 : 1;
  }
  count.textContent = `${shown} of ${rows.length} entries`;
}

form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
form.hidden = false;
filter();
