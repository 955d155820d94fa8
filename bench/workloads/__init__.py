# SPDX-License-Identifier: MIT
"""The parts of bench/workload; docs/workload.md describes the files and the record."""
