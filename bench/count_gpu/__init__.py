# SPDX-License-Identifier: MIT
"""The parts of bench/count-gpu: what the compilers of GPUs make of the kernels.

`programs` lists the variants, `nvidia`, `amd`, `intel` and `spirv` compile one for one target,
`flow` finds loops and calls in a listing, `work` runs everything, `limits` and `document` read the
result, and `samples` counts the instructions of a sample on NVIDIA's cards.
"""
