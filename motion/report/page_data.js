/* SPDX-License-Identifier: MIT
 *
 * The data of the page, what it shows now, and canvases. The scripts page_*.js are one script, in the order
 * of page.c: they share its names. All names of joints come from files: they are only ever set as text.
 */
const byId = (id) => document.getElementById(id);

// A page of a file with several clips shows the first, or that which its link names: page.html#c=2. The data of
// the others have their numbers before their names. To choose another is to load the page anew.
const askedClip = () => (/^#c=(\d+)/.exec(location.hash) || ["", ""])[1];
const clip = byId(`c${askedClip()}-head`) ? askedClip() : "";
const dataOf = (id) => byId(clip === "" ? id : `c${clip}-${id}`);

// ---- data -------------------------------------------------------------------------------

function bytesOf(id) {
    const element = dataOf(id);
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

const head = JSON.parse(dataOf("head").textContent);
const frames = head.frames, joints = head.names.length;
// The part that is shown, in seconds after the first key.
const start = head.begin, seconds = head.seconds, end = start + seconds;
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
function spell(name, number) {
    if (name === "") return `joint ${number}`;
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
    measures[name].end = head.ends[name] || measures[name].max;
}

function show(number) {
    return Number.isFinite(number) ? String(Number(number.toPrecision(4))) : "\u2013";
}

// Places are known, and are to be seen.
const hasScene = head.hasPlaces && !document.documentElement.classList.contains("curves-only");

// ---- what is shown ----------------------------------------------------------------------

const state = {
    time: start, joint: clip === "" ? Number(document.documentElement.dataset.joint) : head.first, measure: "angle", playing: false, speed: 1,
    yaw: 0.6, pitch: 0.25, zoom: 1, centre: [0, 0, 0],
    inPlace: false, trail: false, onion: false,
    from: start, to: seconds > 0 ? end : start + 1,
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
    state.time = Math.min(Math.max(time, start), end);
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

// ---- canvases ---------------------------------------------------------------------------

let colours = {};
function readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ground", "raised", "text", "faint", "rule", "link", "a", "b", "mark"])
        colours[name] = style.getPropertyValue("--" + name).trim();
    colours.isDark = matchMedia("(prefers-color-scheme: dark)").matches;
}

// Sizes a canvas to its place on the page and clears it. Units are pixels of CSS.
function begin(canvas, height) {
    if (height) canvas.style.height = height + "px";
    return clear(canvas, canvas.clientWidth, height || canvas.clientHeight);
}

function clear(canvas, width, tall) {
    const density = window.devicePixelRatio || 1;
    const sizes = [Math.max(1, Math.round(width * density)), Math.max(1, Math.round(tall * density))];
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
// What lies beyond the scale is of another hue. Values of 16 bits are exact to half of 1/65534 of the largest.
const beyond = {light: [58, 63, 158], dark: [130, 140, 255]};
function isBeyond(value) {
    const measure = measures[state.measure];
    return value > measure.end + measure.max / 100000;
}
function beyondColour() {
    return colours.isDark ? beyond.dark : beyond.light;
}
function shade(part) {
    const ramp = colours.isDark ? ramps.dark : ramps.light;
    const at = Math.min(Math.max(part, 0), 1) * (ramp.length - 1), i = Math.min(Math.floor(at), ramp.length - 2);
    return ramp[i].map((c, n) => Math.round(c + (at - i) * (ramp[i + 1][n] - c)));
}
