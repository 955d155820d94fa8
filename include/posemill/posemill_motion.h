/* SPDX-License-Identifier: MIT
 *
 * Motion files: BVH, glTF, NPZ and CSV in one model. A pm_motion is what a file holds: nodes with
 * their rest pose, and clips of channels with the interpolation that they were authored with. It
 * gives the descriptions that pm_clip_create and pm_skeleton_create take.
 *
 * Conventions beyond those of posemill.h
 *   node         a joint, a bone, or any other thing with a transform
 *   channel      one property of a node that a clip animates, or a plain number of no node
 *   rotation     a unit quaternion x y z w here, whatever the file has
 *   name         bytes as found in the file, followed by a NUL that `size` does not count; they may
 *                be empty, repeated, or not UTF-8. Make control characters visible before printing
 *   file         every file is taken to be hostile: no input crashes, hangs, or is read out of
 *                bounds. A file that cannot be used is refused with PM_ERROR_FILE, and the message
 *                says where and what was expected
 */
#ifndef POSEMILL_MOTION_H
#define POSEMILL_MOTION_H

#include <posemill/posemill.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pm_motion_format {
    PM_MOTION_ANY = 0, /* by the name's extension, or by the first bytes where there is none */
    PM_MOTION_BVH,
    PM_MOTION_GLTF, /* JSON, with its binary data in it or beside it */
    PM_MOTION_GLB,
    PM_MOTION_NPZ,
    PM_MOTION_CSV,
    PM_MOTION_FORMAT_COUNT
} pm_motion_format;

/* What a channel animates. */
typedef enum pm_motion_path {
    PM_MOTION_ROTATION = 0, /* 4 numbers: a unit quaternion */
    PM_MOTION_TRANSLATION,  /* 3 numbers, in the file's unit of length */
    PM_MOTION_SCALE,        /* 3 numbers */
    PM_MOTION_WEIGHTS,      /* n numbers: of the node's morph targets */
    PM_MOTION_SCALAR,       /* n numbers of no known meaning, or the angles of a robot's joints */
    PM_MOTION_PATH_COUNT
} pm_motion_path;

/* How a channel was authored to be interpolated. Formats without interpolation have linear. */
typedef enum pm_motion_interpolation {
    PM_MOTION_LINEAR = 0, /* rotations: slerp, the shorter way */
    PM_MOTION_STEP,
    PM_MOTION_CUBICSPLINE, /* as in the appendix of glTF 2.0 */
    PM_MOTION_INTERPOLATION_COUNT
} pm_motion_interpolation;

typedef struct pm_motion_name {
    const char *text;
    size_t size;
} pm_motion_name;

typedef struct pm_motion_node {
    pm_motion_name name;
    int32_t parent; /* -1: a root. Parents may come after their children */
    /* The rest pose, relative to the parent. */
    double translation[3];
    double rotation[4];
    double scale[3];
} pm_motion_node;

typedef struct pm_motion_channel {
    int32_t node; /* -1: of no node */
    pm_motion_path path;
    pm_motion_interpolation interpolation;
    uint32_t components; /* numbers per key */
    uint32_t timeline;   /* index among the clip's timelines */
    pm_array keys;       /* (key_count, components), `stride` from key to key */
    pm_array in, out;    /* tangents of cubicspline, per second, like the keys; else data NULL */
    pm_motion_name name; /* of channels of no node, `trans` or `poses[3]`; else empty */
} pm_motion_channel;

typedef struct pm_motion_clip {
    pm_motion_name name;
    const pm_timeline *timelines; /* key times in seconds, of all channels that name them */
    size_t timeline_count;
    const pm_motion_channel *channels;
    size_t channel_count;
    pm_rational rate; /* of all keys where they are uniform from time 0; else 0/0 */
} pm_motion_clip;

/* What a mesh is bound to. */
typedef struct pm_motion_skin {
    pm_motion_name name;
    const uint32_t *joints; /* joint_count nodes */
    size_t joint_count;
    const float *inverse_binds; /* (joint_count, 12): rows of 3x4 matrices. NULL: none given */
} pm_motion_skin;

/* All pointers remain valid until the motion is destroyed. */
typedef struct pm_motion_content {
    pm_motion_format format;
    const char *layout; /* of arrays: the name of the layout; else "" */
    const pm_motion_node *nodes;
    size_t node_count; /* 0: a file without a skeleton */
    const pm_motion_clip *clips;
    size_t clip_count;
    const pm_motion_skin *skins;
    size_t skin_count;
} pm_motion_content;

/* A motion. Immutable: all threads may read it at once. */
typedef struct pm_motion pm_motion;

typedef struct pm_motion_read_options {
    pm_motion_format format; /* 0: found out */
    pm_rational
        source_rate;    /* of formats with uniform keys, instead of the file's. 0/0: the file's */
    const char *layout; /* NPZ: name of a layout, or a JSON file with one. NULL: found out */
    /* NPZ: a text file whose lines are a pattern of paths and a rate, `*SSM_synced/?* 60`; the first
     * pattern of the file's path, or of its last names, decides. NULL: none */
    const char *rates_file;
    bool strict;         /* true: what would be a warning about data that disagree is refused */
    bool hold_nan;       /* BVH: a value that is not finite takes that of the frame before */
    bool no_snap;        /* the frame time exactly as written: .0083333 is not 120 Hz */
    pm_log_function log; /* receives warnings, PM_LOG_WARNING, on the calling thread. NULL: none */
    void *log_user;
} pm_motion_read_options;

/* Reads a file, or standard input for "-". `options` may be NULL. Blocks. Thread-safe. */
PM_API pm_status pm_motion_open(const char *path, const pm_motion_read_options *options,
                                pm_motion **motion, pm_error *error);

/* The same for a file in memory, which must remain valid and unchanged until the motion is
 * destroyed. `name` is for messages. Data that a glTF file refers to by a relative path are read from
 * `folder`; NULL: such files are refused. */
PM_API pm_status pm_motion_parse(const void *data, size_t size, const char *name,
                                 const char *folder, const pm_motion_read_options *options,
                                 pm_motion **motion, pm_error *error);

/* Clears the handle; takes NULL. */
PM_API void pm_motion_destroy(pm_motion **motion);

/* What the motion holds; NULL for NULL. */
PM_API const pm_motion_content *pm_motion_get_content(const pm_motion *motion);

/* "bvh", "gltf", "glb", "npz", "csv". */
PM_API const char *pm_motion_format_name(pm_motion_format format);

#ifdef __cplusplus
}
#endif

#endif
