# SPDX-License-Identifier: MIT
"""The same arrays as in NumPy, compiled by XLA for the CPU. Frames are on its device; ids and times are
NumPy's, as a simulator or a sampler gives them, and results stay JAX's."""
import jax
import jax.numpy as jnp

from . import arrays

VERSION = jax.__version__


def make(scene):
    frames = jax.tree.map(jnp.asarray, scene.frames)
    ways = {"mixed": jax.jit(lambda *given: arrays.mixed(jnp, *given)),
            "kinematics": jax.jit(lambda *given: arrays.states(jnp, scene.parents, *given))}

    def of(way):
        return lambda ids, times: jax.block_until_ready(ways[way](frames, ids, times))

    return {way: of(way) for way in ways}
