# SPDX-License-Identifier: MIT
"""What bench/compare makes of records of posemill bench. Only the Python standard library is used, and nothing is
measured."""
