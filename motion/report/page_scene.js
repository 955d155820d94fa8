/* SPDX-License-Identifier: MIT
 *
 * The skeletons: places of 16 bits, a parallel projection, and what the mouse does.
 */

const scene = byId("scene");

// Nodes that only group others are no joints of the figure: no bone leads to them, and none away.
const ends = new Set(head.parents.flatMap((parent, joint) => parent >= 0 ? [parent, joint] : []));
const figure = Array.from({length: joints}, (_, j) => j).filter((j) => ends.size === 0 || ends.has(j));

// The place of a joint at a frame, y up.
function placeAt(side, joint, frame) {
    const at = 3 * (frame * joints + joint), found = [0, 0, 0];
    for (let i = 0; i < 3; i++)
        found[i] = head.low[i] + raised[side][at + i] / 65535 * (head.high[i] - head.low[i]);
    return head.up === 2 ? [found[0], found[2], -found[1]] : found;
}

// Between frames the way is straight.
function placeOf(side, joint) {
    const before = frameBefore(state.time), after = Math.min(before + 1, frames - 1);
    const a = placeAt(side, joint, before);
    const span = times[after] - times[before];
    const u = span > 0 ? Math.min((state.time - times[before]) / span, 1) : 0;
    if (u <= 0) return a;
    const b = placeAt(side, joint, after);
    return a.map((x, i) => x + u * (b[i] - x));
}

function middleOf(frame) {
    const sum = [0, 0, 0];
    for (const j of figure) placeAt(0, j, frame).forEach((x, i) => { sum[i] += x / figure.length; });
    return sum;
}

// How far the pose is moved to stay in place.
function offset() {
    if (!state.inPlace) return [0, 0, 0];
    const first = middleOf(0), before = frameBefore(state.time), after = Math.min(before + 1, frames - 1);
    const span = times[after] - times[before];
    const u = span > 0 ? Math.min((state.time - times[before]) / span, 1) : 0;
    const a = middleOf(before), b = middleOf(after);
    return [first[0] - a[0] - u * (b[0] - a[0]), 0, first[2] - a[2] - u * (b[2] - a[2])];
}

let moved = [0, 0, 0];

// Pixels of a place in the world, in the canvas of the skeletons.
function project(place) {
    const [x, y, z] = place.map((p, i) => p + moved[i] - state.centre[i]);
    const cosY = Math.cos(state.yaw), sinY = Math.sin(state.yaw);
    const cosP = Math.cos(state.pitch), sinP = Math.sin(state.pitch);
    const across = cosY * x - sinY * z, away = sinY * x + cosY * z;
    const up = cosP * y - sinP * away;
    return [scene.clientWidth / 2 + across * state.zoom, scene.clientHeight / 2 - up * state.zoom];
}

// Width and height of the pose in pixels.
function spreadOf() {
    const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    for (let side = 0; side < (raised[1] ? 2 : 1); side++)
        for (const j of figure)
            project(placeOf(side, j)).forEach((x, i) => {
                low[i] = Math.min(low[i], x);
                high[i] = Math.max(high[i], x);
            });
    return low.map((x, i) => Math.max(high[i] - x, 1e-6 * state.zoom));
}

// Frames the pose of this time.
function fit() {
    moved = offset();
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let side = 0; side < (raised[1] ? 2 : 1); side++)
        for (const j of figure)
            placeOf(side, j).forEach((x, i) => {
                low[i] = Math.min(low[i], x + moved[i]);
                high[i] = Math.max(high[i], x + moved[i]);
            });
    state.centre = low.map((x, i) => (x + high[i]) / 2);
    const spread = spreadOf();
    state.zoom *= 0.8 * Math.min(scene.clientWidth / spread[0], scene.clientHeight / spread[1]);
    redraw();
}

// 1, 2 or 5 times a power of ten.
function roundStep(least) {
    const power = Math.pow(10, Math.floor(Math.log10(least)));
    return power * ([1, 2, 5, 10].find((n) => n * power >= least) || 10);
}

function drawGrid(g) {
    const ground = head.up === 2 ? head.low[2] : head.low[1];
    const size = roundStep(60 / state.zoom), reach = 12;
    const centre = [0, 2].map((i) => Math.round((state.centre[i] - moved[i]) / size) * size);
    g.strokeStyle = colours.rule;
    g.lineWidth = 1;
    g.beginPath();
    for (let i = -reach; i <= reach; i++)
        for (const [from, to] of [[[i, -reach], [i, reach]], [[-reach, i], [reach, i]]]) {
            g.moveTo(...project([centre[0] + from[0] * size, ground, centre[1] + from[1] * size]));
            g.lineTo(...project([centre[0] + to[0] * size, ground, centre[1] + to[1] * size]));
        }
    g.stroke();
    return size;
}

// From the colour of no error to that of the largest.
function errorColour(part) {
    const from = colours.isDark ? [120, 170, 215] : [70, 120, 170], to = colours.isDark ? [255, 160, 40] : [200, 80, 0];
    return "rgb(" + from.map((c, i) => Math.round(c + Math.min(part, 1) * (to[i] - c))).join() + ")";
}

function drawBones(g, places, style) {
    for (const j of figure) {
        const at = project(places[j]), parent = head.parents[j];
        style(j);
        g.beginPath();
        if (parent >= 0) {
            g.moveTo(...project(places[parent]));
            g.lineTo(...at);
            g.stroke();
        }
        g.beginPath();
        g.arc(at[0], at[1], Math.max(g.lineWidth * 0.8, 2), 0, 7);
        g.fill();
    }
}

function posesAt(side, frame) {
    return Array.from({length: joints}, (_, j) => placeAt(side, j, frame));
}

function drawA(g, alpha) {
    g.globalAlpha = alpha;
    g.strokeStyle = g.fillStyle = colours.a;
    g.lineWidth = 2;
    g.setLineDash([]);
}

function drawOnion(g) {
    const reach = Math.max(Math.round(frames / Math.max(seconds, 0.001) * 0.15), 1), now = frameNear(state.time);
    for (const k of [-3, -2, -1, 1, 2, 3]) {
        const frame = now + k * reach;
        if (frame >= 0 && frame < frames)
            drawBones(g, posesAt(0, frame), () => drawA(g, 0.28 - 0.06 * Math.abs(k)));
    }
    g.globalAlpha = 1;
}

function drawTrail(g, side) {
    const first = frameBefore(Math.max(state.time - 1, start)), last = frameBefore(Math.min(state.time + 1, end));
    g.strokeStyle = side ? colours.b : colours.a;
    g.setLineDash(side ? [5, 4] : []);
    g.lineWidth = 1.5;
    g.beginPath();
    for (let f = first; f <= last; f++) g.lineTo(...project(placeAt(side, state.joint, f)));
    g.stroke();
    g.setLineDash([]);
}

function drawB(g) {
    const frame = frameNear(state.time), end = measures[state.measure].end || 1;
    g.globalAlpha = 0.85;
    drawBones(g, Array.from({length: joints}, (_, j) => placeOf(1, j)), (j) => {
        const part = Math.min((valueOf(state.measure, j, frame) || 0) / end, 1);
        g.strokeStyle = g.fillStyle = errorColour(part);
        g.lineWidth = 3 + 5 * part;
        g.setLineDash([7, 4]);
    });
    g.setLineDash([]);
    g.globalAlpha = 1;
}

function drawScene() {
    if (!hasScene) return;
    const {g} = begin(scene);
    moved = offset();
    const size = drawGrid(g);
    if (state.onion) drawOnion(g);
    if (raised[1]) drawB(g);
    drawBones(g, Array.from({length: joints}, (_, j) => placeOf(0, j)), () => drawA(g, 1));
    for (let side = 0; state.trail && side < (raised[1] ? 2 : 1); side++) drawTrail(g, side);
    const at = project(placeOf(0, state.joint));
    g.strokeStyle = colours.mark;
    g.lineWidth = 1.5;
    g.beginPath();
    g.arc(at[0], at[1], 8, 0, 7);
    g.stroke();
    byId("scene-says").textContent = "Circle: " + names[state.joint] + ". A square of the ground is " + show(size) +
        " units" + (head.unitMm ? ", " + show(size * head.unitMm) + " mm." : ".");
}

function view(name) {
    [state.yaw, state.pitch] = {front: [0, 0], side: [Math.PI / 2, 0], top: [0, Math.PI / 2]}[name];
    redraw();
}

function watchScene() {
    let last = null;
    scene.addEventListener("pointerdown", (event) => {
        scene.setPointerCapture(event.pointerId);
        last = [event.clientX, event.clientY];
    });
    scene.addEventListener("pointermove", (event) => {
        if (!last) return;
        state.yaw -= (event.clientX - last[0]) * 0.01;
        state.pitch = Math.min(Math.max(state.pitch + (event.clientY - last[1]) * 0.01, -Math.PI / 2), Math.PI / 2);
        last = [event.clientX, event.clientY];
        redraw();
    });
    for (const end of ["pointerup", "pointercancel"]) scene.addEventListener(end, () => { last = null; });
    scene.addEventListener("wheel", (event) => {
        event.preventDefault();
        state.zoom *= Math.exp(-event.deltaY * 0.0015);
        redraw();
    }, {passive: false});
    scene.addEventListener("dblclick", fit);
}
