/* SPDX-License-Identifier: MIT
 *
 * Pages of motions that callers have.
 */
#include <stdlib.h>

#include "motion/base/c_locale.h"
#include "motion/compare/comparison.h"
#include "motion/report/page.h"

typedef struct page_call {
    const pm_motion_page_options *options;
    const char *path;
    pm_motion_comparison *made;
    page_frames frames;
} page_call;

/* The pair of the joint that is chosen at first. */
static pm_status find_joint(const page_call *call, size_t *pair, pm_error *error) {
    const joint_pairs *pairs = &call->made->pairs;
    for (*pair = 0; *pair < pairs->count; ++*pair)
        if (pairs->pairs[*pair].a == call->options->joint)
            return PM_OK;
    return motion_fail(error, PM_ERROR_ARGUMENT, "joint: %zu is none of %zu", call->options->joint,
                       pairs->count);
}

static pm_status give(const page_call *call, const page *p, pm_error *error) {
    const pm_motion_page_options *o = call->options;
    size_t size = 0;
    if (!o->write)
        return page_write(call->path, p, error);
    char *text = page_text(p, &size);
    if (!text)
        return motion_name_failure(motion_fail(error, PM_ERROR_MEMORY, "memory is exhausted"),
                                   p->outcome->a.path, error);
    o->write(o->write_user, text, size);
    free(text);
    return PM_OK;
}

static pm_status show(page_call *call, pm_error *error) {
    const pm_motion_page_options *o = call->options;
    size_t joint = 0;
    const pm_status status = o->has_joint ? find_joint(call, &joint, error) : PM_OK;
    if (status != PM_OK)
        return status;
    const page p = {.outcome = &call->made->outcome,
                    .frames = &call->frames,
                    .command = o->made_by ? o->made_by : "pm_motion_write_page",
                    .hides_poses = o->hides_poses,
                    .joint = o->has_joint ? &joint : NULL};
    return give(call, &p, error);
}

static pm_status run(page_call *call, const pm_motion *a, const pm_motion *b,
                     const pm_motion_compare_options *options, pm_error *error) {
    pm_status status = comparison_begin(a, b, options, &call->made, error);
    if (status == PM_OK)
        status = page_compute(&call->made->numbers, &call->frames, comparison_most_times(options),
                              call->made->outcome.a.path, error);
    if (status == PM_OK)
        status = comparison_end(call->made, error);
    return status == PM_OK ? show(call, error) : status;
}

pm_status pm_motion_write_page(const pm_motion *a, const pm_motion *b,
                               const pm_motion_compare_options *options,
                               const pm_motion_page_options *shown, const char *path,
                               pm_motion_comparison **made, pm_error *error) {
    static const pm_motion_page_options defaults;
    page_call call = {.options = shown ? shown : &defaults, .path = path};
    if (!a || (!path && !call.options->write))
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", !a ? "a" : "path");
    pm_status status = MOTION_CHECK_RESERVED(pm_motion_page_options, call.options, error);
    if (status != PM_OK)
        return status;
    void *before = c_locale_begin();
    status = run(&call, a, b, options, error);
    page_frames_release(&call.frames);
    if (status != PM_OK || !made)
        pm_motion_comparison_destroy(&call.made);
    if (made)
        *made = call.made;
    c_locale_end(before);
    return status;
}
