/* SPDX-License-Identifier: MIT
 *
 * Crowds: many instances of one skeleton, each at times of its own in clips of its own,
 * sampled, blended and walked down the hierarchy in one pass, and left as matrices that a
 * renderer skins with. The conventions of posemill.h hold; what runs on a caller's own OpenCL
 * queue and buffers is in posemill_cl.h, and docs/crowds.md tells the whole story.
 *
 *   joint        a bone of the skeleton; its local pose is rotation, position and scale
 *                relative to its parent, whose matrix is T R S
 *   matrix       3 rows of 4 float32: v' = M (v, 1)
 *   skeleton     joints in skeleton order, in which parents come before their children
 *   instance     32 bytes that say what one member of the crowd is doing
 *   tick         2^-32 s: times of instances are whole numbers of them, so that they are exact
 *                however long a crowd runs, and mean the same on devices without double
 */
#ifndef POSEMILL_CROWD_H
#define POSEMILL_CROWD_H

#include <posemill/posemill.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- skeletons ---------------------------------------------------------------- */

#define PM_SKELETON_MAX_JOINTS 32768

/* A level of detail. */
typedef struct pm_level {
    /* joint_count of them, in the description's order: not 0 for joints that are animated.
     * The others keep their rest pose, and so follow their parents. NULL: all are. */
    const uint8_t *joints;
    /* Instances are updated every so many frames; 0 or 1: every frame. Those that are not
     * keep what the outputs hold of them. Neighbours take turns: instance i is updated when
     * (frame + i / 16) is a multiple. Two targets that are written by turns would hold poses of
     * two ages then: use one, and its `previous` where the poses before are wanted. */
    uint32_t update_every;
} pm_level;

typedef struct pm_skeleton_desc {
    size_t joint_count;     /* 1 to PM_SKELETON_MAX_JOINTS */
    const int32_t *parents; /* joint_count of them, -1 of a root; in any order, no cycles */

    /* The rest pose, a row a joint. */
    pm_array rotations; /* (joint_count, 4), within 1e-3 of unit. data NULL: none turns */
    pm_array positions; /* (joint_count, 3), at most 1e6 in size. data NULL: 0 */
    pm_array scales;    /* (joint_count, 3), 1e-6 to 1e6 in size, of any sign. data NULL: 1 */

    /* (joint_count, 12): what takes a vertex from the mesh's space into that of the joint as
     * it was bound, a matrix, at most 1e6 in size. data NULL: the mesh was bound in the rest
     * pose. */
    pm_array inverse_binds;

    const pm_level *levels; /* from the finest on. NULL: one, of all joints, every frame */
    size_t level_count;     /* at most 255 */

    /* (mask_count, joint_count) weights in [0, 1] that multiply an instance's. NULL: none */
    const float *masks;
    size_t mask_count; /* at most 65534 */
} pm_skeleton_desc;

/* Immutable, so thread-safe. Holds nothing of its description. */
typedef struct pm_skeleton pm_skeleton;

/* PM_ERROR_ARGUMENT where a field cannot be used; pm_error.joint says of which joint. */
PM_API pm_status pm_skeleton_create(const pm_skeleton_desc *desc, pm_skeleton **skeleton,
                                    pm_error *error);

/* Clears the handle; takes NULL and a pointer to NULL. */
PM_API void pm_skeleton_destroy(pm_skeleton **skeleton);

PM_API size_t pm_skeleton_joint_count(const pm_skeleton *skeleton);

/* Skeleton order: joint k of all outputs is joint order[k] of the description, and of the
 * tracks of clips. It is the description's own where parents come first in that and no more
 * than 16 of them ever wait for children; else joints are put depth first. joint_count
 * numbers, valid as long as the skeleton. */
PM_API const uint32_t *pm_skeleton_order(const pm_skeleton *skeleton);

/* ---- crowds --------------------------------------------------------------------- */

typedef struct pm_crowd_desc {
    const pm_skeleton *skeleton; /* must outlive the crowd */
    /* Clips with a track a joint, in the order of the skeleton's description; of any length,
     * rate and timelines, open or looped. All have the same method, vector method and format
     * of keys, and rotations; what one has of positions and scales all have. Joints without
     * positions or scales keep those of the rest pose. A clip lasts at most 2^30 s. */
    const pm_clip_desc *clips;
    size_t clip_count; /* at least 1 */
} pm_crowd_desc;

/* Clips of one skeleton side by side on the device, with what is needed to pose instances.
 * Thread-safe. */
typedef struct pm_crowd pm_crowd;

/* Checks and builds all clips and uploads them. Blocks. The message of a refusal names the
 * clip. Engines over several devices are refused with PM_ERROR_ARGUMENT: an instance's
 * outputs lie in one device's memory, so that a crowd is of one; make one for each. */
PM_API pm_status pm_crowd_create(pm_engine *engine, const pm_crowd_desc *desc, pm_crowd **crowd,
                                 pm_error *error);

/* Clears the handle; takes NULL and a pointer to NULL. No job may be running. */
PM_API void pm_crowd_destroy(pm_crowd **crowd);

typedef struct pm_crowd_info {
    size_t joint_count;
    size_t clip_count;
    bool has_positions, has_scales;
    uint64_t device_bytes;
} pm_crowd_info;

PM_API void pm_crowd_get_info(const pm_crowd *crowd, pm_crowd_info *info);

/* Ticks of a clip, from the first key of any joint to the last of any, or of a loop's period; 0
 * when there is no such clip. */
PM_API int64_t pm_crowd_clip_ticks(const pm_crowd *crowd, size_t clip);

/* ---- instances ------------------------------------------------------------------- */

#define PM_TICKS_PER_SECOND 4294967296.0

/* To the nearest tick. NaN becomes 0, what is out of range the largest there is. */
PM_API int64_t pm_crowd_ticks(double seconds);

typedef enum pm_crowd_flag {
    PM_CROWD_CLAMP_A = 1,  /* time A stops at the clip's ends; else it goes round */
    PM_CROWD_CLAMP_B = 2,  /* likewise time B */
    PM_CROWD_ADDITIVE = 4, /* B is laid on top of A, by how it differs from the rest pose */
    PM_CROWD_IN_PLACE = 8  /* joint 0 keeps its rest pose: see pm_crowd_root_motion */
} pm_crowd_flag;

/* What one member of the crowd is doing; zero: clip 0 at its beginning. Any 32 bytes can be
 * posed, by these rules: a clip that does not exist shows the rest pose, as A, and counts for
 * nothing, as B; a weight is put into [0, 1], NaN to 0; a mask that does not exist is none; a
 * level beyond the last is the last; flags that have no name are ignored. */
typedef struct pm_crowd_instance {
    /* Ticks since clip A's first key, which is the first of any joint; before it where negative.
     * Joints of an open clip whose keys begin later wait for them; those of a loop are in the lap
     * before. */
    int64_t time_a;
    int64_t time_b;
    uint32_t clip_a;
    uint32_t clip_b;
    float weight;  /* of B: 0 shows A alone, and B is not looked at */
    uint16_t mask; /* 0: none; else masks[mask - 1] */
    uint8_t level; /* of detail */
    uint8_t flags; /* of pm_crowd_flag */
} pm_crowd_instance;

/* PM_OK when all instances name clips, masks, levels and flags that exist and weights in
 * [0, 1]; else pm_error.instance is the first that does not. Clip B is not asked about where the
 * weight is 0. Posing asks no such thing. */
PM_API pm_status pm_crowd_check_instances(const pm_crowd *crowd, const pm_crowd_instance *instances,
                                          size_t count, pm_error *error);

/* ---- posing ------------------------------------------------------------------------ */

/* What a joint's record is. Joints lie in skeleton order. */
typedef enum pm_crowd_output {
    PM_CROWD_PALETTE = 0,  /* 12 float32: the joint's matrix in model space times its inverse
                              bind matrix */
    PM_CROWD_PALETTE_HALF, /* 12 float16: likewise, rounded to nearest even */
    PM_CROWD_DUAL,         /* 8 float32: the same rigid motion as a dual quaternion, real part
                              x y z w and dual part x y z w, of either sign. Scales are left
                              out; inverse binds must be rigid within 1e-3 */
    PM_CROWD_MODEL,        /* 12 float32: the joint's matrix in model space */
    PM_CROWD_LOCAL,        /* 12 float32: rotation x y z w, of either sign, position x y z 0,
                              scale x y z 0, relative to the parent */
    PM_CROWD_OUTPUT_COUNT
} pm_crowd_output;

/* Bytes of a joint's record; 0 when there is no such output. */
PM_API size_t pm_crowd_record_bytes(pm_crowd_output output);

/* Where an output goes in host memory. Both addresses, and the stride, are multiples of 4. */
typedef struct pm_crowd_target {
    void *memory;  /* NULL: not wanted. Instance i's records begin i strides in */
    size_t stride; /* bytes, at least joint_count records. 0: just those */
    /* NULL, or other memory where what `memory` held is copied first: the poses before these, for
     * motion vectors. Whoever has two targets to write by turns need not copy. */
    void *previous;
} pm_crowd_target;

typedef struct pm_crowd_job {
    const pm_crowd_instance *instances;
    size_t instance_count; /* 0: nothing to do */
    uint64_t frame;        /* counts frames, for levels that are not updated in each */
    pm_crowd_target outputs[PM_CROWD_OUTPUT_COUNT];
    bool on_reference; /* pose on the CPU reference path instead of the device */
    /* Most threads that the reference path spreads the job over, the caller's among them. 1: the
     * calling thread alone. 0: as many as the engine may use. */
    uint32_t host_threads;
} pm_crowd_job;

/* Poses into host memory. Blocks. Work larger than the device is done in
 * pieces. A job that wants no output is refused. On failure the contents of the outputs are
 * undefined. */
PM_API pm_status pm_crowd_pose(pm_crowd *crowd, const pm_crowd_job *job, pm_error *error);

/* One instance on the calling thread, from the crowd's copy on the host: joint_count records
 * into `records`, with the bits that the device gives where it gives the reference's
 * (pm_engine_self_check). Levels count for which joints they have; it is always updated. Takes up
 * to 80 KiB of the thread's stack, and memory only for matrices of more than 512 joints. */
PM_API pm_status pm_crowd_pose_one(const pm_crowd *crowd, const pm_crowd_instance *instance,
                                   pm_crowd_output output, void *records, pm_error *error);

/* How far and whereto joint 0, the first root, moves: its pose at the second time in the
 * frame of its pose at the first, so that an actor who stands at W then stands at
 * W T. Position x y z 0, rotation x y z w. */
typedef struct pm_root_motion {
    float rotation[4];
    float position[4];
} pm_root_motion;

/* The travel of each instance from time_a and time_b of before[i] to those of after[i],
 * whose other fields count: forward or back, over any number of rounds, each of which goes on
 * from where the one before ended. Travels of A and B are mixed as poses are; an additive B
 * adds nothing. Clips that clamp stop. Host memory; spread over the engine's host threads. */
PM_API pm_status pm_crowd_root_motion(const pm_crowd *crowd, const pm_crowd_instance *before,
                                      const pm_crowd_instance *after, size_t count,
                                      pm_root_motion *motions, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
