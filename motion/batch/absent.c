/* SPDX-License-Identifier: MIT
 *
 * The functions of batches in a build without them.
 */
#include <posemill/posemill_motion.h>

#include "motion/base/fault.h"

static pm_status refuse(pm_error *error) {
    return motion_fail(error, PM_ERROR_ARGUMENT, "this build leaves out batches");
}

pm_status pm_motion_batch_list_create(const pm_motion_batch_sources *sources,
                                      pm_motion_batch_list **list, pm_error *error) {
    (void)sources, (void)list;
    return refuse(error);
}

const pm_motion_batch_item *pm_motion_batch_list_get_items(const pm_motion_batch_list *list,
                                                           size_t *count) {
    (void)list;
    if (count)
        *count = 0;
    return NULL;
}

pm_status pm_motion_batch_list_write(const pm_motion_batch_list *list, const char *path,
                                     pm_error *error) {
    (void)list, (void)path;
    return refuse(error);
}

const char *pm_motion_batch_list_text(pm_motion_batch_list *list) {
    (void)list;
    return NULL;
}

void pm_motion_batch_list_destroy(pm_motion_batch_list **list) {
    (void)list;
}

pm_status pm_motion_batch_check(const pm_motion_batch_list *list,
                                const pm_motion_batch_options *options, pm_error *error) {
    (void)list, (void)options;
    return refuse(error);
}

pm_status pm_motion_batch_run(const pm_motion_batch_list *list, pm_engine *engine,
                              const pm_motion_batch_options *options,
                              pm_motion_batch_result *result, pm_error *error) {
    (void)list, (void)engine, (void)options, (void)result;
    return refuse(error);
}

pm_status pm_motion_batch_merge_create(const pm_motion_batch_merge_options *options,
                                       pm_motion_batch_merge **merge, pm_error *error) {
    (void)options, (void)merge;
    return refuse(error);
}

const pm_motion_batch_merged *pm_motion_batch_merge_get_merged(const pm_motion_batch_merge *merge) {
    (void)merge;
    return NULL;
}

const char *pm_motion_batch_merge_json(pm_motion_batch_merge *merge) {
    (void)merge;
    return NULL;
}

void pm_motion_batch_merge_destroy(pm_motion_batch_merge **merge) {
    (void)merge;
}
