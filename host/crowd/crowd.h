/* SPDX-License-Identifier: MIT
 *
 * A crowd inside the library: the tables of kernels/pm_crowd.h, and the clips' planes side by
 * side, kept on the host too, for the reference path.
 */
#ifndef PM_HOST_CROWD_H
#define PM_HOST_CROWD_H

#include "clip/clip.h"
#include "skeleton.h"

struct pm_crowd {
    pm_engine *engine;
    const pm_skeleton *skeleton;
    size_t clip_count;
    size_t padded_joints;
    bool per_joint; /* some clip has several timelines: rows are found by `layout` */
    /* Joints are tracks, in skeleton order; statics are those of all clips, one after another.
     * The channels' own layouts are not used. */
    pm_channel channels[PM_CHANNEL_COUNT];
    pm_track_layout *layout; /* (PM_CHANNEL_COUNT, clip_count, joints) where `apart` */
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
    const struct pm_instruction_set *set; /* the instruction set that poses on the host */
    struct pm_cl_crowd *device;           /* of an engine of an OpenCL device */
};

/* Whether some clip moves the joints of a group away from the rest pose. */
typedef enum pm_moved { PM_MOVED_NOT, PM_MOVED_PARTLY, PM_MOVED_WHOLE } pm_moved;

/* Fields of pm_crowd.rest, with how many follow: x y z, and of rotations w; and for each channel
 * whether some clip moves it, 1 or 0. */
enum {
    PM_REST_ROTATION = 0,
    PM_REST_POSITION = 4,
    PM_REST_SCALE = 7,
    PM_REST_UNSCALE = 10,
    PM_REST_MOVES = 13,
    PM_REST_FIELDS = 16
};

/* Floats that clips begin at multiples of, among their channels' keys: cache lines, and whole
 * groups of 48-bit keys. */
enum { PM_CLIP_ALIGNMENT = 64 };

/* The failure of a clip, with its number in front of what the error says. Returns `status`. */
pm_status pm_crowd_name_clip(size_t clip, pm_status status, pm_error *error);

/* Fills a crowd's clips, timelines and channels from clips that were built for it, joints in
 * the description's order. */
pm_status pm_crowd_lay_out(pm_crowd *crowd, pm_clip *const *clips, pm_error *error);

/* Ticks of a looped clip's period, at least 1, by which all its joints go round together: that of
 * uniform keys, which is exact, where there are any. 0 of an open clip. */
pm_u64 pm_crowd_loop_ticks(const pm_clip *clip);

/* The table row of a timeline, and its ticks, of a clip whose first key is at `first`, or an
 * earlier time, and whose pm_crowd_loop_ticks are `loop`; without its round. Listed key times, one
 * more than segments, are added to crowd->times, which has room. PM_ERROR_TIME when it is too
 * long. */
pm_status pm_crowd_add_timeline(pm_crowd *crowd, const pm_clip_timeline *timeline, double first,
                                pm_u64 loop, pm_error *error);

/* Bytes from an instance's records to the next one's. */
size_t pm_crowd_stride(const pm_crowd *crowd, pm_crowd_output output, size_t stride);

/* What of a call kernels are told. */
pm_crowd_size pm_crowd_size_of(const pm_crowd *crowd, uint64_t frame, size_t first, size_t count);

/* PM_OK when the clips' skeleton has what the output asks for. */
pm_status pm_crowd_check_output(const pm_crowd *crowd, pm_crowd_output output, pm_error *error);

/* Its name in the public header. */
const char *pm_crowd_output_name(pm_crowd_output output);

/* Checks an output and its stride, a multiple of the alignment, for at least one instance; *bytes is
 * how many there are from the first record's to the last one's end. */
pm_status pm_crowd_check_stride(const pm_crowd *crowd, pm_crowd_output output, size_t stride,
                                size_t alignment, size_t instances, size_t *bytes, pm_error *error);

/* Boundaries of what records of any kind are copied to. */
enum { PM_PREVIOUS_ALIGNMENT = 4 };

/* Checks that what an output held is not to be copied to itself: to the same memory or buffer. */
pm_status pm_crowd_check_previous(pm_crowd_output output, const void *memory, const void *previous,
                                  pm_error *error);

/* A checked job, on the reference path. */
pm_status pm_crowd_pose_on_reference(const pm_crowd *crowd, const pm_crowd_job *job,
                                     pm_error *error);

/* Whether an instance has its turn in a frame. */
bool pm_crowd_is_updated(const pm_crowd *crowd, const pm_crowd_instance *instance, size_t index,
                         uint64_t frame);

#endif
