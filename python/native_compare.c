/* SPDX-License-Identifier: MIT
 *
 * Comparisons and pages of motions that Python has read.
 */
#include "native.h"

#include "compare/scene.h"
#include "native_messages.h"
#include "report/page.h"
#include "report/page_template.h"

typedef struct work {
    const native_comparison *what;
    subject a, b;
    joint_pairs pairs;
    comparison comparison;
    page_frames frames;
    scene_hints hints;
} work;

static bool is_one(const native_comparison *what) {
    return what->a == what->b && what->clip_a == what->clip_b;
}

static cli_exit make_subject(const pm_motion *motion, size_t clip, const char *name, subject *s) {
    pm_error error = {.status = PM_OK};
    return subject_make(s, motion, clip, &error) == PM_OK ? CLI_DONE : cli_fail_error(name, &error);
}

static cli_exit prepare(work *w) {
    const native_comparison *what = w->what;
    pm_error error = {.status = PM_OK};
    const scene_options scene = {.unit_mm = what->unit_mm,
                                 .up = what->up,
                                 .start = what->start,
                                 .end = what->end,
                                 .trim_start = what->trim_start};
    const bool one = is_one(what);
    cli_exit code = make_subject(what->a, what->clip_a, what->name_a, &w->a);
    if (code == CLI_DONE && !one) {
        code = make_subject(what->b, what->clip_b, what->name_b, &w->b);
    }
    if (code == CLI_DONE) {
        w->comparison = (comparison){.a = &w->a,
                                     .b = one ? &w->a : &w->b,
                                     .pairs = &w->pairs,
                                     .times = {.rate = what->rate}};
        code = scene_apply(&scene, &w->comparison, what->name_a, what->name_b, &w->hints);
    }
    if (code == CLI_DONE) {
        code = joints_match(&w->a, one ? &w->a : &w->b, what->map, &w->pairs);
    }
    if (code == CLI_DONE && what->engine != NULL &&
        subject_use_method(&w->a, what->engine, (pm_method)what->method, &error) != PM_OK) {
        code = cli_fail_error(what->name_a, &error);
    }
    return code;
}

static cli_exit compute(work *w) {
    const native_comparison *what = w->what;
    comparison *c = &w->comparison;
    pm_error error = {.status = PM_OK};
    if (what->wants_page) {
        return page_compute(c, &w->frames, what->max_times, what->name_a);
    }
    pm_status status = compare_prepare(c, what->max_times, &error);
    if (status == PM_OK) {
        status = compare_run(c, NULL, &error);
    }
    return status == PM_OK ? CLI_DONE : cli_fail_error(what->name_a, &error);
}

/* The pair of the joint that the page chooses at first; none is asked for by -1. */
static cli_exit find_joint(const work *w, size_t *pair) {
    for (*pair = 0; *pair < w->pairs.count; ++*pair) {
        if (w->pairs.pairs[*pair].a == w->what->joint) {
            return CLI_DONE;
        }
    }
    return w->what->joint < 0 ? CLI_DONE
                              : cli_fail(CLI_BAD_INPUT, "joint", NULL, "%lld is none of %zu",
                                         (long long)w->what->joint, w->pairs.count);
}

static cli_exit tell(const work *w, char **text, size_t *size) {
    const native_comparison *what = w->what;
    pm_device_info device;
    if (what->engine != NULL) {
        pm_engine_get_info(what->engine, &device, sizeof(pm_device_info));
    }
    const outcome o = {.comparison = &w->comparison,
                       .a = {what->name_a, NULL},
                       .b = {what->name_b, NULL},
                       .method = what->engine != NULL
                                     ? pm_method_describe((pm_method)what->method)->name
                                     : "authored",
                       .device = what->engine != NULL ? device.name : NULL,
                       .hints = &w->hints,
                       .words = what->words,
                       .words_user = what->words_user,
                       .unit_mm = w->a.unit_mm};
    size_t joint = 0;
    if (find_joint(w, &joint) != CLI_DONE) {
        return CLI_BAD_INPUT;
    }
    const page p = {.outcome = &o,
                    .frames = &w->frames,
                    .command = what->call,
                    .hides_poses = what->hides_poses,
                    .joint = what->joint >= 0 ? &joint : NULL};
    *text = what->wants_page ? page_text(&p, size) : page_numbers(&o, size);
    return *text != NULL
               ? CLI_DONE
               : cli_fail(CLI_BAD_INPUT, what->name_a, CLI_MEMORY_HINT, "memory is exhausted");
}

int native_compare(const native_comparison *what, char **text, size_t *size, char **failure) {
    native_call call;
    work w = {.what = what};
    *text = NULL;
    native_begin(&call);
    cli_exit code = prepare(&w);
    if (code == CLI_DONE) {
        code = compute(&w);
    }
    if (code == CLI_DONE) {
        code = tell(&w, text, size);
    }
    *failure = native_take_failure(&call);
    page_frames_release(&w.frames);
    compare_release(&w.comparison);
    joints_release(&w.pairs);
    subject_release(&w.a);
    subject_release(&w.b);
    return (int)code;
}

int native_save(const char *path, const char *text, size_t size, char **failure) {
    native_call call;
    native_begin(&call);
    const cli_exit code = page_save_text(path, text, size);
    *failure = native_take_failure(&call);
    return (int)code;
}
