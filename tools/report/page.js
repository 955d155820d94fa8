/* SPDX-License-Identifier: MIT
 *
 * The living part of the page: heat map, skeletons, time line and curves on plain canvases, which share
 * one time and one joint. All names come from files: they are only ever set as text.
 */
(function () {
"use strict";

const byId = (id) => document.getElementById(id);

// ---- data --------------------------------------------------------------------------------

function bytesOf(id) {
    const element = byId(id);
    if (!element) return null;
    const text = atob(element.textContent);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    element.textContent = "";
    return bytes;
}

// Little endian, whatever the machine is.
function numbersOf(id) {
    const bytes = bytesOf(id);
    if (!bytes) return null;
    const view = new DataView(bytes.buffer), numbers = new Uint16Array(bytes.length >> 1);
    for (let i = 0; i < numbers.length; i++) numbers[i] = view.getUint16(2 * i, true);
    return numbers;
}

function timesOf(id) {
    const bytes = bytesOf(id), view = new DataView(bytes.buffer);
    return Float64Array.from({length: bytes.length >> 3}, (_, i) => view.getFloat64(8 * i, true));
}

const head = JSON.parse(byId("head").textContent);
const frames = head.frames, joints = head.names.length, seconds = head.seconds;
const times = timesOf("times");
const raw = {};
for (const name of Object.keys(head.scales)) raw[name] = numbersOf(name);
const raised = [numbersOf("placesA"), numbersOf("placesB")];

const NONE = 65535;
function valueOf(name, joint, frame) {
    const number = raw[name][joint * frames + frame];
    return number === NONE ? NaN : number * head.scales[name][joint];
}

// As the page's text shows it: what would act on text is spelled out.
function spell(name) {
    if (name === "") return "(no name)";
    return name.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (c) =>
        Array.from(new TextEncoder().encode(c), (b) => "\\x" + b.toString(16).padStart(2, "0")).join(""));
}
const names = head.names.map(spell);

const measures = {
    angle: {unit: "degrees", word: "angle"},
    distance: {unit: "units", word: "distance"},
    velocity: {unit: "degrees/s", word: "speed"},
    acceleration: {unit: "degrees/s\u00b2", word: "acceleration"},
};
for (const name of Object.keys(measures)) {
    const scales = head.scales[name] || [];
    measures[name].max = scales.reduce((a, s) => Math.max(a, s * 65534), 0);
}

function show(number) {
    return Number.isFinite(number) ? String(Number(number.toPrecision(4))) : "\u2013";
}

// ---- what is shown -----------------------------------------------------------------------

const state = {
    time: 0, joint: head.worst[0], measure: "angle", playing: false, speed: 1,
    yaw: 0.6, pitch: 0.25, zoom: 1, centre: [0, 0, 0],
    inPlace: false, trail: false, onion: false,
    from: 0, to: seconds > 0 ? seconds : 1,
};

// The last frame that is not after a time.
function frameBefore(time) {
    let low = 0, high = frames;
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (times[middle] <= time) low = middle; else high = middle;
    }
    return low;
}

function frameNear(time) {
    const before = frameBefore(time);
    const after = Math.min(before + 1, frames - 1);
    return times[after] - time < time - times[before] ? after : before;
}

let isDirty = false;
function redraw() {
    if (isDirty) return;
    isDirty = true;
    requestAnimationFrame(() => {
        isDirty = false;
        drawAll();
    });
}

function setTime(time) {
    state.time = Math.min(Math.max(time, 0), seconds);
    redraw();
}

function step(count) {
    stop();
    const next = Math.min(Math.max(frameNear(state.time) + count, 0), frames - 1);
    setTime(times[next]);
}

function chooseJoint(joint) {
    state.joint = joint;
    byId("joint").value = String(joint);
    for (const row of document.querySelectorAll("#table tbody tr"))
        row.classList.toggle("chosen", Number(row.dataset.joint) === joint);
    redraw();
}

// ---- canvases ----------------------------------------------------------------------------

let colours = {};
function readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ground", "raised", "text", "faint", "rule", "link", "a", "b", "mark"])
        colours[name] = style.getPropertyValue("--" + name).trim();
    colours.isDark = matchMedia("(prefers-color-scheme: dark)").matches;
}

// Sizes a canvas to its place on the page and clears it. Units are pixels of CSS.
function begin(canvas, height) {
    const density = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const tall = height || canvas.clientHeight;
    const sizes = [Math.max(1, Math.round(width * density)), Math.max(1, Math.round(tall * density))];
    if (height) canvas.style.height = height + "px";
    if (canvas.width !== sizes[0]) canvas.width = sizes[0];
    if (canvas.height !== sizes[1]) canvas.height = sizes[1];
    const g = canvas.getContext("2d");
    g.setTransform(density, 0, 0, density, 0, 0);
    g.clearRect(0, 0, width, tall);
    g.font = "11px system-ui, sans-serif";
    return {g, width, height: tall};
}

const ramps = {
    light: [[255, 255, 255], [232, 207, 155], [184, 122, 47], [66, 32, 12]],
    dark: [[20, 23, 26], [96, 62, 24], [208, 138, 48], [255, 236, 190]],
};
function shade(part) {
    const ramp = colours.isDark ? ramps.dark : ramps.light;
    const at = Math.min(Math.max(part, 0), 1) * (ramp.length - 1), i = Math.min(Math.floor(at), ramp.length - 2);
    return ramp[i].map((c, n) => Math.round(c + (at - i) * (ramp[i + 1][n] - c)));
}

// ---- heat map ----------------------------------------------------------------------------

const mapCanvas = byId("map-canvas");
const map = {label: 0, row: 0, width: 0, key: "", image: null};

function mapLayout() {
    const width = byId("map-box").clientWidth;
    map.row = joints <= 100 ? 14 : joints <= 1000 ? 4 : 2;
    map.label = map.row < 10 ? 0 : width < 600 ? 92 : 160;
    map.width = Math.max(1, Math.floor(width - map.label - 2));
}

// The frames of each column of pixels; without one of its own, the nearest.
function columnFrames(columns) {
    const found = [];
    for (let x = 0; x < columns; x++) {
        const begin = seconds * x / columns, end = seconds * (x + 1) / columns;
        let first = frameBefore(begin);
        if (times[first] < begin) first++;
        let last = first;
        while (last < frames && times[last] < end) last++;
        if (last <= first) {
            first = frameNear((begin + end) / 2);
            last = first + 1;
        }
        found.push([Math.min(first, frames - 1), Math.max(last, first + 1)]);
    }
    found[columns - 1][1] = frames;
    return found;
}

function renderMap() {
    const key = [state.measure, map.width, colours.isDark].join();
    if (map.key === key) return;
    map.key = key;
    const image = document.createElement("canvas");
    image.width = map.width;
    image.height = joints;
    const g = image.getContext("2d"), pixels = g.createImageData(map.width, joints);
    const columns = columnFrames(map.width), max = measures[state.measure].max || 1;
    for (let y = 0; y < joints; y++) {
        const joint = head.worst[y];
        for (let x = 0; x < map.width; x++) {
            let largest = 0;
            for (let f = columns[x][0]; f < columns[x][1]; f++) {
                const value = valueOf(state.measure, joint, f);
                if (value > largest) largest = value;
            }
            pixels.data.set([...shade(largest / max), 255], 4 * (y * map.width + x));
        }
    }
    g.putImageData(pixels, 0, 0);
    map.image = image;
}

function drawRamp() {
    const canvas = byId("ramp"), g = canvas.getContext("2d");
    for (let x = 0; x < canvas.width; x++) {
        g.fillStyle = "rgb(" + shade(x / (canvas.width - 1)).join() + ")";
        g.fillRect(x, 0, 1, canvas.height);
    }
    const measure = measures[state.measure];
    byId("map-high").textContent = show(measure.max) + " " + measure.unit;
}

function drawMap() {
    mapLayout();
    renderMap();
    drawRamp();
    const {g, width, height} = begin(mapCanvas, joints * map.row + 2);
    g.imageSmoothingEnabled = false;
    g.drawImage(map.image, map.label, 0, map.width, joints * map.row);
    g.textBaseline = "middle";
    g.textAlign = "right";
    const chosen = head.worst.indexOf(state.joint);
    for (let y = 0; y < joints && map.label; y++) {
        g.fillStyle = y === chosen ? colours.link : colours.text;
        g.fillText(cut(g, names[head.worst[y]], map.label - 8), map.label - 5, (y + 0.5) * map.row);
    }
    g.strokeStyle = colours.link;
    g.strokeRect(map.label + 0.5, chosen * map.row + 0.5, map.width - 1, map.row - 1);
    const x = map.label + state.time / (seconds || 1) * map.width;
    g.strokeStyle = colours.mark;
    g.beginPath();
    g.moveTo(x, 0);
    g.lineTo(x, height);
    g.stroke();
    return width;
}

// Text that fits a width.
function cut(g, text, width) {
    if (g.measureText(text).width <= width) return text;
    const letters = Array.from(text);
    while (letters.length > 1 && g.measureText(letters.join("") + "\u2026").width > width) letters.pop();
    return letters.join("") + "\u2026";
}

function mapAt(event) {
    const box = mapCanvas.getBoundingClientRect();
    const row = Math.min(Math.max(Math.floor((event.clientY - box.top) / map.row), 0), joints - 1);
    const part = Math.min(Math.max((event.clientX - box.left - map.label) / map.width, 0), 1);
    return {joint: head.worst[row], time: part * seconds};
}

// The worst frame of the joint within two pixels of a time.
function worstNear(joint, time) {
    const reach = 2 * seconds / map.width;
    let best = frameNear(time);
    for (let f = frameBefore(Math.max(time - reach, 0)); f < frames && times[f] <= time + reach; f++)
        if (times[f] >= time - reach && valueOf(state.measure, joint, f) > valueOf(state.measure, joint, best))
            best = f;
    return best;
}

function goToMap(event) {
    const at = mapAt(event);
    stop();
    chooseJoint(at.joint);
    setTime(times[worstNear(at.joint, at.time)]);
}

function sayMap(event) {
    const at = mapAt(event), frame = worstNear(at.joint, at.time), measure = measures[state.measure];
    byId("map-says").textContent = names[at.joint] + ", " + show(times[frame]) + " s: " + measure.word + " " +
        show(valueOf(state.measure, at.joint, frame)) + " " + measure.unit;
}

function chooseMeasure(name) {
    if (!measures[name].max && name === "distance" && !head.hasPlaces) return;
    state.measure = name;
    for (const button of document.querySelectorAll("[data-measure]"))
        button.setAttribute("aria-checked", String(button.dataset.measure === name));
    redraw();
}

// ---- skeletons ---------------------------------------------------------------------------

const scene = byId("scene");

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
    for (let j = 0; j < joints; j++) placeAt(0, j, frame).forEach((x, i) => { sum[i] += x / joints; });
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
        for (let j = 0; j < joints; j++)
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
        for (let j = 0; j < joints; j++)
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
    for (let j = 0; j < joints; j++) {
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
    const first = frameBefore(Math.max(state.time - 1, 0)), last = frameBefore(Math.min(state.time + 1, seconds));
    g.strokeStyle = side ? colours.b : colours.a;
    g.setLineDash(side ? [5, 4] : []);
    g.lineWidth = 1.5;
    g.beginPath();
    for (let f = first; f <= last; f++) g.lineTo(...project(placeAt(side, state.joint, f)));
    g.stroke();
    g.setLineDash([]);
}

function drawB(g) {
    const frame = frameNear(state.time), max = measures[state.measure].max || 1;
    g.globalAlpha = 0.85;
    drawBones(g, Array.from({length: joints}, (_, j) => placeOf(1, j)), (j) => {
        const part = (valueOf(state.measure, j, frame) || 0) / max;
        g.strokeStyle = g.fillStyle = errorColour(part);
        g.lineWidth = 3 + 5 * part;
        g.setLineDash([7, 4]);
    });
    g.setLineDash([]);
    g.globalAlpha = 1;
}

function drawScene() {
    if (!head.hasPlaces) return;
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
        " units, " + show(size * head.unitMm) + " mm.";
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

// ---- keys of the files -------------------------------------------------------------------

// The times of the keys within a range; null: too many to show.
function keysWithin(keys, timeline, from, to, most) {
    const line = keys && timeline >= 0 ? keys.timelines[timeline] : null;
    if (!line) return null;
    const found = [];
    if (line.times) {
        for (const time of line.times) if (time >= from && time <= to) found.push(time);
    } else {
        const first = Math.max(Math.ceil(from / line.step - 1e-6), 0);
        const last = Math.min(Math.floor(to / line.step + 1e-6), line.count - 1);
        if (last - first > most) return null;
        for (let k = first; k <= last; k++) found.push(k * line.step);
    }
    return found.length > most ? null : found;
}

// The timeline that has most keys.
function mainTimeline(keys) {
    if (!keys) return -1;
    return keys.timelines.reduce((best, t, i) => t.count > keys.timelines[best].count ? i : best, 0);
}

// ---- time line ---------------------------------------------------------------------------

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
    const across = (time) => MARGIN + time / (seconds || 1) * (width - 2 * MARGIN);
    g.fillStyle = colours.raised;
    g.fillRect(MARGIN, 2, width - 2 * MARGIN, height - 16);
    drawTicks(g, width, height, 0, seconds);
    [head.keysA, head.keysB].forEach((keys, side) => {
        const found = keysWithin(keys, mainTimeline(keys), 0, seconds, width / 3);
        g.fillStyle = side ? colours.b : colours.a;
        for (const time of found || []) g.fillRect(across(time) - 0.5, side ? 13 : 3, 1.5, 8);
    });
    g.fillStyle = colours.mark;
    g.fillRect(across(state.time) - 1, 0, 2, height - 13);
    line.setAttribute("aria-valuemax", String(seconds));
    line.setAttribute("aria-valuenow", String(state.time));
    byId("now").textContent = state.time.toFixed(4) + " s of " + show(seconds) + " s, frame " +
        (frameNear(state.time) + 1) + " of " + frames;
}

function watchLine() {
    let isHeld = false;
    const go = (event) => setTime(times[frameNear(timeAt(line, event, 0, seconds))]);
    line.addEventListener("pointerdown", (event) => {
        line.setPointerCapture(event.pointerId);
        isHeld = true;
        stop();
        go(event);
    });
    line.addEventListener("pointermove", (event) => { if (isHeld) go(event); });
    for (const end of ["pointerup", "pointercancel"]) line.addEventListener(end, () => { isHeld = false; });
}

// ---- playing -----------------------------------------------------------------------------

let lastTick = 0;
function tick(now) {
    if (!state.playing) return;
    if (lastTick) {
        const next = state.time + (now - lastTick) / 1000 * state.speed;
        setTime(next > seconds ? 0 : next);
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
    lastTick = 0;
    byId("play").setAttribute("aria-pressed", "true");
    byId("play").textContent = "pause";
    requestAnimationFrame(tick);
}

// ---- curves ------------------------------------------------------------------------------

const plots = [
    {title: "angle error, degrees", lines: ["angle"], colour: "b"},
    {title: "distance, units", lines: ["distance"], colour: "b"},
    {title: head.one ? "angle from the first pose, degrees" : "angle from the first pose of A, degrees", lines: ["angleA", "angleB"]},
    {title: "angular speed, degrees/s", lines: ["velocityA", "velocityB"]},
    {title: "angular acceleration, degrees/s\u00b2", lines: ["accelerationA", "accelerationB"]},
].map((plot) => ({...plot, lines: plot.lines.filter((name) => raw[name])}))
    .filter((plot) => plot.lines.length && (plot.lines[0] !== "distance" || head.hasPlaces));

function makePlots() {
    for (const plot of plots) {
        plot.canvas = document.createElement("canvas");
        plot.canvas.setAttribute("role", "img");
        plot.canvas.setAttribute("aria-label", plot.title);
        byId("plots").append(plot.canvas);
        watchPlot(plot);
    }
}

function watchPlot(plot) {
    const canvas = plot.canvas;
    let start = null;
    canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        start = event.clientX;
        plot.from = timeAt(canvas, event, state.from, state.to);
    });
    canvas.addEventListener("pointermove", (event) => {
        if (start === null) return;
        plot.to = timeAt(canvas, event, state.from, state.to);
        redraw();
    });
    canvas.addEventListener("pointerup", (event) => {
        const to = timeAt(canvas, event, state.from, state.to);
        if (start !== null && Math.abs(event.clientX - start) < 4) {
            stop();
            setTime(times[frameNear(to)]);
        } else if (start !== null && Math.abs(to - plot.from) > seconds * 1e-7) {
            [state.from, state.to] = [Math.min(plot.from, to), Math.max(plot.from, to)];
        }
        start = plot.to = null;
        redraw();
    });
    canvas.addEventListener("dblclick", showWhole);
}

function showWhole() {
    [state.from, state.to] = [0, seconds > 0 ? seconds : 1];
    redraw();
}

// A pixel that stands for many frames shows the least and the largest.
function traceCurve(g, name, first, last, across, up) {
    let isDown = false, x = -1, low = 0, high = 0;
    const flush = () => {
        if (x < 0) return;
        g.lineTo(x, low);
        if (high !== low) g.lineTo(x, high);
    };
    g.beginPath();
    for (let f = first; f <= last; f++) {
        const value = valueOf(name, state.joint, f);
        if (Number.isNaN(value)) continue;
        const column = Math.round(across(times[f]) * 2) / 2, y = up(value);
        if (column === x) {
            low = Math.max(low, y);
            high = Math.min(high, y);
            continue;
        }
        flush();
        if (!isDown) g.moveTo(column, y);
        isDown = true;
        x = column;
        low = high = y;
    }
    flush();
    g.stroke();
}

function valueAtTime(name, time) {
    const before = frameBefore(time), after = Math.min(before + 1, frames - 1), span = times[after] - times[before];
    const a = valueOf(name, state.joint, before), b = valueOf(name, state.joint, after);
    return span > 0 ? a + (b - a) * Math.min((time - times[before]) / span, 1) : a;
}

function drawDots(g, name, side, across, up, width) {
    const keys = side ? head.keysB : head.keysA;
    const found = keysWithin(keys, keys ? keys.joints[state.joint] : -1, state.from, state.to, width / 7);
    for (const time of found || []) {
        const x = across(time), y = up(valueAtTime(name, time));
        if (!Number.isFinite(y)) continue;
        if (side) {
            g.fillRect(x - 2, y - 2, 4, 4);
        } else {
            g.beginPath();
            g.arc(x, y, 2.4, 0, 7);
            g.fill();
        }
    }
}

function drawPlot(plot) {
    const {g, width, height} = begin(plot.canvas);
    const first = frameBefore(state.from), last = Math.min(frameBefore(state.to) + 1, frames - 1);
    let max = 0;
    for (const name of plot.lines)
        for (let f = first; f <= last; f++) max = Math.max(max, valueOf(name, state.joint, f) || 0);
    const across = (time) => MARGIN + (time - state.from) / (state.to - state.from) * (width - 2 * MARGIN);
    const up = (value) => height - 18 - value / (max || 1) * (height - 38);
    drawTicks(g, width, height, state.from, state.to);
    g.save();
    g.beginPath();
    g.rect(MARGIN - 3, 0, width - 2 * MARGIN + 6, height);
    g.clip();
    plot.lines.forEach((name, i) => {
        g.strokeStyle = g.fillStyle = colours[plot.colour || (i ? "b" : "a")];
        g.lineWidth = 1.5;
        g.setLineDash(i ? [6, 3] : []);
        traceCurve(g, name, first, last, across, up);
        g.setLineDash([]);
        drawDots(g, name, plot.colour || i ? 1 : 0, across, up, width);
    });
    if (plot.to !== null && plot.to !== undefined) {
        g.globalAlpha = 0.2;
        g.fillStyle = colours.link;
        g.fillRect(across(plot.from), 0, across(plot.to) - across(plot.from), height - 14);
        g.globalAlpha = 1;
    }
    g.fillStyle = colours.mark;
    g.fillRect(across(state.time) - 0.75, 0, 1.5, height - 14);
    g.restore();
    g.textAlign = "left";
    g.textBaseline = "top";
    g.fillStyle = colours.text;
    const now = plot.lines.map((name) => show(valueAtTime(name, state.time))).join(" and ");
    g.fillText(cut(g, plot.title + ": " + now + " now, up to " + show(max), width - 2 * MARGIN), MARGIN + 2, 1);
}

// ---- table, links, keys ------------------------------------------------------------------

function sortTable(header) {
    const column = Number(header.dataset.column);
    const order = header.getAttribute("aria-sort") === "descending" ? "ascending" : "descending";
    for (const other of document.querySelectorAll("#table th[data-column]")) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", order);
    const body = document.querySelector("#table tbody"), rows = Array.from(body.rows);
    const sign = order === "descending" ? -1 : 1;
    const keyOf = (row) => column ? Number(row.cells[column].dataset.v ?? -1) : row.cells[0].textContent;
    rows.sort((x, y) => {
        const a = keyOf(x), b = keyOf(y);
        return a < b ? -sign : a > b ? sign : 0;
    });
    body.append(...rows);
}

function watchTable() {
    for (const header of document.querySelectorAll("#table th[data-column]")) {
        header.tabIndex = 0;
        header.addEventListener("click", () => sortTable(header));
        header.addEventListener("keydown", (event) => { if (event.key === "Enter") sortTable(header); });
    }
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
    const found = /^#t=([-+.\de]+),j=(\d+)$/.exec(hash);
    if (!found || Number(found[2]) >= joints || !Number.isFinite(Number(found[1]))) return;
    stop();
    chooseJoint(Number(found[2]));
    setTime(Number(found[1]));
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
    Home: () => { stop(); setTime(0); },
    End: () => { stop(); setTime(seconds); },
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

// ---- the page ----------------------------------------------------------------------------

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
    if (!head.hasPlaces) {
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

function start() {
    readColours();
    byId("live").hidden = false;
    byId("keys-help").hidden = false;
    byId("still").style.display = "none";
    listJoints();
    makePlots();
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
    if (head.hasPlaces) fit();
    window.addEventListener("resize", redraw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
        readColours();
        redraw();
    });
    drawAll();
}

// For tests, and for whoever looks from the console.
window.posemillPage = {
    state, times, names, setTime, project, placeOf, valueOf, frameNear,
    pixelOf: (side, joint) => project(placeOf(side, joint)),
    mapPixel: (joint, time) => [map.label + time / (seconds || 1) * map.width,
        (head.worst.indexOf(joint) + 0.5) * map.row],
};

start();
})();
