/* SPDX-License-Identifier: MIT
 *
 * Crowds: many instances of one skeleton, each with its own clips and times, sampled, blended and
 * composed along the joint hierarchy in one pass, with matrices for a renderer's skinning as the
 * result. The conventions of posemill.h apply. Jobs on a caller's own OpenCL queue and buffers are
 * in posemill_cl.h; docs/crowds.md is the guide.
 *
 *   joint        a bone of the skeleton; its local pose is rotation, position and scale
 *                relative to its parent, with the matrix T R S
 *   matrix       3 rows of 4 float32: v' = M (v, 1)
 *   skeleton     joints in skeleton order, in which parents precede their children
 *   instance     32 bytes that describe the present state of one member of the crowd
 *   layer        24 bytes: a clip at a time that is blended onto an instance's pose
 *   subset       some joints of a skeleton, in an order of the caller's
 *   chain        joints that inverse kinematics moves, so that one of them comes to a goal
 *   tick         2^-32 s: the times of instances are integer numbers of ticks after the first key of
 *                a clip, which are exact however long a crowd runs, and equal on devices without double
 */
#ifndef POSEMILL_CROWD_H
#define POSEMILL_CROWD_H

#include <posemill/posemill.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- skeletons ---------------------------------------------------------------- */

#define PM_SKELETON_MAX_JOINTS 32768

#define PM_NO_MASK 0    /* the mask of an instance or a layer that has none */
#define PM_ALL_JOINTS 0 /* the subset of a target that takes all joints */

/* A list of joints, for targets that take the records of some joints alone. */
typedef struct pm_subset {
    const uint32_t *joints; /* indices of the description's joints, each at most once */
    size_t joint_count;     /* at least 1 */

    const void *next; /* must be NULL */
} pm_subset;

/* A level of detail. */
typedef struct pm_level {
    /* joint_count values in the description's order: non-zero for joints that are animated. The
     * others keep their rest pose relative to their parents. NULL: all are animated. */
    const uint8_t *joints;
    /* Number of frames from one update of an instance to the next; 0 or 1: every frame. In other
     * frames the outputs keep the instance's records. Updates are staggered over neighbours:
     * instance i is updated when (frame + i / 16) is a multiple. Two targets that are written
     * alternately would hold poses of different ages: use a single target, with `previous` where
     * the previous poses are needed. */
    uint32_t update_every;

    const void *next; /* must be NULL */
} pm_level;

/* A joint that turns about one axis by an angle, as those of robots do: its rotation relative to its
 * parent is that of the rest pose times a turn of (angle - reference) about the axis. */
typedef struct pm_hinge {
    uint32_t joint;
    float axis[3];   /* in the joint's frame, norm within 1e-3 of 1 */
    float reference; /* rad, of magnitude at most 1e4: the angle of the rest pose */
} pm_hinge;

typedef enum pm_chain_kind {
    PM_CHAIN_TWO_BONES =
        0,         /* a leg or an arm: the upper and the lower turn until the end is at the goal */
    PM_CHAIN_AIM,  /* joints that share a turn towards the goal: eyes, a head, a spine */
    PM_CHAIN_PIN,  /* the root is moved so that a joint is at the goal */
    PM_CHAIN_STAND /* the pelvis moves along up, and legs bend, until feet stand on the ground */
} pm_chain_kind;

/* Joints that a job's goals change, after layers and before the hierarchy; docs/crowds.md has the formulas. Between
 * the joints of a chain there may be others, which keep their local poses. Scales of the chain's joints, and for aims
 * and pins of joints above them, are equal on all axes and positive; otherwise goals are missed. */
typedef struct pm_chain {
    pm_chain_kind kind;
    /* Each one below the one before it. Two bones: upper, lower and end. An aim: up to 8 that turn; the last one looks.
     * A pin: the one that comes to the goal. What stands: the pelvis, and the ends of 1 to 8 chains of two bones
     * whose uppers are below it. */
    const uint32_t *joints;
    size_t joint_count;
    /* Two bones: the axis about which the lower turns where a pose is straight, in the frame of the lower's parent;
     * positive turns bend. 0 0 0: that of the rest pose, which must be bent by 2 to 178 degrees. An aim: up, in the
     * frame of the last joint. What stands: up of the model or, with PM_CHAIN_IN_WORLD, of the world: 0 1 0 or
     * 0 0 1. */
    float axis[3];
    float forward[3]; /* of an aim, in the frame of the last joint */
    const float
        *shares; /* of an aim: (joint_count), at least 0, the last one above 0. NULL: equal */
    /* Two bones: the part of the limb's length up to which goals are reached exactly, in (0, 1); 0: 0.97. An aim: the
     * greatest turn in rad, in (0, pi]; 0: any. */
    float limit;
    /* Of what stands: (joint_count - 1, 2) ids of markers at which each foot begins to touch the ground, and leaves it;
     * both differ. Jobs with `plants` hold feet in between. NULL: none */
    const uint32_t *contacts;

    const void *next; /* must be NULL */
} pm_chain;

typedef struct pm_skeleton_desc {
    size_t joint_count; /* 1 to PM_SKELETON_MAX_JOINTS */
    const int32_t
        *parents; /* joint_count of them, PM_NO_PARENT for a root; in any order, no cycles */

    /* The rest pose, one row per joint. */
    pm_array rotations; /* (joint_count, 4), norm within 1e-3 of 1. data NULL: no rotation */
    pm_array positions; /* (joint_count, 3), magnitude at most 1e6. data NULL: 0 */
    pm_array scales;    /* (joint_count, 3), magnitude 1e-6 to 1e6, any sign. data NULL: 1 */

    /* (joint_count, 12): inverse bind matrices, which transform a vertex from the mesh's space into
     * the space of the joint in the bind pose; values of magnitude at most 1e6. data NULL: the mesh
     * was bound in the rest pose. */
    pm_array inverse_binds;

    const pm_level *levels; /* from finest to coarsest. NULL: one, all joints, every frame */
    size_t level_count;     /* at most 255 */

    /* (mask_count, joint_count) weights in [0, 1] that multiply an instance's weight; below 2^-60
     * they count as 0. NULL: none */
    const float *masks;
    size_t mask_count; /* at most 65534 */

    const pm_subset *subsets; /* NULL: none */
    size_t subset_count;      /* at most 65534 */

    /* joint_count radii in [0, 1e6]: a sphere about each joint, in the joint's own frame, that
     * PM_CROWD_BOUNDS encloses. Scales of the joint and of those above it apply: below a scale of 0.01
     * a radius of 10 is 0.1 in model space. NULL: all 0 */
    const float *radii;

    /* (joint_count, 3): a point of each joint in its own frame, such as its centre of mass; magnitude at
     * most 1e6. data NULL: none */
    pm_array points;

    /* hinge_count of them, of different joints. Clips have an angle of each, in this order: `scalars` of
     * pm_clip_desc; rotations of a hinge in clips have no effect. Crowds of such skeletons have states of
     * bodies alone. NULL: none */
    const pm_hinge *hinges;
    size_t hinge_count;

    const pm_chain *chains; /* NULL: none */
    size_t chain_count;     /* at most 65535 */

    pm_host host;     /* memory alone is used: that of the skeleton */
    const void *next; /* must be NULL */
} pm_skeleton_desc;

/* Immutable, therefore thread-safe. Keeps no pointer into its description. */
typedef struct pm_skeleton pm_skeleton;

/* PM_ERROR_ARGUMENT when a field is unusable; pm_error.joint is the joint's index. */
PM_API pm_status pm_skeleton_create(const pm_skeleton_desc *desc, pm_skeleton **skeleton,
                                    pm_error *error);

/* Clears the handle; accepts NULL and a pointer to NULL. */
PM_API void pm_skeleton_destroy(pm_skeleton **skeleton);

PM_API size_t pm_skeleton_joint_count(const pm_skeleton *skeleton);

/* Skeleton order: joint k of all outputs is joint order[k] of the description and of the tracks of
 * clips. It equals the description's order when parents come first there and at most 16 joints are
 * ever waiting for a later child; otherwise joints are reordered depth first. joint_count numbers,
 * valid until the skeleton is destroyed. */
PM_API const uint32_t *pm_skeleton_order(const pm_skeleton *skeleton);

/* The inverse: joint j of the description is joint slots[j] of all outputs. joint_count numbers,
 * valid until the skeleton is destroyed. */
PM_API const uint32_t *pm_skeleton_slots(const pm_skeleton *skeleton);

/* ---- crowds --------------------------------------------------------------------- */

/* Markers with smaller ids are events; markers with this id or a greater one are sync marks. */
#define PM_CROWD_FIRST_SYNC_ID 65536

/* A time of a clip with a meaning that the application gives to its id, for example that a foot
 * touches the ground. */
typedef struct pm_crowd_marker {
    /* Ticks since the first key of any joint in the clip: 0 to pm_crowd_clip_ticks. In a clip that
     * wraps around, its end is the time at which the next round begins. */
    int64_t tick;
    uint32_t id;
    uint32_t reserved; /* must be 0 */
} pm_crowd_marker;

/* The markers of a clip. */
typedef struct pm_crowd_markers {
    const pm_crowd_marker *markers; /* in ascending order of their ticks, which may be equal */
    size_t count;                   /* below 2^32 */

    const void *next; /* must be NULL */
} pm_crowd_markers;

typedef struct pm_crowd_desc {
    const pm_skeleton *skeleton; /* must outlive the crowd */
    /* Clips with one track per joint, in the order of the skeleton's description. They have any
     * length, rate and number of timelines, and are open or looped. All have rotations, and the
     * same method, vector method and key format; either all or none have positions, and likewise
     * scales. Joints without positions or scales keep those of the rest pose. With root_positions,
     * which all clips have or none, this is true of the positions of all joints but the first root;
     * skeletons with hinges require them, and `scalars`. A clip lasts at most 2^30 s. */
    const pm_clip_desc *clips;
    size_t clip_count; /* at least 1 */
    /* clip_count of them, for pm_crowd_events and pm_crowd_synced_time. Ticks that are out of range
     * or do not ascend are refused with PM_ERROR_TIME, and the message names the clip and the
     * marker. NULL: no clip has markers. */
    const pm_crowd_markers *markers;
    /* Room for so many more clips, as large as these are on average, so that pm_crowd_add_clips need not copy those
     * that there are. 0: none */
    size_t spare_clips;

    const void *next; /* must be NULL */
} pm_crowd_desc;

/* The clips of one skeleton on the device, with the tables for posing instances. Thread-safe. Keeps
 * no pointer into its description except the skeleton. */
typedef struct pm_crowd pm_crowd;

/* Validates, builds and uploads all clips. Blocks. The message of a refusal names the clip. Engines
 * over several devices are refused with PM_ERROR_ARGUMENT, because an instance's outputs are in one
 * device's memory: create one crowd per device. */
PM_API pm_status pm_crowd_create(pm_engine *engine, const pm_crowd_desc *desc, pm_crowd **crowd,
                                 pm_error *error);

/* Clears the handle; accepts NULL and a pointer to NULL. No call may be in progress with the crowd.
 * Work on callers' queues completes; the driver keeps the crowd's device memory until then. Waits
 * until enqueued commands have read the copies of instances that were in host memory, and therefore
 * for the events that these commands wait for. */
PM_API void pm_crowd_destroy(pm_crowd **crowd);

/* So many clips are removed after one before its number is used again. */
#define PM_CROWD_REUSE_AFTER 256

/* Adds clips while other threads pose. `clips` and `markers` (NULL: none has markers) have `count` elements, as in
 * pm_crowd_desc; method, vector method, key format and channels are those of the crowd's clips, timelines are any.
 * ids[i] receives the number of clip i, for instances and layers: the least that no clip has or had, or that of a clip
 * after which PM_CROWD_REUSE_AFTER others were removed. Numbers of other clips stay.
 *
 * Takes as long as building these clips; if there is no room for them, all clips are copied, too. A call in progress,
 * and commands that a call has enqueued, use the clips that were there when it began. A joint that some clip has
 * moved is sampled from then on where other clips keep it at rest, too, which changes no bits but those of blends.
 *
 * Blocks; posing does not wait for it, and other changes do. On failure the crowd is as it was, and the contents of
 * ids are undefined. Messages name a clip by its place in `clips`. Thread-safe. */
PM_API pm_status pm_crowd_add_clips(pm_crowd *crowd, const pm_clip_desc *clips,
                                    const pm_crowd_markers *markers, size_t count, uint32_t *ids,
                                    pm_error *error);

/* Removes clips by their numbers, each listed once; at least one clip must be left. Otherwise as
 * pm_crowd_add_clips. Instances and layers that show a removed clip are corrected as those of a clip that does not
 * exist, and pm_crowd_check_instances names them, until its number is used again. Its memory is free for clips that
 * are added later. PM_ERROR_ARGUMENT when no clip has a number; then all clips stay. */
PM_API pm_status pm_crowd_remove_clips(pm_crowd *crowd, const uint32_t *ids, size_t count,
                                       pm_error *error);

typedef struct pm_crowd_info {
    size_t joint_count;
    size_t clip_count; /* numbers of clips are below it; some may be those of removed clips */
    bool has_positions, has_scales;
    /* Of clips and joints, without small tables and without room for further clips; with what removed clips
     * left, until the others move. */
    uint64_t device_bytes;

    const void *next; /* NULL */
} pm_crowd_info;

PM_API void pm_crowd_get_info(const pm_crowd *crowd, pm_crowd_info *info);

/* Duration of a clip in ticks: from the first key of any joint to the last key of any joint, or the
 * period of a loop; 0 when the clip does not exist, or was removed. */
PM_API int64_t pm_crowd_clip_ticks(const pm_crowd *crowd, size_t clip);

/* ---- instances ------------------------------------------------------------------- */

#define PM_TICKS_PER_SECOND 4294967296.0

/* Seconds to the nearest tick. NaN becomes 0; values out of range become the limit of int64_t. */
PM_API int64_t pm_crowd_ticks(double seconds);

typedef enum pm_crowd_flag {
    PM_CROWD_CLAMP_A = 1,  /* time A is clamped to the clip; otherwise it wraps around */
    PM_CROWD_CLAMP_B = 2,  /* likewise time B */
    PM_CROWD_ADDITIVE = 4, /* B's difference from the rest pose is added to A */
    PM_CROWD_IN_PLACE = 8  /* joint 0 keeps its rest pose: see pm_crowd_root_motion */
} pm_crowd_flag;

/* State of one member of the crowd; all zero: clip 0 at its beginning. Any 32 bytes can be posed,
 * by these rules: a clip A that does not exist shows the rest pose; a clip B that does not exist
 * has no effect; a weight is clamped to [0, 1], NaN to 0, and below 2^-60 it is 0; a mask that does
 * not exist is no mask; a level beyond the last is the last; unknown flags are ignored. */
typedef struct pm_crowd_instance {
    /* Ticks since the first key of any joint in clip A; negative: before that key. In an open clip,
     * joints whose keys begin later hold their first key until then; in a loop, they are in the
     * previous lap. */
    int64_t time_a;
    int64_t time_b;
    uint32_t clip_a;
    uint32_t clip_b;
    float weight;  /* of B: 0 shows A alone, and B is not read */
    uint16_t mask; /* PM_NO_MASK; otherwise masks[mask - 1] */
    uint8_t level; /* of detail */
    uint8_t flags; /* of pm_crowd_flag */
} pm_crowd_instance;

/* PM_OK when all instances name existing clips, masks, levels and flags, and weights in [0, 1];
 * otherwise pm_error.instance is the first that does not. Clip B is not checked when the weight is
 * 0. Posing does not require this. */
PM_API pm_status pm_crowd_check_instances(const pm_crowd *crowd, const pm_crowd_instance *instances,
                                          size_t count, pm_error *error);

/* ---- layers ------------------------------------------------------------------------ */

typedef enum pm_layer_op {
    PM_LAYER_OVER = 0, /* crossfade from the pose so far to the layer's sample, as from A to B */
    PM_LAYER_ADD,      /* the additive blend: the sample's difference from the rest pose is added */
    /* Neighbouring layers of this op are one group: a crossfade to their weighted mean, by the sum of
     * their weights, at most 1. Layers without effect do not divide a group. */
    PM_LAYER_MEAN
} pm_layer_op;

typedef enum pm_layer_flag {
    PM_LAYER_CLAMP = 1 /* the time is clamped to the clip; otherwise it wraps around */
} pm_layer_flag;

/* The most layers of an instance; further ones have no effect. */
#define PM_CROWD_MAX_LAYERS 64

/* A clip that is blended onto the pose that clips A and B give; all zero has no effect. Layers are
 * applied in their order; docs/crowds.md has the formulas. Any 24 bytes are accepted: a clip or an op
 * that does not exist has no effect; weight and mask are corrected as in pm_crowd_instance; unknown
 * flags are ignored. */
typedef struct pm_crowd_layer {
    int64_t time; /* ticks, as time_a of pm_crowd_instance */
    uint32_t clip;
    float weight;
    uint16_t mask;     /* PM_NO_MASK; otherwise masks[mask - 1], which multiplies the weight */
    uint8_t op;        /* of pm_layer_op */
    uint8_t flags;     /* of pm_layer_flag */
    uint32_t reserved; /* should be 0 */
} pm_crowd_layer;

/* The layers of an instance, in the job's. What lies past the last one is cut. */
typedef struct pm_crowd_range {
    uint32_t first, count;
} pm_crowd_range;

/* PM_OK when all layers name existing clips, masks, ops and flags, weights in [0, 1], and 0 in
 * `reserved`; otherwise pm_error.instance is the index of the first layer that does not. The clip of a
 * layer with weight 0 is not checked. Posing does not require this. */
PM_API pm_status pm_crowd_check_layers(const pm_crowd *crowd, const pm_crowd_layer *layers,
                                       size_t count, pm_error *error);

/* ---- goals ------------------------------------------------------------------------- */

typedef enum pm_chain_flag {
    PM_CHAIN_IN_WORLD = 1,      /* goals are in the world: placements are required */
    PM_CHAIN_POLE_DIRECTION = 2 /* the pole is a direction, not a point */
} pm_chain_flag;

/* The most chains of a job. */
#define PM_CROWD_MAX_CHAINS 32

/* A chain of a job. A job applies them in its order; a chain that it does not list costs nothing. */
typedef struct pm_chain_use {
    uint32_t chain; /* chains[chain] of the skeleton's description */
    uint32_t flags; /* of pm_chain_flag */
} pm_chain_use;

/* Where an instance's chain shall be; all zero has no effect. Any 64 bytes are accepted: weights are limited to
 * [0, 1], and NaN is 0; a position, a rotation or a pole that is not finite, or lies at 2^40 or further, has no effect.
 * Rotations are normalised. */
typedef struct pm_chain_goal {
    float position[3]; /* of the end, of what is looked at, or of the joint that is pinned */
    float weight;      /* of the position */
    float rotation[4]; /* x y z w: of the end, or of the joint that is pinned */
    /* Two bones: the side on which the lower shall be, as seen from the upper. An aim: that to which up is rolled,
     * as seen from the last joint. */
    float pole[3];
    float pole_weight;     /* 0: the pose keeps its side */
    float rotation_weight; /* 0: two bones keep the end's rotation relative to its parent */
    float reserved[3];     /* should be 0 */
} pm_chain_goal;

/* How an instance stands: the goal of a PM_CHAIN_STAND, in place of a pm_chain_goal; all zero has no effect. Any 64
 * bytes are accepted: a foot has no effect where the height of the ground below it is not finite, or 2^40 or
 * more, and where the plane is steeper than 84 degrees. */
typedef struct pm_stand_goal {
    float point[3]; /* of a plane */
    float weight;   /* of all */
    /* Of the plane, of any length. Without a direction: the job's heights are the ground. */
    float normal[3];
    float tilt; /* the part of the ground's slope that the ends of legs, the feet, take */
    float lowest, highest; /* limits of the pelvis's way along up; NaN: none */
    /* Of planted feet: seconds in which one returns to its pose when its contact ends, in [2^-20, 65536], else at once;
     * and how far from its pose it may be until it returns earlier; below 2^-30, and NaN: any way. */
    float release, stray;
    float reserved[4]; /* should be 0 */
} pm_stand_goal;

/* The nodes of a height field: node (row, column) is at origin + cell * (column, row), in x and the other axis that is
 * not up. Between the nodes heights are bilinear, and so are slopes between central differences; beyond them, heights are
 * those of the nearest. */
typedef struct pm_height_field {
    float origin[2];
    float cell;             /* 1e-6 to 1e6 */
    uint32_t columns, rows; /* 1 to 2^24; 0: there are no heights */
} pm_height_field;

/* ---- posing ------------------------------------------------------------------------ */

/* Contents of a joint's record, or with PM_CROWD_BOUNDS of an instance's. Joints are in skeleton order,
 * or in the order of a subset. */
typedef enum pm_crowd_output {
    PM_CROWD_PALETTE = 0,  /* 12 float32: the joint's matrix in model space times its inverse
                              bind matrix */
    PM_CROWD_PALETTE_HALF, /* 12 float16: likewise, rounded to nearest even */
    PM_CROWD_DUAL,         /* 8 float32: the same as a rigid motion, a dual quaternion: real part
                              x y z w and dual part x y z w, of either sign. Scales that clips
                              give are ignored, those of the rest pose are not: they must be equal
                              on all axes, and undone by the inverse bind, so that both together
                              are rigid within 1e-3; otherwise pm_error.joint is the first joint
                              that is not */
    PM_CROWD_MODEL,        /* 12 float32: the joint's matrix in model space */
    PM_CROWD_LOCAL,        /* 12 float32: rotation x y z w, of either sign, position x y z 0,
                              scale x y z 0, relative to the parent */
    PM_CROWD_BOUNDS,       /* 8 float32 for each instance, in model space: the least x y z 0 and
                              the greatest x y z 0 of the spheres about its joints, which scales
                              make ellipsoids. A position that is NaN does not count */

    /* States of bodies, for learning and control. They show clip A alone, and ignore scales. A job
     * computes all of a subset at once. Velocities are the derivatives by time of the curves, times
     * the instance's speed. On a key they are the mean of both sides; at an end of a clip that does
     * not wrap around, those of the inner side; where no key moves a joint, 0. Rotations x y z w are of
     * either sign. */
    PM_CROWD_BODY_POS, /* 3 float32: the joint's origin in the world */
    PM_CROWD_BODY_ROT, /* 4 float32: the rotation from the joint's frame to the world */
    PM_CROWD_BODY_VEL, /* 3 float32: velocity of the origin in the world, in units per second; with
                              PM_TARGET_AT_POINT, of the joint's point */
    PM_CROWD_BODY_ANG_VEL,  /* 3 float32: angular velocity in the world's axes, in rad/s */
    PM_CROWD_LOCAL_ROT,     /* 4 float32: the rotation relative to the parent */
    PM_CROWD_LOCAL_ANG_VEL, /* 3 float32: angular velocity relative to the parent, in the joint's own
                               axes, in rad/s */
    PM_CROWD_ANGLE,         /* float32: the angle of a hinge in rad; 0 of other joints */
    PM_CROWD_ANGLE_RATE     /* float32: its derivative by time, in rad/s */
} pm_crowd_output;

typedef enum pm_target_flag {
    PM_TARGET_SCALAR_FIRST = 1, /* BODY_ROT and LOCAL_ROT: rotations are w x y z */
    PM_TARGET_AT_POINT = 2      /* BODY_VEL: the velocity of the skeleton's `points` */
} pm_target_flag;

/* The number of outputs: they are 0 to pm_crowd_output_count() - 1. */
PM_API size_t pm_crowd_output_count(void);

/* Bytes of a joint's record, or of PM_CROWD_BOUNDS's for an instance; 0 when `output` is no output. */
PM_API size_t pm_crowd_record_bytes(pm_crowd_output output);

/* An output and its destination in host memory. Both addresses and the stride are multiples of 4.
 * The memory remains the caller's. */
typedef struct pm_crowd_target {
    pm_crowd_output output;
    uint32_t
        subset;    /* PM_ALL_JOINTS; otherwise subsets[subset - 1] of the skeleton's description */
    void *memory;  /* the records of instance i begin at i * stride */
    size_t stride; /* bytes, at least an instance's records. 0: exactly that */
    /* NULL, or other memory that first receives a copy of `memory`'s present contents: the previous
     * poses, for motion vectors. Two targets that are written alternately make this copy
     * unnecessary. */
    void *previous;
    uint64_t flags; /* of pm_target_flag */

    const void *next; /* must be NULL */
} pm_crowd_target;

/* The place of an instance in the world: its states of bodies are rotated, then moved. */
typedef struct pm_placement {
    float rotation[4]; /* x y z w, norm within 1e-3 of 1 */
    float position[4]; /* x y z, and a number that is ignored */
} pm_placement;

/* The most targets of a job. */
#define PM_CROWD_MAX_TARGETS 32

typedef struct pm_crowd_job {
    const pm_crowd_instance *instances; /* NULL with `poses` */
    size_t instance_count;              /* 0: nothing to do */
    uint64_t frame; /* frame number, for levels that are not updated every frame */
    const pm_crowd_target *outputs;
    size_t output_count; /* 1 to PM_CROWD_MAX_TARGETS; each output of a subset at most once */
    bool on_reference;   /* true: pose on the reference path instead of the device */
    /* Maximum number of threads of the reference path, the calling thread included. 1: only the
     * calling thread. 0: as many as the engine allows. */
    uint32_t host_threads;
    bool packed; /* with `indices`: record i is that of entry i, not of instance i */

    /* Layers of the instances, and the range of each instance. NULL: none; both are given, or
     * neither. */
    const pm_crowd_layer *layers;
    size_t layer_count;           /* at most 2^32 - 1 */
    const pm_crowd_range *ranges; /* (instance_count) */

    /* Local poses in place of instances: the records of PM_CROWD_LOCAL of all joints, in skeleton
     * order; those of instance i begin at i * pose_stride bytes. Rotations have a norm within 1e-3 of
     * 1, or matrices and dual quaternions are not rigid. Levels and layers do not apply. The address
     * and the stride are multiples of 4; a stride of 0 is joint_count records. */
    const void *poses;
    size_t pose_stride;

    /* The instances to pose, in place of all. An index that is not below instance_count is skipped.
     * Without `packed`, records are in the places of their instances, and an index should occur
     * once. NULL: all instances */
    const uint32_t *indices;
    size_t index_count; /* at most 2^32 - 1 */

    /* Inverse kinematics: the chains, and for each instance a pm_chain_goal or pm_stand_goal of each of them in
     * the same order. The address and the stride are multiples of 4; a stride of 0 is chain_count goals. Not with
     * states of bodies, whose velocities are those of clips. A job on a device takes the memory of PM_CROWD_LOCAL of
     * all joints of its entries there. NULL: none */
    const pm_chain_use *chains;
    size_t chain_count; /* at most PM_CROWD_MAX_CHAINS */
    const void *goals;
    size_t goal_stride;

    /* Experimental: states of transitions, an instance's in its place, as pm_crowd_begin_transitions writes them; any
     * bytes are accepted, and all zero is none. The address and the stride are multiples of 4; a stride of 0 is
     * pm_crowd_transition_bytes. Not with `poses` and states of bodies. NULL: none */
    const void *transitions;
    size_t transition_stride;
    int64_t transition_time; /* now, in ticks of any clock of the caller's; also for `plants` */

    /* Experimental: states of planted feet, an instance's in its place, which the job reads and writes; any bytes are
     * accepted, and all zero is none. The address and the stride are multiples of 8; a stride of 0 is
     * pm_crowd_plant_bytes. Posing again at the same time changes nothing. Not with `poses`. NULL: none */
    void *plants;
    size_t plant_stride;

    /* The ground of chains that stand, along up in the space of their goals. heights NULL: it has none */
    pm_height_field ground;
    const float *heights; /* (rows, columns) */

    /* For states of bodies, which require instances that show clip A alone: without `poses` and
     * layers, and with a weight that is 0. Jobs on a caller's queue ignore clip B instead. Placements also
     * for goals in the world. */
    const pm_placement *placements; /* (instance_count). NULL: model space is the world */
    const float *speeds;            /* (instance_count): factors of velocities. NULL: all 1 */

    const void *next; /* must be NULL */
} pm_crowd_job;

/* Poses into host memory. Blocks. Jobs larger than the device's memory are divided into pieces. A CPU
 * device leaves a job to the reference path, with the same bits, where that is faster by rates that were
 * measured: small jobs, and states of bodies. A job without outputs is refused. On failure the contents of the outputs are undefined.
 * Thread-safe. */
PM_API pm_status pm_crowd_pose(pm_crowd *crowd, const pm_crowd_job *job, pm_error *error);

/* The bytes of the calling thread's stack that posing one instance takes at most, for any output. */
#define PM_CROWD_ONE_STACK (104 * 1024)

/* One instance with what a job can give it. */
typedef struct pm_crowd_one {
    const pm_crowd_instance *instance; /* NULL with `pose` */
    const pm_crowd_layer *layers;      /* layer_count of them; NULL: none */
    size_t layer_count;
    const void
        *pose; /* the records of PM_CROWD_LOCAL in place of an instance, as in pm_crowd_job */
    pm_crowd_output output;
    uint32_t subset; /* as in pm_crowd_target */
    uint64_t flags;  /* of pm_target_flag */

    const pm_chain_use *chains; /* as in pm_crowd_job; NULL: none */
    size_t chain_count;
    const pm_chain_goal *goals; /* (chain_count); of what stands, the bytes of a pm_stand_goal */
    pm_height_field ground;     /* as in pm_crowd_job */
    const float *heights;

    const void *transition; /* its state, as in pm_crowd_job; NULL: none */
    int64_t transition_time;
    void *plants; /* the state of its planted feet, likewise */

    /* As in pm_crowd_job. */
    const pm_placement *placement; /* NULL: model space is the world */
    const float *speed;            /* factor of velocities. NULL: 1 */

    const void *next; /* must be NULL */
} pm_crowd_one;

/* Poses one instance on the calling thread from the crowd's host copy, and writes its records, without gaps, to
 * `records`. The bits equal the device's where the device matches the reference path
 * (pm_engine_self_check). The level selects the animated joints; update_every is ignored. Takes up
 * to PM_CROWD_ONE_STACK bytes of the thread's stack; allocates memory only for states of bodies, for chains, for
 * transitions, and for matrices of more than 320 joints. Thread-safe. */
PM_API pm_status pm_crowd_pose_one(const pm_crowd *crowd, const pm_crowd_one *one, void *records,
                                   pm_error *error);

/* The bytes of the state of an instance's planted feet: 48 for each foot of chains with contacts, also those that a job
 * does not list. 0 when `crowd` is NULL. */
PM_API PM_EXPERIMENTAL size_t pm_crowd_plant_bytes(const pm_crowd *crowd);

/* ---- transitions (experimental) ------------------------------------------------------ */

/* The bytes of the state of an instance's transition, a multiple of 64: 64, and 16 for each joint, as many again where
 * clips have scales, and where they have positions. 0 when `crowd` is NULL. */
PM_API PM_EXPERIMENTAL size_t pm_crowd_transition_bytes(const pm_crowd *crowd);

/* A change of what instances show. Of the jobs, instances, layers, poses and transitions count, and the number of
 * instances, which is the same in all; levels that skip frames are posed. */
typedef struct pm_crowd_transition {
    /* What was shown so far, and what is shown from now on, each a step before the change and at the change. Where a
     * transition runs, `before` has it, with transition_time of these two moments; `after` has none. */
    const pm_crowd_job *before[2], *after[2];
    int64_t step;   /* ticks between both: 2^-20 s to 2^10 s */
    int64_t time;   /* of the change: transition_time of jobs at that moment */
    float duration; /* seconds until the new clips are shown alone, in [2^-20, 65536] */
    /* The instances that change, each once; those that do not exist are skipped. NULL: all */
    const uint32_t *indices;
    size_t index_count; /* at most 2^32 - 1 */
    /* Those of the jobs that follow, of all instances, aligned to 4 bytes; may be what `before` reads */
    void *states;
    size_t stride; /* bytes, a multiple of 4, as transition_stride */

    const void *next; /* must be NULL */
} pm_crowd_transition;

/* Writes the states of instances that change: the difference of the poses before and after, joint by joint, and its
 * rate. Jobs with these states then show the new pose with what remains of the difference, so that neither pose nor
 * velocity jumps; docs/crowds.md has the formula. Other instances keep their states, which are all zero where they
 * have none. On the host, with the engine's threads. On failure the states of the list are undefined. Thread-safe. */
PM_API PM_EXPERIMENTAL pm_status pm_crowd_begin_transitions(const pm_crowd *crowd,
                                                            const pm_crowd_transition *change,
                                                            pm_error *error);

/* Motion of joint 0 in skeleton order, the first root: its pose at the second time, in the frame of
 * its pose at the first. A character with the transform W then has the transform W T, where T is
 * this motion. Position x y z 0, rotation x y z w. */
typedef struct pm_root_motion {
    float rotation[4];
    float position[4];
} pm_root_motion;

/* Computes the root motion of each instance from time_a and time_b of before[i] to those of
 * after[i]; all other fields are taken from after[i]. Times may run forwards or backwards over any
 * number of rounds of the clip, each of which continues where the previous one ended. The motions
 * of A and B are blended as poses are; an additive B adds none. Clips that are clamped stop at
 * their ends. Host memory; uses the engine's host threads. */
PM_API pm_status pm_crowd_root_motion(const pm_crowd *crowd, const pm_crowd_instance *before,
                                      const pm_crowd_instance *after, size_t count,
                                      pm_root_motion *motions, pm_error *error);

/* Root motion of instances in transition, of which states (stride bytes each; 0: pm_crowd_transition_bytes) remain the
 * same from times[0] to times[1] of their clock: after a change the root goes on with the velocity that it had in the
 * step before, and approaches the path of the new clip; docs/crowds.md has the formula. Any bytes are accepted. */
PM_API PM_EXPERIMENTAL pm_status pm_crowd_root_motion_in_transition(
    const pm_crowd *crowd, const pm_crowd_instance *before, const pm_crowd_instance *after,
    size_t count, const void *states, size_t stride, const int64_t times[2],
    pm_root_motion *motions, pm_error *error);

/* ---- markers ----------------------------------------------------------------------- */

/* A marker that an instance passed. */
typedef struct pm_crowd_event {
    /* The instance's time of the clip at the marker: the marker's tick plus whole rounds of the
     * clip. It lies between the instance's two times, and tells when between them it was passed. */
    int64_t time;
    uint64_t instance;
    uint32_t clip;
    uint32_t id;
    uint32_t marker; /* index among the clip's markers */
    uint32_t is_b;   /* 0: passed by clip A; 1: by clip B */
} pm_crowd_event;

/* Finds the markers, events as well as sync marks, that each instance passes from time_a and time_b
 * of before[i] to those of after[i]; all other fields are taken from after[i]. A marker at the
 * second time is passed, and one at the first time is not, forwards and backwards. Steps that
 * follow one another therefore pass each marker once a round. Times may cover any number of rounds.
 * A clip that is clamped, or has no duration, has one round. A clip that does not exist, and a clip
 * B of weight 0, pass none, and neither do layers; masks and levels have no effect. Any bytes are
 * accepted.
 *
 * Events are in the order of instances, and for each instance in the order passed; A precedes B
 * where both pass a marker at the same time. Writes the first `capacity` events to `events`, which
 * may be NULL when capacity is 0, and the number of all to *event_count. If that is greater, the
 * same call with more room gives all. Exact for all times. The cost grows with the numbers of
 * instances and of events, not with ticks or rounds. PM_ERROR_SIZE when the number of events does
 * not fit size_t. Host memory; uses the engine's host threads. Thread-safe. */
PM_API pm_status pm_crowd_events(const pm_crowd *crowd, const pm_crowd_instance *before,
                                 const pm_crowd_instance *after, size_t count,
                                 pm_crowd_event *events, size_t capacity, size_t *event_count,
                                 pm_error *error);

/* Writes the time at which the clip `other` is between the same two sync marks as `clip` is at
 * `time`, by the same fraction of the way, to the nearest tick. Times are any ticks; both clips
 * wrap around.
 *
 * The sync marks whose ids both clips have are matched one to one, through all rounds. Their ids
 * must come in the same cyclic order, which a clip may have several times in a round, such as a
 * walk of two strides beside a run of one. Rounds are aligned where the sequence of ids is least:
 * if no id is repeated, at the first mark with the least id. A mark is mapped to its match exactly,
 * a later time never to an earlier one, and exchanging the clips gives the inverse, but for
 * rounding.
 *
 * PM_ERROR_ARGUMENT: a clip does not exist or has no duration, or the clips have no sync mark in
 * common, or have them in different orders. PM_ERROR_TIME: the result does not fit int64_t. *synced
 * is then unchanged. Thread-safe. */
PM_API pm_status pm_crowd_synced_time(const pm_crowd *crowd, size_t clip, int64_t time,
                                      size_t other, int64_t *synced, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
