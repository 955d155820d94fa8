/* SPDX-License-Identifier: MIT
 *
 * Posemill interpolates rotation curves, and optional position and scale curves, for
 * millions of samples in parallel, on any OpenCL 1.2 device or on the CPU reference
 * path. This header is the reference manual. It includes no OpenCL header; interop
 * with a caller's own OpenCL objects is in posemill_cl.h, crowds are in posemill_crowd.h.
 *
 * Conventions
 *   quaternion   four numbers x y z w, unit length, Hamilton product, active rotation
 *                v' = q v conj(q); q and -q are the same rotation
 *   time         seconds as double; rates are exact fractions of integers
 *   angle        radians
 *   array        C order, tightly packed unless a stride is given
 *   track        one bone: a rotation curve and, optionally, a position curve and a
 *                scale curve with the same key times
 *   segment      the interval between two neighbouring keys of a track; u in [0, 1) is
 *                the relative position in it
 *   description  a plain struct that the caller fills, as a job is. Zero-initialise it; every field
 *                documents what 0 means
 *   growth       structs and functions stay as they are within a major version. A struct grows by
 *                `next`, which later versions let point to a further struct. In a description
 *                anything but NULL is refused with PM_ERROR_ARGUMENT; in a struct that the library fills
 *                it is NULL. Structs without it, such as pm_rational and the elements of arrays that
 *                kernels read (instances, layers, markers), never grow. Enumerators are added at the
 *                end, and functions return how many there are. What is marked PM_EXPERIMENTAL may
 *                change in any version
 *   index        from 0. PM_NO_INDEX, PM_NO_INDEX32 and PM_NO_PARENT stand for none. Mask 0 and
 *                subset 0 of crowds are built in, PM_NO_MASK and PM_ALL_JOINTS, so that zeros select
 *                them; those of a description follow from 1
 *   handle       an opaque struct that a function makes through a pointer to a pointer: X_create, or
 *                a verb for what it is made from, such as pm_motion_open. X_destroy ends it. X_get_info
 *                and other X_get_ functions give its structs
 *   enqueued     work on a caller's queue (posemill_cl.h) does not depend on the handles: a clip,
 *                crowd or engine may be destroyed while it is in flight, and it still writes its
 *                outputs. See pm_crowd_destroy for the one case that waits
 *   errors       functions return a pm_status and fill the caller's pm_error, which may
 *                be NULL. On failure no output handle is written
 *   NULL         pointers that are not documented as optional are refused when NULL, and so
 *                are integers that are no enumerator: functions that return a pm_status return
 *                PM_ERROR_ARGUMENT, and the message names the argument; functions that return a
 *                bool return false and write nothing; all others return 0 or NULL, and clear the
 *                struct that they would have filled
 *
 * The library never prints and never aborts. Its only global state is a note of its first call of
 * OpenCL. It reads no environment variables except those documented at pm_engine_desc.
 *
 * Drivers of OpenCL do not survive a fork. In a process that was forked after such a call, "auto"
 * is the reference path, and a warning in the log says so. Listing devices, creating other engines,
 * and using objects made on a device before the fork fail with PM_ERROR_DEVICE and a hint. Jobs
 * with on_reference set, engines on the reference path and the functions that destroy work as
 * before.
 */
#ifndef POSEMILL_H
#define POSEMILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(POSEMILL_SHARED) && defined(_WIN32)
#define PM_API __declspec(dllimport)
#elif defined(POSEMILL_SHARED) && defined(__GNUC__)
#define PM_API __attribute__((visibility("default")))
#else
#define PM_API
#endif

/* Marks functions and fields that may change in any version, as may the structs and enums that only they
 * have. If POSEMILL_STABLE_ONLY is defined, GCC and Clang warn where a program uses them. */
#if defined(POSEMILL_STABLE_ONLY) && defined(__GNUC__)
#define PM_EXPERIMENTAL __attribute__((deprecated("experimental: may change in any version")))
#else
#define PM_EXPERIMENTAL
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define PM_VERSION_MAJOR 1
#define PM_VERSION_MINOR 0
#define PM_VERSION_PATCH 0

/* Version of this header as one number, such as 10203 for 1.2.3, to be compared. */
#define PM_VERSION (PM_VERSION_MAJOR * 10000 + PM_VERSION_MINOR * 100 + PM_VERSION_PATCH)

/* Version of the linked library, such as "1.0.0". Static storage. */
PM_API const char *pm_version(void);

/* The same as a number like PM_VERSION. Thread-safe. */
PM_API uint32_t pm_version_number(void);

/* The number of processors that this process may use, at least 1: those of its affinity mask, and at
 * most the processor time that its control groups allow (Linux's quotas, such as those of
 * containers), rounded up. Quotas are read by the first call. Thread-safe. */
PM_API size_t pm_processors(void);

/* ---- status -------------------------------------------------------------- */

typedef enum pm_status {
    PM_OK = 0,
    PM_ERROR_ARGUMENT,      /* an unusable field or pointer; the message names it */
    PM_ERROR_KEY,           /* an invalid key, tangent or axis; see pm_error.track and .key */
    PM_ERROR_TIME,          /* an invalid key time, sample time, rate or loop period */
    PM_ERROR_SIZE,          /* a count whose size in bytes cannot be represented */
    PM_ERROR_MEMORY,        /* out of host memory */
    PM_ERROR_NO_PLATFORM,   /* no OpenCL driver is installed */
    PM_ERROR_NO_DEVICE,     /* a driver is installed, but has no device as requested */
    PM_ERROR_BUILD,         /* the device's compiler rejected the kernels */
    PM_ERROR_DEVICE_MEMORY, /* out of device memory, even with the smallest pieces */
    PM_ERROR_DEVICE,        /* any other OpenCL failure; see pm_error.cl_status */
    PM_ERROR_FILE,          /* a file that cannot be used; the message names the place in it */
    PM_ERROR_OUTPUT,        /* an output that cannot be written; nothing is left of it */
    PM_ERROR_CANCELLED      /* pm_host.cancel was set before all was done */
} pm_status;

/* Name of a status, such as "key"; "unknown" for any other number. Static storage, never NULL. */
PM_API const char *pm_status_name(pm_status status);

#define PM_NO_INDEX SIZE_MAX     /* an index of pm_error that does not apply to the failure */
#define PM_NO_INDEX32 UINT32_MAX /* no joint, node or place in an output, in 32 bits */
#define PM_NO_PARENT (-1)        /* the parent of a root joint */

/* Details of a failure, or of a warning, whose status is PM_OK. Owned by the caller; written only by the
 * call that it is passed to. The message and the hint name no option and no field: those are in
 * `option` and `cure`, and pm_error_text joins all of it. */
typedef struct pm_error {
    pm_status status;
    int cl_status; /* the OpenCL error code behind the failure; 0: none */
    /* Indices of the element that caused the failure, in the description or the job; PM_NO_INDEX
     * where an index does not apply. The message ends with them. */
    size_t track;
    size_t key;
    size_t joint;    /* of a skeleton's description */
    size_t instance; /* of a crowd */
    const char
        *hint; /* how to solve it, in static storage; with `cure`, what that does. NULL: none */
    char message[512];
    /* What the message is about, an option or a field by its canonical name, such as "source-rate", in
     * static storage; and where in the message its name belongs, in bytes from the beginning: behind
     * names of files and joints. NULL: nothing alone, and the message is complete. */
    const char *option;
    size_t option_at;
    /* The option or field that cures it, and its value. The name is in static storage; the value is too,
     * or lives as long as the object that gave the error. "true": a flag. A first letter in upper case
     * stands for what the user has, such as FILE. NULL: none */
    const char *cure, *cure_value;
    const void *next; /* NULL */
} pm_error;

/* How options and fields are written. */
typedef enum pm_spelling {
    PM_SPELLING_FIELD = 0, /* .source_rate, of structs in C */
    PM_SPELLING_COMMAND,   /* --source-rate, of the command */
    PM_SPELLING_KEYWORD    /* source_rate=, of calls in Python; before a message source_rate */
} pm_spelling;

enum { PM_ERROR_TEXT_SIZE = 1280 }; /* bytes that hold every text of an error, with its NUL */

/* Write an error or a warning as text, such as "a.bvh: --rate: is 0, expected above 0 (hint)", and its
 * hint alone; "" for NULL, and where there is no hint. UTF-8, always terminated, cut between
 * characters if `size`, in bytes, is too small; size 0 writes nothing. Return the length of the whole
 * text without its NUL. */
PM_API size_t pm_error_text(const pm_error *error, pm_spelling spelling, char *text, size_t size);
PM_API size_t pm_error_hint(const pm_error *error, pm_spelling spelling, char *text, size_t size);

/* An exact fraction num/den, for rates in Hz and times in seconds. 0/0: not given;
 * otherwise den > 0. */
typedef struct pm_rational {
    int64_t num;
    int64_t den;
} pm_rational;

/* ---- devices and the engine ---------------------------------------------- */

typedef enum pm_device_type {
    PM_DEVICE_REFERENCE = 0, /* no OpenCL: plain C on host threads */
    PM_DEVICE_CPU,
    PM_DEVICE_GPU, /* shares memory with the host */
    PM_DEVICE_DISCRETE_GPU,
    PM_DEVICE_OTHER
} pm_device_type;

/* Whether a device's results are bit-identical to those of the reference path. Measured by
 * pm_engine_self_check; never derived from the capabilities that a driver reports. */
typedef enum pm_bit_match {
    PM_BIT_MATCH_UNKNOWN = 0,
    PM_BIT_MATCH_EXACT,
    PM_BIT_MATCH_DIFFERENT
} pm_bit_match;

/* What a driver reports about float32 on its device, and about groups of work-items. Nothing in the
 * library relies on these claims for the bits of results, which pm_engine_self_check measures. All
 * zero for the reference path. */
typedef struct pm_device_claims {
    bool fma;              /* fused multiply-add in hardware; without it, slow but the same bits */
    bool denormals;        /* numbers below 2^-126 are kept; otherwise they may become 0 */
    bool round_to_nearest; /* results are rounded to the nearest number */
    bool correctly_rounded_divide_sqrt; /* if the compiler is told to */
    uint32_t work_group_multiple;       /* sizes of groups that suit the device; 0: not reported, as
                                     by drivers before OpenCL 3.0 */
} pm_device_claims;

typedef struct pm_device_info {
    size_t index;          /* over all platforms, from 0 */
    size_t platform_index; /* P in the notation P:D */
    size_t device_index;   /* D in the notation P:D */
    pm_device_type type;
    char name[128];
    char platform[128];
    char driver[128];
    uint64_t memory_bytes;
    uint64_t max_allocation_bytes;
    uint32_t compute_units;
    pm_device_claims claims; /* of several devices: what all of them claim */

    const void *next; /* NULL */
} pm_device_info;

/* Lists OpenCL devices. Writes up to `capacity` entries of `infos` (may be NULL when capacity is
 * 0), and the total number of devices to *count. A device or platform whose properties cannot be
 * queried is left out, and the others keep their P:D; its failure is returned only when no device
 * remains. An engine's log reports devices that are left out. PM_ERROR_NO_PLATFORM when no driver is
 * installed; PM_OK with *count 0 when the drivers have no device. Thread-safe. */
PM_API pm_status pm_list_devices(pm_device_info *infos, size_t capacity, size_t *count,
                                 pm_error *error);

typedef enum pm_log_level {
    PM_LOG_DEBUG = 0,
    PM_LOG_INFO,
    /* Compilation of a program starts, which takes seconds with some drivers and minutes with
     * early ones; the message names the program. PM_LOG_BUILT follows when it is ready. If the
     * compilation fails, no second message follows: the call that needs the program fails.
     * Programs loaded from the cache folder cause neither message. */
    PM_LOG_BUILDING,
    PM_LOG_BUILT,
    PM_LOG_WARNING
} pm_log_level;

/* Receives log messages. Called on the thread whose call caused the message, or on a driver's
 * thread. An engine over several devices also calls it on the threads that it runs for a job. An
 * engine that builds in the background also calls it on its build thread, even while no call is in
 * progress. Messages have no length limit: a driver's log of a failed build can be long. The
 * library holds no lock during the callback, so a callback may call the library, with the same
 * engine too; messages of such calls are delivered nested. */
typedef void (*pm_log_function)(void *user, pm_log_level level, const char *message);

/* Where clips are built. The bits are the same. */
typedef enum pm_clip_building {
    /* The host for CPU devices and with build_in_background. Other devices build a clip where fewer bytes
     * are sent to them for that than the clip takes; if they lack memory or cannot compile the
     * kernels, the host does, and a warning reports it. */
    PM_CLIPS_AUTO = 0,
    PM_CLIPS_BY_HOST,
    /* The device, wherever it can: see pm_clip_info.built_on_device. */
    PM_CLIPS_BY_DEVICE
} pm_clip_building;

/* What an application does in place of the library. A field of 0 leaves it to the library. Functions may be
 * called on any thread, on several at once. A value, which is copied; what it points to must outlive the
 * objects, and their work on callers' queues.
 *
 * Memory: `allocate` returns `size` bytes, above 0, at a multiple of `alignment`, a power of 2 up to 4096, or
 * NULL, which fails the call with PM_ERROR_MEMORY. `release` gets the same size and alignment. Both or
 * neither. All memory of an object and of its calls comes from there, and none is kept for later; that of
 * drivers and of the C library's own functions does not.
 *
 * Threads: `run_parallel` calls task(context, index) once for each index below `count`, which is 2 to
 * host_threads, in any order, on any threads, also one after another, and returns when all have returned. A
 * task may call `run_parallel` in turn. The bits of results do not depend on it. The library then starts no
 * thread but that of build_in_background.
 *
 * Calls that make clips, crowds and filters, that sample or pose into host memory, and that check an engine
 * work in pieces. Before each piece they look at two fields:
 * `progress` receives how many pieces are done at least, which does not decrease, and finally their total. It
 * is called on the thread of the call: with `run_parallel`, where that runs tasks on it. Where device memory
 * does not suffice, a job begins anew, with smaller pieces. Checks report nothing.
 * `cancel` points to a number that any thread may set. It is read as an atomic of 32 bits in relaxed order:
 * _Atomic uint32_t, std::atomic<uint32_t>, AtomicU32. While it is not 0, a call that has pieces left fails with
 * PM_ERROR_CANCELLED. It makes no object. Outputs are undefined: some pieces are whole, others unchanged; nothing
 * is written there any more. Compiling a program is not interrupted. */
typedef void (*pm_task_function)(void *context, size_t index);
typedef struct pm_host {
    void *user; /* passed to all functions */
    void *(*allocate)(void *user, size_t size, size_t alignment);
    void (*release)(void *user, void *memory, size_t size, size_t alignment);
    void (*run_parallel)(void *user, size_t count, pm_task_function task, void *context);
    void (*progress)(void *user, size_t done, size_t total);
    const uint32_t *cancel;
} pm_host;

typedef struct pm_engine_desc {
    /* The device: "auto" (first available of discrete GPU, other GPU, CPU, reference path),
     * "cpu", "gpu", "none" (the reference path), an index "N", "P:D", part of the name of a device
     * or platform, or several devices: "all", or a comma-separated list of indices and P:D's such
     * as "0,2" or "0:0,1:0" without duplicates. NULL: "auto". An empty string is refused. Any
     * request but "auto" is satisfied exactly or the call fails; no other device is substituted.
     * Several devices are experimental. With them, clips are built once and uploaded to each
     * device, and pm_sample distributes the samples of a job: see pm_sample. */
    const char *device;
    /* Device memory, in bytes, for the rotations of the two pieces of a job that are in flight, and of
     * crowds for the largest output. Positions, scales and cursors take additional memory, at most twice
     * that amount. With several devices, the value applies to each. 0: a quarter of the device's memory,
     * at most 256 MiB. Where the device has less, pieces are halved. */
    uint64_t piece_bytes;
    /* false: plain C computes the jobs of CPU devices, in less time and with the bits of the reference path: jobs
     * into host memory, and jobs on callers' queues if the device runs native kernels (CL_EXEC_NATIVE_KERNEL). It uses
     * the host's threads. true: the device's programs compute them, as on all other devices: for tests of programs and
     * drivers. 1 in the environment variable POSEMILL_PROGRAMS_ON_CPU asks for it, too. pm_engine_self_check and
     * pm_engine_check_paths check what computes the jobs. */
    bool programs_on_cpu;
    /* Maximum number of host threads per call, the calling thread included. They build clips and
     * crowds, map listed times to segments, sample and pose on the reference path, and compute
     * pm_crowd_root_motion; small jobs use fewer. A job can set a lower or a higher number. With
     * several devices, each gets an equal part, and at least one thread. 0: pm_processors().
     * Threads are started when a job first needs them, at most 64 for all engines of a process, and
     * sleep between jobs until the last engine is destroyed. They block signals. A forked process
     * starts its own. */
    uint32_t host_threads;
    /* Folder for compiled programs. NULL: $XDG_CACHE_HOME/posemill or ~/.cache/posemill, if these
     * are absolute paths, and the driver's own cache with PoCL, which compiles twice for any other.
     * "": no cache on disk. The folder is created with mode 0700 and limited to 256 MiB; the least
     * recently used programs are removed first. A folder, or a file in it, is ignored when it is a
     * symbolic link, belongs to another user or is writable by others; one warning reports this.
     * Any number of engines and processes may use the folder at once. */
    const char *cache_folder;
    /* Folder to read kernel sources from, for work on the kernels. NULL: the sources that are
     * built into the library. */
    const char *kernel_folder;
    /* true: jobs into host memory do not wait for programs that must be compiled first. The engine
     * compiles them on a thread of its own. Meanwhile the reference path computes the jobs on one
     * thread less than host_threads, but at least on the calling thread. Jobs of pm_sample of more
     * than 2^26 values wait. When a program is ready, the first job that needs it compares some
     * results of the device and the reference path. If the bits are equal, the device takes over.
     * If they differ, a warning reports it, and this and all later jobs of the engine are computed
     * on the device, and wait for their programs. Until then, timing decides which path computes a
     * job: set this only where the bits are known to be equal (pm_engine_self_check), or do not
     * matter.
     * A job may finish before its programs are ready; the build continues for later jobs, and
     * pm_engine_destroy waits until all requested programs are built. A failed build makes the
     * waiting job fail, or otherwise the next job that needs the program. Log messages may come
     * from the build thread. Programs in the cache folder are loaded at once. Jobs on a caller's
     * queue (posemill_cl.h) and pm_engine_self_check always wait for their programs. false: all
     * jobs wait. */
    bool build_in_background;
    pm_log_function log; /* NULL: no log */
    void *log_user;      /* passed to `log` */
    pm_clip_building clip_building;
    pm_host host;

    const void *next; /* must be NULL */
} pm_engine_desc;

/* One or several devices with their programs. Thread-safe: any number of threads may use one
 * engine at once. Must outlive its clips and crowds. */
typedef struct pm_engine pm_engine;

/* desc may be NULL for all defaults. Blocks while the driver starts. */
PM_API pm_status pm_engine_create(const pm_engine_desc *desc, pm_engine **engine, pm_error *error);

/* Clears the handle; accepts NULL and a pointer to NULL. Waits for programs that are being built in
 * the background. Clips and crowds must be destroyed before. Work on callers' queues completes. */
PM_API void pm_engine_destroy(pm_engine **engine);

/* Describes the engine's device. Reference path: type PM_DEVICE_REFERENCE, memory 0. Several
 * devices: indices and type of the first device; all names, joined by " + " and truncated to the
 * field; the sums of memory and compute units; the minimum of max_allocation_bytes. */
PM_API void pm_engine_get_info(const pm_engine *engine, pm_device_info *info);

/* The threads on the host of an engine: its description's host_threads, or what 0 stands for. 0 for NULL.
 * Thread-safe. */
PM_API uint32_t pm_engine_host_threads(const pm_engine *engine);

/* The paths of jobs through the kernels, for pm_engine_check_paths. Bits. */
typedef enum pm_check_path {
    /* Rotations, positions and scales at uniform times and of pairs, with every method and every key
     * format; few and many tracks; small and large results; low-passes. */
    PM_CHECK_VALUES = 1 << 0,
    PM_CHECK_VELOCITIES = 1 << 1,    /* of slerp, in both frames */
    PM_CHECK_ACCELERATIONS = 1 << 2, /* likewise */
    /* Of slerp, every output, with the kernel that the device uses; palettes of squad and of 48-bit
     * keys. */
    PM_CHECK_CROWDS = 1 << 3,
    PM_CHECK_POINTS =
        1 << 4, /* by slerp and by screws, with every kind of stamps (posemill_points.h) */
    PM_CHECK_ALL = (1 << 5) - 1 /* all of these */
} pm_check_path;

/* Runs jobs of the requested paths on the device, into host memory and on a queue of its own, and on the reference
 * path, and compares the bits.
 * *different: the paths in which some bits differ. With several devices, each is checked. Blocks.
 * The first call builds the programs of the paths. */
PM_API PM_EXPERIMENTAL pm_status pm_engine_check_paths(pm_engine *engine, uint32_t paths,
                                                       uint32_t *different, pm_error *error);

/* Checks PM_CHECK_ALL: PM_BIT_MATCH_EXACT when no path differs. It does not check derivatives
 * and crowds of each method, whose programs take minutes to build. The first call builds
 * programs, which takes seconds to a minute. With rusticl of Mesa 22.3, where building takes minutes,
 * the check of crowds is limited to palettes of slerp. Blocks. */
PM_API pm_status pm_engine_self_check(pm_engine *engine, pm_bit_match *match, pm_error *error);

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
    PM_METHOD_CUBIC
} pm_method;

/* How positions and scales are interpolated. */
typedef enum pm_vector_method {
    PM_VECTOR_AUTO = 0, /* matches the continuity of the rotation method */
    PM_VECTOR_STEP,
    PM_VECTOR_LINEAR,
    PM_VECTOR_CATMULL_ROM,  /* non-uniform, bessel tangents */
    PM_VECTOR_PARABOLAS_C2, /* parabolas through three keys, blended by smoothstep */
    PM_VECTOR_PARABOLAS_C3, /* likewise by smootherstep */
    PM_VECTOR_SPLINE,       /* cubic spline, C2 */
    PM_VECTOR_BSPLINE,      /* uniform cubic B-spline: approximates its keys */
    PM_VECTOR_CUBICSPLINE   /* glTF: cubic with given tangents */
} pm_vector_method;

typedef struct pm_method_info {
    pm_method method;
    const char *name;       /* as on the command line */
    const char *title;      /* one line for readers */
    const char *continuity; /* "-", "C0", "G1", "C1", ... */
    bool local;             /* moving a key changes only nearby segments */
    bool symmetric;         /* reversed keys give the reversed curve */
    bool interpolating;     /* passes through its keys */
    bool takes_tangents;    /* reads pm_clip_desc.tangents */
    bool takes_ends;        /* reads pm_clip_desc.ends */
    bool takes_axes;        /* requires pm_clip_desc.axes */
    bool takes_in_out;      /* requires in and out tangents in addition to its keys */
    bool needs_uniform_keys;
    uint32_t keys_used;          /* keys that one sample depends on; 0: all of the track */
    uint32_t floats_per_segment; /* device memory per track and segment, with float32 keys */
    /* Documented bounds in radians against double precision, at the same float32 position in the
     * segment. If hermite, spline and circular-c1 to -c3 move by more than half a turn in a
     * segment, the bound is multiplied by that motion in half turns; if cubicspline and ncubic
     * divide by a length below 1, it is divided by that length. The float32 position adds up to
     * 3e-8 of the motion in the segment, 6e-8 just before a key. Those of cubic hold for keys up to
     * 90 degrees apart. docs/accuracy.md lists raw errors. */
    double max_error;
    double rms_error;
    pm_vector_method vector_method; /* the method that PM_VECTOR_AUTO selects */
    const char *advice;             /* when to choose the method */

    const void *next; /* NULL */
} pm_method_info;

/* The number of methods: they are 0 to pm_method_count() - 1. */
PM_API size_t pm_method_count(void);

/* NULL when `method` is no method. Static storage. */
PM_API const pm_method_info *pm_method_get_info(pm_method method);

/* Finds a method by its name, such as "squad". Returns false, and writes nothing, when no method
 * has the name. */
PM_API bool pm_method_find(const char *name, pm_method *method);

/* How many keys behind the one at or before a sample decide it: the latency of pushed keys (see
 * pm_resampler_open), of rotations and of positions and scales, whichever is longer. 1 of methods with
 * keys_used up to 2, step, linear and cubicspline; 2 of others; 0: all keys, or no such method. Positions and
 * scales that there are none of have PM_VECTOR_STEP. */
PM_API size_t pm_method_latency(pm_method method, pm_vector_method vector_method);

/* ---- clips ------------------------------------------------------------------ */

typedef enum pm_number {
    PM_FLOAT32 = 0,
    PM_FLOAT64,
    PM_CODED /* pm_clip_desc.rotations alone, of one timeline: rows of pm_keys_encode in key_format */
} pm_number;

/* A read-only array of numbers with one row per key (per track for axes). */
typedef struct pm_array {
    const void *data; /* NULL: not given */
    pm_number type;
    size_t stride; /* bytes from one row to the next. 0: tightly packed */
} pm_array;

/* Key times of one or more tracks: uniform from time 0, or listed from any time. Jobs that list
 * times refer to these times; jobs at a rate, and instances of crowds, count from the first key.
 * Example: with keys listed at 10, 10.5 and 11 s, both times = {10.5} and sample 1 of rate 2/1 give
 * the second key; times = {0.5} is before the first key. */
typedef struct pm_timeline {
    size_t key_count;    /* 1 to 2^30 - 2 */
    pm_rational rate;    /* uniform keys per second, from time 0. 0/0: `times` is used */
    const double *times; /* key_count seconds, strictly increasing, each 1e-70 to 1e70 after
                            the previous one. NULL: `rate` is used */
} pm_timeline;

/* How velocities at the keys are chosen, for methods with takes_tangents. */
typedef enum pm_tangents {
    PM_TANGENTS_BESSEL = 0, /* slope at the key of the parabola through three keys */
    PM_TANGENTS_MEAN,       /* unweighted mean of both slopes */
    PM_TANGENTS_HOLD,       /* bessel, but zero at a key that repeats a neighbour */
    PM_TANGENTS_TCB,        /* Kochanek-Bartels with the bessel weights */
    PM_TANGENTS_USER        /* pm_clip_desc.user_tangents */
} pm_tangents;

/* Velocity at the first and the last key of an open track. */
typedef enum pm_ends {
    PM_ENDS_CHORD = 0, /* slope of the end segment */
    PM_ENDS_NATURAL,   /* zero acceleration */
    PM_ENDS_PARABOLA,  /* slope of the parabola through three keys */
    PM_ENDS_ZERO       /* zero velocity */
} pm_ends;

/* How the keys of rotations are stored. Encoding a key in 48 bits changes it by a bounded angle;
 * curves pass exactly, to the bit, through the decoded keys. */
typedef enum pm_key_format {
    PM_KEYS_FLOAT32 = 0, /* 16 bytes per key */
    PM_KEYS_LOG48,       /* 6.125 bytes: modified logarithm; error at most 7.6e-5 rad */
    PM_KEYS_SMALLEST48   /* 6 bytes: the three smallest components; error at most 8.7e-5 rad */
} pm_key_format;

/* Rows of keys of 48 bits for files, which a clip takes as pm_clip_desc.rotations of type PM_CODED: it
 * has the bits of one that encodes the same float32 keys, and is built faster. A row has three
 * int16 for each track; of log48, a word for every 16 tracks follows, whose bit i is the sign of track i. */

/* The bytes of a row of tracks, at least 1. 0: the format is float32, or does not exist. */
PM_API size_t pm_keys_row_bytes(pm_key_format format, size_t tracks);

/* Encodes (rows, tracks, 4) float32 quaternions, which are normalised, to rows without gaps. Those that a
 * clip would refuse are refused, with `track` and `key` (the row) in `error`. Thread-safe. */
PM_API pm_status pm_keys_encode(pm_key_format format, const float *rotations, size_t rows,
                                size_t tracks, void *coded, pm_error *error);

/* The reverse. Refuses rows that pm_keys_encode does not write. Thread-safe. */
PM_API pm_status pm_keys_decode(pm_key_format format, const void *coded, size_t rows, size_t tracks,
                                float *rotations, pm_error *error);

/* Frame of reference for twist axes, angular velocities and accelerations. */
typedef enum pm_axis_frame { PM_AXIS_BODY = 0, PM_AXIS_PARENT } pm_axis_frame;

/* The parts of a segment, within [0, 1], in which sterp does its swing and its twist.
 * All zero: 0 to 1 for both. A window is at least 1e-6 long. */
typedef struct pm_windows {
    double swing_begin, swing_end;
    double twist_begin, twist_end;
} pm_windows;

/* Numbers of a clip that are interpolated as positions are, each on its own. */
typedef struct pm_scalars {
    size_t count;
    pm_array keys;              /* (key_count, count), with `stride` from key to key */
    pm_array keys_in, keys_out; /* for cubicspline: tangents, per second, laid out as the keys */

    const void *next; /* must be NULL */
} pm_scalars;

/* What a clip is built from. At least one of rotations, positions and scales is required. All
 * memory belongs to the caller and is read only during the call that takes the description. */
typedef struct pm_clip_desc {
    size_t track_count; /* at least 1 */

    /* A common timeline for all tracks (timeline_count 0 means 1), or several timelines with
     * timeline_of[track] < timeline_count. */
    const pm_timeline *timelines;
    size_t timeline_count;
    const uint32_t *timeline_of; /* track_count entries. NULL: all use timeline 0 */

    /* Keys. With one timeline: (key_count, track_count, 4), with `stride` from key to key. With
     * several: the tracks one after another, each (its key_count, 4), and stride must be 0. Values
     * must be finite, with a norm within 1e-3 of 1; they are normalised in double and stored as
     * float32, each with the sign nearer to the previous key. cubicspline keeps norms, of 1e-6 to
     * 1e6, and signs, and normalises its results. */
    pm_array rotations;
    pm_array positions; /* likewise with 3 numbers, of magnitude at most 1e37 */
    pm_array scales;    /* likewise */

    pm_method method;               /* 0: slerp */
    pm_vector_method vector_method; /* 0: pm_method_info.vector_method */

    /* Storage of rotation keys. 0: float32. The 48-bit formats require a method that stores only
     * keys: step, nlerp, slerp or cubic. Positions and scales are always float32. */
    pm_key_format key_format;

    /* Length of a loop in seconds, from key 0. 0: the track is open and is clamped outside its
     * keys. Equal to last - first time: the last key must equal the first within 1e-3 rad
     * (positions and scales: within 1e-3 of the largest value) and is dropped. Longer: a segment
     * leads from the last key to the first. Shorter: refused with PM_ERROR_TIME. */
    double loop;

    pm_tangents tangents;             /* of methods with takes_tangents. 0: bessel */
    double tension, continuity, bias; /* of PM_TANGENTS_TCB, each in [-1, 1] */
    /* For PM_TANGENTS_USER: half-angle body velocities in rad/s, q' = q (w, 0), laid out as the
     * keys with 3 numbers. The tangent of a dropped closing key is not read. */
    pm_array user_tangents;
    pm_ends ends;   /* of open tracks, for all methods with takes_ends. 0: chord */
    bool unlimited; /* true: squad without its limiter */

    /* Tangents of cubicspline, per second, into and out of each key: laid out as the keys, with as
     * many numbers. cubicspline requires them for every array of keys that is given. */
    pm_array tangents_in, tangents_out;
    pm_array positions_in, positions_out;
    pm_array scales_in, scales_out;

    /* Twist axes of sterp: 3 numbers for all tracks, or one row per track. Any non-zero length.
     * Required by sterp, ignored by the other methods. */
    pm_array axes;
    size_t axis_count; /* 1 or track_count. 0: 1 */
    pm_axis_frame axis_frame;
    const pm_windows *windows; /* NULL: the whole segment for both */
    size_t window_count;       /* 1 or track_count. 0: 1 */

    /* For crowds (posemill_crowd.h), refused elsewhere. true: positions, positions_in and
     * positions_out are those of one track alone, that of joint 0 in skeleton order, the first root:
     * (its key_count, 3), with `stride` from key to key, which must be 0 with several timelines. */
    bool root_positions;
    /* Likewise for crowds of a skeleton with hinges, which require it, root_positions and one timeline:
     * their angles in rad, of magnitude at most 1e4, in the order of pm_skeleton_desc.hinges. Never
     * wrapped. NULL: none */
    const pm_scalars *scalars;
    /* Likewise of a skeleton with hinges. true: rotations, tangents_in and tangents_out are those of
     * joint 0 alone, as with root_positions; the other joints that are no hinges keep the rest pose.
     * Without user_tangents and codes. */
    bool root_rotations;

    const void *next; /* must be NULL */
} pm_clip_desc;

/* Keys and precomputed segment data on the device. Immutable, therefore thread-safe. Keeps no
 * pointer into its description. */
typedef struct pm_clip pm_clip;

/* Validates a description: counts, pointers, options, times and every key. PM_OK when
 * pm_clip_create would accept it; otherwise the first reason for a refusal. */
PM_API pm_status pm_clip_check(const pm_clip_desc *desc, pm_error *error);

/* Validates, normalises, makes signs consistent, computes the method's segment data in double and
 * uploads it. Blocks until the upload is complete. Takes pm_method_info.floats_per_segment floats
 * per key and track on the device, and the same amount on the host; of large clips, a CPU device uses
 * the host's memory. The number of tracks with a common timeline is rounded up for storage: to a power
 * of 2, from 16 on to a multiple of 16.
 * PM_ERROR_DEVICE_MEMORY, before any segment is computed, when one array's data would exceed the
 * device's maximum allocation. */
PM_API pm_status pm_clip_create(pm_engine *engine, const pm_clip_desc *desc, pm_clip **clip,
                                pm_error *error);

/* Clears the handle; accepts NULL and a pointer to NULL. No call may be in progress with the clip.
 * Work on callers' queues completes; the driver keeps the clip's device memory until then. The engine
 * keeps up to 256 MiB of host memory for later clips. */
PM_API void pm_clip_destroy(pm_clip **clip);

typedef struct pm_clip_info {
    size_t track_count;
    bool has_rotations, has_positions, has_scales;
    pm_method method;
    double first_time;     /* of timeline 0, seconds */
    double last_time;      /* of timeline 0, seconds; first_time + loop for a loop */
    uint64_t device_bytes; /* on each device */
    /* false: the host has built the clip. Always for several devices, devices without double, and arrays
     * whose stride is more than twice a row; also for a spline of more than 320 keys in which far keys
     * matter, because turns are above 80 degrees, or segments ever longer, throughout. */
    bool built_on_device;

    const void *next; /* NULL */
} pm_clip_info;

PM_API void pm_clip_get_info(const pm_clip *clip, pm_clip_info *info);

/* ---- jobs --------------------------------------------------------------------- */

/* The samples to compute, and the memory that receives them. Owns nothing. Sample times are mapped
 * to segments exactly: in 64-bit integers for uniform samples of uniform keys, otherwise in double.
 * Outside its keys an open track holds the first or the last key, and a loop repeats; the sign of
 * the output quaternion is continuous from lap to lap. At least one output is required. */
typedef struct pm_sample_job {
    size_t sample_count; /* 0: nothing to do */

    /* Uniform: sample k is start_after_first_key + (first + k) / rate seconds after the first key
     * of each timeline, whatever the time of that key: when keys are listed from 10 s on, sample 0
     * with start_after_first_key 0 is at 10 s. rate 0/0: `times` is used. start_after_first_key
     * 0/0: 0. Refused when the exact combination with the rate of the keys does not fit into 128
     * bits. */
    pm_rational rate;
    pm_rational start_after_first_key;
    uint64_t first;

    /* Listed: seconds, in any order, never NaN (in a loop, never infinite). Absolute, like key
     * times: the first of keys listed from 10 s on is at 10, not at 0. NULL: `rate` is used. */
    const double *times;
    /* With `times`: sample k is of track tracks[k] only. NULL: every sample is of all tracks. */
    const uint32_t *tracks;

    /* Without `tracks`: the tracks to sample, subset_count of them, each at most once. Outputs have these alone,
     * in this order, and the bits that they have among all: subset_count stands for track_count below. Each
     * takes the time of a track with a timeline of its own, which is some times that of tracks that share one;
     * other tracks take none. NULL: all */
    const uint32_t *subset;
    size_t subset_count;

    /* Host memory to write, or NULL. (sample_count, track_count, 4) float32 for rotations,
     * (sample_count, track_count, 3) for the others; without the track axis when `tracks` is
     * given. */
    float *rotations;
    float *positions;
    float *scales;

    /* Angular velocity in rad/s and angular acceleration in rad/s^2 of the rotations (full, not
     * half angles): host memory of (sample_count, track_count, 3) float32, or NULL. Analytic
     * derivatives. At a key, those of the segment that begins there; zero outside the keys of an
     * open track. */
    float *velocities;
    float *accelerations;
    pm_axis_frame velocity_frame; /* 0: body */

    /* Bytes from a sample's values to those of the next one in each output, also in pm_cl_outputs: a multiple
     * of 4, at least the values of a sample. What is between them is not touched. 0: there is nothing
     * between. Other strides take a copy: host memory for up to 2^18 values, or all with
     * build_in_background; on queues up to 64 MiB of device memory for each output. */
    size_t rotations_stride, positions_stride, scales_stride;
    size_t velocities_stride, accelerations_stride;

    bool on_reference; /* true: compute on the reference path instead of the device */

    /* Maximum number of host threads for the job, the calling thread included; with several
     * devices, for each. 1: only the calling thread. 0: as many as the engine allows. They map
     * listed times to segments and sample on the reference path; small jobs use fewer. */
    uint32_t host_threads;

    const void *next; /* must be NULL */
} pm_sample_job;

/* PM_OK when pm_sample would accept the job; otherwise the first reason for a refusal. */
PM_API pm_status pm_sample_check(const pm_clip *clip, const pm_sample_job *job, pm_error *error);

/* Computes a job into host memory. Blocks. A job larger than the device's memory is divided into
 * pieces; each piece is read back while the next is computed. Thread-safe. On failure the contents
 * of the outputs are undefined.
 * A CPU device leaves jobs to plain C: see pm_engine_desc.programs_on_cpu.
 * Several devices: each has a thread and takes the next piece when it has finished its last one.
 * Pieces have equal sizes, 16 for each device and at least 2^17 values. A job too small to divide
 * runs on the first device alone. The bits of the results do not depend on which device
 * computed them, provided that the devices give equal bits (pm_engine_self_check). The first
 * failure stops all devices. */
PM_API pm_status pm_sample(const pm_clip *clip, const pm_sample_job *job, pm_error *error);

/* Uniform keys through a low-pass: band-limited samples at another rate, or smoothed ones at their own.
 * The kernel is a sinc in a Kaiser window, five periods of the cut-off on each side, without a delay. Up
 * to 0.8 of the cut-off amplitudes change by at most 0.1 %; from 1.2 of it on, at least 60 dB are removed.
 * Rotations are averaged as logarithms about the slerp at the sample's time, twice: turning all keys by
 * one rotation, on either side, turns the samples, and constant velocity remains. At the ends the motion
 * is continued by its point reflection, so that the first and the last value remain. Immutable, therefore
 * thread-safe. docs/filter.md describes it. */
typedef struct pm_filter pm_filter;

/* The description is that of a clip with method slerp, one timeline with a rate, no loop and float32 keys;
 * it is not referred to afterwards. `cutoff` is in Hz: above 1/819 of the rate of the keys, and at most half
 * of it. The keys take the memory of a clip, with those of five periods of the cut-off more at each end.
 * Fails with PM_ERROR_ARGUMENT for other cut-offs and descriptions, else as pm_clip_create does. The
 * engine must outlive the filter. Thread-safe. */
PM_API pm_status pm_filter_create(pm_engine *engine, const pm_clip_desc *desc, double cutoff,
                                  pm_filter **filter, pm_error *error);

/* Clears the handle; accepts NULL and a pointer to NULL. */
PM_API void pm_filter_destroy(pm_filter **filter);

/* Computes a job as pm_sample does, without `tracks`, `subset`, velocities and accelerations, which fail with
 * PM_ERROR_ARGUMENT. Samples outside the keys are those at the ends. Device and reference path give the
 * same bits. Thread-safe. */
PM_API pm_status pm_filter_sample(const pm_filter *filter, const pm_sample_job *job,
                                  pm_error *error);

/* Keys that are sampled without a clip, in one pass or a few: an archive that is resampled, an array at
 * another rate. With memory of the C library, and the library's threads (see pm_host). */
typedef struct pm_resampler pm_resampler;

/* Checks the description, as pm_clip_create does. Its arrays are borrowed until the resampler is
 * destroyed. Thread-safe. */
PM_API pm_status pm_resampler_create(const pm_clip_desc *desc, pm_resampler **resampler,
                                     pm_error *error);

/* Clears the handle; accepts NULL and a pointer to NULL. */
PM_API void pm_resampler_destroy(pm_resampler **resampler);

/* Computes a job into host memory, with the bits of pm_clip_create and pm_sample. It runs on the host
 * with job->host_threads threads, 0: one for each processor; job->on_reference is ignored. Segments are
 * built and sampled a window at a time where that can be done: values, not derivatives, in ascending
 * order of time and over at most two laps of a loop, of 8 tracks or more that share a timeline; by the
 * spline, whose rates depend on all keys, of open tracks with steps so small that far keys do not matter.
 * A later job is fastest where it goes on from the end of the one before, with the same outputs and
 * threads. The first job that cannot be computed so builds a clip, which later ones use, too. A job with a
 * `subset` builds one of all tracks. A resampler is used by one thread at a time. On failure the contents of
 * the outputs are undefined. A curve that does not exist (PM_ERROR_KEY) may go unnoticed where no sample lies
 * on it. */
PM_API pm_status pm_resampler_sample(pm_resampler *resampler, const pm_sample_job *job,
                                     pm_error *error);

/* Makes a resampler without keys: they are pushed as they come, and samples pulled as soon as keys decide
 * them, with the bits that pm_sample has for all keys at once. It holds the keys that samples to come depend
 * on, at most some 1,000 more than were pushed since the last pull, however long the motion. It is used by
 * one thread at a time, as others are; any thread may create and destroy it. Destroy it with
 * pm_resampler_destroy. */
PM_API pm_status pm_resampler_open(pm_resampler **resampler, pm_error *error);

/* Pushes the keys of a description, which is that of a clip: timelines[0] has how many and, where they are
 * not at a rate, their times, all behind those of earlier pushes. Keys are copied; axes and windows are
 * borrowed until the resampler is destroyed. The rest is the same in each push, which else fails with
 * PM_ERROR_ARGUMENT, as do a loop, several timelines, codes, and methods whose pm_method_latency is 0; a
 * B-spline with listed times fails with PM_ERROR_TIME. pm_error.key counts from the first key of the push.
 * At most 2^30 - 2 keys in total. A push that fails changes nothing. */
PM_API pm_status pm_resampler_push(pm_resampler *resampler, const pm_clip_desc *desc,
                                   pm_error *error);

/* No more keys come: what follows decides the last samples by the rules for ends. */
PM_API pm_status pm_resampler_end(pm_resampler *resampler, pm_error *error);

/* Computes the next samples that the pushed keys decide, at most job->sample_count, and writes their number
 * to *count: 0 where a push or the end must come first, or where the end has come and no sample is at or
 * before the last key. Samples before the first key are those of an open track. `rate`,
 * `start_after_first_key` and `first` are the same in each pull: the second pull goes on where the first one
 * ended. The outputs, of that many rows, and velocity_frame are those of this pull; `times`, `tracks` and `subset`
 * fail with PM_ERROR_ARGUMENT. It runs on the host with job->host_threads threads, 0: one for each processor. On
 * failure *count samples are written, and the next pull goes on behind them; rows behind those are undefined.
 * A curve that does not exist (PM_ERROR_KEY) is found by a pull. */
PM_API pm_status pm_resampler_pull(pm_resampler *resampler, const pm_sample_job *job, size_t *count,
                                   pm_error *error);

/* A resampler for one job. Thread-safe. */
PM_API pm_status pm_resample(const pm_clip_desc *desc, const pm_sample_job *job, pm_error *error);

/* ---- conversions ---------------------------------------------------------------- */

/* Euler orders, intrinsic, left to right: PM_EULER_ZYX rotates about Z, then the new Y, then the
 * new X: q = qz * qy * qx. */
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
    PM_EULER_ZYZ
} pm_euler_order;

/* The number of orders: they are 0 to pm_euler_order_count() - 1. */
PM_API size_t pm_euler_order_count(void);

/* Three upper-case axes, such as "ZXY". NULL when `order` is no order. Static storage. */
PM_API const char *pm_euler_order_name(pm_euler_order order);

/* Finds an order by its name. Returns false, and writes nothing, when no order has the name. */
PM_API bool pm_euler_order_find(const char *name, pm_euler_order *order);

/* angles[3] in radians, in the order of the name; quaternion[4] x y z w. */
PM_API bool pm_quat_from_euler(pm_euler_order order, const double angles[3], double quaternion[4]);

/* The inverse of pm_quat_from_euler, for any quaternion of non-zero norm. Both branches, and their
 * turns of 2 pi, are considered; the result is the one nearest to `near` (3 angles; NULL: nearest
 * to zero). At gimbal lock the first angle keeps the value of `near`, and the third takes the
 * rest. */
PM_API bool pm_euler_from_quat(pm_euler_order order, const double quaternion[4],
                               const double near[3], double angles[3]);

/* Row-major 3x3 matrix of an active rotation: v' = M v. */
PM_API bool pm_matrix_from_quat(const double quaternion[4], double matrix[9]);

/* The unit quaternion, w >= 0, of the rotation nearest to a row-major 3x3 matrix (Bar-Itzhack's
 * eigenvector method); accurate at every angle, 180 degrees included. Returns false when the
 * matrix is not finite or its determinant is <= 0. */
PM_API bool pm_quat_from_matrix(const double matrix[9], double quaternion[4]);

/* ---- twist axes -------------------------------------------------------------------- */

/* Computes unit twist axes for sterp from a skeleton whose frames are parallel in the rest pose. A
 * bone's axis points to its first child with a non-zero offset; a leaf takes its parent's axis; a
 * lone root takes y. parents[joint] < joint, or -1 for a root; offsets, (joint_count, 3), are
 * relative to the parent; axes, (joint_count, 3), is written. Returns false when a parent is
 * neither. joint_count 0: true, and the pointers may be NULL. */
PM_API bool pm_bone_axes(const int32_t *parents, const double *offsets, size_t joint_count,
                         double *axes);

/* Unit axis of the largest spread of `points`, (count, 3): the eigenvector of the largest
 * eigenvalue of their covariance, of either sign. Returns false when a point is not finite or all
 * points coincide. */
PM_API bool pm_principal_axis(const double *points, size_t count, double axis[3]);

#ifdef __cplusplus
}
#endif
#endif
