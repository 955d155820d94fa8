# SPDX-License-Identifier: MIT
"""What the scripts make of records of posemill bench: comparisons, tables, pictures and exports. Only
the Python standard library is used, and nothing is measured. bench/compare, bench/export, bench/plot
and bench/report are the commands.
"""
