/* SPDX-License-Identifier: MIT
 *
 * Curves of the chosen joint along the time.
 */

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
    [state.from, state.to] = [start, seconds > 0 ? end : start + 1];
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

// Curves change with the joint, the zoom and the size, and not from picture to picture: they are drawn once.
function curvesOf(plot, width, height) {
    const density = window.devicePixelRatio || 1;
    const key = [state.joint, state.from, state.to, width, height, density, colours.a, colours.text].join();
    if (plot.key === key) return;
    plot.key = key;
    plot.image = plot.image || document.createElement("canvas");
    const {g} = clear(plot.image, width, height);
    const first = frameBefore(state.from), last = Math.min(frameBefore(state.to) + 1, frames - 1);
    plot.max = 0;
    for (const name of plot.lines)
        for (let f = first; f <= last; f++) plot.max = Math.max(plot.max, valueOf(name, state.joint, f) || 0);
    const across = acrossOf(width), up = (value) => height - 18 - value / (plot.max || 1) * (height - 38);
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
    g.restore();
}

function acrossOf(width) {
    return (time) => MARGIN + (time - state.from) / (state.to - state.from) * (width - 2 * MARGIN);
}

function drawPlot(plot) {
    const {g, width, height} = begin(plot.canvas);
    const across = acrossOf(width);
    curvesOf(plot, width, height);
    g.drawImage(plot.image, 0, 0, width, height);
    if (plot.to !== null && plot.to !== undefined) {
        g.globalAlpha = 0.2;
        g.fillStyle = colours.link;
        g.fillRect(across(plot.from), 0, across(plot.to) - across(plot.from), height - 14);
        g.globalAlpha = 1;
    }
    if (state.time >= state.from && state.time <= state.to) {
        g.fillStyle = colours.mark;
        g.fillRect(across(state.time) - 0.75, 0, 1.5, height - 14);
    }
    g.textAlign = "left";
    g.textBaseline = "top";
    g.fillStyle = colours.text;
    const now = plot.lines.map((name) => show(valueAtTime(name, state.time))).join(" and ");
    g.fillText(cut(g, plot.title + ": " + now + " now, up to " + show(plot.max), width - 2 * MARGIN), MARGIN + 2, 1);
}
