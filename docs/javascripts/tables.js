// The name of its column for each cell of a table with three to five columns, which stylesheets/tables.css shows on a narrow screen.
for (const table of document.querySelectorAll(".md-typeset table")) {
  const names = [...(table.tHead?.rows[0]?.cells ?? [])].map((head) => head.textContent.trim());
  if (names.length < 3 || names.length > 5) continue;
  table.dataset.stacked = "";
  for (const row of table.tBodies[0]?.rows ?? []) {
    for (const cell of row.cells) {
      cell.dataset.column = names[cell.cellIndex];
      // one flex item beside the name, whatever the cell holds
      if (cell.childNodes.length > 0) {
        const inner = document.createElement("span");
        inner.append(...cell.childNodes);
        cell.append(inner);
      }
    }
  }
}
