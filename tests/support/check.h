/* SPDX-License-Identifier: MIT
 *
 * Checks shared by the tests of the public interface: refusals compared by status, words and index,
 * and output memory that detects writes outside of it. Contains no engines and no motion.
 */
#ifndef POSEMILL_TESTS_CHECK_H
#define POSEMILL_TESTS_CHECK_H

#include <posemill/posemill.h>

#include "test.h"

/* Fails unless status and error both have `expected`, with a message that contains one of `words`:
 * alternatives separated by '|', compared without regard to case. */
#define expect_refusal(status, error, expected, words)                                             \
    check_refusal((status), (error), (expected), (words), __FILE__, __LINE__)

/* Fails unless `call` refuses a struct whose `next` is not NULL. `error` is the error that it is called with. */
#define expect_next_refused(type, object, error, call)                                             \
    do {                                                                                           \
        (object).next = &(object);                                                                 \
        expect_refusal(call, error, PM_ERROR_ARGUMENT, #type ".next");                             \
        (object).next = NULL;                                                                      \
    } while (0)

/* Fails unless the error names this track and key (PM_NO_INDEX for neither), or this joint, or this
 * instance, and nothing else. The message must name the same. */
#define expect_error_at(error, track_wanted, key_wanted)                                           \
    check_error_at((error), (track_wanted), (key_wanted), __FILE__, __LINE__)
#define expect_joint(error, wanted) check_joint((error), (wanted), __FILE__, __LINE__)
#define expect_instance(error, wanted) check_instance((error), (wanted), __FILE__, __LINE__)

/* Fails with the library's message unless status is PM_OK. */
#define expect_ok(status, error) check_ok((status), (error), __FILE__, __LINE__)

/* The error of a thread's last call: new_error() fills it with a pattern and passes it to a call, as in
 * expect_success(pm_sample(clip, &job, new_error())). */
pm_error *new_error(void);
pm_error *last_error(void);
#define expect_success(status) expect_ok(status, last_error())
#define expect_error(status, expected, words) expect_refusal(status, last_error(), expected, words)

void check_refusal(pm_status status, const pm_error *error, pm_status expected, const char *words,
                   const char *file, int line);
void check_error_at(const pm_error *error, size_t track, size_t key, const char *file, int line);
void check_joint(const pm_error *error, size_t joint, const char *file, int line);
void check_instance(const pm_error *error, size_t instance, const char *file, int line);
void check_ok(pm_status status, const pm_error *error, const char *file, int line);

/* An error whose content no call can have left by chance. */
pm_error poisoned_error(void);

/* A float array between two guards, filled with a NaN pattern, at a random alignment: a caller's
 * array may start at any float. */
float *guarded_floats(size_t count);
/* Fails when a guard was written, and names its side. */
#define expect_guards(values, count) check_guards((values), (count), __FILE__, __LINE__)
void check_guards(const float *values, size_t count, const char *file, int line);
/* Whether a value still has the NaN pattern. */
bool is_poison(float value);
/* Fails when a guard was written. Accepts NULL. */
void guarded_free(float *values);

static inline void guarded_free_at(float **values) {
    guarded_free(*values);
}

/* Compares bits. Fails at the first float that differs and names its row of `width` values. */
#define expect_same_bits(a, b, count, width)                                                       \
    check_same_bits((a), (b), (count), (width), __FILE__, __LINE__)
void check_same_bits(const float *a, const float *b, size_t count, size_t width, const char *file,
                     int line);

/* The initialiser of a pm_crowd_job with one output, whose other members are named. */
#define CROWD_JOB(of, count, ...)                                                                  \
    {                                                                                              \
        .instances = (of), .instance_count = (count), .outputs = &(pm_crowd_target){__VA_ARGS__},  \
        .output_count = 1                                                                          \
    }

/* malloc of `count` elements that fails the test instead of returning NULL. */
void *test_array(size_t count, size_t element);

/* Whether POSEMILL_TEST_SMALL requests sizes that are small enough for an interpreter of
 * kernels. */
bool small_sizes(void);

/* Whether POSEMILL_TEST_LONG requests all of a sweep, as CI does once, in place of a part of it. */
bool long_sweeps(void);

#endif
