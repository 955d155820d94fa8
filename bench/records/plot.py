# SPDX-License-Identifier: MIT
"""The command bench/plot: one of two pictures of records, as SVG."""
import argparse

from . import command, roofline, sizes
from .document import Refused
from .text import replace, shown, write

DESCRIPTION = """Draws the share of the write ceiling over the size, from the group sizes of records; or the
roofline of one record, its cases below the rates of memory and of arithmetic."""
EPILOG = f"""exit codes:
  0  done
  2  wrong usage
{command.EXIT_CODES}

examples:
  bench/plot bench/results/NAME.json -o docs/pictures/sizes-NAME.svg
  bench/plot bench/results/NAME.json --roofline --case 'crowd*' -o roofline.svg"""


def arguments():
    parser = command.Parser(prog="bench/plot", description=DESCRIPTION, epilog=EPILOG,
                            formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", metavar="RECORD.json")
    parser.add_argument("--roofline", action="store_true", help="draw the roofline of one record")
    parser.add_argument("--case", metavar="GLOB",
                        help=f"the cases of a roofline; default {roofline.CASES}")
    parser.add_argument("-o", metavar="FILE", help="output file, SVG; default: stdout")
    options = parser.parse_args()
    if options.roofline and len(options.records) > 1:
        parser.error("--roofline draws one record")
    if options.case is not None and not options.roofline:
        parser.error("--case requires --roofline")
    return options


def read(options):
    """What each file contains, as its picture needs it."""
    for path in options.records:
        try:
            yield roofline.read(path, options.case) if options.roofline else sizes.read(path)
        except Refused as refusal:
            raise Refused(f"{shown(path)}: {refusal}") from refusal


def draw(options):
    records = list(read(options))
    lines = roofline.drawing(records[0]) if options.roofline else sizes.drawing(records)
    text = "\n".join(lines) + "\n"
    if options.o is None:
        write(text)
    else:
        replace(options.o, text)
    return command.DONE


def main():
    return command.run("bench/plot", lambda: draw(arguments()))
