# SPDX-License-Identifier: MIT
"""The parts of bench/count-gpu: the programs, a module for each vendor, and the limits."""
