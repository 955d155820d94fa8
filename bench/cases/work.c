/* SPDX-License-Identifier: MIT
 *
 * Counts jobs. Neighbouring samples of a grid share their segment, so each byte of it counts once; a
 * sample at a random time has a segment of its own.
 */
#include "work.h"

enum { QUATERNION = 16, CODED_KEY = 6, CURSOR = 8, TRACK_INDEX = 4 };

static const curve_work curves[PM_METHOD_COUNT] = {
    [PM_METHOD_SLERP] = {39, 0, 39, 0},         [PM_METHOD_STEP] = {0, 0, 0, 0},
    [PM_METHOD_NLERP] = {0, 0, 48, 0},          [PM_METHOD_STERP] = {14, 0, 107, 2},
    [PM_METHOD_SQUAD] = {46, 97, 131, 0},       [PM_METHOD_CIRCULAR] = {16, 85, 146, 0},
    [PM_METHOD_CIRCULAR_C1] = {80, 52, 183, 0}, [PM_METHOD_CIRCULAR_C2] = {80, 56, 183, 0},
    [PM_METHOD_CIRCULAR_C3] = {80, 59, 183, 0}, [PM_METHOD_HERMITE] = {0, 0, 109, 0},
    [PM_METHOD_SPLINE] = {0, 0, 109, 0},        [PM_METHOD_BSPLINE] = {0, 0, 227, 0},
    [PM_METHOD_CUBICSPLINE] = {0, 0, 54, 0},    [PM_METHOD_NCUBIC] = {0, 0, 54, 0},
    [PM_METHOD_CUBIC] = {529, 97, 131, 0},
};

curve_work work_of_curve(pm_method method) {
    return curves[method];
}

/* The numbers of a count; the sizes are those of data in memory, so products do not overflow. */
typedef struct counted {
    uint64_t keys, segments; /* read once each */
    uint64_t begun;          /* segments that samples are computed in */
    uint64_t computed;       /* samples that are not on a key */
    uint64_t bases;          /* times of such samples */
    uint64_t results;
    uint64_t constants; /* quaternions */
    uint64_t places;    /* bytes that say where samples lie */
} counted;

static case_work sum(pm_method method, pm_key_format format, const counted *n) {
    const curve_work curve = curves[method];
    const uint64_t coefficients = pm_method_get_info(method)->floats_per_segment / 4 - 1;
    const uint64_t key = format == PM_KEYS_FLOAT32 ? QUATERNION : CODED_KEY;
    return (case_work){
        .bytes_read =
            n->keys * key + (n->segments * coefficients + n->constants) * QUATERNION + n->places,
        .bytes_written = n->results * QUATERNION,
        .operations =
            n->begun * curve.segment + n->bases * curve.basis + n->computed * curve.sample,
    };
}

/* Rows of all tracks in segments that follow each other. A row on a key is the key itself where the
 * curve passes through it. */
static counted rows_in(const scenes *s, pm_method method, uint64_t rows, uint64_t segments,
                       uint64_t keys, uint64_t rows_on_keys) {
    const uint64_t copied = pm_method_get_info(method)->interpolating ? rows_on_keys : 0;
    return (counted){.keys = s->tracks * keys,
                     .segments = s->tracks * segments,
                     .begun = s->tracks * segments,
                     .computed = s->tracks * (rows - copied),
                     .bases = rows - copied,
                     .results = s->tracks * rows,
                     .constants = s->tracks * (uint64_t)curves[method].constants};
}

/* The keys of a segment that shares none: a curve of four keys that stores nothing else reads them. */
static uint64_t keys_of_segment(pm_method method) {
    const pm_method_info *info = pm_method_get_info(method);
    return info->keys_used == 4 && info->floats_per_segment == 4 ? 4 : 2;
}

/* Rows that have nothing in common but their tracks' constants. */
static counted rows_apart(const scenes *s, pm_method method, uint64_t rows) {
    return rows_in(s, method, rows, rows, keys_of_segment(method) * rows, 0);
}

/* Every row is on a key. */
static counted rows_on_keys(const scenes *s, pm_method method, uint64_t rows) {
    const uint64_t values = s->tracks * rows;
    return pm_method_get_info(method)->interpolating ? (counted){.keys = values, .results = values}
                                                     : rows_apart(s, method, rows);
}

static counted pairs(pm_method method, uint64_t count) {
    return (counted){.keys = keys_of_segment(method) * count,
                     .segments = count,
                     .begun = count,
                     .computed = count,
                     .bases = count,
                     .results = count,
                     .constants = count * curves[method].constants,
                     .places = count * (CURSOR + TRACK_INDEX)};
}

/* The number of segments between listed key times in which samples at 4 times the key rate lie. */
static uint64_t segments_hit(const scenes *s, uint64_t rows) {
    uint64_t hit = 0, last = UINT64_MAX;
    size_t segment = 0;
    for (uint64_t row = 0; row < rows; row++) {
        const double time = (double)row / (4.0 * SCENE_KEY_RATE);
        while (segment + 1 < s->segments && s->key_times[segment + 1] <= time)
            segment++;
        hit += segment != last;
        last = segment;
    }
    return hit;
}

static counted listed_keys(const scenes *s, pm_method method, uint64_t rows) {
    const uint64_t hit = segments_hit(s, rows);
    counted n = rows_in(s, method, rows, hit, hit + 1, 0);
    n.places = rows * CURSOR;
    return n;
}

static counted count_job(const scenes *s, bench_scene scene, pm_method method, uint64_t rows) {
    const uint64_t fourth = (rows + 3) / 4, half = (rows + 1) / 2;
    counted n;
    switch (scene) {
    case SCENE_UPSAMPLE_2:
    case SCENE_UPSAMPLE_2_LOG48:
        return rows_in(s, method, rows, half, half + 1, half);
    case SCENE_DOWNSAMPLE_4:
    case SCENE_DOWNSAMPLE_4_LOG48:
        return rows_on_keys(s, method, rows);
    case SCENE_LOOP: /* the key after the last is the first */
        return rows_in(s, method, rows, fourth, fourth, fourth);
    case SCENE_NONUNIFORM:
        return listed_keys(s, method, rows);
    case SCENE_TIMES:
    case SCENE_TIMES_LOG48:
    case SCENE_TIMES_SMALLEST48:
        n = rows_apart(s, method, rows);
        n.places = rows * CURSOR;
        return n;
    case SCENE_SAMPLES:
        return pairs(method, rows);
    default:
        return rows_in(s, method, rows, fourth, fourth + 1, fourth);
    }
}

case_work work_of_job(const scenes *s, bench_scene scene, pm_method method, size_t sample_count) {
    const counted n = count_job(s, scene, method, sample_count);
    return sum(method, scenes_key_format(scene), &n);
}

case_work work_of_baseline(const scenes *s, pm_method method) {
    const uint64_t keys = s->tracks * (uint64_t)(s->segments + 1);
    case_work work = work_of_job(s, SCENE_UPSAMPLE_4, method, 4 * s->segments);
    work.bytes_read = keys * (method == PM_METHOD_SQUAD ? 2 : 1) * QUATERNION;
    return work;
}

unsigned work_of_weight(void) {
    return 72;
}

case_work work_of_lowpass(const scenes *s, size_t sample_count, size_t taps) {
    const uint64_t values = s->tracks * (uint64_t)sample_count;
    return (case_work){.bytes_read = s->tracks * (uint64_t)(s->segments + 1) * QUATERNION,
                       .bytes_written = values * QUATERNION,
                       .operations = values * 2 * taps * work_of_weight()};
}

/* ---- crowds -------------------------------------------------------------------- */

/* The memory of keys. Thousands of instances share clips of a megabyte, which caches keep: keys count for
 * each joint and input, but never more than all clips have. Decoding those of 48 bits is not counted. */
static uint64_t key_bytes(const crowd_scene *scene, uint64_t count) {
    static const unsigned bits[PM_KEYS_COUNT] = {
        [PM_KEYS_FLOAT32] = 128, [PM_KEYS_LOG48] = 49, [PM_KEYS_SMALLEST48] = 48};
    return count * bits[scene->keys] / 8;
}

joint_work work_of_joint(void) {
    return (joint_work){.mixed = 55,
                        .added = 111,
                        .matrix = 39,
                        .product = 72,
                        .rigid_product = 75,
                        .dual = 31,
                        .halves = 12,
                        .spin = 41,
                        .slerp_spin = 38,
                        .body = 122};
}

/* Samples and blends of the joints that move. */
static uint64_t pose_operations(const crowd_scene *scene, uint64_t moving) {
    if (scene->given)
        return 0;
    const curve_work curve = work_of_curve(scene->method);
    const joint_work joint = work_of_joint();
    const unsigned spin = scene->method == PM_METHOD_SLERP ? joint.slerp_spin : joint.spin;
    const uint64_t sample = curve.segment + curve.sample + (scene->states ? spin : 0);
    switch (scene->blend) {
    case BLEND_CROSSFADE:
        return moving * (2 * sample + joint.mixed);
    case BLEND_ADDITIVE:
        return moving * (2 * sample + joint.added);
    case BLEND_NONE:
        break;
    }
    return curve.basis + moving * (sample + scene->layers * (sample + joint.mixed));
}

/* From poses to records. The root has no parent to be multiplied by. */
static uint64_t record_operations(const crowd_scene *scene, uint64_t joints) {
    const joint_work joint = work_of_joint();
    const uint64_t model = joints * joint.matrix + (joints - 1) * joint.product;
    if (scene->states)
        return (joints - 1) * joint.body;
    switch (scene->output) {
    case PM_CROWD_LOCAL:
        return 0;
    case PM_CROWD_MODEL:
    case PM_CROWD_BOUNDS:
        return model;
    case PM_CROWD_DUAL:
        return (2 * joints - 1) * joint.rigid_product + joints * joint.dual;
    case PM_CROWD_PALETTE_HALF:
        return model + joints * (joint.product + joint.halves);
    default:
        return model + joints * joint.product;
    }
}

/* What is read of an instance beside keys. */
static uint64_t instance_bytes(const crowd_scene *scene, const crowd_setup *setup) {
    const uint64_t layers = sizeof *setup->ranges + scene->layers * sizeof *setup->layers;
    if (scene->given)
        return setup->joints * 12 * sizeof *setup->poses;
    return sizeof *setup->instances + (scene->layers ? layers : 0) +
           (scene->list ? sizeof *setup->indices : 0);
}

case_work work_of_crowd(const crowd_scene *scene, const crowd_setup *setup) {
    const uint64_t inputs = (scene->blend == BLEND_NONE ? 1 : 2) + scene->layers;
    const uint64_t clips = (uint64_t)setup->key_count * setup->joints;
    const uint64_t record = record_operations(scene, setup->posed);
    const uint64_t coefficients = pm_method_get_info(scene->method)->floats_per_segment / 4 - 1;
    uint64_t keys = 0, most = clips;
    case_work work = {0};
    for (size_t i = 0; i < setup->agents; i++) {
        if (crowd_updated(setup, i)) {
            const uint64_t all = setup->moving[setup->instances[i].level];
            const uint64_t moving = scene->hand ? setup->posed : all;
            keys += scene->given ? 0 : moving * inputs * 2;
            work.bytes_read += instance_bytes(scene, setup);
            work.bytes_written += setup->records * setup->record_bytes;
            work.operations += pose_operations(scene, moving) + record;
        }
    }
    if (scene->phases == PHASES_ALIKE)
        most = setup->moving[0] * inputs * 2;
    keys = keys < most ? keys : most;
    work.bytes_read += key_bytes(scene, keys) + keys / 2 * coefficients * 16;
    return work;
}
