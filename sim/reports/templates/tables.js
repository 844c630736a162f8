"use strict";
// Every table with a heading row, but one that is marked plain, sorts by a column when its heading is pressed, and can be saved as a CSV file.
for (const table of document.querySelectorAll("table")) {
  const head = table.tHead?.rows[0], body = table.tBodies[0];
  if (!head || !body || table.dataset.plain !== undefined) continue;
  const text = (cell) => cell.textContent.trim().replace(/\s+/g, " ");
  const cells = (row) => [...row.cells].map(text);
  const asked = [...body.rows];

  // The first number in a figure is its value: "46.8% ± 0.2 pp", "-5 [-5, -4]", "$1,200", "exactly 0".
  function value(words) {
    const found = words.replaceAll(",", "").replace("−", "-").match(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/i);
    return found ? Number(found[0]) : null;
  }

  function sort(column, direction) {
    const keyed = asked.map((row, place) => ({ row, place, words: row.cells[column] ? text(row.cells[column]) : "" }));
    const numeric = keyed.filter((one) => /^(exactly )?[-−+]?\$?\d/.test(one.words)).length > keyed.length / 2;
    keyed.sort((one, other) => {
      let order = 0;
      if (direction !== 0 && numeric) {
        const a = value(one.words), b = value(other.words);
        if (a === null || b === null) return (a === null) - (b === null) || one.place - other.place;
        order = a - b;
      } else if (direction !== 0) {
        order = one.words.localeCompare(other.words, undefined, { numeric: true });
      }
      return order * direction || one.place - other.place;
    });
    body.append(...keyed.map((one) => one.row));
  }

  [...head.cells].forEach((cell, column) => {
    if (body.rows.length < 2) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.title = "sort";
    button.append(...cell.childNodes);
    cell.append(button);
    button.onclick = () => {
      const now = cell.getAttribute("aria-sort");
      for (const other of head.cells) other.removeAttribute("aria-sort");
      const next = now === null ? "ascending" : now === "ascending" ? "descending" : null;
      if (next) cell.setAttribute("aria-sort", next);
      sort(column, next === "ascending" ? 1 : next === "descending" ? -1 : 0);
    };
  });

  const quoted = (words) => (/[",\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words);
  const save = document.createElement("a");
  const title = table.caption ? text(table.caption) : document.title;
  save.className = "save";
  save.textContent = "CSV";
  save.href = "#";
  save.setAttribute("aria-label", `save as CSV: ${title}`);
  save.download = `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "table"}.csv`;
  save.onclick = () => {
    const lines = [cells(head), ...[...body.rows].map(cells)].map((row) => row.map(quoted).join(","));
    save.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
  };
  (table.caption ?? table.createCaption()).append(" ", save);
}
