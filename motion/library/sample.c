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
    const library_entry **motions; /* NULL where there is none; no array for jobs without extras */
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

/* ---- laps ------------------------------------------------------------------------------- */

/* A motion on the ground: a turn about the vertical, then a shift along the two axes of the ground. */
typedef struct on_ground {
    double c, s; /* of the turn: cosine and sine */
    double shift[2];
} on_ground;

/* First `a`, then `b`. */
static on_ground both(on_ground a, on_ground b) {
    return (on_ground){b.c * a.c - b.s * a.s,
                       b.s * a.c + b.c * a.s,
                       {b.c * a.shift[0] - b.s * a.shift[1] + b.shift[0],
                        b.s * a.shift[0] + b.c * a.shift[1] + b.shift[1]}};
}

static on_ground inverse(on_ground a) {
    return (on_ground){
        a.c, -a.s, {-a.c * a.shift[0] - a.s * a.shift[1], a.s * a.shift[0] - a.c * a.shift[1]}};
}

static on_ground power(on_ground base, int64_t laps) {
    on_ground made = {.c = 1};
    uint64_t left = laps < 0 ? 0 - (uint64_t)laps : (uint64_t)laps;
    for (base = laps < 0 ? inverse(base) : base; left; left >>= 1) {
        if (left & 1)
            made = both(made, base);
        base = both(base, base);
    }
    return made;
}

/* From the start of a motion to its end: of the rotation, the part about the vertical. `up`: 1 for y, 2 for z. */
static on_ground find_lap(const library_entry *e, size_t up) {
    const float *a = e->turns[0], *b = e->turns[1];
    const size_t x = (up + 1) % 3, y = (up + 2) % 3;
    /* The vertical component and the real part of b a^-1 */
    const double sine = (double)b[up] * (double)a[3] - (double)b[3] * (double)a[up] -
                        (double)b[x] * (double)a[y] + (double)b[y] * (double)a[x];
    double cosine = 0;
    for (size_t k = 0; k < 4; k++)
        cosine += (double)a[k] * (double)b[k];
    /* Without either, the end is upside down: no turn is about the vertical. */
    const double length = sine * sine + cosine * cosine;
    on_ground lap = {.c = 1};
    if (length > 0) {
        lap.c = (cosine * cosine - sine * sine) / length;
        lap.s = 2 * sine * cosine / length;
    }
    const double px = (double)e->places[0][x], py = (double)e->places[0][y];
    lap.shift[0] = (double)e->places[1][x] - (lap.c * px - lap.s * py);
    lap.shift[1] = (double)e->places[1][y] - (lap.s * px + lap.c * py);
    return lap;
}

/* First on the ground, then at the placement. */
static void place_lap(pm_placement *p, on_ground lap, size_t up) {
    const float *q = p->rotation;
    double about[4] = {0}, shift[3] = {0}, turned[3], made[4];
    /* Half the turn; squares many times over have a length that is not 1 in its last bits. */
    const double length = sqrt(lap.c * lap.c + lap.s * lap.s);
    about[3] = sqrt(fmax((1 + lap.c / length) / 2, 0));
    about[up] = copysign(sqrt(fmax((1 - lap.c / length) / 2, 0)), lap.s);
    shift[(up + 1) % 3] = lap.shift[0];
    shift[(up + 2) % 3] = lap.shift[1];
    for (size_t i = 0; i < 3; i++) {
        const size_t j = (i + 1) % 3, k = (i + 2) % 3;
        turned[i] = (double)q[j] * shift[k] - (double)q[k] * shift[j];
        made[i] = (double)q[3] * about[i] + (double)q[i] * about[3] + (double)q[j] * about[k] -
                  (double)q[k] * about[j];
    }
    made[3] = (double)q[3] * about[3];
    for (size_t i = 0; i < 3; i++) {
        const size_t j = (i + 1) % 3, k = (i + 2) % 3;
        p->position[i] +=
            (float)(shift[i] + 2 * ((double)q[3] * turned[i] + (double)q[j] * turned[k] -
                                    (double)q[k] * turned[j]));
        made[3] -= (double)q[i] * about[i];
    }
    for (size_t i = 0; i < 4; i++)
        p->rotation[i] = (float)made[i];
}

/* The time becomes that in its lap, whose place is that of the instance. */
static void go_on(const library_entry *e, size_t up, pm_crowd_instance *instance,
                  pm_placement *placement) {
    if (!e || e->ticks <= 0)
        return;
    int64_t laps = instance->time_a / e->ticks;
    laps -= instance->time_a % e->ticks < 0;
    instance->time_a -= laps * e->ticks;
    if (laps != 0)
        place_lap(placement, power(find_lap(e, up), laps), up);
}

/* ---- instances -------------------------------------------------------------------------- */

static void fill_one(const pm_library_job *job, const library_entry *motion, size_t pair, size_t n,
                     size_t up, int64_t time, instances *all) {
    static const pm_placement none = {.rotation = {0, 0, 0, 1}};
    if (all->motions)
        all->motions[n] = motion;
    all->states[n] =
        (pm_crowd_instance){.time_a = time,
                            .clip_a = motion ? motion->clip : UINT32_MAX,
                            .flags = job->wrap == PM_LIBRARY_WRAP ? 0 : PM_CROWD_CLAMP_A};
    if (all->placements)
        all->placements[n] = job->placements ? job->placements[pair] : none;
    if (all->speeds)
        all->speeds[n] = job->speeds[pair];
    if (job->wrap == PM_LIBRARY_CONTINUE)
        go_on(motion, up, &all->states[n], &all->placements[n]);
}

static pm_status fill(const library_state *state, const pm_library_job *job, size_t per_pair,
                      size_t up, instances *all, pm_error *error) {
    for (size_t i = 0; i < job->count; i++) {
        const library_entry *motion = library_find(state, job->motions[i]);
        int64_t tick = 0;
        if (!motion && job->refuse_missing)
            return motion_fail(error, PM_ERROR_ARGUMENT,
                               "motions[%zu] is %u: there is no such motion", i, job->motions[i]);
        if (job->times)
            tick = pm_crowd_ticks(job->times[i]);
        else if (!find_step(job->steps[i], job->rate, &tick))
            return motion_fail(error, PM_ERROR_TIME, "steps: times are out of range");
        for (size_t k = 0; k < per_pair; k++) {
            const int64_t ahead = job->offsets ? pm_crowd_ticks(job->offsets[k]) : 0;
            fill_one(job, motion, i, i * per_pair + k, up, add_ticks(tick, ahead), all);
        }
    }
    return PM_OK;
}

static pm_status make_instances(const pm_library *library, const library_state *state,
                                const pm_library_job *job, instances *all, pm_error *error) {
    const size_t per_pair = job->offsets ? job->offset_count : 1;
    const bool is_placed = job->placements || job->wrap == PM_LIBRARY_CONTINUE;
    const bool is_z = job->up == PM_MOTION_UP_Z || library->part->content.hinge_count > 0;
    const size_t up = job->up != PM_MOTION_UP_Y && is_z ? 2 : 1;
    if (per_pair && job->count >= SIZE_MAX / sizeof(pm_crowd_instance) / per_pair)
        return motion_fail(error, PM_ERROR_SIZE, "count: too many instances");
    all->count = job->count * per_pair;
    /* Each element is set below. */
    const size_t room = all->count + 1;
    all->motions = job->extra_count ? malloc(room * sizeof *all->motions) : NULL;
    all->states = malloc(room * sizeof *all->states);
    all->placements = is_placed ? malloc(room * sizeof *all->placements) : NULL;
    all->speeds = job->speeds ? malloc(room * sizeof *all->speeds) : NULL;
    if ((job->extra_count && !all->motions) || !all->states || (is_placed && !all->placements) ||
        (job->speeds && !all->speeds))
        return motion_refuse_memory(error);
    return fill(state, job, per_pair, up, all, error);
}

library_frames library_find_frames(const pm_library_motion *m, int64_t ticks, int64_t time,
                                   bool is_clamped) {
    const double second = PM_TICKS_PER_SECOND, loop_ends = 1e-9 /* as in timeline.c */,
                 rounding = 0x1p-51;
    const int64_t cycle = ticks > 1 ? ticks : 1;
    const double rate = (double)m->rate.num / (double)m->rate.den, per_tick = rate / second;
    const double last = (double)(m->frames - 1), seconds = last / rate,
                 end = rint(seconds * second);
    const bool leads_back = m->loop > 0 && fabs(m->loop - seconds) > loop_ends * seconds;
    const int64_t wrapped = time % cycle + (time % cycle < 0 ? cycle : 0);
    const int64_t clamped = time < 0 ? 0 : time > cycle ? cycle : time;
    const double since = (double)(is_clamped ? clamped : wrapped);
    const double back =
        leads_back ? fmin(fmax((since - end) / fmax((double)cycle - end, 1), 0), 1) : 0;
    double place = since < end ? fmin(since * per_tick, last) : last + back;
    const double nearest = rint(place);
    if (fabs(place - nearest) <= per_tick + 1 / second + rounding * place)
        place = nearest;
    const double frame = floor(place), row = frame > last ? 0 : frame;
    const double after = row < last ? row + 1 : leads_back ? 0 : last;
    return (library_frames){(uint64_t)row, (uint64_t)after, place - frame};
}

static void sample_extra(const pm_library *library, size_t extra, const instances *all, char *out) {
    const pm_library_extra *e = &library->part->content.extras[extra];
    size_t numbers = 1;
    for (size_t i = 1; i < e->rank; i++)
        numbers *= e->shape[i];
    const size_t row = numbers * library_extra_size(e->type);
    const bool is_float = strcmp(e->type, "<f4") == 0;
    for (size_t n = 0; n < all->count && row; n++, out += row) {
        const library_entry *motion = all->motions[n];
        if (!motion) {
            memset(out, 0, row);
            continue;
        }
        const library_frames at =
            library_find_frames(&motion->motion, motion->ticks, all->states[n].time_a,
                                all->states[n].flags & PM_CROWD_CLAMP_A);
        const char *data = motion->part->content.extras[extra].data;
        const char *before = data + row * (size_t)(motion->motion.first + at.before);
        memcpy(out, before, row);
        const float *a = (const float *)before;
        const float *b = (const float *)(data + row * (size_t)(motion->motion.first + at.after));
        for (size_t i = 0; is_float && i < numbers; i++)
            ((float *)out)[i] = (float)((1 - at.u) * (double)a[i] + at.u * (double)b[i]);
    }
}

static size_t joints_of(const pm_library_content *c, uint32_t subset) {
    return subset == PM_LIBRARY_JOINTS   ? c->joint_count
           : subset == PM_LIBRARY_BODIES ? c->body_count
           : subset == PM_LIBRARY_ROOT   ? 1
                                         : 0;
}

/* Points of joints that are not known; those of hinges and balls have no output of bodies. */
static pm_status check_points(const pm_library_content *c, const pm_crowd_target *target,
                              pm_error *error) {
    const size_t root = library_root_is_free(c) ? library_root(c) : c->bodies[0];
    const size_t count =
        target->flags & PM_TARGET_AT_POINT && c->points ? joints_of(c, target->subset) : 0;
    for (size_t i = 0; i < count; i++) {
        const size_t joint = target->subset == PM_LIBRARY_BODIES ? c->bodies[i]
                             : target->subset == PM_LIBRARY_ROOT ? root
                                                                 : i;
        const float *point = c->points + 3 * joint;
        if (isnan(point[0]) || isnan(point[1]) || isnan(point[2]))
            return motion_fail(
                error, PM_ERROR_ARGUMENT,
                "points: that of '%s' is not known; centres of mass of meshes "
                "without inertial are not computed",
                MOTION_SHOWN(c->joint_names[joint].text, c->joint_names[joint].size));
    }
    return PM_OK;
}

/* Subsets behind those of pm_library_subset are the library's own, and those without joints have others. */
static pm_status check_subsets(const pm_library_content *c, const pm_library_job *job,
                               pm_error *error) {
    const bool has_balls = library_ball(c) < c->coordinate_count;
    for (size_t i = 0; i < job->output_count; i++) {
        const uint32_t subset = job->outputs[i].subset;
        if (subset > PM_LIBRARY_BALLS || (subset == PM_LIBRARY_DOFS && c->dof_count == 0) ||
            (subset == PM_LIBRARY_BALLS && !has_balls))
            return motion_fail(error, PM_ERROR_ARGUMENT,
                               "outputs[%zu]: the library has no subset %u", i, subset);
        MOTION_TRY(check_points(c, &job->outputs[i], error));
    }
    return PM_OK;
}

static pm_status check_laps(const pm_library_content *c, const pm_library_job *job,
                            pm_error *error) {
    if ((unsigned)job->wrap > PM_LIBRARY_CONTINUE)
        return motion_fail(error, PM_ERROR_ARGUMENT, "wrap is %d, which does not exist",
                           (int)job->wrap);
    if (job->wrap == PM_LIBRARY_CONTINUE && job->up != PM_MOTION_UP_Y &&
        job->up != PM_MOTION_UP_Z && (c->hinge_count == 0 || job->up != PM_MOTION_UP_FOUND))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "up: the library does not know which axis points up; expected y or z");
    return PM_OK;
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
        if (job->extras[i].extra >= library->part->content.extra_count || !job->extras[i].memory)
            return motion_fail(error, PM_ERROR_ARGUMENT,
                               "extras: %zu does not exist or has no memory", i);
    MOTION_TRY(check_subsets(&library->part->content, job, error));
    MOTION_TRY(check_laps(&library->part->content, job, error));
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

static pm_status sample(const pm_library *library, const library_state *state,
                        const pm_library_job *job, instances *all, pm_error *error) {
    MOTION_TRY(make_instances(library, state, job, all, error));
    MOTION_TRY(pose(library, job, all, error));
    for (size_t i = 0; i < job->extra_count; i++)
        sample_extra(library, job->extras[i].extra, all, job->extras[i].memory);
    return PM_OK;
}

pm_status pm_library_sample(const pm_library *library, const pm_library_job *job, pm_error *error) {
    instances all = {0};
    if (!library || !job)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", library ? "job" : "library");
    MOTION_TRY(check(library, job, error));
    const library_held held = library_hold(library);
    const pm_status status = sample(library, held.state, job, &all, error);
    library_let(&held);
    MOTION_FREE(all.motions, all.states, all.placements, all.speeds);
    return status;
}
