# SPDX-License-Identifier: MIT
"""What all pictures share: text for XML, colours for light and dark, and labels that do not overlap."""
import math
from xml.sax.saxutils import escape

WIDTH, LEFT, TOP = 760, 62, 64
CHARACTER = 7.0  # upper bound of the width of 12 px sans-serif
LINE = 16  # minimum distance of labels

# Text and lines have a contrast of at least 4.5 to the background. Methods beyond the number of
# colours are identified by their labels.
LIGHT = ("#0b62c4", "#b5400e", "#187d4f", "#7b3fb8", "#806200", "#a31d5d", "#0f7489", "#5a5f66")
DARK = ("#6cb2ff", "#ff9a66", "#58cf96", "#c29bff", "#e0bd4a", "#ff8ab8", "#5cd0e0", "#b0b7c0")


def safe(text, max_length=200):
    """Text for XML and for a terminal: what cannot be printed is replaced, and the text is cut to
    `max_length`."""
    text = text if len(text) <= max_length else text[: max_length - 1] + "…"
    text = "".join(one if one.isprintable() or one == "\n" else "\ufffd" for one in text)
    return escape(text, {'"': "&quot;"})


def spread(wanted, lowest):
    """Positions at least a line apart, close to the wanted ones, none below `lowest`."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    positions = [0.0] * len(wanted)
    limit = -math.inf
    for i in order:
        limit = positions[i] = max(wanted[i], limit + LINE)
    limit = lowest + LINE
    for i in reversed(order):
        limit = positions[i] = min(positions[i], limit - LINE)
    return positions


def about(record):
    """The line below the heading of a panel."""
    text = f"{record.platform}, driver {record.driver}; commit {record.commit}"
    return text + "; a quick run" if record.quick else text


def colours(ground, ink, quiet, grid_colour, series):
    """CSS rules with literal colours, because not every viewer supports variables."""
    rules = [f"text{{fill:{ink}}}text.quiet{{fill:{quiet}}}.ground{{fill:{ground}}}"]
    rules.append(f".grid{{stroke:{grid_colour}}}.ceiling{{stroke:{quiet}}}")
    rules.append(f".dot,.label{{stroke:{ground}}}")
    for i, colour in enumerate(series):
        rules.append(f".line.c{i}{{stroke:{colour}}}.dot.c{i},text.c{i}{{fill:{colour}}}")
    return rules


def style():
    yield "<style>"
    yield "text{font:12px sans-serif}.heading{font-weight:bold}"
    yield ".end{text-anchor:end}.middle{text-anchor:middle}.line{fill:none;stroke-width:2}"
    # The label of a line that ends inside the panel overlaps the grid.
    yield ".label{paint-order:stroke;stroke-width:4}"
    yield from colours("#ffffff", "#1f2328", "#59636e", "#d8dee4", LIGHT)
    yield "@media (prefers-color-scheme:dark){"
    yield from colours("#0d1117", "#f0f6fc", "#9198a1", "#30363d", DARK)
    yield "}</style>"


def document(title, description, height, body):
    """Lines of a picture. The description is for those who cannot see it."""
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" aria-labelledby="title description">'
    )
    yield f'<title id="title">{safe(title)}</title>'
    yield f'<desc id="description">{safe(description, 10000)}</desc>'
    yield from style()
    yield f'<rect class="ground" width="{WIDTH}" height="{height}"/>'
    yield from body
    yield "</svg>"
