# SPDX-License-Identifier: MIT
"""The command bench/plot: one of two pictures of records, as SVG."""
import argparse
import sys

from . import roofline, sizes
from .document import Refused
from .text import shown, write

DESCRIPTION = """Draws the share of the write ceiling over the size, from the group sizes of records; or the
roofline of one record, its cases below the rates of memory and of arithmetic."""
EPILOG = """examples:
  bench/plot bench/results/NAME.json -o docs/pictures/sizes-NAME.svg
  bench/plot bench/results/NAME.json --roofline --case 'crowd*' -o roofline.svg"""


def arguments():
    parser = argparse.ArgumentParser(prog="bench/plot", description=DESCRIPTION, epilog=EPILOG,
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
            sys.exit(f"plot: {shown(path)}: {refusal}")


def main():
    options = arguments()
    records = list(read(options))
    lines = roofline.drawing(records[0]) if options.roofline else sizes.drawing(records)
    text = "\n".join(lines) + "\n"
    try:
        if options.o is None:
            write(text)
            return 0
        with open(options.o, "w", encoding="utf-8") as file:
            file.write(text)
    except Refused as refusal:
        sys.exit(f"plot: {refusal}")
    except OSError as error:
        sys.exit(f"plot: {shown(options.o)}: {error.strerror}")
    return 0
