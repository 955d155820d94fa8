/* SPDX-License-Identifier: MIT
 *
 * The objects, and the input that they are made from.
 */
#include "api_objects.h"

const double keys[KEYS][4] = {{0, 0, 0, 1}, {0, 0, 0.6, 0.8}};
const pm_timeline timeline = {.key_count = KEYS, .rate = {1, 1}};
const int32_t parents[1] = {-1};
const pm_skeleton_desc skeleton_desc = {.joint_count = 1, .parents = parents};
const pm_crowd_instance instance;
const pm_clip_desc clip_desc = {
    .track_count = 1, .timelines = &timeline, .rotations = {.data = keys, .type = PM_FLOAT64}};

pm_engine *engine;
pm_clip *clip;
pm_skeleton *skeleton;
pm_crowd *crowd;

int make_all(void **state) {
    (void)state;
    const pm_engine_desc on_host = {.device = "none"};
    if (pm_engine_create(&on_host, &engine, NULL) != PM_OK ||
        pm_clip_create(engine, &clip_desc, &clip, NULL) != PM_OK ||
        pm_skeleton_create(&skeleton_desc, &skeleton, NULL) != PM_OK)
        return 1;
    const pm_crowd_desc desc = {.skeleton = skeleton, .clips = &clip_desc, .clip_count = 1};
    return pm_crowd_create(engine, &desc, &crowd, NULL) != PM_OK;
}

int free_all(void **state) {
    (void)state;
    pm_crowd_destroy(&crowd);
    pm_skeleton_destroy(&skeleton);
    pm_clip_destroy(&clip);
    pm_engine_destroy(&engine);
    return 0;
}

bool is_filled(const void *memory, size_t size, unsigned char byte) {
    const unsigned char *bytes = memory;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != byte)
            return false;
    return true;
}
