/* SPDX-License-Identifier: MIT
 *
 * The beginning of the index. Of many rows the first are shown: report_index.css has the rule.
 */
const SHOWN = 500;

function showAll() {
    document.documentElement.classList.remove("short");
    document.getElementById("more").hidden = true;
}

const rowCount = document.querySelector("#table tbody").rows.length;
document.getElementById("row-count").textContent = String(rowCount);
document.getElementById("more").hidden = rowCount <= SHOWN;
document.getElementById("all").addEventListener("click", showAll);
document.getElementById("sort-help").hidden = false;
watchHeadings("#table");
