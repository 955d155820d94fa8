# SPDX-License-Identifier: MIT
"""What bench/compare, bench/figures and bench/workload share; only the Python standard library is used."""
