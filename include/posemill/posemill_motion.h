/* SPDX-License-Identifier: MIT
 *
 * Motion files: BVH, glTF, NPZ and CSV in one model. A pm_motion has the contents of a file: nodes
 * with their rest pose, and clips of channels with the interpolation that they were authored with.
 * It gives the descriptions that pm_clip_create and pm_skeleton_create take.
 *
 * Conventions beyond those of posemill.h
 *   node         a joint, a bone, or any other thing with a transform
 *   channel      one property of a node that a clip animates, or numbers that belong to no node
 *   rotation     a unit quaternion x y z w, whatever the file has
 *   name         bytes as found in the file, followed by a NUL that `size` does not count; they may
 *                be empty, repeated, or not UTF-8. Make control characters visible before printing
 *   file         every file is taken to be hostile: no input causes a crash, a hang, or a read out
 *                of bounds. A file that cannot be used is refused with PM_ERROR_FILE, and the message
 *                names the place and what was expected
 *   time         key times, first_time and key_time are those of the file. All other times, of options
 *                and of results, are seconds after the first key of a clip, whatever its time
 *   locale       numbers have a decimal point, whatever the locale of the process. Callbacks are
 *                called with the C locale on their thread
 */
#ifndef POSEMILL_MOTION_H
#define POSEMILL_MOTION_H

#include <posemill/posemill.h>
#include <posemill/posemill_crowd.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pm_motion_format {
    PM_MOTION_ANY = 0, /* by the name's extension, or by the first bytes if there is none */
    PM_MOTION_BVH,
    PM_MOTION_GLTF, /* JSON, with its binary data in it or beside it */
    PM_MOTION_GLB,
    PM_MOTION_NPZ,
    PM_MOTION_CSV,
    PM_MOTION_USDA, /* USD as text, which is written, and not read */
    PM_MOTION_AMC, /* Acclaim, with its skeleton in a file beside it, which is read, and not written */
    PM_MOTION_TUM /* a trajectory: t x y z qx qy qz qw. Those of EuRoC and KITTI are layouts of CSV */
} pm_motion_format;

/* What a channel animates. */
typedef enum pm_motion_path {
    PM_MOTION_ROTATION = 0, /* 4 numbers: a unit quaternion; a key of CUBICSPLINE: of any length */
    PM_MOTION_POSITION,     /* 3 numbers, in the file's unit of length */
    PM_MOTION_SCALE,        /* 3 numbers */
    PM_MOTION_WEIGHTS,      /* n numbers: of the node's morph targets */
    PM_MOTION_SCALAR        /* n numbers of no known meaning, or the angles of a robot's joints */
} pm_motion_path;

/* How a channel was authored to be interpolated. Formats without interpolation have linear. */
typedef enum pm_motion_interpolation {
    PM_MOTION_LINEAR = 0, /* rotations: slerp, the shorter way */
    PM_MOTION_STEP,
    PM_MOTION_CUBICSPLINE /* as in the appendix of glTF 2.0 */
} pm_motion_interpolation;

#define PM_MOTION_NO_NODE (-1) /* the node of a channel that has none */

/* The axis that points up. */
typedef enum pm_motion_up {
    PM_MOTION_UP_FOUND = 0, /* of a motion: not known. Of options: that of the motion */
    PM_MOTION_UP_Y,
    PM_MOTION_UP_Z,
    PM_MOTION_UP_KEEP /* of pm_motion_convert_options.to_up alone: nothing is turned */
} pm_motion_up;

/* Where the meaning of a motion's numbers is from. */
typedef enum pm_motion_source {
    PM_MOTION_UNKNOWN = 0,
    PM_MOTION_STATED,   /* by the format, the layout or the file */
    PM_MOTION_GIVEN,    /* by pm_motion_read_options */
    PM_MOTION_ESTIMATED /* from the figure: its rest pose, its height and its path */
} pm_motion_source;

typedef struct pm_motion_name {
    const char *text;
    size_t size;
} pm_motion_name;

typedef struct pm_motion_node {
    pm_motion_name name;
    int32_t parent; /* PM_NO_PARENT: a root. Parents may come after their children */
    /* The rest pose, relative to the parent. */
    double position[3];
    double rotation[4];
    double scale[3];
    /* Where the bone ends, for a node without children: the end site of BVH. */
    bool has_tail;
    double tail[3];

    const void *next; /* NULL */
} pm_motion_node;

typedef struct pm_motion_channel {
    int32_t node; /* or PM_MOTION_NO_NODE */
    pm_motion_path path;
    pm_motion_interpolation interpolation;
    uint32_t components; /* numbers per key */
    uint32_t timeline;   /* index among the clip's timelines */
    pm_array keys;       /* (key_count, components), `stride` from key to key */
    pm_array in, out;    /* tangents of cubicspline, per second, like the keys; or data NULL */
    pm_motion_name
        name; /* of scalars, and of channels of no node: `trans`, `poses[3]`; otherwise empty */
    bool always_linear; /* of unknown meaning, or reduced as lines or slerps beside rotations of a
                           method: interpolated so, whatever the method */
    /* Of files of robots, what the file says the numbers are of: of a rotation or a position the name
     * of a body; of scalars `components` names of joints. NULL: it does not say */
    const pm_motion_name *subjects;
    double
        full_turn; /* of scalars that are angles: 2 pi, or 360 in degrees. 0: of another meaning */

    const void *next; /* NULL */
} pm_motion_channel;

typedef struct pm_motion_clip {
    pm_motion_name name;
    const pm_timeline *timelines; /* key times in seconds, of all channels that name them */
    size_t timeline_count;
    const pm_motion_channel *channels;
    size_t channel_count;
    pm_rational rate;         /* of all keys if they are uniform; or 0/0 */
    pm_rational first_time;   /* with a rate: the exact time of the first key; or 0/0 */
    pm_motion_name rate_text; /* the rate or the time of a frame as the file has it; may be empty */
    bool rate_is_snapped;     /* the rate is the simplest one that the text can stand for */
    const char
        *fault; /* glTF: why the keys cannot be read, such as times that fall. Then the clip has
                          no channels, and is written as it was read. NULL: none */

    const void *next; /* NULL */
} pm_motion_clip;

/* What a mesh is bound to. */
typedef struct pm_motion_skin {
    pm_motion_name name;
    const uint32_t *joints; /* joint_count nodes */
    size_t joint_count;
    const float *inverse_binds; /* (joint_count, 12): rows of 3x4 matrices. NULL: none given */

    const void *next; /* NULL */
} pm_motion_skin;

/* An array with a row per frame that the layout of the file does not name. */
typedef struct pm_motion_other_array {
    pm_motion_name name;
    bool nearest; /* resampling takes the row of the nearest earlier frame; false: interpolates */

    const void *next; /* NULL */
} pm_motion_other_array;

/* All pointers remain valid until the motion is destroyed. */
typedef struct pm_motion_content {
    pm_motion_format format;
    const char *layout; /* of arrays: the name of the layout; or "" */
    const pm_motion_node *nodes;
    size_t node_count; /* 0: a file without a skeleton */
    const pm_motion_clip *clips;
    size_t clip_count;
    const pm_motion_skin *skins;
    size_t skin_count;
    const pm_motion_other_array *other_arrays;
    size_t other_array_count;
    const char *const *carried; /* what else the file has, such as "3 meshes": only its own format
                                   can hold it */
    size_t carried_count;
    size_t file_bytes;            /* size of the file */
    const pm_error *const *notes; /* what is odd about the file, a sentence each: warnings, and with
                                     `examine` more. Their status is PM_OK */
    size_t note_count;
    size_t gap_count;      /* with `count_gaps`, the number of values that are not finite */
    const char *first_gap; /* where the first one is; may be empty */

    /* What the numbers mean. glTF has metres and y up; layouts of AMASS and of robots metres and z up. Other
     * files do not say: the axis is estimated by the rest pose and the path, and then the unit, if exactly
     * one of mm, cm, dm, m, in, ft and 25.4 / 0.45 mm, the unit of CMU, makes a figure with a head and feet
     * between 1.2 and 2.3 m tall. Motions that are made of others have theirs. */
    double unit_mm;             /* millimetres per unit of length. 0: not known */
    pm_motion_up up;            /* PM_MOTION_UP_FOUND: not known */
    pm_motion_source unit_from, /* PM_MOTION_UNKNOWN where they are not known */
        up_from;
    /* The node that carries the figure: the highest whose own positions travel across `up` by at least a
     * twentieth of the figure's size in a clip. PM_NO_INDEX32: the figure stays in place */
    uint32_t mover;

    /* Of a trajectory: a node with key times that are listed from the stamp `epoch` on, in ns as int64.
     * A time t stands for the stamp epoch + round(1e9 t), exactly. false: of another motion */
    bool has_stamps;
    int64_t epoch;

    const void *next; /* NULL */
} pm_motion_content;

/* A motion. Immutable: all threads may read it at once. One that is made of others keeps their memory until
 * it is destroyed itself, also where they are destroyed before. */
typedef struct pm_motion pm_motion;

/* Receives warnings and other remarks, which are pm_errors with the status PM_OK; the message names the
 * file. It is valid during the call. pm_error_text makes one text of it. */
typedef void (*pm_motion_log_function)(void *user, pm_log_level level, const pm_error *remark);

/* Is told of the bytes of files while they are read or written, for a digest for example. Called on
 * the calling thread. A NULL function is not called. */
typedef struct pm_motion_observer {
    void (*see)(void *user, const void *data, size_t size); /* all bytes, in their order */
    /* The sum of the sizes that a container states for what it has packed. Called before it is
     * unpacked; may wait until there is memory. */
    void (*expect)(void *user, uint64_t bytes);
    void *user;

    const void *next; /* must be NULL */
} pm_motion_observer;

typedef struct pm_motion_read_options {
    pm_motion_format format; /* 0: detected */
    pm_rational
        source_rate; /* of formats with uniform keys, instead of the file's. 0/0: the file's */
    /* NPZ: name of a layout, or a JSON file with one. CSV: name of a layout, or a list of columns
     * such as index,position,quaternion-wxyz. NULL: detected */
    const char *layout;
    /* Joints for a file that has rotations but no skeleton: smpl, smplh or smplx, which have names
     * and parents but no lengths; a motion file; or a JSON file with "parents", "names" and
     * "offsets". Files with a skeleton keep theirs, with a warning. AMC: its ASF file; NULL: the one
     * beside it, take.asf for take.amc, or 11.asf for 11_01.amc. NULL: none */
    const char *skeleton;
    /* NPZ: a text file whose lines are a pattern of paths and a rate, `*SSM_synced/?* 60`; the
     * first pattern that matches the file's path, or its last names, decides. NULL: none */
    const char *rates_file;
    bool strict;          /* true: data that disagree are refused instead of causing a warning */
    bool hold_nan;        /* BVH: a value that is not finite takes that of the frame before */
    bool examine;         /* true: notes also list what is odd but not a fault */
    bool bvh_adds_offset; /* BVH: positions are relative to OFFSET instead of replacing it */
    bool literal_rate;    /* the frame time is used exactly as written: .0083333 is not 120 Hz */
    /* NPZ: rotations that have to be converted are converted only when they are resampled, and take
     * no memory before: their keys.data is NULL. Only pm_motion_resample takes such a motion; the
     * other functions refuse it with PM_ERROR_ARGUMENT. Other formats ignore it. */
    bool resample_only;
    /* NPZ: only the headers of arrays above 16 MiB, or 64 MiB in total, are read: keys.data is
     * NULL. Every function but pm_motion_get_content refuses such a motion with PM_ERROR_ARGUMENT.
     * Other formats ignore it. */
    bool headers_only;
    pm_motion_log_function
        log; /* receives warnings, PM_LOG_WARNING, on the calling thread. NULL: none */
    void *log_user;
    /* true: values that are not finite are not a fault. They are counted in `gap_count`, and take
     * the value of the row before. This is for examining a file, not for resampling it. */
    bool count_gaps;
    /* Of the file, and of files that a glTF file refers to. NULL: none */
    const pm_motion_observer *observer;
    /* true: values that are not finite are no fault, and are NaN in the keys: for pm_motion_fill. Every
     * function that writes or evaluates such a motion refuses it or has no defined result */
    bool keep_nan;
    /* true: a file that states another rate than source_rate is refused; false: source_rate is used */
    bool rates_must_agree;
    /* true: angles of joints that change by more than half a turn between frames are no warning, for
     * pm_library_match_robot, which knows the joints */
    bool angles_may_jump;
    /* NPZ: true: without `skeleton`, a file whose layout stands for a body model, such as AMASS, has the
     * joints of that model, by names and parents. Other files are as without */
    bool body_model;
    pm_motion_up up; /* which axis points up, whatever the format says. 0: see pm_motion_content */
    double unit_mm;  /* millimetres per unit of length, likewise. 0: see pm_motion_content */

    const void *next; /* must be NULL */
} pm_motion_read_options;

/* Reads a file, or standard input for "-". `options` may be NULL. Blocks. Thread-safe. */
PM_API pm_status pm_motion_open(const char *path, const pm_motion_read_options *options,
                                pm_motion **motion, pm_error *error);

/* The same for a file in memory, which must remain valid and unchanged until the motion and all motions
 * that are made of it are destroyed. `name` is for messages. Data that a glTF file refers to by a relative
 * path are read from `folder`; NULL: such files are refused. */
PM_API pm_status pm_motion_parse(const void *data, size_t size, const char *name,
                                 const char *folder, const pm_motion_read_options *options,
                                 pm_motion **motion, pm_error *error);

/* Clears the handle; takes NULL. */
PM_API void pm_motion_destroy(pm_motion **motion);

/* What the motion holds; NULL for NULL. */
PM_API const pm_motion_content *pm_motion_get_content(const pm_motion *motion);

/* Finds the node with this name, byte by byte; of several, the first. Returns false and writes nothing
 * when there is none, or an argument is NULL. */
PM_API bool pm_motion_find_joint(const pm_motion *motion, const char *name, uint32_t *node);

/* ---- reach --------------------------------------------------------------- */

/* How far what moves with a node reaches from it, in the node's own space, below its scale. Vertices of a skin are
 * where the inverse bind matrix of the joint takes them; those of a mesh without a skin are where they are, and
 * move with the node that has the mesh. Morph targets count with weights from 0 to 1. */
typedef struct pm_motion_reach {
    bool has_vertices;      /* false: it moves none, and the box is 0 */
    double low[3], high[3]; /* the box about all vertices that it moves with any weight */
    double farthest;        /* the distance of the farthest of these from the node */
    double
        reach; /* of the farthest that it moves with at least an eighth of the vertex's weights. A motion
                     without meshes: of the farthest child or tail */

    const void *next; /* NULL */
} pm_motion_reach;

/* Finds it for each node: `nodes` has room for node_count rows. The vertices are read in this call, also of a motion
 * that was made of others and has the joints of a file. Refused with PM_ERROR_FILE: meshes that are compressed by
 * Draco or drawn as instances, and accessors, weights and joints of vertices that are not valid. `has_mesh`, which
 * may be NULL, receives whether any node moves vertices. Blocks. Thread-safe, also for one motion. */
PM_API pm_status pm_motion_find_reach(const pm_motion *motion, pm_motion_reach *nodes,
                                      bool *has_mesh, pm_error *error);

/* Where distances are measured, in place of a length. */
#define PM_MOTION_AT_MESH (-1.0)   /* at the corners of the box of pm_motion_reach */
#define PM_MOTION_AT_JOINTS (-2.0) /* at joints alone */

/* ---- for crowds ---------------------------------------------------------- */

typedef struct pm_motion_character_options {
    size_t
        skin; /* the joints are those of this skin, and their ancestors. A motion without skins: all
                    nodes, and skin is ignored */
    pm_method method; /* of all clips: crowds interpolate the keys by one method. 0: slerp */
    /* true: positions are those of all joints, for crowds whose clips are of several motions, and must have
     * the same channels. false: where no joint but the first root leaves its rest position in any clip,
     * positions of that root alone (root_positions of pm_clip_desc), which take less memory and time */
    bool all_positions;
    /* A file of JSON, at most 1 MiB, with masks, subsets, chains and radii by the names of joints, which
     * `skeleton` receives; docs/crowds.md describes it. NULL: none */
    const char *file;

    const void *next; /* must be NULL */
} pm_motion_character_options;

/* What pm_skeleton_create and pm_crowd_create take: joints in one order, and for each clip of the
 * motion a description with a track per joint. A joint has the key times of all its channels; at
 * key times of the other channels, a channel has the value of its own interpolation. Joints that a
 * clip does not animate have their rest pose as a key; in a clip with a fault, all joints have it.
 * Where a file has meshes, the skeleton has as radii the distances of the farthest vertices that each joint moves
 * with any weight, so that PM_CROWD_BOUNDS encloses what is drawn. All pointers are valid until the character is destroyed. */
typedef struct pm_motion_character {
    pm_skeleton_desc skeleton;
    const pm_clip_desc *clips; /* in the order of the motion's clips */
    size_t clip_count;
    const uint32_t *nodes; /* of the motion, for each joint */
    /* For each node of the motion, its place in the outputs of crowds; PM_NO_INDEX32: it is no joint of
     * the character. So the matrix of a joint that pm_motion_find_joint finds is matrix
     * node_slots[node] of an instance. */
    const uint32_t *node_slots;
    size_t node_count;
    const uint32_t *slot_nodes; /* for each place in the outputs, the node */
    /* For each joint of the skin, its place in the outputs of crowds. The joints are in the order
     * to which the vertices of its meshes refer: the matrix of joint j in a palette is matrix
     * skin_slots[j]. NULL: a motion without skins. */
    const uint32_t *skin_slots;
    size_t skin_joint_count;
    /* The joint that carries the figure, `mover` of pm_motion_content, where it is below the root of the
     * skeleton, so that root motion leaves it out: pm_motion_extract_root makes the root move with it.
     * PM_NO_INDEX32: none */
    uint32_t moves_below_root;
    /* Why the vertices of the meshes cannot be read, so that skeleton.radii is NULL. NULL: they can, or there are
     * none */
    const char *unread_mesh;
    /* Of a character with a file: the names of masks, subsets and chains of `skeleton`, in its order. So
     * mask_names[k] is mask k + 1 of instances and layers, subset_names[k] subset k + 1 of targets. */
    const char *const *mask_names, *const *subset_names, *const *chain_names;
    const uint32_t *chain_flags; /* for each chain, those of its pole in pm_chain_use */

    const void *next; /* NULL */
} pm_motion_character;

/* `options` may be NULL. The motion may be destroyed afterwards. Refused: a motion without nodes or
 * without clips; PM_ERROR_FILE: a file whose names, numbers or members are not those of this motion, with the place,
 * what is there, and what was expected. */
PM_API pm_status pm_motion_character_create(const pm_motion *motion,
                                            const pm_motion_character_options *options,
                                            const pm_motion_character **character, pm_error *error);

/* Clears the handle; takes NULL. */
PM_API void pm_motion_character_destroy(const pm_motion_character **character);

/* ---- resampling ---------------------------------------------------------- */

typedef enum pm_motion_end_rule {
    PM_MOTION_END_FIT = 0, /* the last sample is the last multiple of the step that fits */
    PM_MOTION_END_INCLUDE  /* one more sample at the end itself, unless a multiple falls on it */
} pm_motion_end_rule;

/* A cut-off of 0.45 times the smaller of the rates of source and result. */
#define PM_MOTION_LOWPASS_AUTO (-1.0)

typedef struct pm_motion_resample_options {
    pm_motion_format
        format;       /* of the file: 0, that of the motion; GLB for glTF, and glTF for GLB */
    pm_rational rate; /* samples per second */
    /* Seconds. 0/0: the first key; the last one */
    pm_rational start_after_first_key, end_after_first_key;
    pm_motion_end_rule end_rule;
    size_t trim_start; /* clips with a rate: the number of keys to drop first */
    /* With start or trim_start, the result begins at 0. true: samples keep their times. Without
     * start and trim_start they always do. */
    bool keep_time;
    uint64_t max_samples; /* of a clip; more are refused. 0: 1e8 */
    const size_t *clips; /* indices of the clips to resample; the others remain. NULL: all that have
                             channels */
    size_t clip_count;
    bool authored; /* true: each channel by its own interpolation, and `curve` is ignored */

    /* The method for rotations, with its parameters: the fields of the description that are not
     * about tracks, timelines and keys. Positions, scales, weights and scalars take the vector
     * method of the same class. Channels with steps keep their keys. NULL: slerp. */
    const pm_clip_desc *curve;

    bool make_folders; /* true: the folder of the output is created if it does not exist */
    bool must_be_new;  /* true: an output that exists at the end is refused, not replaced */
    unsigned decimals; /* of computed numbers in text. 0: 6 */
    /* true: also sample on the reference path, and compare. On a CPU device only an engine with programs_on_cpu
     * computes anything else. */
    bool check;
    /* Called on the calling thread as samples are computed. NULL: not called. */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *progress_user;
    const pm_motion_observer *observer; /* of the bytes of the output. NULL: none */

    /* Cut-off of a low-pass in Hz, as of pm_filter_create, or PM_MOTION_LOWPASS_AUTO. Keys must have a rate;
     * where a clip lists times, its channels are first sampled at that rate by their curves. Samples on
     * keys are then no longer those keys; steps stay steps. Not with a loop. 0: off */
    double lowpass;

    const void *next; /* must be NULL */
} pm_motion_resample_options;

typedef struct pm_motion_resample_report {
    uint64_t samples; /* of all clips */
    uint64_t kept; /* of them, those that are source keys; without a rate, keys of the timeline that
                         has the most keys */
    double
        end_cut; /* seconds behind the last sample that END_FIT left out: the most of all clips; 0
                         if it is less than a hundredth of a step, with an end, and for loops */
    uint64_t bytes_written;
    bool identical;   /* of check: all bits are those of the reference path */
    double max_error; /* of check: radians between device and reference */

    double cutoff; /* Hz, of the low-pass: the lowest of all clips; 0: none */

    const void *next; /* NULL */
} pm_motion_resample_report;

/* Writes a motion with its clips resampled to a file, or to standard output for "-", in the
 * motion's own format or its other container, or in another that pm_motion_convert writes. Data that
 * are not resampled are written as they were read. The file appears when it is complete. `report` may be NULL. Blocks. Thread-safe, also for
 * one motion. */
PM_API pm_status pm_motion_resample(const pm_motion *motion, pm_engine *engine,
                                    const pm_motion_resample_options *options, const char *path,
                                    pm_motion_resample_report *report, pm_error *error);

/* The same into memory: a motion with the nodes and skins of another, whose resampled channels have
 * the samples as keys. It has no file: pm_motion_convert writes it. Destroy it with
 * pm_motion_destroy; the other motion may be destroyed before. */
PM_API pm_status pm_motion_resample_copy(const pm_motion *motion, pm_engine *engine,
                                         const pm_motion_resample_options *options,
                                         pm_motion **copy, pm_motion_resample_report *report,
                                         pm_error *error);

/* What a lower rate turns into slower motion that is not there, without a low-pass. */
typedef struct pm_motion_aliasing {
    double
        degrees; /* rms of the rotation between a joint and its motion below half the new rate, at the
                       joint where it is largest; 0: nothing is above */
    size_t clip, channel; /* of that joint */

    const void *next; /* NULL */
} pm_motion_aliasing;

/* Finds it for a rate in all clips that have a rate of their own, by a filter of the rotations at half the
 * new rate, in plain C. Of long clips it takes 4096 frames in the middle, and of many rotations every n-th
 * frame, so that it takes some thousandths of a second. Blocks. Thread-safe. */
PM_API pm_status pm_motion_find_aliasing(const pm_motion *motion, pm_rational rate,
                                         pm_motion_aliasing *aliasing, pm_error *error);

/* Whether a device can repay the time in which it is opened: a resampling computes at least 2^26
 * numbers, and there is a GPU, which is looked for only then. Otherwise an engine on "none" is faster
 * for it, with the bits of every device that pm_engine_self_check finds exact. Always true with `check`,
 * and false for options that pm_motion_resample refuses. Thread-safe. */
PM_API bool pm_motion_repays_device(const pm_motion *motion,
                                    const pm_motion_resample_options *options);

/* ---- converting ---------------------------------------------------------- */

#define PM_MOTION_UNIT_KEEP (-1.0)

typedef struct pm_motion_convert_options {
    pm_motion_format format; /* 0: by the extension of the path */
    size_t clip;             /* of formats that hold one clip */
    bool euler_given;        /* false: ZXY; from BVH to BVH the order of each joint */
    pm_euler_order euler;    /* of rotations in BVH */
    double scale;            /* multiplies all lengths. 0: 1, and `to_unit_mm` */
    /* `up` and `unit_mm`, millimetres per unit of length, are of the motion. 0: those of its content.
     * The world is turned about x so that `to_up` points up, and lengths are multiplied by unit_mm /
     * to_unit_mm, besides `scale`. 0: a file of another format than the motion's meets the convention of
     * its format, if that has one and the motion's are known: glTF has metres and y up. With a scale other
     * than 1 the convention about lengths is not met. PM_MOTION_UP_KEEP and PM_MOTION_UNIT_KEEP: as they
     * are. Refused: others for a motion of which they are not known */
    pm_motion_up up, to_up;
    double unit_mm, to_unit_mm;
    bool strict;       /* true: a motion that the format cannot hold completely is refused */
    bool make_folders; /* true: the folder of the output is created if it does not exist */
    bool must_be_new;  /* true: an output that exists at the end is refused, not replaced */
    unsigned
        decimals; /* of the numbers in the rows of BVH. 0: 6, and from BVH to BVH the source's */
    bool
        drop_rest; /* glTF: true: clips have no channels of nodes that keep their rest pose. Players
                       that do not reset nodes between clips then show the pose of the clip before */
    /* Called on the calling thread with each kind of object that the format cannot hold, such as "2
     * skins". NULL: not called. */
    void (*left_out)(void *user, const char *what);
    void *left_out_user;
    const pm_motion_observer *observer; /* of the bytes of the output. NULL: none */
    /* Receives on the calling thread what units and axes were converted, PM_LOG_INFO, or PM_LOG_WARNING if
     * one was estimated, and a warning of each that is not known where the format has a convention.
     * NULL: none */
    pm_motion_log_function log;
    void *log_user;

    const void *next; /* must be NULL */
} pm_motion_convert_options;

/* Writes a motion to a file, or to standard output for "-", in any format. In the format that it
 * was read from, and without a scale and a turn, it is written as it was read. A motion that was made of
 * others, by any function and in any number of steps, remembers which of its frames are those of a file:
 * in the format of that file, they keep their text or bytes, and all that the file has besides its motion
 * remains, such as meshes, as long as the motion has its joints and channels. From BVH to BVH
 * joints keep their channels, and numbers that do not change keep their text, except as `euler` and
 * `decimals` require. BVH has no scales: constant uniform ones are
 * multiplied into the lengths below them. Nothing is resampled: BVH and NPZ require uniform keys.
 * A glTF file that is made anew has a skin of each tree of nodes, bound to the rest pose, unless the motion has
 * skins that say more. In clips of glTF that are not as they were read, a channel that has one value at all
 * times has one key, or two where no other channel has the last time of the clip.
 * The file appears when it is complete. Blocks. Thread-safe, also for one motion. */
PM_API pm_status pm_motion_convert(const pm_motion *motion,
                                   const pm_motion_convert_options *options, const char *path,
                                   pm_error *error);

/* What became of scales. */
typedef struct pm_motion_scale_report {
    size_t applied; /* nodes whose scale went into lengths */
    size_t
        kept; /* nodes that keep a scale: it changes in a clip, or is that of a mesh without a skin */
    uint32_t first_kept; /* the first of them. PM_NO_INDEX32: there are none */

    const void *next; /* NULL */
} pm_motion_scale_report;

/* Makes a motion without uniform scales: they are multiplied into the positions, tails and inverse bind matrices
 * below them, so that every joint and every vertex of a skin is where it was. A scale that changes in a clip stays,
 * and so does that of a node without children whose mesh has no skin. Refused with PM_ERROR_FILE, with the name of
 * the node: scales that are not uniform within 1e-5 or 0, that a clip has constant and other than the rest pose, and
 * of a node with children whose mesh has no skin. In the format of a file with meshes the result is written with
 * them. It has no file: pm_motion_convert writes it. Destroy it with pm_motion_destroy; the source may be destroyed
 * before. `report` may be NULL. Blocks. Thread-safe, also for one motion. */
PM_API pm_status pm_motion_apply_scale(const pm_motion *motion, pm_motion **applied,
                                       pm_motion_scale_report *report, pm_error *error);

/* ---- reducing ------------------------------------------------------------ */

/* This section is experimental. Fewest keys under bounds that hold at all times, and not
 * only at keys. Lengths are in units of the motion. */
typedef enum pm_motion_reduce_preset {
    PM_MOTION_REDUCE_PLAIN = 0, /* the defaults */
    PM_MOTION_REDUCE_GAME,      /* 0.5 degrees, quantize */
    PM_MOTION_REDUCE_WEB,       /* 1 degree, compress */
    PM_MOTION_REDUCE_FILM       /* 0.05 degrees */
} pm_motion_reduce_preset;

typedef struct pm_motion_reduce_options {
    pm_motion_reduce_preset
        preset;     /* of what the others leave at their defaults; its angle is not taken
                                       with a distance */
    bool has_angle; /* false: 0.5 degrees, and with a distance none */
    bool has_position, has_scale_error; /* whether 0 is meant */
    double angle;    /* the largest angle between a joint's rotation and the source's, in degrees,
                        relative to the parent; above 0 */
    double position; /* the largest distance between positions relative to the parent, in model
                        space: times the largest scales above. 0: with has_position keys between equal ones are dropped, and otherwise it is 1e-5 of
                        the longest extent of the figure at rest, or 2^-22 of the largest coordinate
                        if that is more; with a distance not more than an eighth of it divided by the
                        depth of the hierarchy. A default bounds what is dropped, and refuses nothing */
    double scale_error; /* the largest difference of scales and weights, as a part of the source's.
                           0: as of `position`, with has_scale_error; the default is 1e-5, with a
                           distance at most what moves the figure by as much */
    /* The largest distance in model space, with the whole hierarchy, of each joint's position and of points
     * that move with it. The error is shared among the joints of a chain. 0: none. Refused for positions and
     * scales with cubicspline. */
    double distance;
    /* With a distance, the points. PM_MOTION_AT_MESH: the corners of the box of pm_motion_reach, so that no vertex
     * of a skin is farther from where the source has it than `distance`; refused where pm_motion_find_reach is, and
     * without vertices. PM_MOTION_AT_JOINTS: none. A length: three on the joint's axes, that far from it in model
     * space, below all scales, in the rest pose with the largest scales of the clip. 0: the mesh where there is one
     * whose vertices can be read, otherwise 10 cm, or of an unknown unit a 17th of the figure */
    double at;
    /* Of the rotations: slerp, whose keys are a subset of the source's; cubicspline, with the source's
     * values at a subset of its keys and tangents that are fitted; or squad, hermite or spline through a
     * subset of its keys, with their own tangents and ends. A rotation that the curve leaves by more than
     * the bound even with all keys, as where it jumps, keeps slerp, and with a distance all rotations of the clip
     * do: their notes say so. Refused: cubicspline with `common` */
    pm_method curve;
    bool smooth; /* with cubicspline: the velocity is continuous at keys, but for corners */
    bool common; /* all reduced channels of a clip that have more than one key have them at the
                        same times, which are some of those of all of them */
    /* Clips are loops, which end with the values that they begin with. Ends within 0.01 degrees, and 1e-5 of the
     * figure or of a scale, are made equal, and the bounds are of the curve with that end. A clip of a rate whose
     * last key is a frame before gets a key one frame later that is its first one, as far as joints below the
     * roots move at most twice their largest step there. What a root travels is not closed, nor is a clip that is
     * no loop: their notes say so. With `smooth` the velocity is continuous at the seam. The file may be larger
     * than the source. Refused: trajectories, and squad, hermite and spline */
    bool loop;
    /* With a distance: clips are added to a pose, of which the distance is measured: rotations are base * addition,
     * positions base + addition relative to the parent, scales are multiplied, and joints without a channel add
     * nothing. "rest": the rest pose; or the name of a clip, whose curves are the base from the same time on, and
     * which is reduced itself as it is. NULL: clips are no additions. Refused: no such clip, without a distance, and
     * a base with cubic splines of positions or scales */
    const char *additive;
    /* For glTF: rotations of linear channels are written as normalised int16. What that rounds is part of
     * the bounds, also for readers that do not normalise; a joint whose bound does not allow it keeps float32.
     * Joints share key times where that makes the file smaller. Refused with cubicspline */
    bool quantize;
    /* The same, and written by EXT_meshopt_compression: rotations of 12 to 16 bits a number, as few as the
     * bounds allow; positions, scales and weights rounded within a quarter of theirs. Refused in builds without
     * meshoptimizer */
    bool compress;
    const size_t *clips; /* indices of the clips to reduce; the others remain. NULL: all */
    size_t clip_count;
    uint32_t threads; /* for the work, the calling thread included. 0: pm_processors() */
    /* Called on the calling thread as channels are done. NULL: not called. */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *progress_user;
    /* A number that any thread may set, as that of pm_host: once it is not 0, the call soon fails with
     * PM_ERROR_CANCELLED. NULL: never */
    const uint32_t *cancel;

    const void *next; /* must be NULL */
} pm_motion_reduce_options;

/* How far the result is from the source. Of rotations in degrees; of scales as a part of the
 * source's; otherwise a length of model space, below the largest scales of the clip. */
typedef struct pm_motion_error_bound {
    double found;    /* the largest that was found */
    double bound;    /* that no time exceeds */
    double key_time; /* of `found`, in seconds as those of keys. NaN: no channel has any */
    size_t channel;  /* index among `channels` of the reduction that has it */
} pm_motion_error_bound;

typedef struct pm_motion_reduced_channel {
    size_t clip, channel; /* indices in the source, and in the result */
    bool is_reduced;      /* false: it keeps its keys, because of its interpolation or its clip */
    bool moves;           /* not all keys are equal */
    pm_motion_interpolation interpolation; /* of the result */
    uint64_t keys_before, keys_after;
    uint64_t corners; /* with `smooth`: keys at which the source turns too sharply for the bound */
    pm_motion_error_bound error;
    /* What is not as it was asked for, such as a rotation that keeps slerp. NULL: nothing */
    const char *note;

    const void *next; /* NULL */
} pm_motion_reduced_channel;

/* What became of the keys. */
typedef struct pm_motion_reduction_numbers {
    const pm_motion_reduced_channel *channels; /* of all clips, in their order */
    size_t channel_count;
    uint64_t keys_before, keys_after;     /* of all channels */
    uint64_t moving_before, moving_after; /* of rotations that move */
    uint64_t bytes_before, bytes_after; /* of keys, their times and tangents, in float32; times that
                                           channels have in common count once */
    pm_motion_error_bound angle, position, scale; /* the largest of all channels */
    /* With a distance: in model space. `channel` is PM_NO_INDEX, and these are the node and its clip. */
    pm_motion_error_bound distance;
    size_t distance_node, distance_clip;
    /* With `loop`: clips whose ends were made equal, that have a key more, and that are no loops. */
    size_t loops_closed, loops_extended, loops_not;
    double at; /* of the options, and where that is 0 what was taken; 0 without a distance */
    /* Why vertices, which were to be the default of `at`, cannot be read. NULL: they can, or there are none */
    const char *unread_mesh;

    const void *next; /* NULL */
} pm_motion_reduction_numbers;

/* A report of what was reduced. Immutable: all threads may read it at once. */
typedef struct pm_motion_reduction pm_motion_reduction;

/* Makes a motion with fewer keys: the nodes and skins of the source, and of the keys of channels
 * with linear interpolation those that are needed for the bounds. Keys and times of the result are
 * single precision, as glTF has them, and the bounds are those of their curves; bounds that single
 * precision cannot keep are refused with PM_ERROR_ARGUMENT. Channels with steps and with
 * cubicspline keep their keys. The first and the last key of a channel remain, but a channel in which all
 * keys are equal, or whose first number is within the bound of all others, has one key; if no other channel
 * has the last time of the clip, one of them keeps it.
 * A rotation channel of slerp has the fewest keys for its bound, or, where a segment is longer than
 * 128 keys, nearly so; each segment of cubicspline is about as long as it can be; of squad, hermite
 * and spline keys are removed while the bound holds. These have linear interpolation in the result,
 * as no format names them: pm_motion_resample of the result with this method has the bounds; of a
 * file that was written, a method gives positions and scales its own vector method, so that only
 * the angle is bounded. The result has no file: pm_motion_convert writes it. Destroy it with pm_motion_destroy; the source may be destroyed before. `reduction` may be
 * NULL; destroy it with pm_motion_reduction_destroy. `options` may be NULL. Blocks. Thread-safe,
 * also for one motion. */
PM_API PM_EXPERIMENTAL pm_status pm_motion_reduce(const pm_motion *motion,
                                                  const pm_motion_reduce_options *options,
                                                  pm_motion **reduced,
                                                  pm_motion_reduction **reduction, pm_error *error);

/* The same for arrays of rotations: keys of shape (key_count, tracks, 4), unit quaternions x y z w
 * within 1e-3, at the times of a timeline, which rise; each track is a slerp, of which keys remain for a
 * slerp, squad, hermite or spline. `kept`, of shape
 * (key_count, tracks), receives whether a key remains, and `bounds`, of shape (tracks), the angle in
 * degrees that no time exceeds; it may be NULL. Keys remain as float32, as of pm_motion_reduce.
 * `threads`: 0: pm_processors(). Refused with PM_ERROR_ARGUMENT: degrees outside of (0, 180], and a
 * bound that float32 cannot keep; with PM_ERROR_KEY and PM_ERROR_TIME: such keys and times. Blocks.
 * Thread-safe. */
PM_API PM_EXPERIMENTAL pm_status pm_motion_reduce_rotations(const pm_timeline *timeline,
                                                            const pm_array *keys, size_t tracks,
                                                            double degrees, pm_method curve,
                                                            uint32_t threads, bool *kept,
                                                            double *bounds, pm_error *error);

/* Clears the handle; takes NULL. */
PM_API PM_EXPERIMENTAL void pm_motion_reduction_destroy(pm_motion_reduction **reduction);

/* The numbers; valid until the reduction is destroyed. NULL for NULL. */
PM_API PM_EXPERIMENTAL const pm_motion_reduction_numbers *
pm_motion_reduction_get_numbers(const pm_motion_reduction *reduction);

/* What `posemill reduce --json` prints: one object, as UTF-8 and terminated. It is valid until the
 * reduction is destroyed; NULL for NULL. */
PM_API PM_EXPERIMENTAL const char *pm_motion_reduction_json(const pm_motion_reduction *reduction);

/* ---- root motion --------------------------------------------------------- */

typedef enum pm_motion_axis {
    PM_MOTION_AXIS_X = 1,
    PM_MOTION_AXIS_Y = 2,
    PM_MOTION_AXIS_Z = 4
} pm_motion_axis;

/* Joints are given by their names, as to pm_motion_find_joint. */
typedef struct pm_motion_root_options {
    /* The joint whose motion is extracted: the hips. NULL: the one that carries the figure, `mover` of
     * pm_motion_content; refused where there is none. */
    const char *joint;
    /* The ancestor of the joint that receives the motion. NULL: the one without a parent, if its
     * rest pose is at most a shift along the axis that points up, so that crowds can apply root
     * motion; otherwise a node is added above it. */
    const char *root;
    bool add;             /* true: a node is added in any case; `root` must be NULL */
    const char *new_name; /* of a node that is added. NULL: root, or root_2 and so on */
    pm_motion_up up;
    /* Sum of pm_motion_axis: axes of the world along which positions are extracted. 0: the two that
     * are horizontal */
    unsigned axes;
    bool keep_position; /* true: positions stay in the joint */
    bool keep_heading;  /* true: turns about the axis that points up stay in the joint */

    const void *next; /* must be NULL */
} pm_motion_root_options;

/* What was extracted. */
typedef struct pm_motion_root_report {
    uint32_t joint, root; /* nodes of the result */
    bool is_added;        /* the root is a new node, the last one */
    pm_motion_up up;      /* as given or found */
    double distance;      /* that the root moves in all clips, in units of length, key by key */
    double degrees;       /* that it turns in all clips */

    const void *next; /* NULL */
} pm_motion_root_report;

/* Makes a motion whose root moves, as pm_crowd_root_motion requires, from one whose hips move below a
 * root that stands, or are the root themselves. The root receives the turn of the joint about the
 * axis that points up, its heading, and its shift along the chosen axes of the world, both
 * relative to the joint's rest pose. The rest of the motion stays in the joint. Rest poses do not
 * change.
 *
 * At the keys of the root, all nodes but those from the root to the joint's parent are where they
 * are in the source, but for rounding. The root and the joint have keys at the key times of the
 * joint and its ancestors. Other children of nodes from the root to the joint's parent receive keys
 * that keep them in their places. Between two keys, where the root turns by a radians and the joint
 * by b relative to it, the joint's rotation differs by about a b / 8, and its place, if both
 * horizontal axes are extracted, by at most d a^2 / 8, where d is the distance of the joint's rest
 * pose from the axis through the origin that points up.
 *
 * Channels of these nodes that move must all be linear, or all have steps; others, and scales of
 * ancestors that are not uniform, are refused with PM_ERROR_ARGUMENT. The result has no file:
 * pm_motion_convert writes it, without meshes. Destroy it with pm_motion_destroy; the source may be
 * destroyed before. `options` and `report` may be NULL. Blocks. Thread-safe, also for one motion. */
PM_API pm_status pm_motion_extract_root(const pm_motion *motion,
                                        const pm_motion_root_options *options,
                                        pm_motion **extracted, pm_motion_root_report *report,
                                        pm_error *error);

/* ---- mirroring, joining and cutting ---------------------------------------- */

typedef struct pm_motion_mirror_options {
    /* Of the plane, which goes through the origin. 0: the axis across which the rest pose maps most pairs
     * onto each other */
    pm_motion_axis normal;
    /* A text file with two names of joints on each line, with a tab between them, or a blank. NULL:
     * pairs are found by names: by left and right, lft and rgt, and their signs in Chinese and Japanese; L
     * and R between separators (L_Hip, hip.L), or where a joint has the other name (LHip, lfemur, HandL);
     * FL, FR, RL, RR and others of quadrupeds. Numbers behind a separator at the end may differ (_015) */
    const char *pairs;

    const void *next; /* must be NULL */
} pm_motion_mirror_options;

/* Valid until the mirrored motion is destroyed. */
typedef struct pm_motion_mirror_report {
    const uint32_t *partners; /* for each node, the one that it moves like; itself: in its place */
    size_t node_count;
    size_t pair_count;
    const uint32_t *alone; /* nodes whose names have a side, without a node of the other side */
    size_t alone_count;
    pm_motion_axis plane; /* across which left and right changed places: as given or found */
    uint32_t farthest;    /* the first node of the pair with the largest distance */
    size_t image_count;   /* pairs whose rest positions are mirror images within a hundredth of the
                             largest extent of all paired nodes */
    /* For each node, from the mirror image of its rest position to its partner's, in units of length; 0
     * without a partner. The plane goes through the joint from which all pairs branch off */
    const double *distances;

    const void *next; /* NULL */
} pm_motion_mirror_report;

/* Makes a motion in which left and right have changed places: in the world, each joint moves from its
 * rest pose as its partner does on the other side of the plane, on the same skeleton. The rest pose
 * is taken to be that of a figure with equal sides; the report says where it is not. Rotations of joints whose rest rotations are each
 * other's mirror images, up to half turns about axes, only change signs and places of numbers, so
 * that twice is the identity to the bit. Positions of joints that are animated are mirrored, about
 * the rest pose where the lengths of both sides differ; a joint in the middle that stays at its rest
 * position keeps it. Scales change places; weights and numbers without a node stay. Notes of the result say
 * how the plane was found, and name pairs that are no mirror images at rest.
 * Refused with PM_ERROR_FILE: a motion without nodes or pairs, pairs whose parents are no pair and, without
 * `normal`, a rest pose that maps no pair, or as many across two axes.
 * The result has no file: pm_motion_convert writes it. Destroy it with
 * pm_motion_destroy; the source may be destroyed before. `options` and `report` may be NULL. Blocks.
 * Thread-safe, also for one motion. */
PM_API pm_status pm_motion_mirror(const pm_motion *motion, const pm_motion_mirror_options *options,
                                  pm_motion **mirrored, pm_motion_mirror_report *report,
                                  pm_error *error);

typedef struct pm_motion_join_options {
    const size_t *clips; /* of each motion, the index of its clip. NULL: the first with channels */
    double blend;        /* seconds in which a clip passes into the next one; rounded to frames */
    /* true: the joint that moves the figure goes on in each clip from the end of the one before: its heading
     * and its place on the ground, a step behind the last ones, the mean of the steps on both sides. A clip
     * that goes on there by itself stays where it is: between both steps, or half of one off their mean.
     * A first frame whose pose is that last one, within a tenth of a step, is left out. In a crossfade,
     * its first frame has the heading and the place that the clip before has there */
    bool continue_root;
    pm_motion_up up; /* with continue_root */

    const void *next; /* must be NULL */
} pm_motion_join_options;

/* Makes one clip of several: each begins a frame after the last one of the clip before. Frames are
 * those of the clips. In a crossfade of n frames, the clips overlap, and frame i has the weight
 * w = u u (3 - 2 u) of the second, u = (i + 1) / (n + 1): rotations by slerp, other numbers linearly,
 * and steps from one half on.
 * The nodes are those of the first motion. Refused with PM_ERROR_FILE: other names, parents or rest
 * poses of joints, other rates, keys that are not at a rate, cubic splines, and a crossfade that is
 * longer than half a clip. `names` are of the motions, for messages; NULL: they are numbered. The
 * result has no file: pm_motion_convert writes it. Destroy it with pm_motion_destroy; the sources may
 * be destroyed before. `options` may be NULL. Blocks. Thread-safe, also for the same motions. */
PM_API pm_status pm_motion_join(const pm_motion *const *motions, size_t count,
                                const char *const *names, const pm_motion_join_options *options,
                                pm_motion **joined, pm_error *error);

typedef struct pm_motion_edit_options {
    /* What is kept: keys from the start to the end, both included, in seconds, or with `cut_frames` in
     * frames. 0/0: from the first key; to the last one. The result begins at 0. Where keys have no rate, a
     * channel gets keys at both ends, on its curve. */
    pm_rational start_after_first_key, end_after_first_key;
    bool cut_frames;
    size_t repeat; /* times that the clip is played, as by pm_motion_join. 0: once */
    double blend;  /* this and the following, with repeat, as in pm_motion_join_options */
    bool continue_root;
    /* Names of the joints that are kept. Each hangs on the nearest of its ancestors that is kept, and
     * stays where it was: the joints between are multiplied into it. NULL: all */
    const char *const *joints;
    size_t joint_count;
    /* Pairs of names: rename_count old ones, each followed by the new one. After `joints` */
    const char *const *renames;
    size_t rename_count;

    const void *next; /* must be NULL */
} pm_motion_edit_options;

/* Makes a motion that is cut, repeated, and has some of the joints, by other names; in this order, all
 * clips likewise. Keys that remain keep their bits. The result has no file: pm_motion_convert writes
 * it. Destroy it with pm_motion_destroy; the source may be destroyed before. `options` may be NULL. Blocks. Thread-safe, also for one motion. */
PM_API pm_status pm_motion_edit(const pm_motion *motion, const pm_motion_edit_options *options,
                                pm_motion **edited, pm_error *error);

/* ---- filling gaps and repairing jumps ------------------------------------ */

typedef enum pm_motion_jump_kind {
    PM_MOTION_JUMP_BACK =
        0, /* a flip or a spike: after `key_count` keys the channel is back where it was */
    PM_MOTION_JUMP_STAYS, /* it does not come back within the longest gap: a cut, a teleport */
    PM_MOTION_JUMP_START  /* from key 0 to key 1: key 0 is apart, as a T-pose is */
} pm_motion_jump_kind;

/* A step from a key to the next one that no motion around it explains: a rotation that turns by more than
 * `jump_degrees`, or a position that moves by more than a twentieth of the size of its path, eight times as
 * fast as the median of the ten keys on both sides, and three times as fast as the steps beside it. It is
 * back after at most 5 keys (a spike), or where both jumps of a rotation are above 90 degrees, after any
 * number (a flip): with the distance or angle across the keys, or the angle between the turns there and
 * back, at most a third of both jumps. Rotations are compared as rotations: angles that are written with
 * another turn, or as another solution of the same rotation, do not jump. Steps, cubic splines, and
 * channels of fewer than 5 keys have no jumps. */
typedef struct pm_motion_jump {
    pm_motion_jump_kind kind;
    size_t clip, channel;
    size_t key;       /* the first behind the jump */
    size_t key_count; /* until it is back; 0, unless it comes back */
    double time;      /* of the key, in seconds */
    double size;      /* degrees, or of a position units of length, from the key before */
} pm_motion_jump;

typedef struct pm_motion_fill_options {
    /* Rotations that hold exactly still for more than this number of frames, while another rotation
     * moves, are gaps too, unless they never move; the first of these frames is not. 0: they are not */
    size_t frozen;
    double longest; /* seconds between the keys about a gap; longer ones are refused. 0: 0.5 */
    bool jumps; /* true: keys between a jump and the way back are gaps too, of at most `longest` */
    double jump_degrees; /* what a rotation jumps by at least, up to 180. 0: 30 */

    const void *next; /* must be NULL */
} pm_motion_fill_options;

/* `jumps` is valid until the filled motion is destroyed. */
typedef struct pm_motion_fill_report {
    size_t nan_gaps, nan_keys;       /* runs of keys that are not finite, and their keys */
    size_t frozen_gaps, frozen_keys; /* of rotations that hold still */
    double longest;                  /* seconds, of all gaps */
    /* With `jumps`, all that were found, in the order of clips, channels and keys: those that come back
     * are repaired, the others are left as they are */
    const pm_motion_jump *jumps;
    size_t jump_count;

    const void *next; /* NULL */
} pm_motion_fill_report;

/* Makes a motion without gaps. A gap of a channel is a run of keys that are not finite, which the file
 * must have been read for with keep_nan. The keys of a rotation in a gap are those of a hermite curve
 * (pm_method) between the good keys about it, with the velocities of the segments on both sides, or
 * that of the gap where there is none; of other numbers, those of a cubic Hermite spline likewise.
 * A gap at an end takes the nearest good key. Keys that are not in gaps keep their bits. Jumps are looked
 * for once the other gaps are filled.
 * Refused with PM_ERROR_FILE: a longer gap, with its joint and time, and a channel without any good
 * key. The result has no file: pm_motion_convert writes it. Destroy it with pm_motion_destroy; the
 * source may be destroyed before. `options` and `report` may be NULL. Blocks. Thread-safe, also for
 * one motion. */
PM_API pm_status pm_motion_fill(const pm_motion *motion, const pm_motion_fill_options *options,
                                pm_motion **filled, pm_motion_fill_report *report, pm_error *error);

/* ---- comparing ----------------------------------------------------------- */

/* Clips are compared joint by joint: rotations relative to the parent, and places in the world, of the joint and of
 * points that move with it.
 * Joints are matched by name, otherwise by order. Lengths are not converted. */
typedef struct pm_motion_compare_options {
    size_t clip_a, clip_b; /* indices among the clips of A and of B */
    const char *name_a,    /* for messages, hints and pages: mostly paths. NULL: A, and B */
        *name_b;
    const char *digest_a, /* of the files, for JSON and pages. NULL: not known */
        *digest_b;
    const char *map;  /* a file with pairs of joints: on each line a name of A, a tab, and a name of
                                B. NULL: by name, otherwise by order */
    pm_rational rate; /* of the times that are compared. 0/0: the key times of both */
    /* Seconds. 0/0: the first key; the last one of the shorter clip */
    pm_rational start_after_first_key, end_after_first_key;
    size_t trim_start;  /* keys of A that are left out, such as a T-pose */
    double unit_mm;     /* millimetres per unit of length of both. 0: those of their contents */
    pm_motion_up up;    /* likewise */
    pm_engine *engine;  /* of `method`. NULL: A by its own interpolation, in double */
    pm_method method;   /* of A, with an engine; any but cubicspline. 0: slerp */
    uint64_t max_times; /* more are refused. 0: 1e8 */
    /* true: also bounds of the angles and distances that no time exceeds, of the whole of clips that
     * begin together. With a method only the rotations of A follow it, each through its own keys; slerp,
     * squad, hermite and spline have bounds, others are refused. Refused for cubicsplines but rotations of B
     * or those that a method replaces, and with start or trim_start */
    bool certify;
    /* Joints of A whose contacts with the ground are found, names separated by commas; or "feet", those with
     * foot, toe or ankle in their names. Both motions require skeletons. NULL: none */
    const char *contacts;
    uint64_t rpe_delta; /* of trajectories: how many poses apart those of RPE are. 0: 1 */
    /* Where distances are measured, beside the joints, as of pm_motion_reduce_options: PM_MOTION_AT_MESH, the vertices
     * of A or, where it has none, of B; PM_MOTION_AT_JOINTS, nowhere; a length. 0: the mesh where there is one whose
     * vertices can be read, otherwise nowhere */
    double at;
    bool has_tolerance; /* true: the two numbers that follow are checked */
    double tolerance_degrees, tolerance_mm;
    pm_motion_log_function
        log; /* receives hints, PM_LOG_WARNING, on the calling thread. NULL: none */
    void *log_user;
    pm_spelling spelling; /* of options that hints, the JSON and the page name */
    /* Called on the calling thread as times are compared. NULL: not called. */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *progress_user;

    const void *next; /* must be NULL */
} pm_motion_compare_options;

/* The values of one measure along the times. NaN: not known. */
typedef struct pm_motion_extent {
    double max, rms;
    double time; /* of `max`, in seconds after the first key */
} pm_motion_extent;

/* How much A and B differ. */
typedef struct pm_motion_difference {
    pm_motion_extent angle; /* between the rotations, in degrees */
    pm_motion_extent
        distance; /* between the places, the largest of the points, in units of length */
    pm_motion_extent velocity;     /* length of the difference of angular velocities, degrees/s */
    pm_motion_extent acceleration; /* of angular accelerations, degrees/s^2 */
    /* How far a joint that stands on the ground in A moves horizontally in B, in units of length,
     * and when. NaN: not known; the time is also NaN if it does not move. */
    double slide, slide_time;
} pm_motion_difference;

typedef struct pm_motion_joint_difference {
    pm_motion_name name_a, name_b;
    size_t joint_a, joint_b; /* nodes; of a motion without nodes, rotations in their order */
    pm_motion_difference difference;
    double planted_seconds; /* how long the joint stands in A; NaN: not known */

    const void *next; /* NULL */
} pm_motion_joint_difference;

/* A time at which the largest angle of its hundredth of the clip is large. */
typedef struct pm_motion_moment {
    double time, degrees;
    size_t joint; /* its index among the joints of the result */

    const void *next; /* NULL */
} pm_motion_moment;

/* The contacts of a foot with the ground. It is in contact at a compared time while it is at most 100 mm
 * above the lowest compared joint of its motion, and has moved at 50 mm/s at most since the time before. */
typedef struct pm_motion_contact {
    size_t joint; /* its index among the joints of the result */
    uint64_t frames_a, frames_b, frames_both;
    double seconds; /* in contact in A */
    /* How fast the joint moves horizontally meanwhile, in A and in B: mm/s. The change caused what
     * B has more. NaN: it never is in contact. */
    double slide_a, slide_b;
    const double *spans_a, *spans_b; /* (count, 2): the first and the last time of each contact */
    size_t span_count_a, span_count_b;

    const void *next; /* NULL */
} pm_motion_contact;

/* A guess about a file that changes what is found, in a sentence. */
typedef struct pm_motion_hint {
    const char *name; /* of the file */
    const char *text;

    const void *next; /* NULL */
} pm_motion_hint;

/* Errors of B, an estimate, against A, a reference: two trajectories, in units of length, rms. B is taken at its
 * stamps, and A is interpolated there. */
typedef struct pm_motion_trajectory_error {
    size_t poses;     /* 0: not both motions are trajectories, and all is 0 */
    double ate;       /* absolute trajectory error: distances of places, as they are */
    double ate_rigid, /* the least that a rotation and a translation of B leave */
        ate_similar;  /* likewise with a scale */
    double scale;     /* that scale; 1 for one place */
    double rpe, /* relative pose error: of the way from each pose to the one rpe_delta later, in */
        rpe_degrees; /* the frame of the former, and of the turn. NaN: there are fewer poses */

    const void *next; /* NULL */
} pm_motion_trajectory_error;

/* Names point into the motions. The joints that are not compared are numbered like joint_a and
 * joint_b. */
typedef struct pm_motion_differences {
    const pm_motion_joint_difference
        *joints; /* the largest angle first, then the largest distance */
    size_t joint_count;
    pm_motion_difference clip;       /* of all joints */
    const pm_motion_moment *moments; /* the largest first, at most ten */
    size_t moment_count;
    const uint32_t *only_in_a, *only_in_b; /* joints that are not compared */
    size_t only_in_a_count, only_in_b_count;
    uint64_t times;        /* that were compared */
    uint64_t key_times;    /* of which these were taken */
    double start, seconds; /* of the part that is compared */
    double unit_mm;        /* millimetres per unit of length of A. 0: not known */
    pm_motion_up up;       /* of A */
    const pm_motion_hint *hints;
    size_t hint_count;
    bool is_exceeded; /* with a tolerance, by an angle or by a distance that is known */
    /* That no time exceeds, in degrees and units of length, and the indices among `joints` of those
     * that have them. NaN without `certify`; distances also where places are not known. */
    double certified_degrees, certified_distance;
    size_t certified_joint, certified_distance_joint;
    const pm_motion_contact *contacts; /* in the order of A or of the names; NULL: not asked for */
    size_t contact_count;
    uint64_t contact_frames; /* times of which contacts are counted: at least half a key apart */
    double at;               /* where distances are measured, as of the options; never 0 */
    pm_motion_trajectory_error trajectory; /* of two motions with stamps */

    const void *next; /* NULL */
} pm_motion_differences;

/* A comparison that is done. Immutable: all threads may read it at once. */
typedef struct pm_motion_comparison pm_motion_comparison;

/* Compares a clip of A with one of B, which may be the same motion. Both must outlive the
 * comparison, but the objects that the options point to need not. `options` may be NULL. Blocks.
 * Thread-safe, also for the same motions. */
PM_API pm_status pm_motion_compare(const pm_motion *a, const pm_motion *b,
                                   const pm_motion_compare_options *options,
                                   pm_motion_comparison **comparison, pm_error *error);

/* Clears the handle; takes NULL. */
PM_API void pm_motion_comparison_destroy(pm_motion_comparison **comparison);

/* What was found; valid until the comparison is destroyed. NULL for NULL. */
PM_API const pm_motion_differences *
pm_motion_comparison_get_differences(const pm_motion_comparison *comparison);

/* What `posemill compare --json` prints, which has more than the struct: one object, as UTF-8 and
 * terminated. It is valid until the comparison is destroyed; NULL for NULL. */
PM_API const char *pm_motion_comparison_json(const pm_motion_comparison *comparison);

/* ---- pages --------------------------------------------------------------- */

typedef struct pm_motion_page_options {
    const char *made_by; /* what the page says about how it was made, such as a command line. NULL:
                            pm_motion_write_page */
    bool hides_poses;    /* true: curves, without the figures */
    bool
        has_joint; /* false: the joint with the largest angle between A and B is chosen at first, of
                            one motion that from its first pose */
    size_t joint;  /* node of A */
    /* Receives the page instead of a file; `path` is ignored. NULL: it is written to a file. */
    void (*write)(void *user, const char *text, size_t size);
    void *write_user;
    /* Of one motion: true: the page has a choice of all its clips that can be read, of which clip_a is shown at
     * first. At most 64, and of many joints fewer, which the page says; the clips share its bytes equally */
    bool all_clips;

    const void *next; /* must be NULL */
} pm_motion_page_options;

/* Writes a self-contained HTML page to a file, or to standard output for "-". It shows A and B over
 * each other, and where they differ. With B NULL it shows a clip of A alone, without clip_b,
 * name_b, digest_b, map, engine and tolerance. A page has at most 4000 joints and 20 MB. If a clip
 * has more times than fit, the page shows some of them, and the numbers of all. The file appears
 * when it is complete. `options` and `page` may be NULL. `comparison` receives the comparison, as
 * from pm_motion_compare; NULL: it is not returned. Blocks. Thread-safe, also for the same
 * motions. */
PM_API pm_status pm_motion_write_page(const pm_motion *a, const pm_motion *b,
                                      const pm_motion_compare_options *options,
                                      const pm_motion_page_options *page, const char *path,
                                      pm_motion_comparison **comparison, pm_error *error);

/* ---- pictures ------------------------------------------------------------ */

typedef enum pm_motion_picture_view {
    PM_MOTION_PICTURE_FRONT = 0,
    PM_MOTION_PICTURE_SIDE,
    PM_MOTION_PICTURE_TOP,
    PM_MOTION_PICTURE_BACK
} pm_motion_picture_view;

typedef struct pm_motion_picture_options {
    uint32_t width, height; /* pixels, 32 to 4096. 0: 960 of SVG, 320 of GIF; 320 */
    pm_motion_picture_view from;
    uint32_t
        poses; /* from the first to the last time, at most 3000. 0: of SVG as many as fit side by
                       side, of GIF 25 in each second */

    const void *next; /* must be NULL */
} pm_motion_picture_options;

/* Draws the skeleton of a clip as lines: a strip of poses with their times, .svg, or an animation,
 * .gif, which plays at the speed of the motion and requires giflib (PM_ERROR_ARGUMENT without it).
 * Poses stay in place. Of `options`, clip_a, name_a, both times, trim_start, unit_mm, up and log
 * are used. A motion without a skeleton is refused. The file appears when it is complete. `options`
 * and `picture` may be NULL. Blocks. Thread-safe, also for the same motion. */
PM_API pm_status pm_motion_write_picture(const pm_motion *motion,
                                         const pm_motion_compare_options *options,
                                         const pm_motion_picture_options *picture, const char *path,
                                         pm_error *error);

/* ---- batches ------------------------------------------------------------- */

/* The curve through the keys of rotations, for files whose joints and keys are not known yet. The
 * fields are those of pm_clip_desc with these names. Fields that the method does not use are
 * ignored, with a warning. */
typedef struct pm_motion_curve {
    bool authored;     /* each channel by its own interpolation; then nothing else is used */
    bool method_given; /* false: glTF and splines as authored, all others by slerp */
    pm_method method;  /* any but cubicspline */
    bool tangents_given;
    pm_tangents tangents;
    double tcb[3];             /* of PM_TANGENTS_TCB: tension, continuity and bias */
    const char *tangents_file; /* of PM_TANGENTS_USER: a .npy file of shape (keys, joints, 3) */
    bool ends_given;
    pm_ends ends;
    bool unlimited;
    double loop;           /* 0: open */
    bool axis_given;       /* false: sterp twists about the bones */
    double axis[3];        /* of all joints */
    const char *axis_file; /* instead of `axis`: a .npy file of shape (joints, 3). NULL: `axis` */
    bool axis_frame_given;
    pm_axis_frame axis_frame;
    bool swing_given, twist_given; /* false: the whole segment */
    double swing[2], twist[2];     /* windows: begin and end */

    const void *next; /* must be NULL */
} pm_motion_curve;

/* A step between reading and writing: fill, cut, repeat, pick, mirror, lowpass, resample, reduce, transform,
 * apply-scale or root. transform takes scale, to_unit_mm, to_up, unit_mm and up, and formats meet their
 * conventions after it. */
typedef struct pm_motion_step {
    const char *name;
    /* Of which those of the step are used, and its clips in place of those of the task, if it has any */
    const struct pm_motion_batch_task *options;

    const void *next; /* must be NULL */
} pm_motion_step;

/* What is done with each file of a batch. */
typedef struct pm_motion_batch_task {
    pm_motion_read_options
        read; /* of the inputs. Its log, observer, resample_only and headers_only are not used */
    pm_motion_format format;  /* of all outputs. 0: that of each input */
    const char *const *clips; /* names of clips, or their numbers from 0. NULL: all */
    size_t clip_count;        /* at most 256 */
    const char *rate; /* samples per second, exact: "60", "29.97" or "30000/1001"; or relative to
                               that of each file: "x2" or "/4". NULL: the keys remain */
    /* These and the following as in pm_motion_resample_options */
    pm_rational start_after_first_key, end_after_first_key;
    bool end_rule_given; /* false: PM_MOTION_END_FIT, with a warning if an end is left out */
    pm_motion_end_rule end_rule;
    size_t trim_start;
    bool keep_time;
    uint64_t max_samples;
    bool check;
    pm_motion_curve curve; /* with a rate */
    bool euler_given;      /* this and the following as in pm_motion_convert_options */
    pm_euler_order euler;
    double scale;
    pm_motion_up up, to_up; /* as in pm_motion_convert_options */
    double unit_mm, to_unit_mm;
    unsigned decimals;
    bool drop_rest;
    /* Instead of a rate: keys are dropped, as by pm_motion_reduce, and `format` is glTF or GLB. Its
     * clips, threads and progress are those of the batch. NULL: they are not */
    const pm_motion_reduce_options *reduce PM_EXPERIMENTAL;
    bool converts; /* true: `decimals` are those of all numbers in the rows of BVH, as of
                      pm_motion_convert; false: of computed ones */
    /* true: the root of what is written moves, as by pm_motion_extract_root with `root`, after
     * resampling. Not with `reduce` */
    bool extracts_root;
    pm_motion_root_options root;
    /* Before all this, gaps of each file are filled, and it is edited and mirrored, as by
     * pm_motion_fill, pm_motion_edit and pm_motion_mirror. NULL: not. Not with `reduce` */
    const pm_motion_fill_options *fill;
    const pm_motion_edit_options *edit;
    const pm_motion_mirror_options *mirror;

    double lowpass; /* with a rate: as in pm_motion_resample_options */
    /* What is done to each file, one step after another, in place of `rate`, `reduce`, `extracts_root`,
     * `fill`, `edit` and `mirror`, which are those of the steps. step_count 0: these, in the order of fill,
     * edit, mirror, resample, reduce, apply-scale, root */
    const pm_motion_step *steps;
    size_t step_count;
    bool apply_scale; /* true: also pm_motion_apply_scale, before the root is extracted */

    const void *next; /* must be NULL */
} pm_motion_batch_task;

/* Where the inputs of a batch are. */
typedef struct pm_motion_batch_sources {
    const char *const *paths; /* files, folders and tar archives; "-" is standard input */
    size_t path_count;
    const char
        *files_from;  /* a list, a tar archive, or "-" for a list on standard input. NULL: none */
    const char *list; /* the text of a list. NULL: none */
    size_t list_size;
    const char
        *match; /* glob of files in folders and archives: of their names, or of their paths below
                          where it has a /. NULL: all with an extension of a format */
    /* The folders of the outputs and of a report, which are not searched if a folder of `paths`
     * contains them. They need not exist. NULL: none */
    const char *out_dir, *report;

    const void *next; /* must be NULL */
} pm_motion_batch_sources;

typedef struct pm_motion_batch_item {
    const char *path; /* of the file; of a member of an archive "takes.tar:walks/a.bvh" */
    const char *name; /* that the output has below its folder, but for the extension; unique */
    uint64_t bytes;   /* 0: not known */
    pm_rational source_rate; /* that a list gives; 0/0: none */
    const char *layout;      /* that a list gives; NULL: none */
    const char *fault;       /* why it cannot be used, such as a loop of links. NULL: none */

    const void *next; /* NULL */
} pm_motion_batch_item;

/* The inputs of a batch, sorted by name. Immutable: all threads may read it at once. */
typedef struct pm_motion_batch_list pm_motion_batch_list;

/* Finds the inputs. Folders are searched without hidden files; links are followed once. A line of a list
 * is a path, or a JSON object with "path" and, where they are known, "member", "bytes", "rate", "layout"
 * and "out", which is the name. A file that cannot be used is an item with a fault. Sources that
 * cannot be read, and two items with one name, are refused. Blocks. */
PM_API pm_status pm_motion_batch_list_create(const pm_motion_batch_sources *sources,
                                             pm_motion_batch_list **list, pm_error *error);

/* The items, valid until the list is destroyed; NULL for NULL. */
PM_API const pm_motion_batch_item *pm_motion_batch_list_get_items(const pm_motion_batch_list *list,
                                                                  size_t *count);

/* Writes the items without a fault as a list that `files_from` takes, to a file or to standard
 * output for "-". Each line is a JSON object, and lines are sorted by path. The file appears when
 * it is complete. Blocks. */
PM_API pm_status pm_motion_batch_list_write(const pm_motion_batch_list *list, const char *path,
                                            pm_error *error);

/* The same as a text, with all items and with "out" of each, valid until the list is destroyed. An
 * item with a fault has no "bytes"; reading the list finds the fault again. The first call makes
 * the text, and must not run while other threads use the list. NULL: memory is exhausted, or the
 * list is NULL. */
PM_API const char *pm_motion_batch_list_text(pm_motion_batch_list *list);

/* Clears the handle; takes NULL. */
PM_API void pm_motion_batch_list_destroy(pm_motion_batch_list **list);

typedef enum pm_motion_batch_state {
    PM_MOTION_BATCH_DONE = 0,
    PM_MOTION_BATCH_KEPT, /* done before, which a record proves */
    PM_MOTION_BATCH_FAILED,
    PM_MOTION_BATCH_MISSING,    /* of a merge: without a record */
    PM_MOTION_BATCH_CONFLICTING /* of a merge: done several times, with different results */
} pm_motion_batch_state;

/* What became of a file. */
typedef struct pm_motion_batch_file {
    const char *name, *in, *out; /* the item's name with the extension of the output; paths */
    pm_motion_batch_state state;
    const pm_error *error; /* of a failure; the message names the file. Otherwise NULL */
    const char *record;    /* its line of JSON, with the newline. NULL: it could not be written */

    const void *next; /* NULL */
} pm_motion_batch_file;

/* How far a batch is, and what has become of it. */
typedef struct pm_motion_batch_result {
    uint64_t files, bytes; /* of the shard, as listed */
    uint64_t done, kept, failed;
    uint64_t bytes_ended; /* as listed, of the files that are done, kept or failed */
    uint64_t frames, joint_samples, bytes_read, bytes_written; /* of those that are done */
    uint64_t cut_ends;  /* files of which an end is left out, on which no sample falls */
    double longest_cut; /* of these, in seconds */
    double seconds;
    bool ended_by_file; /* the failure of the run is that of a file, which no other would escape */
    /* Digest of names and outputs of the files that are done or kept, in hexadecimal. It is the
     * same for every number of jobs and runs, and in a pm_motion_batch_merge for every number of
     * shards. "" before the end */
    char digest[40];
    bool is_reporting; /* in the progress: files are compared for the report, `compared` so far */
    uint64_t compared;
    uint64_t pages; /* of the worst, including the one that is being written */

    const void *next; /* NULL */
} pm_motion_batch_result;

typedef struct pm_motion_batch_options {
    const char *out_dir; /* of the outputs, which mirror the inputs. It is created */
    pm_motion_batch_task task;
    size_t jobs;     /* files at a time. 0: one per processor */
    uint64_t memory; /* bytes that files may take together. 0: a quarter of the machine's */
    uint64_t shard,
        shard_count;     /* the part of the files to do, from 0, and the number of parts; they are
                                    balanced by size. 0 of 0: all */
    const char *records; /* a file that records are appended to: a line of JSON for each file. NULL:
                            out_dir/.posemill/records-SHARD.jsonl */
    bool resume;         /* true: outputs that records prove right are kept, others are redone */
    bool verify;         /* with resume: outputs are read to be sure */
    bool overwrite;      /* true: outputs that exist are replaced. Without it and `resume` they are
                            refused before anything is written */
    const char
        *report; /* a folder for a report of the whole batch, which compares outputs with their
                            sources: index.html, index.json and pages of the worst. NULL: none */
    size_t report_pages; /* how many of the worst have a page. 0: none */
    const char *made_by; /* what the report says about how it was made. NULL: pm_motion_batch_run */
    /* The functions are called one at a time. NULL: not called */
    /* Receives PM_LOG_WARNING and, with `automatic`, PM_LOG_INFO that says where a file is computed, on
     * any thread. */
    pm_motion_log_function log;
    void *log_user;
    pm_spelling spelling; /* of options that records and the report name */
    /* Receives what became of a file, on any thread, when its record is written. */
    void (*ended)(void *user, const pm_motion_batch_file *file);
    void *ended_user;
    /* Called about ten times a second on the calling thread. */
    void (*progress)(void *user, const pm_motion_batch_result *so_far);
    void *progress_user;
    /* Returns true to begin no more files: the run then ends when the files in progress are
     * finished. Called on any thread, also on several at once. */
    bool (*is_stopped)(void *user);
    void *is_stopped_user;
    /* Of the engines of a batch that is given none: files are computed in plain C, except those that
     * pm_motion_repays_device is true of, for the first of which the device is opened. Its device is
     * NULL or "auto". NULL: the batch is given its engine */
    const pm_engine_desc *automatic;

    const void *next; /* must be NULL */
} pm_motion_batch_options;

/* Checks a batch as pm_motion_batch_run does before it writes anything. Refused are two files with
 * one output, an output that is an input, and an output that exists and must not be replaced.
 * `error` receives the first. */
PM_API pm_status pm_motion_batch_check(const pm_motion_batch_list *list,
                                       const pm_motion_batch_options *options, pm_error *error);

/* Resamples, converts, edits, mirrors or reduces the files of a list into a folder, on threads of
 * its own. `engine` may be NULL without a rate, and with `automatic`. A file that cannot be used is
 * a failure in `result`, and not a failure of the run. If the run ends early, for example because
 * of a full disk or another run with other options, it returns an error, and files that are already
 * done stay. `result`, which may be NULL, is filled in this case too. Runs with the same options
 * may share a folder, also from several processes. Blocks. Thread-safe. */
PM_API pm_status pm_motion_batch_run(const pm_motion_batch_list *list, pm_engine *engine,
                                     const pm_motion_batch_options *options,
                                     pm_motion_batch_result *result, pm_error *error);

/* A file of a batch, by all its records. */
typedef struct pm_motion_batch_merged_file {
    const char *name;
    pm_motion_batch_state state; /* DONE also if it was kept */
    const char *failure;         /* of a failure, with its file. Otherwise NULL */
    int code;                    /* of a failure: the exit code that the command has for it */
    bool is_listed;

    const void *next; /* NULL */
} pm_motion_batch_merged_file;

/* What a batch has done. */
typedef struct pm_motion_batch_merged {
    bool is_complete;                         /* all files are done, with the same options */
    const char *digest;                       /* as of pm_motion_batch_result, over all files */
    const pm_motion_batch_merged_file *files; /* sorted by the bytes of their names */
    size_t file_count;
    size_t done, failed, missing, conflicting;
    size_t unlisted;     /* files with records that the list does not have */
    size_t option_count; /* different options of files that are done */
    uint64_t frames, joint_samples, bytes_read, bytes_written; /* of the files that are done */
    double seconds;                                            /* of work */
    size_t dropped_lines; /* of files of records: torn lines, and lines that are no record */

    const void *next; /* NULL */
} pm_motion_batch_merged;

typedef struct pm_motion_batch_merge_options {
    const char *const *records; /* files of records, and folders of outputs */
    size_t record_count;
    bool may_be_missing; /* true: what does not exist has no records; false: it is refused */
    const pm_motion_batch_list *list; /* what was to be done: files without a record are missing.
                                         NULL: not known */

    const void *next; /* must be NULL */
} pm_motion_batch_merge_options;

/* What the records of all processes and runs say together. */
typedef struct pm_motion_batch_merge pm_motion_batch_merge;

/* The list must outlive the merge. Blocks. Thread-safe. */
PM_API pm_status pm_motion_batch_merge_create(const pm_motion_batch_merge_options *options,
                                              pm_motion_batch_merge **merge, pm_error *error);

/* The result, valid until the merge is destroyed; NULL for NULL. */
PM_API const pm_motion_batch_merged *
pm_motion_batch_merge_get_merged(const pm_motion_batch_merge *merge);

/* What `posemill merge --json` prints, which has more than the struct; valid until the merge is
 * destroyed. NULL: memory is exhausted, or the merge is NULL. */
PM_API const char *pm_motion_batch_merge_json(pm_motion_batch_merge *merge);

/* Clears the handle; takes NULL. */
PM_API void pm_motion_batch_merge_destroy(pm_motion_batch_merge **merge);

/* ---- options ------------------------------------------------------------- */

/* What a value of an option is, as text. */
typedef enum pm_option_type {
    PM_OPTION_FLAG = 0, /* "true" or "false"; on a command line the option alone */
    PM_OPTION_TEXT,     /* any text but "" */
    PM_OPTION_FILE,     /* the path of a file */
    PM_OPTION_WORD,     /* one of the words of the option */
    PM_OPTION_NUMBER,   /* a decimal within the range */
    PM_OPTION_INTEGER, /* a whole number within the range; of bytes with K, M, G or T for powers of 1024 */
    PM_OPTION_RATE,    /* per second, above 0, exact: "60", "29.97", "30000/1001" */
    PM_OPTION_TIME,    /* seconds, exact: "1.5", "1001/30000" */
    PM_OPTION_NUMBERS, /* decimals with commas between them: "0.1,1" */
    PM_OPTION_NAMES,   /* names with commas between them */
    PM_OPTION_FORM     /* a form of its own, which the help describes */
} pm_option_type;

/* An option. Those with one name are taken by different verbs. All pointers remain valid. */
typedef struct pm_option_info {
    const char *name; /* "source-rate": `--source-rate` of the command, `source_rate` of Python */
    pm_option_type type;
    const char
        *argument; /* what stands for the value in help: "HZ". NULL: a flag, or a value that may be
                             left out */
    const char *unit;   /* of a number: "degrees". NULL: none, or that of the file */
    double least, most; /* range of a number or a count; of numbers, of each */
    bool is_above;      /* `least` itself is not in the range */
    bool repeats;       /* may be set several times, and each adds a value */
    const char *usual;  /* the default, in words. NULL: the help says it, or nothing is done */
    const char
        *topic; /* of options that several verbs have: "reading", "curve". NULL: of the verb */
    const char *help;  /* sentences with semicolons between; other options are in braces: {fill} */
    const char *since; /* version of Posemill */

    const void *next; /* NULL */
} pm_option_info;

/* The options: 0 to pm_option_count() - 1. */
PM_API size_t pm_option_count(void);

/* NULL for an index that no option has. */
PM_API const pm_option_info *pm_option_get_info(size_t option);

/* The words of an option, in their order: all values of PM_OPTION_WORD; of other types, what may stand
 * for a value, such as "auto". NULL: it has no more. */
PM_API const char *pm_option_get_word(size_t option, size_t index);

/* Whether a verb of the command, such as "resample" or "mirror", takes the option. */
PM_API bool pm_option_is_of(size_t option, const char *verb);

/* Structs of options that are filled by names and texts, and what they point to. A pm_motion_options is
 * used by one thread at a time. */
typedef struct pm_motion_options pm_motion_options;

/* For a verb, whose options are taken and no others; NULL: any, and of several with one name the first.
 * Refused: an unknown verb. */
PM_API pm_status pm_motion_options_create(const char *verb, pm_motion_options **options,
                                          pm_error *error);

/* Clears the handle; takes NULL. */
PM_API void pm_motion_options_destroy(pm_motion_options **options);

/* Sets an option, "source-rate" or "source_rate", to a value as on the command line, which is copied. A value
 * that is set again is replaced, except where the option repeats. Refused with PM_ERROR_ARGUMENT: a name
 * that the verb does not have, with the nearest one that it has, and a value that is none. */
PM_API pm_status pm_motion_options_set(pm_motion_options *options, const char *name,
                                       const char *value, pm_error *error);

/* What was set; the rest is zero, or its default. `task` is of the verb: of edit its `edit` points to the
 * edits, of mirror its `mirror`, of reduce its `reduce`, and with the option fill its `fill`. */
typedef struct pm_motion_option_values {
    const pm_motion_batch_options *batch;
    const pm_motion_batch_task *task;       /* of `batch`, with its curve and root */
    const pm_motion_read_options *read;     /* of the task */
    const pm_motion_batch_sources *sources; /* without paths */
    const pm_motion_reduce_options *reduce PM_EXPERIMENTAL;
    const pm_motion_fill_options *fill;
    const pm_motion_edit_options *edit;
    const pm_motion_mirror_options *mirror;
    const pm_motion_join_options *join;
    const pm_motion_compare_options *compare;
    const pm_motion_picture_options *picture;
    const char *device; /* NULL: not given */
    bool reference;     /* true: plain C */

    const void *next; /* NULL */
} pm_motion_option_values;

/* Gives the structs, which are valid until the next option is set and the options are destroyed. Refused
 * with PM_ERROR_ARGUMENT: options that require another one, or exclude each other. */
PM_API pm_status pm_motion_options_get(pm_motion_options *options,
                                       const pm_motion_option_values **values, pm_error *error);

/* ---- formats ------------------------------------------------------------- */

/* The number of formats, including PM_MOTION_ANY. */
PM_API size_t pm_motion_format_count(void);

/* The format of a name's extension, which for .vrm and .vrma is GLB; PM_MOTION_ANY if it has no
 * extension, or one of no format. */
PM_API pm_motion_format pm_motion_find_format(const char *path);

/* "bvh", "gltf", "glb", "npz", "csv", "usda", "amc", "tum". */
PM_API const char *pm_motion_format_name(pm_motion_format format);

#ifdef __cplusplus
}
#endif

#endif
