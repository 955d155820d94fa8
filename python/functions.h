/* SPDX-License-Identifier: MIT
 *
 * Which options of the table each function of the Python package takes as keywords. Nothing else is said of
 * keywords anywhere: names, types, words, ranges and helps are those of the table.
 */
#ifndef POSEMILL_PYTHON_FUNCTIONS_H
#define POSEMILL_PYTHON_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <posemill/posemill_motion.h>

/* The functions, 0 to native_function_count() - 1, and their names. */
size_t native_function_count(void);
const char *native_function_name(size_t function);

/* The step of motions that it is, as in "cut"; NULL: it is none. */
const char *native_function_step(size_t function);

/* All steps of the library, with blanks between. */
const char *native_step_names(void);

/* Whether it takes an option of the table. */
bool native_function_takes(size_t function, size_t option);

/* Whether an option is a flag, or has a value that may be left out: True is such a value. */
bool native_option_is_flag(size_t option);

/* Bits of the formats of inputs on which an option has an effect. 0: all. */
unsigned native_option_formats(size_t option);

/* The name that may be meant by one that the function does not have; NULL: none. */
const char *native_function_nearest(size_t function, const char *name);

/* Options that are set to `count` values, and these: `texts` has a name and a value of each in turn, every one
 * with its NUL. */
pm_status native_function_set(size_t function, const char *texts, size_t count,
                              pm_motion_options **options, const pm_motion_option_values **values,
                              pm_error *error);

#endif
