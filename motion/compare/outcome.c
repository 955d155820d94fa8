/* SPDX-License-Identifier: MIT
 *
 * What is said about a comparison in words, wherever it is shown.
 */
#include "motion/compare/outcome.h"

#include "motion/time/rate.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

bool outcome_exceeds(const outcome *o) {
    const extent *of = o->comparison->clip.of;
    return o->has_tolerance && (of[MEASURE_ANGLE].max > o->tolerance_degrees ||
                                of[MEASURE_DISTANCE].max * o->unit_mm > o->tolerance_mm);
}

void outcome_rate(const pm_motion_clip *clip, char text[OUTCOME_RATE]) {
    if (clip->rate.den == 0)
        snprintf(text, OUTCOME_RATE, "keys that are not uniform");
    else
        rate_describe(clip->rate, text);
}

void outcome_apart(const comparison *c, compare_measure measure, char text[OUTCOME_APART]) {
    const scale *s = &c->scales[measure];
    char range[64];
    text[0] = '\0';
    if (s->times == 0)
        return;
    if (s->first < s->last)
        snprintf(range, sizeof range, "from %.4g s to %.4g s", s->first, s->last);
    else
        snprintf(range, sizeof range, "%.4g s", s->first);
    snprintf(text, OUTCOME_APART, "at %" PRIu64 " of %" PRIu64 " times, %s", s->times,
             c->time_count, range);
}

size_t outcome_keys_apart(const comparison *c) {
    enum { MOST_KEYS = 3 };
    const scale *s = &c->scales[MEASURE_ANGLE];
    const double step = subject_step(c->a);
    const double keys = s->times > 0 && step > 0 ? floor(s->last / step + 1e-6) + 1 : 0;
    return c->start == 0 && keys <= MOST_KEYS ? (size_t)keys : 0;
}
