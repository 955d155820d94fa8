/* SPDX-License-Identifier: MIT
 *
 * A valid clip description: two tracks of four keys.
 */
#include "valid_clip.h"

#include <math.h>
#include <string.h>

valid_clip s;

void set_rotation(size_t key, size_t track, double angle, double norm) {
    double *q = s.rotations[key][track];
    q[0] = 0;
    q[1] = norm * sin(angle / 2);
    q[2] = 0;
    q[3] = norm * cos(angle / 2);
}

int make_valid_clip(void **state) {
    (void)state;
    memset(&s, 0, sizeof s);
    for (size_t key = 0; key < KEYS; key++) {
        s.times[key] = 0.5 * (double)key;
        for (size_t track = 0; track < TRACKS; track++) {
            set_rotation(key, track, 0.3 * (double)key, 1);
            for (size_t c = 0; c < 3; c++) {
                s.positions[key][track][c] = (float)(key + c);
                s.scales[key][track][c] = 1;
            }
        }
    }
    for (size_t track = 0; track < TRACKS; track++) {
        s.axes[track][1] = 2;
        s.windows[track] = (pm_windows){0, 0.5, 0.5, 1};
    }
    s.timelines[0] = s.timelines[1] = (pm_timeline){.key_count = KEYS, .rate = {30, 1}};
    s.desc = (pm_clip_desc){
        .track_count = TRACKS,
        .timelines = s.timelines,
        .rotations = {.data = s.rotations, .type = PM_FLOAT64},
        .positions = {.data = s.positions, .type = PM_FLOAT32},
        .scales = {.data = s.scales, .type = PM_FLOAT32},
    };
    return 0;
}

pm_engine *reference;

int open_reference(void **state) {
    (void)state;
    return pm_engine_create(&(pm_engine_desc){.device = "none"}, &reference, NULL) != PM_OK;
}

int close_reference(void **state) {
    (void)state;
    pm_engine_destroy(&reference);
    return 0;
}

void check_accepted(const char *file, int line) {
    pm_error error = poisoned_error();
    pm_clip *clip = NULL;
    check_ok(pm_clip_check(&s.desc, &error), &error, file, line);
    check_ok(pm_clip_create(reference, &s.desc, &clip, &error), &error, file, line);
    assert_non_null(clip);
    pm_clip_destroy(&clip);
    assert_null(clip);
}

/* pm_clip_check and pm_clip_create must refuse in the same way and leave the handle unchanged. */
void check_refused(pm_status status, const char *words, size_t track, size_t key, const char *file,
                   int line) {
    pm_error error = poisoned_error();
    check_refusal(pm_clip_check(&s.desc, &error), &error, status, words, file, line);
    check_error_at(&error, track, key, file, line);
    pm_clip *const untouched = (pm_clip *)&s;
    pm_clip *clip = untouched;
    error = poisoned_error();
    check_refusal(pm_clip_create(reference, &s.desc, &clip, &error), &error, status, words, file,
                  line);
    check_error_at(&error, track, key, file, line);
    assert_ptr_equal(clip, untouched);
    assert_int_equal(pm_clip_check(&s.desc, NULL), status);
}

void use_listed_times(void) {
    s.timelines[0] = (pm_timeline){.key_count = KEYS, .times = s.times};
}

void use_timeline_per_track(void) {
    s.timeline_of[1] = 1;
    s.desc.timeline_count = 2;
    s.desc.timeline_of = s.timeline_of;
}
