/* SPDX-License-Identifier: MIT
 *
 * Markers: footsteps as events, and feet that land together while a walk fades into a run.
 *
 *     crowd_markers [DEVICE]
 *
 * The clips of crowd/body.h have a marker where each foot touches the ground.
 */
#include <stdio.h>

#include "crowd/body.h"

enum { FRAMES_PER_SECOND = 60, FADE_BEGINS = 120, FADE_ENDS = 180, FRAMES = 270, MOST = 4 };

typedef struct steps {
    uint32_t last;           /* foot; 0: none yet */
    int walked, ran;         /* steps of one clip, before and after the fade */
    int both;                /* steps of both clips in one frame of the fade */
    int out_of_turn, single; /* a foot after itself; a step of one clip alone in the fade */
} steps;

/* The next frame. The walk becomes as fast as the run during the fade, and the run has its feet
 * where the walk has them. Afterwards the run is clip A. */
static pm_status advance(const pm_crowd *crowd, int frame, pm_crowd_instance *before,
                         pm_crowd_instance *after, pm_error *error) {
    const double second = PM_TICKS_PER_SECOND / FRAMES_PER_SECOND;
    if (frame == FADE_ENDS) /* `before` has the old time of the clip that is A now */
        *before = (pm_crowd_instance){.clip_a = BODY_RUN, .time_a = before->time_b};
    *after = *before;
    if (frame < FADE_BEGINS || frame >= FADE_ENDS) {
        after->time_a += (int64_t)second;
        return PM_OK;
    }
    const double weight = (double)(frame - FADE_BEGINS + 1) / (FADE_ENDS - FADE_BEGINS + 1);
    const double faster = body_seconds[BODY_WALK] / body_seconds[BODY_RUN];
    after->clip_b = BODY_RUN;
    after->weight = (float)weight;
    after->time_a += (int64_t)(second * (1 + weight * (faster - 1)));
    const pm_status status =
        pm_crowd_synced_time(crowd, BODY_WALK, before->time_a, BODY_RUN, &before->time_b, error);
    return status == PM_OK ? pm_crowd_synced_time(crowd, BODY_WALK, after->time_a, BODY_RUN,
                                                  &after->time_b, error)
                           : status;
}

/* Where both clips pass a marker, one sound is enough. */
static void hear(steps *s, int frame, const pm_crowd_event *events, size_t count) {
    const bool fades = frame >= FADE_BEGINS && frame < FADE_ENDS;
    if (count == 0)
        return;
    const uint32_t foot = events[0].id;
    const char *clip = events[0].clip == BODY_WALK ? "walk" : "run";
    printf("%.2f s: %s foot, %s\n", (double)frame / FRAMES_PER_SECOND,
           foot == BODY_LEFT_STEP ? "left" : "right", count == 2 ? "both clips" : clip);
    s->out_of_turn += foot == s->last;
    s->last = foot;
    s->walked += !fades && events[0].clip == BODY_WALK;
    s->ran += !fades && events[0].clip == BODY_RUN;
    s->both += fades && count == 2 && events[1].id == foot;
    s->single += fades && count != 2;
}

static pm_status run(const pm_crowd *crowd, steps *s, pm_error *error) {
    pm_crowd_instance before = {.time_a = -1, .clip_a = BODY_WALK}; /* the step at 0 counts */
    pm_status status = PM_OK;
    for (int frame = 0; status == PM_OK && frame < FRAMES; frame++) {
        pm_crowd_instance after;
        pm_crowd_event events[MOST];
        size_t count = 0;
        status = advance(crowd, frame, &before, &after, error);
        if (status == PM_OK)
            status = pm_crowd_events(crowd, &before, &after, 1, events, MOST, &count, error);
        if (status == PM_OK)
            hear(s, frame, events, count);
        before = after;
    }
    return status;
}

/* Times are integers, so no step of a long walk is lost or heard twice. */
static pm_status count_hour(const pm_crowd *crowd, size_t *heard, size_t *expected,
                            pm_error *error) {
    const int64_t hour = pm_crowd_ticks(3600), frame = pm_crowd_ticks(1.0 / FRAMES_PER_SECOND);
    pm_crowd_instance before = {.clip_a = BODY_WALK}, after = before;
    pm_status status = PM_OK;
    *expected = (size_t)(2 * hour / pm_crowd_clip_ticks(crowd, BODY_WALK));
    for (*heard = 0; status == PM_OK && before.time_a < hour; before = after) {
        size_t count = 0;
        after.time_a = before.time_a + frame < hour ? before.time_a + frame : hour;
        status = pm_crowd_events(crowd, &before, &after, 1, NULL, 0, &count, error);
        *heard += count;
    }
    return status;
}

int main(int argc, char **argv) {
    body_description d;
    body b;
    pm_error error;
    steps s = {0};
    size_t heard = 0, expected = 0;
    body_describe(&d, PM_METHOD_SLERP);
    pm_status status = body_open(&b, &d, argc > 1 ? argv[1] : NULL, &error);
    if (status == PM_OK)
        status = run(b.crowd, &s, &error);
    if (status == PM_OK)
        status = count_hour(b.crowd, &heard, &expected, &error);
    body_close(&b);
    if (!body_succeeded("crowd_markers", status, &error))
        return 1;
    printf("%d steps in the fade are of both clips, %d of one; %d out of turn\n", s.both, s.single,
           s.out_of_turn);
    printf("%zu steps in an hour of frames; %zu expected\n", heard, expected);
    const bool together = s.both > 0 && s.single == 0 && s.out_of_turn == 0;
    return together && s.walked > 0 && s.ran > 0 && heard == expected ? 0 : 1;
}
