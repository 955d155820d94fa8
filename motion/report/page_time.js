/* SPDX-License-Identifier: MIT
 *
 * The time that all parts share: keys of the files, the time line, playing.
 */
// ---- keys of the files ------------------------------------------------------------------

// The times of the keys within a range; null: too many to show.
function keysWithin(keys, timeline, from, to, most) {
    const line = keys && timeline >= 0 ? keys.timelines[timeline] : null;
    if (!line) return null;
    const found = [];
    if (line.times) {
        for (const time of line.times) if (time >= from && time <= to) found.push(time);
    } else {
        const first = Math.max(Math.ceil((from - line.begin) / line.step - 1e-6), 0);
        const last = Math.min(Math.floor((to - line.begin) / line.step + 1e-6), line.count - 1);
        if (last - first > most) return null;
        for (let k = first; k <= last; k++) found.push(line.begin + k * line.step);
    }
    return found.length > most ? null : found;
}

// The timeline that has most keys; of joints with keys of their own that of the chosen one.
function mainTimeline(keys) {
    if (!keys) return -1;
    if (keys.timelines.length > 1 && keys.joints[state.joint] >= 0) return keys.joints[state.joint];
    return keys.timelines.reduce((best, t, i) => t.count > keys.timelines[best].count ? i : best, 0);
}

// ---- time line --------------------------------------------------------------------------

const line = byId("line");
const MARGIN = 8;

function timeAt(canvas, event, from, to) {
    const box = canvas.getBoundingClientRect();
    const part = (event.clientX - box.left - MARGIN) / Math.max(box.width - 2 * MARGIN, 1);
    return from + Math.min(Math.max(part, 0), 1) * (to - from);
}

function drawTicks(g, width, height, from, to) {
    const size = roundStep(Math.max((to - from) * 70 / Math.max(width, 1), seconds * 1e-9, 1e-9));
    g.textAlign = "center";
    g.textBaseline = "bottom";
    for (let k = Math.ceil(from / size - 1e-9); k * size <= to + 1e-9; k++) {
        const x = MARGIN + (k * size - from) / (to - from || 1) * (width - 2 * MARGIN);
        g.fillStyle = colours.rule;
        g.fillRect(x, 0, 1, height - 13);
        g.fillStyle = colours.faint;
        g.fillText(show(k * size), Math.min(Math.max(x, 12), width - 12), height);
    }
}

function drawLine() {
    const {g, width, height} = begin(line);
    const across = (time) => MARGIN + (time - start) / (seconds || 1) * (width - 2 * MARGIN);
    g.fillStyle = colours.raised;
    g.fillRect(MARGIN, 2, width - 2 * MARGIN, height - 16);
    drawTicks(g, width, height, start, end);
    [head.keysA, head.keysB].forEach((keys, side) => {
        const found = keysWithin(keys, mainTimeline(keys), start, end, width / 3);
        g.fillStyle = side ? colours.b : colours.a;
        for (const time of found || []) g.fillRect(across(time) - 0.5, side ? 13 : 3, 1.5, 8);
    });
    g.fillStyle = colours.mark;
    g.fillRect(across(state.time) - 1, 0, 2, height - 13);
    line.setAttribute("aria-valuemin", String(start));
    line.setAttribute("aria-valuemax", String(end));
    line.setAttribute("aria-valuenow", String(state.time));
    byId("now").textContent = state.time.toFixed(4) + " s of " + show(end) + " s, frame " +
        (frameNear(state.time) + 1) + " of " + frames + slowness();
}

function watchLine() {
    let isHeld = false;
    const go = (event) => setTime(times[frameNear(timeAt(line, event, start, end))]);
    line.addEventListener("pointerdown", (event) => {
        line.setPointerCapture(event.pointerId);
        isHeld = true;
        stop();
        go(event);
    });
    line.addEventListener("pointermove", (event) => { if (isHeld) go(event); });
    for (const end of ["pointerup", "pointercancel"]) line.addEventListener(end, () => { isHeld = false; });
}

// ---- playing ----------------------------------------------------------------------------

// The time between pictures, averaged; a screen shows one at least every 34 ms.
let lastTick = 0, gap = 0;
function slowness() {
    return state.playing && gap > 40
        ? ", " + Math.round(1000 / gap) + " pictures a second: this machine draws no faster" : "";
}

function tick(now) {
    if (!state.playing) return;
    if (lastTick) {
        gap = gap ? 0.8 * gap + 0.2 * (now - lastTick) : now - lastTick;
        const next = state.time + (now - lastTick) / 1000 * state.speed;
        setTime(next > end ? start : next);
    }
    lastTick = now;
    requestAnimationFrame(tick);
}

function stop() {
    state.playing = false;
    byId("play").setAttribute("aria-pressed", "false");
    byId("play").textContent = "play";
}

function play() {
    if (state.playing) return stop();
    state.playing = seconds > 0;
    lastTick = gap = 0;
    byId("play").setAttribute("aria-pressed", "true");
    byId("play").textContent = "pause";
    requestAnimationFrame(tick);
}
