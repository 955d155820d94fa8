/* SPDX-License-Identifier: MIT
 *
 * Functions that the linker puts in place of others (-Wl,--wrap).
 */
#ifndef POSEMILL_TESTS_WRAPPED_H
#define POSEMILL_TESTS_WRAPPED_H

/* Begins the definition of __wrap_NAME, and declares __real_NAME. */
#define WRAPPED(type, name, ...)                                                                   \
    type __real_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__)

#endif
