/* SPDX-License-Identifier: MIT
 *
 * What the Python package calls besides the public headers.
 */
#ifndef POSEMILL_PYTHON_NATIVE_H
#define POSEMILL_PYTHON_NATIVE_H

/* Runs the command `posemill resample` in this process, without signal handlers. Returns its exit
 * code. Thread-safe only for one call at a time. */
int cmd_resample(int argc, char **argv);

/* The command `posemill`, with its signal handlers, for a process that ends with it. Returns its exit
 * code. */
int posemill_main(int argc, char **argv);

#endif
