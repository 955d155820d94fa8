/* SPDX-License-Identifier: MIT
 *
 * Counts crowds. Thousands of instances share clips of a megabyte, which caches keep: keys count for
 * each joint and input, but never more than all clips have.
 */
#include "work.h"

/* The memory of keys; those of 48 bits are decoded by operations that are not counted. */
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
