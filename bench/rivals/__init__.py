# SPDX-License-Identifier: MIT
"""What learners run to get the states of bodies: written anew, in NumPy, Numba and JAX.

A rival is a module with ``VERSION`` and ``make(scene)``, which returns its ways by name. A way is a
function of ids (int32) and times (float32), and gives positions, rotations x y z w, velocities and angular
velocities of all bodies in the world, as arrays of the rival's own library.

    mixed       13 numbers of each body are stored for each frame. Those of two frames are gathered;
                positions and both velocities are mixed, rotations by slerp. Between frames, bones change
                their lengths, and velocities are not those of the positions
    kinematics  what posemill computes: local rotations of two frames by slerp, with their rates, and
                then forward kinematics with velocities
"""
