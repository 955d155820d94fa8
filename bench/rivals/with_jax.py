# SPDX-License-Identifier: MIT
"""The same arrays as in NumPy, compiled by XLA for the CPU. Frames are on its device; ids and times are
NumPy's, as a simulator or a sampler gives them, and results stay JAX's."""
import jax
import jax.numpy as jnp

from . import arrays

VERSION = jax.__version__


def states(parents, frames, ids, times):
    """A loop over joints. Were it unrolled, XLA would compute joints again for each of their children."""
    local, spins, pos, vel = arrays.joints_of(jnp, frames, ids, times)
    local, spins = jnp.swapaxes(local, 0, 1), jnp.swapaxes(spins, 0, 1)
    root = pos, local[0], vel, arrays.turned(jnp, local[0], spins[0])
    bodies = tuple(jnp.zeros((len(parents), *array.shape), array.dtype).at[0].set(array) for array in root)
    parents = jnp.asarray(parents)

    def add(joint, bodies):
        parent = tuple(array[parents[joint]] for array in bodies)
        found = arrays.body(jnp, parent, frames.offsets[joint], local[joint], spins[joint])
        return tuple(array.at[joint].set(one) for array, one in zip(bodies, found))

    bodies = jax.lax.fori_loop(1, len(parents), add, bodies)
    return tuple(jnp.swapaxes(array, 0, 1) for array in bodies)


def make(scene):
    frames = jax.tree.map(jnp.asarray, scene.frames)
    ways = {"mixed": jax.jit(lambda *given: arrays.mixed(jnp, *given)),
            "kinematics": jax.jit(lambda *given: states(scene.parents, *given))}

    def of(way):
        return lambda ids, times: jax.block_until_ready(ways[way](frames, ids, times))

    return {way: of(way) for way in ways}
