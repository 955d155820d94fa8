/* SPDX-License-Identifier: MIT
 *
 * Tables that are sorted by a click or a key on a heading. Headings have the number of their column;
 * those with data-kind="text" sort by what is written, others by data-v. Rows without a value stay last.
 */
// ---- sorting ----------------------------------------------------------------------------

function keyOf(row, column, isText) {
    const cell = row.cells[column];
    if (isText) return cell ? cell.textContent : null;
    const value = cell && cell.colSpan === 1 ? cell.dataset.v : undefined;
    return value === undefined ? null : Number(value);
}

function sortTable(header) {
    const table = header.closest("table"), column = Number(header.dataset.column);
    const isText = header.dataset.kind === "text", before = header.getAttribute("aria-sort");
    const order = before ? (before === "descending" ? "ascending" : "descending") : isText ? "ascending" : "descending";
    for (const other of table.querySelectorAll("th[data-column]")) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", order);
    const body = table.tBodies[0], sign = order === "descending" ? -1 : 1;
    const rows = Array.from(body.rows, (row) => ({row, key: keyOf(row, column, isText)}));
    rows.sort((x, y) => {
        if (x.key === null || y.key === null) return (x.key === null) - (y.key === null);
        return x.key < y.key ? -sign : x.key > y.key ? sign : 0;
    });
    body.append(...rows.map((sorted) => sorted.row));
}

function watchHeadings(table) {
    for (const header of document.querySelectorAll(`${table} th[data-column]`)) {
        header.tabIndex = 0;
        header.addEventListener("click", () => sortTable(header));
        header.addEventListener("keydown", (event) => {
            if (event.key !== "Enter" && event.key !== " ") return;
            event.preventDefault();
            event.stopPropagation();
            sortTable(header);
        });
    }
}

