/* SPDX-License-Identifier: MIT
 *
 * The door of this room: skeletons, and the clips of a crowd side by side in the tables of
 * kernels/pm_crowd.h. Also the rules of instances and outputs, and root motion. Needs no engine and
 * no device.
 */
#ifndef PM_HOST_CROWD_H
#define PM_HOST_CROWD_H

#include "clip/clip.h"
#include "outputs.h"
#include "skeleton.h"

/* Immutable once built. */
typedef struct pm_crowd_data {
    const pm_skeleton *skeleton; /* borrowed */
    size_t clip_count;
    size_t padded_joints;
    bool per_joint; /* some clip has several timelines: keys are found by `layout` */
    /* Joints are tracks, in skeleton order; constants are those of all clips, one after another.
     * The channels' own layouts are not used. */
    pm_channel channels[PM_CHANNEL_COUNT];
    pm_track_layout *layout; /* (PM_CHANNEL_COUNT, clip_count, joints) where `per_joint` */
    size_t layout_rows;      /* at least 1 */
    pm_joint *joints;
    bool scaled;  /* whether some joint is */
    float *rest;  /* the joints' numbers as the host reads them: (PM_REST_FIELDS, padded_joints) */
    float *binds; /* (padded_joints, 12): the inverse bind matrices */
    pm_u8 *moved; /* (PM_CHANNEL_COUNT, padded_joints / PM_TRACK_GROUP): pm_moved */
    pm_clip_layout *clips;
    pm_crowd_timeline *timelines;
    size_t timeline_count;
    pm_u64 *times;
    size_t time_count;
    int64_t *clip_ticks;
} pm_crowd_data;

/* Whether some clip moves the joints of a group away from the rest pose. */
typedef enum pm_moved { PM_MOVED_NOT, PM_MOVED_PARTLY, PM_MOVED_WHOLE } pm_moved;

/* Fields of pm_crowd_data.rest, with how many follow: x y z, and of rotations w; and for each
 * channel whether some clip moves it, 1 or 0. */
enum {
    PM_REST_ROTATION = 0,
    PM_REST_POSITION = 4,
    PM_REST_SCALE = 7,
    PM_REST_UNSCALE = 10,
    PM_REST_MOVES = 13,
    PM_REST_FIELDS = 16
};

/* Checks the clips, builds each with `threads` threads of the host, and lays them out. Free with
 * pm_crowd_data_free. */
pm_status pm_crowd_data_build(const pm_crowd_desc *desc, size_t threads, pm_crowd_data **crowd,
                              pm_error *error);

/* Clears the pointer; takes a pointer to NULL. */
void pm_crowd_data_free(pm_crowd_data **crowd);

/* What kernels are told of a call: `count` instances, the first of which is number `first`. */
pm_crowd_size pm_crowd_size_of(const pm_crowd_data *crowd, uint64_t frame, size_t first,
                               size_t count);

/* PM_OK when all instances name what exists: see pm_crowd_check_instances. */
pm_status pm_instances_check(const pm_crowd_data *crowd, const pm_crowd_instance *instances,
                             size_t count, pm_error *error);

/* An instance with its bad numbers put right, by the kernels' rules. */
pm_resolved pm_instance_resolved(const pm_crowd_data *crowd, const pm_crowd_instance *instance);

/* Whether instance number `index` has its turn in a frame. */
bool pm_instance_is_update_due(const pm_crowd_data *crowd, const pm_crowd_instance *instance,
                               size_t index, uint64_t frame);

/* The pose of joint 0 in a clip at a time: rotation x y z w and position, as a backend that samples
 * on the host gives them. */
typedef void (*pm_root_pose_function)(const pm_crowd_data *crowd, const pm_input *input,
                                      float rotation[4], float position[3]);

/* The root motion of `count` instances: see pm_crowd_root_motion. Checked arguments. */
void pm_root_motions_find(const pm_crowd_data *crowd, pm_root_pose_function root_pose,
                          size_t threads, const pm_crowd_instance *before,
                          const pm_crowd_instance *after, size_t count, pm_root_motion *motions);

#endif
