/* SPDX-License-Identifier: MIT
 *
 * Calls the crowd kernel on the host with the arguments and work sizes that the device would get.
 */
#include "crowd_on_host.h"
#include "base/counts.h"
#include "crowd_on_host_variant.h"
#include "scoped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PER_GROUP: instances per work-group. MAX_SLOTS: some skeletons of the tests have more, and are posed joint by
 * joint. */
enum { PER_GROUP = 5, MAX_SLOTS = 24 };

/* Variants for a common timeline, and for timelines per joint. */
enum { COMMON, EACH, KINDS };

/* Palettes of every rotation curve, each with the first vector curve of its method. */
#define DECLARE(name) extern crowd_variant crowd_##name##_common_0, crowd_##name##_each_0;
PM_ROTATION_CURVES(DECLARE)
#define DECLARE_OUTPUT(name, number, form, numbers, bits, bound)                                   \
    extern crowd_variant crowd_slerp_common_##number, crowd_slerp_each_##number;
PM_CROWD_POSE_OUTPUTS(DECLARE_OUTPUT)
extern crowd_variant crowd_slerp_common_0_log48, crowd_slerp_each_0_log48;
extern crowd_variant crowd_slerp_common_0_smallest48, crowd_slerp_each_0_smallest48;

#define DECLARE_PARTS(number)                                                                      \
    extern crowd_variant crowd_slerp_common_##number##_layered,                                    \
        crowd_slerp_each_##number##_layered, crowd_slerp_common_##number##_given,                  \
        crowd_slerp_each_##number##_given;
DECLARE_PARTS(1)
DECLARE_PARTS(4)
DECLARE_PARTS(5)
#define PARTS_ROW(name, number, part)                                                              \
    [PM_CROWD_##name] = {crowd_slerp_common_##number##_##part, crowd_slerp_each_##number##_##part}
static crowd_variant *const layered[PM_CROWD_POSE_COUNT][KINDS] = {
    PARTS_ROW(PALETTE_HALF, 1, layered), PARTS_ROW(LOCAL, 4, layered),
    PARTS_ROW(BOUNDS, 5, layered)};
static crowd_variant *const given[PM_CROWD_POSE_COUNT][KINDS] = {
    PARTS_ROW(PALETTE_HALF, 1, given), PARTS_ROW(LOCAL, 4, given), PARTS_ROW(BOUNDS, 5, given)};

#define ROW(name) [PM_CURVE_##name] = {crowd_##name##_common_0, crowd_##name##_each_0},
static crowd_variant *const palettes[PM_CURVE_COUNT][KINDS] = {PM_ROTATION_CURVES(ROW)};
#define OUTPUT_ROW(name, number, form, numbers, bits, bound)                                       \
    [PM_CROWD_##name] = {crowd_slerp_common_##number, crowd_slerp_each_##number},
static crowd_variant *const of_slerp[PM_CROWD_POSE_COUNT][KINDS] = {
    PM_CROWD_POSE_OUTPUTS(OUTPUT_ROW)};
static crowd_variant *const coded[PM_KEYS_COUNT][KINDS] = {
    [PM_KEYS_LOG48] = {crowd_slerp_common_0_log48, crowd_slerp_each_0_log48},
    [PM_KEYS_SMALLEST48] = {crowd_slerp_common_0_smallest48, crowd_slerp_each_0_smallest48}};

/* The vector curve of the first method with this rotation curve. CMakeLists.txt reads the same table. */
static pm_curve_id vector_curve_of(pm_curve_id curve) {
    for (pm_method m = 0; m < PM_METHOD_COUNT; m++) {
        const pm_clip_desc desc = {.method = m};
        if (pm_rotation_impl(&desc).curve == curve)
            return pm_vector_impl(&desc).curve;
    }
    return PM_CURVE_COUNT;
}

static crowd_variant *variant_of(const pm_crowd_data *crowd, pm_crowd_output output) {
    const pm_channel *rotations = &crowd->channels[PM_ROTATIONS];
    const pm_curve_id curve = rotations->impl.curve;
    const unsigned kind = crowd->per_joint ? EACH : COMMON;
    if (crowd->channels[PM_POSITIONS].impl.curve != vector_curve_of(curve))
        return NULL;
    if (rotations->format != PM_KEYS_FLOAT32)
        return curve == PM_CURVE_slerp && output == PM_CROWD_PALETTE
                   ? coded[rotations->format][kind]
                   : NULL;
    if (curve == PM_CURVE_slerp)
        return of_slerp[output][kind];
    return output == PM_CROWD_PALETTE ? palettes[curve][kind] : NULL;
}

static crowd_variant *variant_of_job(const pm_crowd_data *crowd, const crowd_on_host_job *job) {
    const unsigned kind = crowd->per_joint ? EACH : COMMON;
    if (!job->layers && !job->poses)
        return variant_of(crowd, job->output);
    return job->layers ? layered[job->output][kind] : given[job->output][kind];
}

bool crowd_on_host_has(const pm_crowd_data *crowd, pm_crowd_output output) {
    return variant_of(crowd, output) != NULL;
}

static void stop(const char *why) {
    fprintf(stderr, "crowds on the host: %s\n", why);
    abort();
}

/* For an empty array memory without a byte, so that a kernel that reads it is detected. */
static void *copy_of(const void *data, size_t count, size_t size) {
    const size_t bytes = data ? count * size : 0;
    void *memory = malloc(bytes);
    if (!memory)
        stop("out of memory");
    return bytes > 0 ? memcpy(memory, data, bytes) : memory;
}

static void *copy_of_keys(const pm_crowd_data *crowd, unsigned channel) {
    return copy_of(crowd->channels[channel].keys, crowd->channels[channel].key_bytes, 1);
}

/* Instances after their offset; the kernel reads none of the bytes before them. */
static void *copy_of_instances(const crowd_on_host_job *job) {
    if (job->poses)
        return copy_of(NULL, 0, 1);
    const size_t size = job->instance_count * sizeof *job->instances;
    unsigned char *memory = malloc(job->instances_offset + size);
    if (!memory)
        stop("out of memory");
    memset(memory, 0xA5, job->instances_offset);
    memcpy(memory + job->instances_offset, job->instances, size);
    return memory;
}

/* Memory whose contents a kernel must not read. */
static void *poisoned(size_t size) {
    void *memory = malloc(size);
    if (!memory)
        stop("out of memory");
    return memset(memory, 0xA5, size);
}

void crowd_on_host_pose(const pm_crowd_data *crowd, const crowd_on_host_job *job) {
    const pm_skeleton *s = crowd->skeleton;
    const size_t n = s->joint_count;
    const pm_view view = {job->output, job->subset};
    const size_t pose = pm_crowd_view_bytes(s, (pm_view){PM_CROWD_LOCAL, 0});
    const pm_joint_set *set = &s->sets[job->subset];
    const size_t each = pm_crowd_view_bytes(s, view), stride = job->stride ? job->stride : each;
    const size_t bytes = job->records_offset + (job->instance_count - 1) * stride + each;
    const pm_channel *rotations = &crowd->channels[PM_ROTATIONS];
    crowd_variant *variant = variant_of_job(crowd, job);
    SCOPED(pm_stages_free) pm_stages stages;
    if (!variant)
        stop("no such variant");
    if (pm_stages_build(NULL, s, job->subset, MAX_SLOTS, &stages, NULL) != PM_OK)
        stop("out of memory");
    const size_t transforms = PER_GROUP * stages.slots * PM_SLOT_FLOATS;
    void *copies[] = {
        copy_of_instances(job),
        copy_of(crowd->joints, n, sizeof *crowd->joints),
        copy_of(crowd->clips, crowd->clip_count, sizeof *crowd->clips),
        copy_of(crowd->timelines, crowd->tables[PM_TABLE_TIMELINES].used, sizeof *crowd->timelines),
        copy_of(crowd->times, crowd->tables[PM_TABLE_TIMES].used, sizeof *crowd->times),
        copy_of(s->levels, s->level_count, sizeof *s->levels),
        copy_of(s->level_joints, s->level_count * n, 1),
        copy_of(s->masks, (s->mask_count + 1) * n, sizeof *s->masks),
        copy_of(crowd->layout, crowd->tables[PM_TABLE_LAYOUT].used, sizeof *crowd->layout),
        copy_of_keys(crowd, PM_ROTATIONS),
        copy_of(rotations->constants, rotations->constant_floats, sizeof(float)),
        copy_of_keys(crowd, PM_POSITIONS),
        copy_of_keys(crowd, PM_SCALES),
        copy_of(job->records, bytes, 1),
        copy_of(stages.stages, stages.stage_count, sizeof *stages.stages),
        copy_of(stages.joints, set->count, sizeof *stages.joints),
        poisoned(PER_GROUP * sizeof(pm_shared_instance)),
        poisoned(transforms * sizeof(float)),
        copy_of(job->layers, job->layer_count, sizeof *job->layers),
        copy_of(job->ranges, job->ranges ? job->instance_count : 0, sizeof *job->ranges),
        copy_of(job->poses, job->poses ? job->instance_count : 0, pose),
        poisoned(PER_GROUP * sizeof(pm_shared_layers)),
        copy_of(NULL, 0, 1)};
    crowd_arguments arguments = {
        .instances = copies[0],
        .layers = copies[18],
        .ranges = copies[19],
        .given = copies[20],
        .shared_layers = copies[21],
        .list = copies[22],
        .list_count = copies[22],
        .offsets = {.instances = job->instances_offset, .pose_stride = pose},
        .joints = copies[1],
        .clips = copies[2],
        .timelines = copies[3],
        .times = copies[4],
        .levels = copies[5],
        .level_joints = copies[6],
        .masks = copies[7],
        .layout = copies[8],
        .rotations = copies[9],
        .constants = copies[10],
        .positions = copies[11],
        .scales = copies[12],
        .records = copies[13],
        .records_offset = job->records_offset,
        .stride = stride,
        .size = pm_crowd_size_of(crowd, job->subset, job->frame, job->first, job->instance_count),
        .stages = copies[14],
        .stage_joints = copies[15],
        .per_group = PER_GROUP,
        .slots = (pm_u32)stages.slots,
        .shared = copies[16],
        .transforms = copies[17]};
    arguments.size.stages = (pm_u32)stages.stage_count;
    arguments.size.layers = (pm_u32)job->layer_count;
    variant(&arguments, (pm_u32)((job->instance_count + PER_GROUP - 1) / PER_GROUP));
    memcpy(job->records, arguments.records, bytes);
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        free(copies[i]);
}
