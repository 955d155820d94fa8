/* SPDX-License-Identifier: MIT
 *
 * The beginning of the index.
 */
document.getElementById("sort-help").hidden = false;
watchHeadings("#table");
