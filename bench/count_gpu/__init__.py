# SPDX-License-Identifier: MIT
"""The parts of bench/count-gpu: what the compilers of GPUs make of the kernels. `programs` lists the variants,
`nvidia`, `amd`, `intel` and `spirv` compile one for one target, `work` runs everything, `limits` reads the result.
"""
