/* SPDX-License-Identifier: MIT
 *
 * Table, links and keys, and the beginning of it all.
 */
// ---- table, links, keys -----------------------------------------------------------------

function watchTable() {
    watchHeadings("#table");
    const body = document.querySelector("#table tbody");
    const go = (row) => {
        stop();
        chooseJoint(Number(row.dataset.joint));
        if (row.cells[3].dataset.v !== undefined) setTime(Number(row.cells[3].dataset.v));
    };
    for (const row of body.rows) row.tabIndex = 0;
    body.addEventListener("click", (event) => go(event.target.closest("tr")));
    body.addEventListener("keydown", (event) => { if (event.key === "Enter") go(event.target.closest("tr")); });
}

function follow(hash) {
    const found = /^#(?:c=\d+,)?t=([-+.\de]+),j=(\d+)$/.exec(hash);
    if (!found || Number(found[2]) >= joints || !Number.isFinite(Number(found[1]))) return;
    stop();
    chooseJoint(Number(found[2]));
    setTime(Number(found[1]));
}

// Clips of one name with several limits, as of a chain of a character, are chosen with a slider.
function watchLimits(select) {
    const limitOf = (option) => /^(.*), limit (\S+)$/.exec(option.textContent);
    const own = limitOf(select.selectedOptions[0]), slider = byId("limit"), label = byId("limits");
    const all = own ? [...select.options].filter((option) => (limitOf(option) || [])[1] === own[1]) : [];
    all.sort((a, b) => limitOf(a)[2] - limitOf(b)[2]);
    if (all.length < 2) return;
    const value = (option) => { label.querySelector("output").textContent = limitOf(option)[2]; };
    label.hidden = false;
    slider.max = all.length - 1;
    slider.value = all.indexOf(select.selectedOptions[0]);
    value(select.selectedOptions[0]);
    slider.addEventListener("input", () => value(all[slider.value]));
    slider.addEventListener("change", () => { location.hash = "c=" + all[slider.value].value; });
}

function watchClips() {
    const select = byId("clip");
    if (!select) return;
    const first = select.options[0].value, shown = clip === "" ? first : clip;
    byId("clips").hidden = false;
    select.value = shown;
    for (const name of document.querySelectorAll(".which")) name.hidden = true;
    for (const part of document.querySelectorAll("[data-clip]")) part.hidden = part.dataset.clip !== shown;
    select.addEventListener("change", () => { location.hash = "c=" + select.value; });
    watchLimits(select);
    window.addEventListener("hashchange", () => {
        const asked = askedClip() || first;
        if (asked !== shown && (asked === first || byId(`c${asked}-head`))) location.reload();
    });
}

function watchLinks() {
    window.addEventListener("hashchange", () => follow(location.hash));
    document.addEventListener("click", (event) => {
        const link = event.target.closest('a[href^="#t="]');
        if (link) follow(link.hash);
    });
}

const keys = {
    ArrowLeft: (event) => step(event.shiftKey ? -10 : -1),
    ArrowRight: (event) => step(event.shiftKey ? 10 : 1),
    ArrowUp: () => chooseNext(-1),
    ArrowDown: () => chooseNext(1),
    Home: () => { stop(); setTime(start); },
    End: () => { stop(); setTime(end); },
    " ": play,
    1: () => view("front"),
    2: () => view("side"),
    3: () => view("top"),
    f: fit,
};

function chooseNext(count) {
    const at = head.worst.indexOf(state.joint) + count;
    if (at >= 0 && at < joints) chooseJoint(head.worst[at]);
}

function watchKeys() {
    document.addEventListener("keydown", (event) => {
        const target = event.target, act = keys[event.key];
        const isOwn = /^(SELECT|INPUT)$/.test(target.tagName) || (event.key === " " && target.tagName === "BUTTON");
        if (!act || isOwn || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        act(event);
    });
}

// ---- the page ---------------------------------------------------------------------------

function drawAll() {
    if (!head.one) drawMap();
    drawScene();
    drawLine();
    plots.forEach(drawPlot);
}

function watchControls() {
    mapCanvas.addEventListener("click", goToMap);
    mapCanvas.addEventListener("pointermove", sayMap);
    for (const button of document.querySelectorAll("[data-measure]")) {
        button.disabled = !head.one && button.dataset.measure === "distance" && !head.hasPlaces;
        button.addEventListener("click", () => chooseMeasure(button.dataset.measure));
    }
    for (const button of document.querySelectorAll("[data-view]"))
        button.addEventListener("click", () => view(button.dataset.view));
    byId("fit").addEventListener("click", fit);
    for (const [id, name] of [["in-place", "inPlace"], ["trail", "trail"], ["onion", "onion"]])
        byId(id).addEventListener("change", () => {
            state[name] = byId(id).checked;
            redraw();
        });
    byId("play").addEventListener("click", play);
    byId("back").addEventListener("click", () => step(-1));
    byId("forth").addEventListener("click", () => step(1));
    byId("speed").addEventListener("change", () => { state.speed = Number(byId("speed").value); });
    byId("joint").addEventListener("change", () => chooseJoint(Number(byId("joint").value)));
    byId("whole").addEventListener("click", showWhole);
}

function listJoints() {
    for (const joint of head.worst) {
        const option = document.createElement("option");
        option.value = String(joint);
        option.textContent = names[joint];
        byId("joint").append(option);
    }
}

// A clip that travels far is shown in place at first.
function chooseStart() {
    if (!hasScene) {
        byId("skeleton").hidden = true;
        return;
    }
    const first = posesAt(0, 0);
    const pose = Math.max(...[0, 1, 2].map((i) => {
        const all = first.map((p) => p[i]);
        return all.reduce((a, b) => Math.max(a, b)) - all.reduce((a, b) => Math.min(a, b));
    }));
    const travel = Math.max(...head.high.map((x, i) => x - head.low[i]));
    state.inPlace = byId("in-place").checked = travel > 3 * pose;
    fit();
}

function startPage() {
    readColours();
    byId("live").hidden = false;
    byId("keys-help").hidden = false;
    byId("still").style.display = "none";
    listJoints();
    makePlots();
    watchClips();
    watchControls();
    watchScene();
    watchLine();
    watchTable();
    watchLinks();
    watchKeys();
    chooseStart();
    chooseJoint(state.joint);
    follow(location.hash);
    if (!location.hash && !head.one) follow((document.querySelector("#moments ol a") || {hash: ""}).hash);
    if (hasScene) fit();
    window.addEventListener("resize", redraw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
        readColours();
        redraw();
    });
    drawAll();
}

// For tests, and for whoever looks from the console.
window.posemillPage = {
    state, times, names, figure, clip, setTime, worstOf: () => head.worst, project, placeOf, valueOf, frameNear,
    pixelOf: (side, joint) => project(placeOf(side, joint)),
    mapPixel: (joint, time) => [map.label + (time - start) / (seconds || 1) * map.width,
        (head.worst.indexOf(joint) + 0.5) * map.row],
};

startPage();
