/* SPDX-License-Identifier: MIT
 *
 * What the tests of the contract share: refusals told apart by status, words and
 * place, and output memory that notices writes beside it. No engines, no motion.
 */
#ifndef POSEMILL_TESTS_CHECK_H
#define POSEMILL_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <posemill/posemill.h>

/* Fails unless status and error both say `expected`, with a message that holds one of
 * `words`: alternatives separated by '|', compared without regard to case. */
#define expect_refusal(status, error, expected, words)                                             \
    check_refusal((status), (error), (expected), (words), __FILE__, __LINE__)

/* Fails unless the error is about this track and key, PM_NO_INDEX for neither; or about this joint;
 * or instance; and about nothing else. The message must say so. */
#define expect_error_at(error, track_wanted, key_wanted)                                           \
    check_error_at((error), (track_wanted), (key_wanted), __FILE__, __LINE__)
#define expect_joint(error, wanted) check_joint((error), (wanted), __FILE__, __LINE__)
#define expect_instance(error, wanted) check_instance((error), (wanted), __FILE__, __LINE__)

/* Fails, with the library's own sentence, unless status is PM_OK. */
#define expect_ok(status, error) check_ok((status), (error), __FILE__, __LINE__)

void check_refusal(pm_status status, const pm_error *error, pm_status expected, const char *words,
                   const char *file, int line);
void check_error_at(const pm_error *error, size_t track, size_t key, const char *file, int line);
void check_joint(const pm_error *error, size_t joint, const char *file, int line);
void check_instance(const pm_error *error, size_t instance, const char *file, int line);
void check_ok(pm_status status, const pm_error *error, const char *file, int line);

/* An error that no call can have left behind by chance. */
pm_error poisoned_error(void);

/* A float array between two guards, all of it poisoned with a NaN pattern, at an alignment that is
 * drawn: a caller's arrays lie at any float. */
float *guarded_floats(size_t count);
/* Fails when a guard was written to; says which side. */
#define expect_guards(values, count) check_guards((values), (count), __FILE__, __LINE__)
void check_guards(const float *values, size_t count, const char *file, int line);
/* Whether a value is still the poison. */
bool is_poison(float value);
/* Takes NULL. */
void guarded_free(float *values);

/* Fails at the first differing float, naming its row of `width` values; compares bits. */
#define expect_same_bits(a, b, count, width)                                                       \
    check_same_bits((a), (b), (count), (width), __FILE__, __LINE__)
void check_same_bits(const float *a, const float *b, size_t count, size_t width, const char *file,
                     int line);

/* malloc of count elements that fails the test instead of returning NULL. */
void *test_array(size_t count, size_t element);

/* Whether POSEMILL_TEST_SMALL asks for sizes that an interpreter of kernels can bear. */
bool small_sizes(void);

#endif
