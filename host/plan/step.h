/* SPDX-License-Identifier: MIT
 *
 * One launch of one kernel: its program, its arguments and its work size, without a call of any API.
 * Plans are lists of steps. Backends give memory to the names that a step uses, and launch it.
 */
#ifndef PM_HOST_STEP_H
#define PM_HOST_STEP_H

#include "base/base.h"
#include "crowd/crowd.h"
#include "kernels/pm_point_frame.h"

/* What decides which kernels a device runs, and how large its launches are. */
typedef struct pm_plan_device {
    uint32_t compute_units;
    bool plain_c;          /* the host computes its jobs in plain C, on these processors */
    bool has_double;       /* with what IEEE 754 says */
    size_t max_work;       /* of one launch, in rotations. SIZE_MAX: no limit */
    uint64_t shared_bytes; /* of shared memory per work-group */
} pm_plan_device;

/* The work of a launch on devices that are no CPUs: 0.17 s at 1e8 rotations per second, which is
 * assumed for a slow GPU and costly curves. Drivers end launches of seconds, and a display waits for
 * each. */
enum { PM_MAX_GPU_WORK = 1 << 24 };

/* The work of a value of an output, and of a joint of an instance, in rotations: rounded up from the
 * sizes of the kernels. */
enum { PM_WORK_OF_VALUE = 1, PM_WORK_OF_MOTION = 8, PM_WORK_OF_JOINT = 4 };

/* The maximum number of elements in one launch, at least 1; `work` is that of one element. */
size_t pm_plan_launch_limit(const pm_plan_device *device, size_t work);

/* Results of at least this size are stored past the caches, which could not hold them until they
 * are read. */
#define PM_MIN_STREAM_BYTES ((size_t)4 << 20)

/* A program: its source file, the curve that it evaluates, and its compile-time parameters. The
 * strings have static storage. */
typedef struct pm_variant {
    /* "walk", "gather", "velocity", "acceleration", "locate", "lowpass", "points", "points_arcs", "points_curves",
     * "crowd_workgroup", "crowd_reach", "crowd_ground", "crowd_capture", "bodies_workgroup" or "build_check" and the
     * others that build clips; also the kernel's name. */
    const char *file;
    const char *curve; /* PM_METHOD; of "build_segments" a builder; "locate" and those that build
                          keys: any */
    unsigned components;
    pm_key_format format;     /* PM_KEYS */
    const char *vector_curve; /* crowds and "points_curves": PM_VECTOR_METHOD; else NULL */
    pm_crowd_output output;   /* crowds: PM_OUTPUT */
    bool per_joint;           /* crowds: PM_PER_JOINT */
    bool layered;             /* crowds: PM_LAYERED */
    bool given;               /* crowds: PM_GIVEN */
    bool in_transition;       /* crowds: PM_TRANSITIONS */
} pm_variant;

bool pm_same_variant(const pm_variant *a, const pm_variant *b);

/* The memory that kernels read and write. */
typedef enum pm_memory {
    PM_MEMORY_NONE, /* the parameter is a number, or shared memory */
    /* of a clip: keys, constants and layout of the step's channel */
    PM_MEMORY_KEYS,
    PM_MEMORY_CONSTANTS,
    PM_MEMORY_LAYOUT,
    PM_MEMORY_WRAPS,
    PM_MEMORY_RATES,
    /* of a piece of samples */
    PM_MEMORY_CURSORS, /* (cursor_rows, sample_count) pm_cursor */
    PM_MEMORY_LOWPASS_PLACES,
    PM_MEMORY_WEIGHTS, /* with its places: see pm_lowpass_table */
    PM_MEMORY_TRACKS,  /* (sample_count) uint32 of pairs, or a field of points */
    /* of points: fields, stamps of keys, pm_point_track, what follows the frames, and the layout of positions; their
     * arcs are keys */
    PM_MEMORY_STAMPS,
    PM_MEMORY_MOVING_POINTS,
    PM_MEMORY_KEY_STAMPS,
    PM_MEMORY_POINT_TRACKS,
    PM_MEMORY_POINT_ENDS,
    PM_MEMORY_VECTOR_LAYOUT,
    /* of a crowd */
    PM_MEMORY_JOINTS,
    PM_MEMORY_CLIPS,
    PM_MEMORY_TIMELINES,
    PM_MEMORY_TIMELINE_RATES,
    PM_MEMORY_TIMES,
    PM_MEMORY_MARKERS,
    PM_MEMORY_LEVELS,
    PM_MEMORY_ALL_LEVELS, /* in their place: levels that skip frames are posed */
    PM_MEMORY_LEVEL_JOINTS,
    PM_MEMORY_MASKS,
    PM_MEMORY_CROWD_LAYOUT,
    PM_MEMORY_ROTATIONS,
    PM_MEMORY_ROTATION_CONSTANTS,
    PM_MEMORY_POSITIONS,
    PM_MEMORY_SCALES,
    PM_MEMORY_POINTS,
    PM_MEMORY_HINGES,
    PM_MEMORY_CHAINS,
    PM_MEMORY_CHAIN_PATHS,
    PM_MEMORY_STAGES,
    PM_MEMORY_STAGE_JOINTS,
    /* of a clip that is built: arrays of its description (the incoming tangents may also be
     * rates that are found), times of segment borders, tables, and what kernels compute with */
    PM_MEMORY_GIVEN_KEYS,
    PM_MEMORY_TANGENTS_IN,
    PM_MEMORY_TANGENTS_OUT,
    PM_MEMORY_AXES,
    PM_MEMORY_BORDERS,
    PM_MEMORY_BUILD_TRACKS,
    PM_MEMORY_SIGNS,
    PM_MEMORY_SOLVER,
    PM_MEMORY_FAILURE,
    /* of a piece of instances; those that a job does not give are not read */
    PM_MEMORY_INSTANCES,
    PM_MEMORY_LAYERS,
    PM_MEMORY_RANGES,
    PM_MEMORY_LIST,
    PM_MEMORY_LIST_COUNT,
    PM_MEMORY_POSES,
    PM_MEMORY_PLACEMENTS,
    PM_MEMORY_GOALS,
    PM_MEMORY_TRANSITIONS, /* which captures write */
    PM_MEMORY_PLANTS,      /* which jobs also write */
    PM_MEMORY_HEIGHTS,
    PM_MEMORY_SPEEDS,
    /* the results: values or records; states of bodies have PM_BODY_OUTPUTS of them, points two */
    PM_MEMORY_RESULTS,
    PM_MEMORY_RESULTS_END = PM_MEMORY_RESULTS + PM_BODY_OUTPUTS - 1,
    PM_MEMORY_COUNT
} pm_memory;

/* Bytes that a backend copies to a device. */
typedef struct pm_source {
    const void *data; /* NULL: there are none, and no kernel reads them */
    size_t bytes;
    size_t room; /* of the memory, at least `bytes`, for what is added later; 0: `bytes` */
} pm_source;

/* The contents of a clip's memory; `channel` counts for keys, constants and layout. */
pm_source pm_clip_source(const pm_clip_data *clip, unsigned channel, pm_memory memory);

/* The contents of a crowd's memory; the joints and the stages are those of a set, whose stages are
 * given. */
pm_source pm_crowd_source(const pm_crowd_data *crowd, size_t set, const pm_stages *stages,
                          pm_memory memory);

/* The numbers among the arguments of all kernels, under the names of their parameters. */
typedef struct pm_step_numbers {
    pm_u64 values_offset; /* floats */
    pm_u32 plane_floats, row_floats, constant_floats;
    pm_u32 track_count, sample_count, value_count;
    pm_u32 taps; /* of a low-pass */
    pm_u32 run;  /* samples per work-item that walks */
    pm_u32 pairs, parent;
    pm_uniform_map map;
    /* crowds */
    pm_crowd_offsets offsets;
    pm_u64 records_offset, stride; /* bytes */
    pm_crowd_size size;
    pm_u32 per_group, slots;
    pm_u64 placements_offset, speeds_offset;          /* bytes */
    pm_u64 goals_offset, goal_stride, heights_offset; /* likewise */
    pm_u64 plants_offset, plant_stride;
    pm_height_grid grid;
    pm_u32 chain, flags, goal;
    pm_u32 root_positions;
    float duration, rate; /* of captures */
    pm_u32 has_placements, has_speeds, has_points, has_hinges;
    pm_body_targets targets;
    pm_build_job build;                                        /* of a clip that is built */
    pm_point_fields fields;                                    /* of points */
    pm_point_frame frame;                                      /* likewise */
    size_t shared_instances, shared_layers, shared_transforms; /* bytes of shared memory */
} pm_step_numbers;

/* A parameter of a kernel. */
typedef struct pm_parameter {
    pm_memory memory;      /* PM_MEMORY_NONE: one of the numbers */
    uint16_t offset, size; /* of the number in pm_step_numbers */
    bool is_shared;        /* the number is the size of shared memory */
} pm_parameter;

/* How work-items are divided into groups. */
typedef enum pm_grouping {
    PM_GROUPS_ANY,     /* groups of the largest size */
    PM_GROUPS_OF_ROWS, /* no larger than a row */
    PM_GROUPS_SHARED   /* of the largest size, for as many instances as occupy one */
} pm_grouping;

typedef struct pm_step {
    pm_variant variant;
    const pm_parameter *parameters; /* (parameter_count), in the kernel's order */
    size_t parameter_count;
    pm_step_numbers numbers;
    size_t items, rows; /* work-items of each dimension; rows 0: one dimension */
    pm_grouping grouping;
} pm_step;

/* The parameters of a kernel. Static storage. */
const pm_parameter *pm_parameters_of(const char *file, size_t *count);

/* The address of a parameter's number. */
const void *pm_step_number(const pm_step *step, const pm_parameter *parameter);

/* Work sizes in work-items. */
typedef struct pm_work_size {
    unsigned dimensions;
    size_t items[2], group[2];
} pm_work_size;

/* Maximum work-items per group. Neighbouring work-items compute neighbouring values. */
enum { PM_GROUP_ITEMS = 64 };

/* The smallest group of 8, 16, 32 and 64 work-items that holds `items`, limited to `max`. Few sizes,
 * because some drivers compile a kernel again for each. */
size_t pm_group_size(size_t items, size_t max);

/* The shared memory of crowd_workgroup and bodies_workgroup, in bytes per instance of a group, at most. */
size_t pm_shared_bytes(size_t slots, bool layered);

/* The maximum number of slots for which a work-group can pose one instance. */
size_t pm_max_slots(const pm_plan_device *device);

/* The work size of a step, for a kernel whose groups have at most `max_group` work-items. Sets the
 * numbers that depend on the groups. */
pm_work_size pm_step_fit(pm_step *step, const pm_plan_device *device, size_t max_group);

#endif
