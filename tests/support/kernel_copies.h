/* SPDX-License-Identifier: MIT
 *
 * A folder with the kernel sources, one of them changed.
 */
#ifndef POSEMILL_TESTS_KERNEL_COPIES_H
#define POSEMILL_TESTS_KERNEL_COPIES_H

/* Copies the kernels of POSEMILL_SOURCE_DIR into a folder. Unless NULL, the text `what` of the file
 * `name` is replaced; it must occur there. */
void kernel_copies(const char *folder, const char *name, const char *what, const char *by);

#endif
