# SPDX-License-Identifier: MIT
"""``python -m posemill`` is the command ``posemill``."""
import sys

from ._command import main

if __name__ == "__main__":
    sys.exit(main())
