/* SPDX-License-Identifier: MIT
 *
 * Which side computes a job into host memory, where the processors of a device are the host's and both sides give
 * the same bits: from the table of what each of them was measured to take.
 */
#include "plan.h"

/* What a job is made of. */
typedef enum work_kind {
    WORK_OF_WALKS, /* values of all tracks at common times */
    WORK_OF_FEW_TRACKS, /* likewise, of fewer tracks than a vector has lanes, whose keys kernels gather */
    WORK_OF_PAIRS,   /* values at times of their own */
    WORK_OF_MOTION,  /* derivatives */
    WORK_OF_LOWPASS, /* weights of values */
    WORK_OF_POSES,   /* joints of instances */
    WORK_OF_STATES,  /* likewise, for states of bodies */
    WORK_KINDS
} work_kind;

/* Nanoseconds of one core for an element of the work. */
typedef struct side_rates {
    double host, device;
} side_rates;

/* The row of curves that have none of their own: those of vectors too, which both sides compute in less time. */
enum { OTHERS = PM_CURVE_COUNT };

/* By bench/sides.c: processor time on a Xeon with AVX-512, PoCL 3.1, the least of two runs. */
static const side_rates rates[WORK_KINDS][PM_CURVE_COUNT + 1] = {
    [WORK_OF_WALKS] = {[OTHERS] = {0.809, 0.919},
                       [PM_CURVE_squad] = {1.47, 1.58},
                       [PM_CURVE_hermite] = {1.14, 1.27},
                       [PM_CURVE_nlerp] = {0.79, 0.984},
                       [PM_CURVE_circular_c2] = {2.27, 2.42},
                       [PM_CURVE_bspline] = {2.43, 2.41},
                       [PM_CURVE_cubic] = {2.11, 2.38}},
    [WORK_OF_FEW_TRACKS] = {[OTHERS] = {1.9, 8.38}, [PM_CURVE_squad] = {4.1, 13.3}},
    [WORK_OF_PAIRS] = {[OTHERS] = {7.42, 11.5},
                       [PM_CURVE_squad] = {10.3, 12.5},
                       [PM_CURVE_cubic] = {14.8, 17.5},
                       [PM_CURVE_circular_c2] = {14.7, 17.4}},
    [WORK_OF_MOTION] =
        {[OTHERS] = {10.4, 13.4}, [PM_CURVE_squad] = {17.8, 19.4}, [PM_CURVE_cubic] = {23.9, 24.6}},
    [WORK_OF_LOWPASS] = {[OTHERS] = {1.12, 1.08}},
    [WORK_OF_POSES] =
        {[OTHERS] = {7.96, 7.61}, [PM_CURVE_squad] = {12.3, 12.5}, [PM_CURVE_cubic] = {16, 16.8}},
    [WORK_OF_STATES] =
        {[OTHERS] = {9.46, 18.4}, [PM_CURVE_squad] = {23.9, 34.4}, [PM_CURVE_cubic] = {28.8, 44.1}},
};

/* Nanoseconds that a driver takes to begin and to end a job, likewise ("start"). */
static const double start_of_device = 2e4;

/* Of what the device takes: plain C must be faster by a quarter, because the rates of other processors and drivers
 * differ from these by as much. */
static const double most_of_device = 0.75;

/* Values of a job for samples that plain C may compute, at least: a millisecond of gathering. */
static const double least_samples = 1 << 17;

static void add(side_rates *sum, work_kind kind, size_t curve, double count) {
    const side_rates *own = &rates[kind][curve];
    const side_rates *row = own->host > 0 ? own : &rates[kind][OTHERS];
    sum->host += count * row->host;
    sum->device += count * row->device;
}

/* A device uses all of its processors. */
static bool is_for_host(const side_rates *sum, double start, size_t threads,
                        const pm_plan_device *device) {
    const double units = device->compute_units;
    const double used = threads < device->compute_units ? (double)threads : units;
    return device->on_host && device->plain_c &&
           sum->host / used <= most_of_device * (sum->device / units + start);
}

static work_kind kind_of(const pm_sample_request *request, unsigned output,
                         const pm_plan_device *device) {
    if (request->lowpass)
        return WORK_OF_LOWPASS;
    if (pm_outputs[output].order > 0)
        return WORK_OF_MOTION;
    if (!pm_plan_has_common_times(request, output))
        return WORK_OF_PAIRS;
    return request->clip->track_count < device->narrow_lanes ? WORK_OF_FEW_TRACKS : WORK_OF_WALKS;
}

bool pm_plan_samples_on_host(const pm_sample_request *request, const pm_plan_device *device) {
    const double each = request->lowpass ? request->lowpass->taps : 1;
    const double values = (double)request->sample_count * (double)request->width;
    side_rates sum = {0, 0};
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        if (request->outputs[o])
            add(&sum, kind_of(request, o, device),
                request->clip->channels[pm_outputs[o].channel].impl.curve, each * values);
    return values >= least_samples && is_for_host(&sum, 0, request->host_threads, device);
}

static side_rates of_poses(const pm_pose_request *request) {
    const pm_crowd_data *crowd = request->crowd;
    side_rates sum = {0, 0};
    for (size_t i = 0; i < request->target_count; i++) {
        const pm_view view = request->targets[i].view;
        const size_t joints = crowd->skeleton->sets[view.set].count;
        if (!pm_pose_is_computed(request, i))
            add(&sum, pm_is_body_output(view.output) ? WORK_OF_STATES : WORK_OF_POSES,
                crowd->channels[PM_ROTATIONS].impl.curve,
                (double)joints * (double)pm_pose_entries(request));
    }
    return sum;
}

bool pm_plan_poses_on_host(const pm_pose_request *request, const pm_plan_device *device) {
    const side_rates sum = of_poses(request);
    return is_for_host(&sum, start_of_device, request->host_threads, device);
}

double pm_plan_poses_nanoseconds(const pm_pose_request *request) {
    return of_poses(request).host;
}
