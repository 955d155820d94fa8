/* SPDX-License-Identifier: MIT
 *
 * A valid clip description with all its arrays, for a test to spoil in one place, and
 * the refusal that must come of it from the check and from the making of a clip alike.
 */
#ifndef POSEMILL_TESTS_SPECIMEN_H
#define POSEMILL_TESTS_SPECIMEN_H

#include "check.h"

enum { KEYS = 4, TRACKS = 2 };

/* A valid description with all its arrays, for a test to spoil in one place. */
typedef struct specimen {
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
} specimen;

/* Made anew before each test. */
extern specimen s;

/* Setup of a test, and of its group. */
int make_specimen(void **state);
int open_reference(void **state);
int close_reference(void **state);
extern pm_engine *reference;

/* A turn about y by `angle` radians, as a quaternion of this norm. */
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

#define SPOIL(test) cmocka_unit_test_setup(test, make_specimen)

#endif
