/* SPDX-License-Identifier: MIT
 *
 * What a machine gives a batch: memory.
 */
#ifndef POSEMILL_MOTION_MACHINE_H
#define POSEMILL_MOTION_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes for files: the limit, by default a quarter of the machine's memory (0), without what the process
 * takes already, such as a driver's. */
uint64_t machine_memory(uint64_t limit);

/* Lets small files reuse the memory of those before. */
void machine_keep_memory(void);

/* After a file of this size: gives memory back where it was much. */
void machine_give_memory_back(uint64_t bytes);

#endif
