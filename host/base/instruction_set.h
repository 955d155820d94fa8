/* SPDX-License-Identifier: MIT
 *
 * The instruction sets that some files are compiled for, once each: the target's own and wider
 * ones. A room with such files keeps a table of their functions in the order of PM_INSTRUCTION_SETS
 * and calls those of a set that the processor supports. All sets give the same bits. The functions
 * are thread-safe.
 */
#ifndef PM_HOST_INSTRUCTION_SET_H
#define PM_HOST_INSTRUCTION_SET_H

#include <stdbool.h>
#include <stddef.h>

/* From the narrowest vectors to the widest. host/CMakeLists.txt has the compiler options. */
#if defined(POSEMILL_AVX) && POSEMILL_AVX
#define PM_INSTRUCTION_SETS(X) X(baseline) X(avx2) X(avx512)
#else
#define PM_INSTRUCTION_SETS(X) X(baseline)
#endif

/* The name of a function or table in one instruction set's copy of a file. The build defines
 * PM_INSTRUCTION_SET for the files that it compiles once for each set. */
#define PM_SET_JOIN_(name, set) name##_##set
#define PM_SET_JOIN(name, set) PM_SET_JOIN_(name, set)
#define PM_SET_NAME(name) PM_SET_JOIN(name, PM_INSTRUCTION_SET)

size_t pm_instruction_set_count(void);

/* The name of a set below the count, such as "avx2". Static storage. */
const char *pm_instruction_set_name(size_t index);

/* Whether this processor supports a set below the count. Always true for set 0. */
bool pm_instruction_set_is_supported(size_t index);

/* The widest set that this processor has. */
size_t pm_instruction_set_widest(void);

#endif
