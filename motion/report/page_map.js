/* SPDX-License-Identifier: MIT
 *
 * The heat map: joints down, time across.
 */

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
        const from = start + seconds * x / columns, to = start + seconds * (x + 1) / columns;
        let first = frameBefore(from);
        if (times[first] < from) first++;
        let last = first;
        while (last < frames && times[last] < to) last++;
        if (last <= first) {
            first = frameNear((from + to) / 2);
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
    const columns = columnFrames(map.width), end = measures[state.measure].end || 1;
    for (let y = 0; y < joints; y++) {
        const joint = head.worst[y];
        for (let x = 0; x < map.width; x++) {
            let largest = 0;
            for (let f = columns[x][0]; f < columns[x][1]; f++) {
                const value = valueOf(state.measure, joint, f);
                if (value > largest) largest = value;
            }
            pixels.data.set([...(isBeyond(largest) ? beyondColour() : shade(largest / end)), 255], 4 * (y * map.width + x));
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
    byId("map-high").textContent = show(measure.end) + " " + measure.unit;
    byId("map-beyond").hidden = !isBeyond(measure.max);
    byId("map-most").textContent = "beyond, up to " + show(measure.max);
    byId("map-mark").style.background = "rgb(" + beyondColour().join() + ")";
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
    const x = map.label + (state.time - start) / (seconds || 1) * map.width;
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
    return {joint: head.worst[row], time: start + part * seconds};
}

// The worst frame of the joint within two pixels of a time.
function worstNear(joint, time) {
    const reach = 2 * seconds / map.width;
    let best = frameNear(time);
    for (let f = frameBefore(Math.max(time - reach, start)); f < frames && times[f] <= time + reach; f++)
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
