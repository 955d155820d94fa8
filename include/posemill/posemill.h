/* SPDX-License-Identifier: MIT
 *
 * Posemill: rotation curves, and the positions and scales beside them, for
 * millions of bone/time samples in parallel, on any OpenCL 1.2 device or on the
 * CPU reference path. This header is the manual; it needs no OpenCL header.
 * Interop with a caller's own OpenCL objects is in posemill_cl.h.
 *
 * Conventions
 *   quaternion   four numbers x y z w, unit, Hamilton product, active rotation
 *                v' = q v conj(q); q and -q are the same rotation
 *   time         seconds as double; rates are exact fractions of whole numbers
 *   angle        radians
 *   array        C order, tightly packed unless a stride says otherwise
 *   track        one bone: a rotation curve and, optionally, a position and a
 *                scale curve with the same key times
 *   description  a plain struct. Zero-initialise it; every field says what 0 means
 *   errors       functions return a pm_status and fill the caller's pm_error,
 *                which may be NULL. On failure no output handle is written
 *   NULL         where nothing else is said of a pointer, and a number where there is no such
 *                enumerator: functions that return a pm_status refuse them with
 *                PM_ERROR_ARGUMENT, and the message names them; those that return a bool return
 *                false and write nothing; the others return 0 or NULL, and clear the struct that
 *                they would have filled
 *
 * The library never prints, never aborts, reads no environment but what
 * pm_engine_desc names, and keeps no global state.
 */
#ifndef POSEMILL_H
#define POSEMILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(POSEMILL_SHARED) && defined(__GNUC__)
#define PM_API __attribute__((visibility("default")))
#else
#define PM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define PM_VERSION_MAJOR 0
#define PM_VERSION_MINOR 1
#define PM_VERSION_PATCH 0

/* "0.1.0", of the library that is linked. Static storage. */
PM_API const char *pm_version(void);

/* ---- status -------------------------------------------------------------- */

typedef enum pm_status {
    PM_OK = 0,
    PM_ERROR_ARGUMENT,      /* a field or pointer that cannot be used; the message names it */
    PM_ERROR_KEY,           /* a key, tangent or axis; pm_error.track and .key say which */
    PM_ERROR_TIME,          /* a key time, sample time, rate or loop period */
    PM_ERROR_SIZE,          /* a count whose size in bytes cannot be represented */
    PM_ERROR_MEMORY,        /* host memory */
    PM_ERROR_NO_PLATFORM,   /* no OpenCL driver is installed */
    PM_ERROR_NO_DEVICE,     /* a driver, but no device as asked for */
    PM_ERROR_BUILD,         /* the device's compiler refused the kernels */
    PM_ERROR_DEVICE_MEMORY, /* the device has not enough memory, however small the pieces */
    PM_ERROR_DEVICE         /* any other OpenCL failure; pm_error.cl_status says which */
} pm_status;

/* The name of a status, such as "key"; of what is no status "unknown". Static storage, never
 * NULL. */
PM_API const char *pm_status_name(pm_status status);

#define PM_NO_INDEX SIZE_MAX /* pm_error.track and the like when the failure is not about one */

/* Owned by the caller; written only by the call it is passed to. */
typedef struct pm_error {
    pm_status status;
    int cl_status; /* the OpenCL error behind it, 0 when there is none */
    /* What the failure is about, by its number in the description or the job; each of them
     * PM_NO_INDEX where it is not about one. The message ends with them. */
    size_t track;
    size_t key;
    size_t joint;    /* of a skeleton's description */
    size_t instance; /* of a crowd */
    char message[256];
} pm_error;

/* An exact fraction num/den, for rates in Hz and times in seconds. 0/0 means
 * "not given"; otherwise den > 0. */
typedef struct pm_rational {
    int64_t num;
    int64_t den;
} pm_rational;

/* ---- devices and the engine ---------------------------------------------- */

typedef enum pm_device_type {
    PM_DEVICE_REFERENCE = 0, /* no OpenCL: plain C on the host's threads */
    PM_DEVICE_CPU,
    PM_DEVICE_GPU, /* shares memory with the host */
    PM_DEVICE_DISCRETE_GPU,
    PM_DEVICE_OTHER
} pm_device_type;

/* Whether results have the bits of the reference path: measured by
 * pm_engine_self_check, never taken from what a driver claims. */
typedef enum pm_bit_match {
    PM_BIT_MATCH_UNKNOWN = 0,
    PM_BIT_MATCH_EXACT,
    PM_BIT_MATCH_DIFFERENT
} pm_bit_match;

typedef struct pm_device_info {
    size_t index;          /* over all platforms, from 0 */
    size_t platform_index; /* the P of P:D */
    size_t device_index;   /* the D of P:D */
    pm_device_type type;
    char name[128];
    char platform[128];
    char driver[128];
    uint64_t memory_bytes;
    uint64_t max_allocation_bytes;
    uint32_t compute_units;
    uint32_t lanes; /* floats the engine puts into one work-item's vector: 1, 4, 8 or 16 */
} pm_device_info;

/* Lists OpenCL devices. Writes up to `capacity` entries of `infos` (may be NULL
 * when capacity is 0) and the number there are to *count.
 * A device, or a platform, that fails to say what it is is left out, and the others keep
 * their P:D; the failure is returned when there are no others. An engine's log says so too.
 * PM_ERROR_NO_PLATFORM without any driver; PM_OK with *count 0 when the drivers
 * have no device. Thread-safe. */
PM_API pm_status pm_list_devices(pm_device_info *infos, size_t capacity, size_t *count,
                                 pm_error *error);

typedef enum pm_log_level {
    PM_LOG_DEBUG = 0,
    PM_LOG_INFO,
    /* A program is about to be compiled, which takes some drivers seconds and early ones minutes;
     * the message names it. PM_LOG_BUILT follows when it is ready, nothing but the failure of the
     * call when it cannot be compiled. A program that is loaded from the folder has neither. */
    PM_LOG_BUILDING,
    PM_LOG_BUILT,
    PM_LOG_WARNING
} pm_log_level;

/* Called on the thread whose call caused the message, on a driver's thread, by an engine
 * over several devices on any of the threads that do a job meanwhile, or by one that builds in
 * the background on the thread that does, also when no call is under way. The message is whole,
 * however long: the driver's log of a build that failed can be. No lock of the library is held,
 * so a callback may call it, on the same engine too; the messages of those calls come nested. */
typedef void (*pm_log_function)(void *user, pm_log_level level, const char *message);

typedef struct pm_engine_desc {
    /* Which device: "auto" (discrete GPU, other GPU, CPU, else the reference),
     * "cpu", "gpu", "none" (the reference), an index "N", "P:D", part of a
     * device's or platform's name, or several: "all", or a list of indices and
     * P:D's such as "0,2" or "0:0,1:0", none of them twice. NULL: "auto". Anything
     * but "auto" is used or the call fails; never silently another.
     * Over several devices clips are built once and uploaded to each, and pm_sample
     * shares a job's samples out by how fast each device was so far: see there. */
    const char *device;
    /* Device memory for the rotations of the two pieces of a job that are in flight, in
     * bytes; positions, scales and places come on top, at most twice as much again.
     * On each device, where there are several.
     * 0: a quarter of the device's memory, at most 256 MiB. */
    uint64_t piece_bytes;
    /* 1, 4, 8 or 16 tracks per work-item. 0: chosen for the device. Every width
     * gives the same bits. */
    uint32_t lanes;
    /* Most threads of the host that a call spreads over while it runs, the caller's among
     * them, where there is much to do: building clips and crowds, placing listed times, sampling
     * and posing on the reference path, and pm_crowd_root_motion. Jobs may choose fewer, or more. Several
     * devices have equal shares of them, and at least one each. 0: one a processor. */
    uint32_t host_threads;
    /* Folder for built programs. NULL: $XDG_CACHE_HOME/posemill or
     * ~/.cache/posemill, where those are absolute paths. "": no cache on disk.
     * It is made with mode 0700 and holds up to 256 MiB; beyond that the programs go
     * that were not used for longest. A folder, or a file in it, that is a link, that
     * another user owns or that others can write is not used, and a warning says so
     * once. Any number of engines and processes may share it. */
    const char *cache_folder;
    /* Folder to read kernel sources from instead of those built in, for work on
     * the kernels. NULL: built in. */
    const char *kernel_folder;
    /* true: pm_sample does not wait for programs that must be compiled first. They are built on a
     * thread of its own, while the reference path samples on host_threads less one,
     * at least on the caller's. When they are ready, the device computes some samples that
     * the reference did already. Where bits are the same it goes on from there; where they
     * differ it does the whole job, and a warning says so. A job may be done before; the
     * build goes on for those to come, and pm_engine_destroy waits until all is built that
     * jobs have asked for. A build that fails is the failure of the job that waits for it, or
     * of the next one. Messages may come from that thread. Programs on disk are loaded at
     * once. Crowds and jobs on queues wait for their programs. false: so does pm_sample. */
    bool build_in_background;
    pm_log_function log; /* NULL: silence */
    void *log_user;
} pm_engine_desc;

/* A device with its programs, or several of them. Thread-safe: any number of threads may use one
 * engine at once. Must outlive its clips. */
typedef struct pm_engine pm_engine;

/* desc may be NULL for all defaults. Blocks while the driver starts. */
PM_API pm_status pm_engine_create(const pm_engine_desc *desc, pm_engine **engine, pm_error *error);

/* Clears the handle; takes NULL and a pointer to NULL. Waits for programs that are being built in
 * the background. */
PM_API void pm_engine_destroy(pm_engine **engine);

/* For the reference path: type PM_DEVICE_REFERENCE, memory 0, lanes 1. For several devices: the
 * indices, type and lanes of the first; all names, joined by " + " and cut where they do not
 * fit; all memory and compute units; the least of the largest allocations. */
PM_API void pm_engine_info(const pm_engine *engine, pm_device_info *info);

/* Samples every method on the device and on the reference, poses small crowds with every output
 * on both, and compares bits. Of several devices, each: PM_BIT_MATCH_EXACT when all have the
 * reference's.
 * Blocks: builds all programs on first use, seconds on some drivers. On rusticl of Mesa 22.3
 * that takes minutes, so that of crowds palettes of slerp alone are posed there. */
PM_API pm_status pm_engine_self_check(pm_engine *engine, pm_bit_match *identity, pm_error *error);

/* How kernels are laid out on a device. No result depends on it. */
typedef struct pm_launch_config {
    uint32_t lanes;      /* tracks in a work-item's vectors: 1, 4, 8 or 16 */
    uint32_t all_tracks; /* 1: a work-item takes all tracks of its samples; 0: `lanes` of them */
    uint32_t max_run;    /* samples that a work-item takes one after another, at most */
} pm_launch_config;

/* A shape and how long it took for a job: 4 samples a segment of slerp, 64 tracks. */
typedef struct pm_launch_measurement {
    pm_launch_config config;
    uint64_t samples;
    double seconds; /* the best of some runs */
} pm_launch_measurement;

/* Measures shapes on the engine's device and keeps the fastest: for this engine, and on disk
 * for engines to come on the same device and driver, unless they ask for lanes. Engines that
 * nobody tuned take a default. Blocks: half a second beside building the programs. No other
 * call may use the engine meanwhile. *count receives the number of trials, of which `capacity`
 * are written, the first being the default and *best the index of the fastest; a shape within
 * 5 % of the default is no reason to leave it. On the reference path there are none. Engines
 * over several devices are refused with PM_ERROR_ARGUMENT: tune each on an engine of its own. */
PM_API pm_status pm_engine_tune(pm_engine *engine, pm_launch_measurement *measurements,
                                size_t capacity, size_t *count, size_t *best, pm_error *error);

/* ---- methods --------------------------------------------------------------- */

typedef enum pm_method {
    PM_METHOD_SLERP = 0,
    PM_METHOD_STEP,
    PM_METHOD_NLERP,
    PM_METHOD_STERP,
    PM_METHOD_SQUAD,
    PM_METHOD_CIRCULAR,
    PM_METHOD_CIRCULAR_C1,
    PM_METHOD_CIRCULAR_C2,
    PM_METHOD_CIRCULAR_C3,
    PM_METHOD_HERMITE,
    PM_METHOD_SPLINE,
    PM_METHOD_BSPLINE,
    PM_METHOD_CUBICSPLINE,
    PM_METHOD_NCUBIC,
    PM_METHOD_COUNT
} pm_method;

/* How positions and scales are interpolated. */
typedef enum pm_vector_method {
    PM_VECTOR_AUTO = 0, /* the class of the rotation method */
    PM_VECTOR_STEP,
    PM_VECTOR_LINEAR,
    PM_VECTOR_CATMULL_ROM,  /* non-uniform, bessel tangents */
    PM_VECTOR_PARABOLAS_C2, /* parabolas through three keys, blended by smoothstep */
    PM_VECTOR_PARABOLAS_C3, /* likewise by smootherstep */
    PM_VECTOR_SPLINE,       /* cubic spline, C2 */
    PM_VECTOR_BSPLINE,      /* uniform cubic B-spline: approximates its keys */
    PM_VECTOR_CUBICSPLINE,  /* glTF: cubic with given tangents */
    PM_VECTOR_COUNT
} pm_vector_method;

typedef struct pm_method_info {
    pm_method method;
    const char *name;       /* as the command spells it */
    const char *title;      /* one line, for people */
    const char *continuity; /* "-", "C0", "G1", "C1", ... */
    bool local;             /* moving a key changes only nearby segments */
    bool symmetric;         /* reversed keys give the reversed curve */
    bool interpolating;     /* passes through its keys */
    bool takes_tangents;    /* reads pm_clip_desc.tangents */
    bool takes_ends;        /* reads pm_clip_desc.ends */
    bool takes_axes;        /* needs pm_clip_desc.axes */
    bool takes_in_out;      /* needs tangents in and out beside its keys */
    bool needs_uniform_keys;
    uint32_t keys_used;          /* by one sample; 0: all of the track */
    uint32_t floats_per_segment; /* device memory per track and segment, of float32 keys */
    /* Documented bounds in radians against double precision, at the same float32 position in the
     * segment. Where hermite, spline and circular-c1 to -c3 move by more than half a turn in a
     * segment, the bound is multiplied by that reach in half turns; where cubicspline and ncubic
     * divide by a length below 1, it is divided by that length. The float32 position adds up to
     * 3e-8 of the motion in the segment, 6e-8 right before a key. docs/accuracy.md has raw errors. */
    double max_error;
    double rms_error;
    pm_vector_method vector_method; /* what PM_VECTOR_AUTO means */
    const char *advice;             /* when to choose it */
} pm_method_info;

/* NULL when the method is not one. Static storage. */
PM_API const pm_method_info *pm_method_describe(pm_method method);

/* Finds a method by its name, such as "squad". False when there is none. */
PM_API bool pm_method_find(const char *name, pm_method *method);

/* ---- clips ------------------------------------------------------------------ */

typedef enum pm_number { PM_FLOAT32 = 0, PM_FLOAT64 } pm_number;

/* A read-only array of numbers, one row a key (or one row a track for axes). */
typedef struct pm_array {
    const void *data; /* NULL: not given */
    pm_number type;
    size_t stride; /* bytes from row to row. 0: tightly packed */
} pm_array;

/* Key times shared by one or more tracks: uniform, from time 0 on, or listed, from any time on.
 * Jobs that list times mean these times; jobs at a rate, and times of crowds, count from the first
 * key. Of keys listed at 10, 10.5 and 11 s, times = {10.5} gives the second, and so does sample 1
 * of rate 2/1; times = {0.5} lies before the first. */
typedef struct pm_timeline {
    size_t key_count;    /* at least 1 */
    pm_rational rate;    /* uniform keys per second, from time 0. 0/0: `times` is used */
    const double *times; /* key_count seconds, strictly increasing, each 1e-70 to 1e70 after
                            the one before. NULL: `rate` is used */
} pm_timeline;

typedef enum pm_tangents {
    PM_TANGENTS_BESSEL = 0, /* slope at the key of the parabola through three keys */
    PM_TANGENTS_MEAN,       /* plain mean of both slopes */
    PM_TANGENTS_HOLD,       /* bessel, but zero beside a repeated key */
    PM_TANGENTS_TCB,        /* Kochanek-Bartels on the bessel weights */
    PM_TANGENTS_USER,
    PM_TANGENTS_COUNT
} pm_tangents;

typedef enum pm_ends {
    PM_ENDS_CHORD = 0, /* slope of the end segment */
    PM_ENDS_NATURAL,   /* zero acceleration */
    PM_ENDS_PARABOLA,  /* slope of the parabola through three keys */
    PM_ENDS_ZERO,      /* at rest */
    PM_ENDS_COUNT
} pm_ends;

/* How the keys of rotations are stored. A key of 48 bits is off by a bounded angle, and what it
 * decodes to is what the curve passes through, to the bit. */
typedef enum pm_key_format {
    PM_KEYS_FLOAT32 = 0, /* 16 bytes a key */
    PM_KEYS_LOG48,       /* 6.125 bytes: a bent logarithm; off by at most 7.6e-5 rad */
    PM_KEYS_SMALLEST48,  /* 6 bytes: all components but the largest; at most 8.7e-5 rad */
    PM_KEYS_COUNT
} pm_key_format;

typedef enum pm_axis_frame { PM_AXIS_BODY = 0, PM_AXIS_PARENT, PM_AXIS_COUNT } pm_axis_frame;

/* The parts of a segment, 0 to 1, in which sterp does its swing and its twist.
 * All zero means 0,1 for both. Each end must exceed its begin. */
typedef struct pm_windows {
    double swing_begin, swing_end;
    double twist_begin, twist_end;
} pm_windows;

typedef struct pm_clip_desc {
    size_t track_count; /* at least 1 */

    /* One timeline for all tracks (timeline_count 0 means 1), or several with
     * timeline_of[track] < timeline_count. */
    const pm_timeline *timelines;
    size_t timeline_count;
    const uint32_t *timeline_of; /* track_count entries. NULL: all use timeline 0 */

    /* Keys. With one timeline: (key_count, track_count, 4) with `stride` from key
     * to key. With several: the tracks one after another, each (its key_count, 4),
     * and stride must be 0. Finite, and their norm within 1e-3 of 1; normalised in
     * double and stored as float32, each with the sign nearest the one before. */
    pm_array rotations;
    pm_array positions; /* likewise with 3 numbers, at most 1e37 in size */
    pm_array scales;    /* likewise */

    pm_method method;               /* 0: slerp */
    pm_vector_method vector_method; /* 0: as the method says */

    /* Of rotations. 0: float32. Others for methods that store nothing but keys: step, nlerp and
     * slerp. Positions and scales are float32 always. */
    pm_key_format key_format;

    /* Seconds from a key 0 to the next. 0: the track is open and clamps outside its
     * keys. Equal to last - first time: the last key must equal the first within
     * 1e-3 rad (positions and scales: within 1e-3 of the largest value) and is
     * dropped. Longer: a segment leads from the last key to the first. */
    double loop_period;

    pm_tangents tangents;             /* of squad. 0: bessel */
    double tension, continuity, bias; /* of PM_TANGENTS_TCB, each in [-1, 1] */
    /* PM_TANGENTS_USER: half-angle body velocities in rad/s, q' = q (w, 0), laid out
     * as the keys with 3 numbers. That of a dropped closing key is not read. */
    pm_array user_tangents;
    pm_ends ends;   /* of open tracks, of all methods with tangents. 0: chord */
    bool unlimited; /* squad without its limiter */

    /* Tangents of cubicspline, per second, arriving at each key and leaving it: laid out as
     * the keys, with as many numbers. Required by it for every array of keys given. */
    pm_array rotations_in, rotations_out;
    pm_array positions_in, positions_out;
    pm_array scales_in, scales_out;

    /* Twist axes of sterp: 3 numbers for all tracks, or a row per track. Any length
     * but 0. Required by sterp, ignored by the rest. */
    pm_array axes;
    size_t axis_count; /* 1 or track_count. 0: 1 */
    pm_axis_frame axis_frame;
    const pm_windows *windows; /* NULL: the whole segment for both */
    size_t window_count;       /* 1 or track_count. 0: 1 */
} pm_clip_desc;

/* Keys with what the method needs of them, on the device. Immutable, so
 * thread-safe. Holds nothing of its description. */
typedef struct pm_clip pm_clip;

/* PM_OK when pm_clip_create would accept the description's shape; else the first
 * reason not to. Looks at counts, pointers, options, times and every key. */
PM_API pm_status pm_clip_check(const pm_clip_desc *desc, pm_error *error);

/* Checks, normalises, unrolls, computes the method's segments in double, uploads.
 * Blocks until uploaded. Takes pm_method_info.floats_per_segment floats a key and track on the
 * device, and as much again on the host; tracks of one timeline are counted as the next power
 * of 2, from 16 on as the next multiple of 16. PM_ERROR_DEVICE_MEMORY, before any segment is
 * computed, where the keys of an array would exceed the device's largest allocation. */
PM_API pm_status pm_clip_create(pm_engine *engine, const pm_clip_desc *desc, pm_clip **clip,
                                pm_error *error);

/* Clears the handle; takes NULL and a pointer to NULL. No job may be running. */
PM_API void pm_clip_destroy(pm_clip **clip);

typedef struct pm_clip_info {
    size_t track_count;
    bool has_rotations, has_positions, has_scales;
    pm_method method;
    double first_time;     /* of timeline 0 */
    double last_time;      /* of timeline 0; first + period for a loop */
    uint64_t device_bytes; /* on each device */
} pm_clip_info;

PM_API void pm_clip_get_info(const pm_clip *clip, pm_clip_info *info);

/* ---- jobs --------------------------------------------------------------------- */

/* What to sample and where to. Owns nothing. Times are placed exactly: in 64-bit
 * integers for uniform samples of uniform keys, else in double. Outside the keys
 * an open track keeps its end keys and a loop repeats; the output's sign is
 * continuous from lap to lap. */
typedef struct pm_sample_job {
    size_t sample_count; /* 0: nothing to do */

    /* Uniform: sample k lies start + (first + k) / rate seconds after the first key of each
     * timeline, whatever that key's time: with keys listed from 10 s on, sample 0 of start 0 lies
     * at 10 s. rate 0/0: `times` is used. start 0/0: 0. Fractions whose exact combination with the
     * keys' rate does not fit 128 bits are refused. */
    pm_rational rate;
    pm_rational start;
    uint64_t first;

    /* Any order, seconds, never NaN (nor infinite in a loop). Absolute, as key times are: the
     * first of keys listed from 10 s on lies at 10, not at 0. NULL: `rate` is used. */
    const double *times;
    /* With times: sample k is of track tracks[k] alone. NULL: every sample is of all tracks. */
    const uint32_t *tracks;

    /* Host memory to write, or NULL. (sample_count, track_count, 4) float32 and
     * (sample_count, track_count, 3); without the track axis when `tracks` is given. */
    float *rotations;
    float *positions;
    float *scales;

    /* Angular velocity in rad/s and acceleration in rad/s^2 of the rotations, full angles:
     * host memory of (sample_count, track_count, 3) float32, or NULL. Analytic. At a key,
     * of the segment that begins there; zero outside the keys of an open track. */
    float *velocities;
    float *accelerations;
    pm_axis_frame velocity_frame; /* 0: body */

    bool on_reference; /* evaluate on the CPU reference path instead of the device */

    /* Most threads of the host that the job may use, the caller's among them; of several devices,
     * for each. 1: the calling thread alone. 0: as many as the engine may use. They place listed
     * times, and sample on the reference path, where there is much to do. */
    uint32_t host_threads;
} pm_sample_job;

/* PM_OK when pm_sample would accept the job; else the first reason not to. */
PM_API pm_status pm_sample_check(const pm_clip *clip, const pm_sample_job *job, pm_error *error);

/* Evaluates into host memory. Blocks. Work larger than the device is done in pieces
 * with transfers behind the next piece. Thread-safe. On failure the contents of the
 * outputs are undefined.
 * Several devices take runs of samples as they get done with those before, on a thread each,
 * sized by the rates that this job and those before were measured at, so that all end
 * together; a device that would hold the others up is left out, and so are all but the
 * fastest where the job is too small to share. Results have the same bits whoever computes
 * them, where the devices do (pm_engine_self_check). The first failure stops all. */
PM_API pm_status pm_sample(const pm_clip *clip, const pm_sample_job *job, pm_error *error);

/* ---- conversions ---------------------------------------------------------------- */

/* Euler orders, intrinsic, left to right: PM_EULER_ZYX turns about Z, then the new Y,
 * then the new X: q = qz * qy * qx. */
typedef enum pm_euler_order {
    PM_EULER_XYZ = 0,
    PM_EULER_XZY,
    PM_EULER_YXZ,
    PM_EULER_YZX,
    PM_EULER_ZXY,
    PM_EULER_ZYX,
    PM_EULER_XYX,
    PM_EULER_XZX,
    PM_EULER_YXY,
    PM_EULER_YZY,
    PM_EULER_ZXZ,
    PM_EULER_ZYZ,
    PM_EULER_COUNT
} pm_euler_order;

/* angles[3] in radians, in the order of the name; quaternion[4] x y z w. */
PM_API bool pm_quat_from_euler(pm_euler_order order, const double angles[3], double quaternion[4]);

/* The inverse, for any quaternion of non-zero norm. Of the two branches, and the
 * turns of 2 pi, takes the one nearest `near` (3 angles; NULL: nearest zero). At
 * gimbal lock the first angle keeps near's value and the third takes the rest. */
PM_API bool pm_euler_from_quat(pm_euler_order order, const double quaternion[4],
                               const double near[3], double angles[3]);

/* Row-major 3x3 matrices of active rotations: v' = M v. */
PM_API bool pm_matrix_from_quat(const double quaternion[4], double matrix[9]);

/* The unit quaternion of the rotation nearest a matrix (Bar-Itzhack's eigenvector
 * method), w >= 0; exact at every angle, 180 degrees too. False when the matrix is
 * not finite or has a determinant <= 0. */
PM_API bool pm_quat_from_matrix(const double matrix[9], double quaternion[4]);

/* ---- twist axes -------------------------------------------------------------------- */

/* Unit axes for sterp from a skeleton whose frames are parallel at rest: a bone's is the
 * direction to its first child that is not where it is itself, a leaf's that of its parent,
 * a lone root's y. parents[joint] < joint, or -1 of a root; offsets, (joint_count, 3), are
 * from the parent; axes, (joint_count, 3), is written. False when a parent is neither. */
PM_API bool pm_bone_axes(const int32_t *parents, const double *offsets, size_t joint_count,
                         double *axes);

/* Unit axis along which `points`, (count, 3), spread the most: the eigenvector of the
 * largest eigenvalue of their covariance, of either sign. False when they are not finite
 * or all in one place. */
PM_API bool pm_principal_axis(const double *points, size_t count, double axis[3]);

#ifdef __cplusplus
}
#endif
#endif
