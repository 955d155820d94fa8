# SPDX-License-Identifier: MIT
"""The parts of bench/workload and bench/submit-check; docs/workload.md describes the format."""
