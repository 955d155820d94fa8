/* SPDX-License-Identifier: MIT
 *
 * A valid clip description with all its arrays, of which each test makes one part invalid, and the
 * refusal that pm_clip_check and pm_clip_create must both return.
 */
#ifndef POSEMILL_TESTS_VALID_CLIP_H
#define POSEMILL_TESTS_VALID_CLIP_H

#include "check.h"

enum { KEYS = 4, TRACKS = 2 };

/* A valid description with all its arrays. */
typedef struct valid_clip {
    double rotations[KEYS][TRACKS][4];
    float positions[KEYS][TRACKS][3];
    float scales[KEYS][TRACKS][3];
    double tangents[KEYS][TRACKS][3];
    double axes[TRACKS][3];
    pm_windows windows[TRACKS];
    double times[KEYS];
    pm_timeline timelines[2];
    uint32_t timeline_of[TRACKS];
    pm_clip_desc desc;
} valid_clip;

/* Made again before each test. */
extern valid_clip s;

/* Setup of a test, and setup and teardown of its group. */
int make_valid_clip(void **state);
int open_reference(void **state);
int close_reference(void **state);
extern pm_engine *reference;

/* A rotation about y by `angle` radians, as a quaternion of this norm. */
void set_rotation(size_t key, size_t track, double angle, double norm);
void use_listed_times(void);
void use_timeline_per_track(void);

void check_accepted(const char *file, int line);
void check_refused(pm_status status, const char *words, size_t track, size_t key, const char *file,
                   int line);

#define expect_accepted() check_accepted(__FILE__, __LINE__)
#define expect_refused(status, words)                                                              \
    check_refused((status), (words), PM_NO_INDEX, PM_NO_INDEX, __FILE__, __LINE__)
#define expect_refused_at(status, words, track, key)                                               \
    check_refused((status), (words), (track), (key), __FILE__, __LINE__)

#define CLIP_TEST(test) TEST_WITH(test, make_valid_clip, NULL, NULL)

#endif
