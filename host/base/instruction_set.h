/* SPDX-License-Identifier: MIT
 *
 * The instruction sets that some files are compiled for, once each, beside the target's own. A room
 * that has such files keeps a table of their functions in the order of PM_INSTRUCTION_SETS, and
 * calls those of a set that the processor supports. All sets give the same bits.
 */
#ifndef PM_HOST_INSTRUCTION_SET_H
#define PM_HOST_INSTRUCTION_SET_H

#include <stdbool.h>
#include <stddef.h>

/* From the narrowest vectors to the widest; host/CMakeLists.txt names the compiler's options. */
#if defined(POSEMILL_AVX) && POSEMILL_AVX
#define PM_INSTRUCTION_SETS(X) X(baseline) X(avx2) X(avx512)
#else
#define PM_INSTRUCTION_SETS(X) X(baseline)
#endif

/* The name that something has in the copy of one instruction set: the build defines
 * PM_INSTRUCTION_SET for the files that it compiles once for each. */
#define PM_SET_JOIN_(name, set) name##_##set
#define PM_SET_JOIN(name, set) PM_SET_JOIN_(name, set)
#define PM_SET_NAME(name) PM_SET_JOIN(name, PM_INSTRUCTION_SET)

size_t pm_instruction_set_count(void);

/* The name of a set below the count, such as "avx2". Static storage. */
const char *pm_instruction_set_name(size_t index);

/* Whether this processor has the instructions of a set below the count. Set 0 always. */
bool pm_instruction_set_is_supported(size_t index);

/* The widest set that this processor has. */
size_t pm_instruction_set_widest(void);

#endif
