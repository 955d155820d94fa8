/* SPDX-License-Identifier: MIT
 *
 * The table of the kernels' parameters, and the contents of the memory that they read.
 */
#include "step.h"

#include <string.h>

/* A row's first word is the parameter's name in the kernel, for readers. */
#define PM_NUMBER_AT(field) offsetof(pm_step_numbers, field), sizeof(((pm_step_numbers *)0)->field)
#define PM_OF_MEMORY(name, memory)                                                                 \
    { PM_MEMORY_##memory, 0, 0, false }
#define PM_OF_FIELD(name, field)                                                                   \
    { PM_MEMORY_NONE, PM_NUMBER_AT(field), false }
#define PM_OF_NUMBER(name) PM_OF_FIELD(name, name)
#define PM_OF_SHARED(name, field)                                                                  \
    { PM_MEMORY_NONE, PM_NUMBER_AT(field), true }

static const pm_parameter walk[] = {
    PM_OF_MEMORY(keys, KEYS),      PM_OF_MEMORY(constants, CONSTANTS),
    PM_OF_MEMORY(wraps, WRAPS),    PM_OF_MEMORY(cursors, CURSORS),
    PM_OF_MEMORY(values, RESULTS), PM_OF_NUMBER(values_offset),
    PM_OF_NUMBER(plane_floats),    PM_OF_NUMBER(track_count),
    PM_OF_NUMBER(sample_count),    PM_OF_NUMBER(run)};

static const pm_parameter gather[] = {
    PM_OF_MEMORY(keys, KEYS),     PM_OF_MEMORY(constants, CONSTANTS),
    PM_OF_MEMORY(layout, LAYOUT), PM_OF_MEMORY(cursors, CURSORS),
    PM_OF_MEMORY(tracks, TRACKS), PM_OF_MEMORY(values, RESULTS),
    PM_OF_NUMBER(values_offset),  PM_OF_NUMBER(constant_floats),
    PM_OF_NUMBER(track_count),    PM_OF_NUMBER(sample_count),
    PM_OF_NUMBER(value_count),    PM_OF_NUMBER(pairs),
    PM_OF_MEMORY(rates, RATES),   PM_OF_NUMBER(parent)};

static const pm_parameter locate[] = {PM_OF_MEMORY(cursors, CURSORS), PM_OF_NUMBER(map),
                                      PM_OF_NUMBER(sample_count)};

static const pm_parameter lowpass[] = {PM_OF_MEMORY(keys, KEYS),
                                       PM_OF_MEMORY(places, LOWPASS_PLACES),
                                       PM_OF_MEMORY(weights, WEIGHTS),
                                       PM_OF_MEMORY(values, RESULTS),
                                       PM_OF_NUMBER(values_offset),
                                       PM_OF_NUMBER(row_floats),
                                       PM_OF_NUMBER(taps),
                                       PM_OF_NUMBER(track_count),
                                       PM_OF_NUMBER(sample_count)};

/* Of points. */
#define PM_POINT_INPUTS                                                                            \
    PM_OF_MEMORY(stamps, STAMPS), PM_OF_MEMORY(from, MOVING_POINTS), PM_OF_MEMORY(tracks, TRACKS), \
        PM_OF_MEMORY(moved, RESULTS),                                                              \
        {(pm_memory)(PM_MEMORY_RESULTS + 1), 0, 0, false}, /* valid */                             \
        PM_OF_NUMBER(fields)

static const pm_parameter points[] = {PM_OF_MEMORY(arcs, KEYS), PM_OF_MEMORY(keys, KEY_STAMPS),
                                      PM_OF_MEMORY(table, POINT_TRACKS), PM_POINT_INPUTS,
                                      PM_OF_FIELD(count, sample_count)};

static const pm_parameter points_frame[] = {PM_OF_MEMORY(keys, KEY_STAMPS),
                                            PM_OF_MEMORY(rotations, KEYS),
                                            PM_OF_MEMORY(constants, CONSTANTS),
                                            PM_OF_MEMORY(layout, LAYOUT),
                                            PM_OF_MEMORY(positions, POSITIONS),
                                            PM_OF_MEMORY(rests, SCALES),
                                            PM_OF_MEMORY(vector_layout, VECTOR_LAYOUT),
                                            PM_OF_MEMORY(table, POINT_TRACKS),
                                            PM_OF_MEMORY(ends, POINT_ENDS),
                                            PM_POINT_INPUTS,
                                            PM_OF_NUMBER(frame),
                                            PM_OF_FIELD(count, sample_count)};

static const pm_parameter build_check[] = {
    PM_OF_MEMORY(keys, GIVEN_KEYS),  PM_OF_MEMORY(in, TANGENTS_IN),
    PM_OF_MEMORY(out, TANGENTS_OUT), PM_OF_MEMORY(tracks, BUILD_TRACKS),
    PM_OF_MEMORY(failure, FAILURE),  PM_OF_FIELD(job, build)};

static const pm_parameter build_steps[] = {
    PM_OF_MEMORY(steps, SIGNS), PM_OF_MEMORY(keys, GIVEN_KEYS), PM_OF_MEMORY(tracks, BUILD_TRACKS),
    PM_OF_FIELD(job, build)};

static const pm_parameter build_signs[] = {
    PM_OF_MEMORY(steps, SIGNS), PM_OF_MEMORY(tracks, BUILD_TRACKS), PM_OF_FIELD(job, build)};

static const pm_parameter build_keys[] = {
    PM_OF_MEMORY(planes, KEYS), PM_OF_MEMORY(keys, GIVEN_KEYS), PM_OF_MEMORY(signs, SIGNS),
    PM_OF_MEMORY(tracks, BUILD_TRACKS), PM_OF_FIELD(job, build)};

static const pm_parameter build_ends[] = {PM_OF_MEMORY(planes, KEYS), PM_OF_MEMORY(wraps, WRAPS),
                                          PM_OF_MEMORY(tracks, BUILD_TRACKS),
                                          PM_OF_FIELD(job, build)};

static const pm_parameter build_rates[] = {
    PM_OF_MEMORY(rates, TANGENTS_IN), PM_OF_MEMORY(memory, SOLVER),
    PM_OF_MEMORY(planes, KEYS),       PM_OF_MEMORY(wraps, WRAPS),
    PM_OF_MEMORY(times, BORDERS),     PM_OF_MEMORY(tracks, BUILD_TRACKS),
    PM_OF_MEMORY(failure, FAILURE),   PM_OF_FIELD(job, build)};

static const pm_parameter build_segments[] = {PM_OF_MEMORY(planes, KEYS),
                                              PM_OF_MEMORY(wraps, WRAPS),
                                              PM_OF_MEMORY(in, TANGENTS_IN),
                                              PM_OF_MEMORY(out, TANGENTS_OUT),
                                              PM_OF_MEMORY(axes, AXES),
                                              PM_OF_MEMORY(times, BORDERS),
                                              PM_OF_MEMORY(tracks, BUILD_TRACKS),
                                              PM_OF_MEMORY(failure, FAILURE),
                                              PM_OF_FIELD(job, build)};

#define PM_CROWD_TABLES                                                                            \
    PM_OF_MEMORY(instances, INSTANCES), PM_OF_MEMORY(layers, LAYERS),                              \
        PM_OF_MEMORY(ranges, RANGES), PM_OF_MEMORY(list, LIST),                                    \
        PM_OF_MEMORY(list_count, LIST_COUNT), PM_OF_MEMORY(given, POSES),                          \
        PM_OF_MEMORY(transitions, TRANSITIONS), PM_OF_NUMBER(offsets),                             \
        PM_OF_MEMORY(joints, JOINTS), PM_OF_MEMORY(clips, CLIPS),                                  \
        PM_OF_MEMORY(timelines, TIMELINES), PM_OF_MEMORY(times, TIMES),                            \
        PM_OF_MEMORY(levels, LEVELS), PM_OF_MEMORY(level_joints, LEVEL_JOINTS),                    \
        PM_OF_MEMORY(masks, MASKS), PM_OF_MEMORY(layout, CROWD_LAYOUT),                            \
        PM_OF_MEMORY(rotations, ROTATIONS), PM_OF_MEMORY(constants, ROTATION_CONSTANTS),           \
        PM_OF_MEMORY(positions, POSITIONS), PM_OF_MEMORY(scales, SCALES)
#define PM_CROWD_RESULTS                                                                           \
    PM_OF_MEMORY(records, RESULTS), PM_OF_NUMBER(records_offset), PM_OF_NUMBER(stride),            \
        PM_OF_NUMBER(size)

static const pm_parameter crowd_workgroup[] = {PM_CROWD_TABLES,
                                               PM_OF_MEMORY(stages, STAGES),
                                               PM_OF_MEMORY(stage_joints, STAGE_JOINTS),
                                               PM_CROWD_RESULTS,
                                               PM_OF_NUMBER(per_group),
                                               PM_OF_NUMBER(slots),
                                               PM_OF_SHARED(shared, shared_instances),
                                               PM_OF_SHARED(shared_layers, shared_layers),
                                               PM_OF_SHARED(transforms, shared_transforms)};

/* Of the steps of chains. */
#define PM_CHAIN_INPUTS                                                                            \
    PM_OF_MEMORY(instances, INSTANCES), PM_OF_MEMORY(list, LIST),                                  \
        PM_OF_MEMORY(list_count, LIST_COUNT), PM_OF_MEMORY(goals, GOALS),                          \
        PM_OF_MEMORY(placements, PLACEMENTS)
#define PM_CHAIN_PLACES                                                                            \
    PM_OF_NUMBER(offsets), PM_OF_NUMBER(goals_offset), PM_OF_NUMBER(goal_stride),                  \
        PM_OF_NUMBER(placements_offset)
#define PM_CHAIN_TABLES                                                                            \
    PM_OF_MEMORY(levels, LEVELS), PM_OF_MEMORY(chains, CHAINS), PM_OF_MEMORY(paths, CHAIN_PATHS),  \
        PM_CROWD_RESULTS, PM_OF_NUMBER(chain), PM_OF_NUMBER(flags), PM_OF_NUMBER(goal)

static const pm_parameter crowd_reach[] = {PM_CHAIN_INPUTS, PM_CHAIN_PLACES, PM_CHAIN_TABLES};

static const pm_parameter crowd_ground[] = {PM_CHAIN_INPUTS,
                                            PM_OF_MEMORY(heights, HEIGHTS),
                                            PM_OF_MEMORY(plants, PLANTS),
                                            PM_OF_MEMORY(clips, CLIPS),
                                            PM_OF_MEMORY(timelines, TIMELINES),
                                            PM_OF_MEMORY(markers, MARKERS),
                                            PM_OF_MEMORY(masks, MASKS),
                                            PM_CHAIN_PLACES,
                                            PM_OF_NUMBER(heights_offset),
                                            PM_OF_NUMBER(plants_offset),
                                            PM_OF_NUMBER(plant_stride),
                                            PM_OF_NUMBER(grid),
                                            PM_CHAIN_TABLES};

static const pm_parameter crowd_capture[] = {
    PM_OF_MEMORY(list, LIST),   PM_OF_MEMORY(list_count, LIST_COUNT),
    PM_OF_MEMORY(given, POSES), PM_OF_MEMORY(transitions, TRANSITIONS),
    PM_OF_NUMBER(offsets),      PM_OF_FIELD(apart, stride),
    PM_OF_NUMBER(size),         PM_OF_NUMBER(root_positions),
    PM_OF_NUMBER(duration),     PM_OF_NUMBER(rate)};

#define PM_OF_BODY(name, output)                                                                   \
    { (pm_memory)(PM_MEMORY_RESULTS + (output)), 0, 0, false }

#define PM_BODY_TABLES                                                                             \
    PM_OF_MEMORY(instances, INSTANCES), PM_OF_MEMORY(list, LIST),                                  \
        PM_OF_MEMORY(list_count, LIST_COUNT), PM_OF_MEMORY(placements, PLACEMENTS),                \
        PM_OF_MEMORY(speeds, SPEEDS), PM_OF_NUMBER(offsets), PM_OF_NUMBER(placements_offset),      \
        PM_OF_NUMBER(speeds_offset), PM_OF_NUMBER(has_placements), PM_OF_NUMBER(has_speeds),       \
        PM_OF_MEMORY(joints, JOINTS), PM_OF_MEMORY(clips, CLIPS),                                  \
        PM_OF_MEMORY(timelines, TIMELINES), PM_OF_MEMORY(rates, TIMELINE_RATES),                   \
        PM_OF_MEMORY(times, TIMES), PM_OF_MEMORY(levels, LEVELS),                                  \
        PM_OF_MEMORY(level_joints, LEVEL_JOINTS), PM_OF_MEMORY(layout, CROWD_LAYOUT),              \
        PM_OF_MEMORY(rotations, ROTATIONS), PM_OF_MEMORY(constants, ROTATION_CONSTANTS),           \
        PM_OF_MEMORY(positions, POSITIONS), PM_OF_MEMORY(points, POINTS),                          \
        PM_OF_NUMBER(has_points), PM_OF_MEMORY(hinges, HINGES), PM_OF_NUMBER(has_hinges)
#define PM_BODY_RESULTS                                                                            \
    PM_OF_BODY(body_pos, PM_BODY_POS), PM_OF_BODY(body_rot, PM_BODY_ROT),                          \
        PM_OF_BODY(body_vel, PM_BODY_VEL), PM_OF_BODY(body_ang_vel, PM_BODY_ANG_VEL),              \
        PM_OF_BODY(local_rot, PM_BODY_LOCAL_ROT),                                                  \
        PM_OF_BODY(local_ang_vel, PM_BODY_LOCAL_ANG_VEL), PM_OF_BODY(angles, PM_BODY_ANGLE),       \
        PM_OF_BODY(angle_rates, PM_BODY_ANGLE_RATE), PM_OF_NUMBER(targets), PM_OF_NUMBER(size)

static const pm_parameter bodies_workgroup[] = {PM_BODY_TABLES,
                                                PM_OF_MEMORY(stages, STAGES),
                                                PM_OF_MEMORY(stage_joints, STAGE_JOINTS),
                                                PM_BODY_RESULTS,
                                                PM_OF_NUMBER(per_group),
                                                PM_OF_NUMBER(slots),
                                                PM_OF_SHARED(shared, shared_instances),
                                                PM_OF_SHARED(bodies, shared_transforms)};

#define PM_KERNEL_ROW(file, parameters)                                                            \
    { file, parameters, sizeof(parameters) / sizeof *(parameters) }
static const struct {
    const char *file;
    const pm_parameter *parameters;
    size_t count;
} kernels[] = {PM_KERNEL_ROW("walk", walk),
               PM_KERNEL_ROW("gather", gather),
               PM_KERNEL_ROW("velocity", gather),
               PM_KERNEL_ROW("acceleration", gather),
               PM_KERNEL_ROW("locate", locate),
               PM_KERNEL_ROW("lowpass", lowpass),
               PM_KERNEL_ROW("points", points),
               PM_KERNEL_ROW("points_arcs", points_frame),
               PM_KERNEL_ROW("points_curves", points_frame),
               PM_KERNEL_ROW("build_check", build_check),
               PM_KERNEL_ROW("build_steps", build_steps),
               PM_KERNEL_ROW("build_signs", build_signs),
               PM_KERNEL_ROW("build_keys", build_keys),
               PM_KERNEL_ROW("build_ends", build_ends),
               PM_KERNEL_ROW("build_rates", build_rates),
               PM_KERNEL_ROW("build_segments", build_segments),
               PM_KERNEL_ROW("crowd_workgroup", crowd_workgroup),
               PM_KERNEL_ROW("crowd_reach", crowd_reach),
               PM_KERNEL_ROW("crowd_ground", crowd_ground),
               PM_KERNEL_ROW("crowd_capture", crowd_capture),
               PM_KERNEL_ROW("bodies_workgroup", bodies_workgroup)};

const pm_parameter *pm_parameters_of(const char *file, size_t *count) {
    size_t k = 0;
    while (strcmp(kernels[k].file, file) != 0)
        k++;
    *count = kernels[k].count;
    return kernels[k].parameters;
}

const void *pm_step_number(const pm_step *step, const pm_parameter *parameter) {
    return (const char *)&step->numbers + parameter->offset;
}

static pm_source source_of(const void *data, size_t count, size_t size) {
    return (pm_source){.data = data, .bytes = data ? count * size : 0};
}

static pm_source table_of(const pm_crowd_data *c, pm_table table) {
    const pm_table_memory *memory = c->tables[table].memory;
    if (table < PM_TABLE_CONSTANTS && !c->channels[table].present)
        return (pm_source){0};
    return (pm_source){.data = pm_pool_memory(memory->block),
                       .bytes = pm_table_bytes(c, table, c->tables[table].used),
                       .room = pm_table_bytes(c, table, memory->room)};
}

/* A float more than there are, because memory of a device cannot be empty. */
static pm_source constants_of(const pm_channel *channel) {
    return source_of(channel->constants, channel->constant_floats + 1, sizeof(float));
}

pm_source pm_clip_source(const pm_clip_data *clip, unsigned index, pm_memory memory) {
    const pm_channel *channel = &clip->channels[index];
    switch ((int)memory) {
    case PM_MEMORY_KEYS:
        return source_of(channel->keys, channel->key_bytes, 1);
    case PM_MEMORY_CONSTANTS:
        return constants_of(channel);
    case PM_MEMORY_LAYOUT:
        return source_of(channel->layout, clip->track_count, sizeof *channel->layout);
    case PM_MEMORY_WRAPS:
        return source_of(clip->wraps, clip->padded_tracks, sizeof *clip->wraps);
    case PM_MEMORY_RATES:
        return source_of(clip->rates, clip->rate_count, sizeof *clip->rates);
    default:
        return (pm_source){0};
    }
}

pm_source pm_crowd_source(const pm_crowd_data *c, size_t set, const pm_stages *stages,
                          pm_memory memory) {
    const pm_skeleton *s = c->skeleton;
    const size_t n = s->joint_count;
    switch ((int)memory) {
    case PM_MEMORY_JOINTS:
        return source_of(c->sets[set].joints, s->sets[set].count, sizeof *c->joints);
    case PM_MEMORY_CLIPS:
        return source_of(c->clips, c->clip_count, sizeof *c->clips);
    case PM_MEMORY_TIMELINES:
        return table_of(c, PM_TABLE_TIMELINES);
    case PM_MEMORY_TIMELINE_RATES:
        return table_of(c, PM_TABLE_RATES);
    case PM_MEMORY_POINTS:
        return source_of(s->points, 4 * n, sizeof *s->points);
    case PM_MEMORY_HINGES:
        return source_of(s->hinges, n, sizeof *s->hinges);
    case PM_MEMORY_TIMES:
        return table_of(c, PM_TABLE_TIMES);
    case PM_MEMORY_MARKERS:
        return table_of(c, PM_TABLE_MARKERS);
    case PM_MEMORY_LEVELS:
        return source_of(s->levels, s->level_count, sizeof *s->levels);
    case PM_MEMORY_ALL_LEVELS:
        return source_of(s->levels + s->level_count, s->level_count, sizeof *s->levels);
    case PM_MEMORY_LEVEL_JOINTS:
        return source_of(s->level_joints, s->level_count * n, sizeof *s->level_joints);
    case PM_MEMORY_MASKS:
        return source_of(s->masks, (s->mask_count + 1) * n, sizeof *s->masks);
    case PM_MEMORY_CROWD_LAYOUT:
        return table_of(c, PM_TABLE_LAYOUT);
    case PM_MEMORY_ROTATIONS:
        return table_of(c, PM_TABLE_KEYS + PM_ROTATIONS);
    case PM_MEMORY_ROTATION_CONSTANTS:
        return table_of(c, PM_TABLE_CONSTANTS);
    case PM_MEMORY_POSITIONS:
        return table_of(c, PM_TABLE_KEYS + PM_POSITIONS);
    case PM_MEMORY_SCALES:
        return table_of(c, PM_TABLE_KEYS + PM_SCALES);
    case PM_MEMORY_CHAINS:
        return source_of(s->chains, s->chain_count, sizeof *s->chains);
    case PM_MEMORY_CHAIN_PATHS:
        return source_of(s->chain_paths, s->path_numbers, sizeof *s->chain_paths);
    case PM_MEMORY_STAGES:
        return source_of(stages->stages, stages->stage_count, sizeof *stages->stages);
    case PM_MEMORY_STAGE_JOINTS:
        return source_of(stages->joints, s->sets[set].count, sizeof *stages->joints);
    default:
        return (pm_source){0};
    }
}
