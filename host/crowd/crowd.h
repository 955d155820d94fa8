/* SPDX-License-Identifier: MIT
 *
 * The door of this room: skeletons, and the clips of a crowd merged into the tables of
 * kernels/pm_crowd.h. Also the rules for instances and outputs, root motion, and markers.
 * Independent of engines and devices.
 */
#ifndef PM_HOST_CROWD_H
#define PM_HOST_CROWD_H

#include <stdatomic.h>

#include "clip/clip.h"
#include "kernels/pm_body.h"
#include "outputs.h"
#include "skeleton.h"
#include "stages.h"

/* A set of joints as kernels and the host pose it. */
typedef struct pm_posed_set {
    pm_joint *joints; /* (count of the skeleton's set) in skeleton order, with their records */
    pm_u8 *moved;     /* (PM_CHANNEL_COUNT, padded_joints / PM_TRACK_GROUP): pm_moved, and
                         PM_MOVED_NOT for groups without a joint of the set */
} pm_posed_set;

/* The tables that grow with a crowd's clips. Each clip has a part of each: some neighbouring rows. */
typedef enum pm_table {
    PM_TABLE_KEYS = 0, /* numbers of rotations, then those of positions and of scales */
    PM_TABLE_CONSTANTS = PM_TABLE_KEYS + PM_CHANNEL_COUNT,
    PM_TABLE_LAYOUT,
    PM_TABLE_TIMELINES, /* clips may share one */
    PM_TABLE_RATES,     /* the same rows as timelines */
    PM_TABLE_TIMES,
    PM_TABLE_MARKERS,
    PM_TABLE_COUNT
} pm_table;

/* The memory of a table. Versions of a crowd share it: a later one writes only behind the rows that
 * earlier ones have. */
typedef struct pm_table_memory {
    atomic_size_t holders;
    size_t room; /* rows */
    pm_pool_block *block;
} pm_table_memory;

typedef struct pm_growing_table {
    pm_table_memory *memory;
    size_t used; /* rows, those of removed clips included */
} pm_growing_table;

/* What the host alone knows of a clip. All but `removal` and `per_joint` 0: it was removed. */
typedef struct pm_clip_row {
    bool
        per_joint; /* the joints of the clip that pm_clip_layout names have timelines of their own */
    uint64_t removal; /* its number among all removals of the crowd, from 1; 0: none */
    int64_t ticks;    /* period of a loop, else the duration */
    size_t begin[PM_TABLE_COUNT], count[PM_TABLE_COUNT]; /* its part of each table */
} pm_clip_row;

/* What clips of a crowd have in common, because the same kernels evaluate them. */
typedef struct pm_clip_kind {
    pm_method method;
    pm_curve_id vector_curve;
    pm_key_format key_format;
    bool has_positions, has_scales, root_positions, root_rotations;
} pm_clip_kind;

/* A version of a crowd: clips that are added or removed make a new one. Immutable once built, so that threads
 * may share it. Owns its arrays, and shares the memory of tables with other versions. */
typedef struct pm_crowd_data {
    const pm_host *host;         /* of its memory and its calls: borrowed */
    pm_host within;              /* the same without progress, for its clips */
    const pm_skeleton *skeleton; /* borrowed: outlives the crowd */
    size_t clip_count;           /* rows of `clips`, those of removed clips included */
    uint64_t removals;           /* of clips, in all versions */
    size_t padded_joints;        /* joint_count, rounded up to a multiple of PM_TRACK_GROUP */
    bool per_joint; /* some clip had several timelines: kernels find keys by `layout` */
    pm_clip_kind kind;
    pm_growing_table tables[PM_TABLE_COUNT];
    /* The tracks are the joints in skeleton order. `keys` and `constants` hold all clips, one after
     * another. The channels' own layouts are not used. */
    pm_channel channels[PM_CHANNEL_COUNT];
    pm_track_layout *layout; /* where `per_joint`: see pm_clip_layout */
    pm_crowd_timeline *timelines;
    pm_timeline_rate *rates;
    pm_key_time *times;       /* listed key times of all timelines */
    pm_crowd_marker *markers; /* NULL: none */
    pm_clip_layout *clips;    /* (clip_count) */
    pm_clip_row *rows;        /* (clip_count) */
    pm_joint *joints;         /* (joint_count): those of set 0 */
    bool scaled;              /* whether any joint is scaled */
    float *rest;  /* (PM_REST_FIELDS, padded_joints): the joints' values for the host's vectors */
    float *binds; /* (padded_joints, 12): the inverse bind matrices */
    pm_posed_set *sets;     /* (skeleton->set_count) */
    size_t instruction_set; /* the widest supported: padded joints always fill its lanes */
    atomic_size_t holders;  /* beside the owner */
} pm_crowd_data;

/* Bytes of some rows of a table, of the table's memory at most. */
size_t pm_table_bytes(const pm_crowd_data *crowd, pm_table table, size_t rows);

static inline bool pm_is_per_joint(const pm_crowd_data *crowd, size_t clip) {
    return crowd->rows[clip].per_joint;
}

static inline bool pm_crowd_has_clip(const pm_crowd_data *crowd, size_t clip) {
    return clip < crowd->clip_count && crowd->clips[clip].exists;
}

/* Whether any clip moves the joints of a group away from the rest pose: no joint, some joints, or
 * all of them. */
typedef enum pm_moved { PM_MOVED_NOT, PM_MOVED_PARTLY, PM_MOVED_WHOLE } pm_moved;

/* Rows of pm_crowd_data.rest: x y z w of the rotation, x y z of the position, the scale and one
 * over the scale, and for each channel 1 where some clip moves it, else 0. */
enum {
    PM_REST_ROTATION = 0,
    PM_REST_POSITION = 4,
    PM_REST_SCALE = 7,
    PM_REST_UNSCALE = 10,
    PM_REST_MOVES = 13,
    PM_REST_FIELDS = 16
};

/* Checks the clips, and builds them into the crowd's planes with up to `threads` host threads. The
 * skeleton must outlive the crowd. The caller owns the crowd; free it with pm_crowd_data_free.
 * Thread-safe. */
pm_status pm_crowd_data_build(const pm_host *host, const pm_crowd_desc *desc, size_t threads,
                              pm_crowd_data **crowd, pm_error *error);

/* Clips to add, and the numbers of clips to remove. */
typedef struct pm_crowd_edit {
    const pm_clip_desc *clips;       /* (clip_count) */
    const pm_crowd_markers *markers; /* likewise; NULL: none */
    size_t clip_count;
    size_t spare_clips; /* of a new crowd, as in its description */
    const uint32_t *removed;
    size_t removed_count;
} pm_crowd_edit;

/* Makes the next version of a crowd, which is the latest one so far. ids[i] receives the number of clip i: the
 * least that no clip has. On failure `before` remains the latest version. One thread at a time. */
pm_status pm_crowd_data_change(const pm_crowd_data *before, const pm_crowd_edit *edit,
                               size_t threads, pm_crowd_data **crowd, uint32_t *ids,
                               pm_error *error);

/* Makes a version and its skeleton stay until it is let go, also where their owners free them before; all but the
 * `host` may then be read. pm_crowd_data_let accepts NULL. Thread-safe. */
void pm_crowd_data_hold(const pm_crowd_data *crowd);
void pm_crowd_data_let(const pm_crowd_data *crowd);

/* Frees the crowd, unless it is held, and clears the pointer; accepts a pointer to NULL. */
void pm_crowd_data_free(pm_crowd_data **crowd);

/* The kernels' size argument for `count` instances that begin with instance number `first`: all of
 * them, without layers. `set` is the number of the joints' set. */
pm_crowd_size pm_crowd_size_of(const pm_crowd_data *crowd, size_t set, uint64_t frame, size_t first,
                               size_t count);

/* Bytes of the state of an instance's transition: see pm_crowd_transition_bytes. */
size_t pm_transition_state_bytes(const pm_crowd_data *crowd);

/* PM_OK when every field of the instances is valid: see pm_crowd_check_instances. */
pm_status pm_instances_check(const pm_crowd_data *crowd, const pm_crowd_instance *instances,
                             size_t count, pm_error *error);

/* PM_OK when every field of the layers is valid: see pm_crowd_check_layers. */
pm_status pm_layers_check(const pm_crowd_data *crowd, const pm_crowd_layer *layers, size_t count,
                          pm_error *error);

/* An instance with invalid fields corrected by the kernels' rules. It is inline, so that the result
 * stays in registers: the cost of memory shows when small instances are posed one by one. */
static inline pm_resolved pm_instance_resolved(const pm_crowd_data *crowd,
                                               const pm_crowd_instance *instance) {
    const pm_instance same = {.time_a = instance->time_a,
                              .time_b = instance->time_b,
                              .clip_a = instance->clip_a,
                              .clip_b = instance->clip_b,
                              .weight = instance->weight,
                              .mask = instance->mask,
                              .level = instance->level,
                              .flags = instance->flags};
    return pm_instance_resolve(same, crowd->clips, (pm_u32)crowd->clip_count,
                               (pm_u32)crowd->skeleton->mask_count,
                               (pm_u32)crowd->skeleton->level_count);
}

/* A layer with invalid fields corrected, likewise. */
static inline pm_input pm_layer_resolved(const pm_crowd_data *crowd, const pm_crowd_layer *layer) {
    const pm_layer same = {layer->time, layer->clip,  layer->weight,  layer->mask,
                           layer->op,   layer->flags, layer->reserved};
    return pm_layer_resolve(same, crowd->clips, (pm_u32)crowd->clip_count,
                            (pm_u32)crowd->skeleton->mask_count);
}

/* Writes the pose of joint 0 in a clip at a time: rotation x y z w and position, sampled on the
 * host. Thread-safe. */
typedef void (*pm_root_pose_function)(const pm_crowd_data *crowd, const pm_input *input,
                                      float rotation[4], float position[3]);

/* Root motion of instances from one set of times to the next. */
typedef struct pm_root_job {
    const pm_crowd_data *crowd;
    pm_root_pose_function root_pose;
    const pm_crowd_instance *before, *after;
    size_t instance_count, count;
    const uint32_t *indices; /* (count); those that do not exist are skipped. NULL: all instances */
    const void *states; /* of transitions, `stride` bytes each, at these two times; NULL: none */
    size_t stride;
    int64_t times[2];
    pm_root_motion *motions; /* (count) */
} pm_root_job;

/* Computes the motions with up to `threads` threads: see pm_crowd_root_motion. The arguments are checked by the caller. */
void pm_root_motions_find(const pm_root_job *job, size_t threads);

/* Writes into a state of a transition how much faster the root was before a change than after it: `seconds` is the time
 * of both motions. */
void pm_root_put_rates(const pm_root_motion *before, const pm_root_motion *after, double seconds,
                       unsigned char *state);

/* Finds the markers that `count` instances pass, with up to `threads` threads: see pm_crowd_events.
 * The arguments are checked by the caller. */
pm_status pm_events_find(const pm_crowd_data *crowd, size_t threads,
                         const pm_crowd_instance *before, const pm_crowd_instance *after,
                         size_t count, pm_crowd_event *events, size_t capacity, size_t *event_count,
                         pm_error *error);

/* See pm_crowd_synced_time; checks that the clips exist. Thread-safe. */
pm_status pm_synced_time_find(const pm_crowd_data *crowd, size_t clip, int64_t time, size_t other,
                              int64_t *synced, pm_error *error);

#endif
