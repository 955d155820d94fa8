/* SPDX-License-Identifier: MIT
 *
 * Samples a library: (motion, time) pairs become instances of its crowd, and rows of extras.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/library/library.h"

__extension__ typedef __int128 wide;

/* 2^30 s, the longest clip */
#define MOST_SECONDS ((wide)1 << 30)

/* The instances of a job with what belongs to each of them. */
typedef struct instances {
    pm_crowd_instance *states;
    pm_placement *placements;
    float *speeds;
    size_t count;
} instances;

/* The tick nearest to steps / rate; ties upwards. */
static bool find_step(int64_t step, pm_rational rate, int64_t *tick) {
    const wide seconds = (wide)step * rate.den;
    wide whole = seconds / rate.num, rest = seconds % rate.num;
    if (rest < 0) {
        rest += rate.num;
        whole--;
    }
    if (whole >= MOST_SECONDS || whole < -MOST_SECONDS)
        return false;
    *tick = (int64_t)(whole * ((wide)1 << 32) + (((rest << 33) / rate.num + 1) >> 1));
    return true;
}

static int64_t add_ticks(int64_t a, int64_t b) {
    if (b > 0 && a > INT64_MAX - b)
        return INT64_MAX;
    return b < 0 && a < INT64_MIN - b ? INT64_MIN : a + b;
}

static bool fill(const pm_library_job *job, size_t per_pair, instances *all) {
    for (size_t i = 0; i < job->count; i++) {
        int64_t tick = 0;
        if (job->times)
            tick = pm_crowd_ticks(job->times[i]);
        else if (!find_step(job->steps[i], job->rate, &tick))
            return false;
        for (size_t k = 0; k < per_pair; k++) {
            const size_t n = i * per_pair + k;
            const int64_t ahead = job->offsets ? pm_crowd_ticks(job->offsets[k]) : 0;
            all->states[n] = (pm_crowd_instance){.time_a = add_ticks(tick, ahead),
                                                 .clip_a = job->motions[i],
                                                 .flags = job->wrap ? 0 : PM_CROWD_CLAMP_A};
            if (all->placements)
                all->placements[n] = job->placements[i];
            if (all->speeds)
                all->speeds[n] = job->speeds[i];
        }
    }
    return true;
}

static pm_status make_instances(const pm_library_job *job, instances *all, pm_error *error) {
    const size_t per_pair = job->offsets ? job->offset_count : 1;
    if (per_pair && job->count > SIZE_MAX / sizeof(pm_crowd_instance) / per_pair)
        return motion_fail(error, PM_ERROR_SIZE, "count: too many instances");
    all->count = job->count * per_pair;
    all->states = calloc(all->count + 1, sizeof *all->states);
    all->placements = job->placements ? calloc(all->count + 1, sizeof *all->placements) : NULL;
    all->speeds = job->speeds ? calloc(all->count + 1, sizeof *all->speeds) : NULL;
    if (!all->states || (job->placements && !all->placements) || (job->speeds && !all->speeds))
        return motion_refuse_memory(error);
    return fill(job, per_pair, all)
               ? PM_OK
               : motion_fail(error, PM_ERROR_TIME, "steps: times are out of range");
}

/* Rows at or before a time and after it, and the fraction between. */
typedef struct between {
    size_t before, after;
    double u;
} between;

/* Within a tick of a frame, as for poses, a time is that of the frame. Loops whose last frame does not
 * repeat the first have a segment more, of any length. */
static between find_rows(const pm_library *library, const pm_crowd_instance *instance) {
    const double ticks = PM_TICKS_PER_SECOND, loop_ends = 1e-9 /* as in timeline.c */,
                 rounding = 0x1p-51;
    const pm_library_motion *m = &library->content.motions[instance->clip_a];
    const int64_t length = pm_crowd_clip_ticks(library->crowd, instance->clip_a);
    const int64_t cycle = length > 1 ? length : 1, time = instance->time_a;
    const double rate = (double)m->rate.num / (double)m->rate.den, per_tick = rate / ticks;
    const double last = (double)(m->frames - 1), seconds = last / rate, end = rint(seconds * ticks);
    const bool leads_back = m->loop > 0 && fabs(m->loop - seconds) > loop_ends * seconds;
    const int64_t wrapped = time % cycle + (time % cycle < 0 ? cycle : 0);
    const int64_t clamped = time < 0 ? 0 : time > cycle ? cycle : time;
    const double since = (double)(instance->flags & PM_CROWD_CLAMP_A ? clamped : wrapped);
    const double back =
        leads_back ? fmin(fmax((since - end) / fmax((double)cycle - end, 1), 0), 1) : 0;
    double place = since < end ? fmin(since * per_tick, last) : last + back;
    const double nearest = rint(place);
    if (fabs(place - nearest) <= per_tick + 1 / ticks + rounding * place)
        place = nearest;
    const double frame = floor(place), row = frame > last ? 0 : frame;
    const double after = row < last ? row + 1 : leads_back ? 0 : last;
    return (between){(size_t)m->first + (size_t)row, (size_t)m->first + (size_t)after,
                     place - frame};
}

static void sample_extra(const pm_library *library, const pm_library_extra *e, const instances *all,
                         char *out) {
    size_t numbers = 1;
    for (size_t i = 1; i < e->rank; i++)
        numbers *= e->shape[i];
    const size_t row = numbers * library_extra_size(e->type);
    const bool is_float = strcmp(e->type, "<f4") == 0;
    for (size_t n = 0; n < all->count && row; n++, out += row) {
        if (all->states[n].clip_a >= library->content.motion_count) {
            memset(out, 0, row);
            continue;
        }
        const between at = find_rows(library, &all->states[n]);
        const char *data = e->data;
        memcpy(out, data + at.before * row, row);
        const float *a = (const float *)(data + at.before * row);
        const float *b = (const float *)(data + at.after * row);
        for (size_t i = 0; is_float && i < numbers; i++)
            ((float *)out)[i] = (float)((1 - at.u) * (double)a[i] + at.u * (double)b[i]);
    }
}

static pm_status check(const pm_library *library, const pm_library_job *job, pm_error *error) {
    const char *missing = !job->motions && job->count          ? "motions"
                          : job->output_count && !job->outputs ? "outputs"
                          : job->extra_count && !job->extras   ? "extras"
                          : job->offset_count && !job->offsets ? "offsets"
                                                               : NULL;
    if (missing)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", missing);
    if (!library->crowd)
        return motion_fail(error, PM_ERROR_ARGUMENT, "the library was opened without an engine");
    if (job->count && !job->times == !job->steps)
        return motion_fail(error, PM_ERROR_ARGUMENT, "expected times or steps, and not both");
    if (job->steps && (job->rate.num <= 0 || job->rate.den <= 0))
        return motion_fail(error, PM_ERROR_ARGUMENT, "rate of steps is not above 0");
    for (size_t i = 0; i < job->extra_count; i++)
        if (job->extras[i].extra >= library->content.extra_count || !job->extras[i].memory)
            return motion_fail(error, PM_ERROR_ARGUMENT,
                               "extras: %zu does not exist or has no memory", i);
    return MOTION_CHECK_NEXT(pm_library_job, job, error);
}

static pm_status pose(const pm_library *library, const pm_library_job *job, const instances *all,
                      pm_error *error) {
    const pm_crowd_job posed = {.instances = all->states,
                                .instance_count = all->count,
                                .outputs = job->outputs,
                                .output_count = job->output_count,
                                .on_reference = job->on_reference,
                                .placements = all->placements,
                                .speeds = all->speeds};
    return job->output_count ? pm_crowd_pose(library->crowd, &posed, error) : PM_OK;
}

pm_status pm_library_sample(const pm_library *library, const pm_library_job *job, pm_error *error) {
    instances all = {0};
    if (!library || !job)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", library ? "job" : "library");
    pm_status status = check(library, job, error);
    if (status == PM_OK)
        status = make_instances(job, &all, error);
    if (status == PM_OK)
        status = pose(library, job, &all, error);
    for (size_t i = 0; i < job->extra_count && status == PM_OK; i++)
        sample_extra(library, &library->content.extras[job->extras[i].extra], &all,
                     job->extras[i].memory);
    free(all.states);
    free(all.placements);
    free(all.speeds);
    return status;
}
