/* SPDX-License-Identifier: MIT
 *
 * Computes a page and writes it: the template page.html and its parts.
 */
#include "motion/report/page.h"

#include <stdlib.h>

#include "motion/base/c_locale.h"
#include "motion/compare/outcome.h"

/* Bytes of a joint in tables and numbers, of another clip in its head, and of all that does not depend on
 * joints. */
enum { JOINT_TEXT = 2000, OTHER_JOINT_TEXT = 500, FIXED_TEXT = 400000 };

/* The bytes of heads that clips may have together. */
enum { OTHERS_TEXT = 4000000 };

static size_t most_clips(size_t joints) {
    const size_t most = 1 + OTHERS_TEXT / (OTHER_JOINT_TEXT * (joints > 0 ? joints : 1));
    return most < PAGE_MOST_CLIPS ? most : PAGE_MOST_CLIPS;
}

/* The bytes that the frames of one of the clips of a page may have, before they are text. */
static size_t page_room(const comparison *c, size_t clips) {
    const size_t keys =
        page_keys_text(c->a, clips) + (c->a != c->b ? page_keys_text(c->b, clips) : 0);
    const size_t joints = c->pairs->count;
    const size_t text = FIXED_TEXT + joints * (JOINT_TEXT + (clips - 1) * OTHER_JOINT_TEXT);
    return ((PAGE_BYTES - text) / clips - keys) / 4 * 3;
}

static pm_status compute(comparison *c, page_frames *frames, uint64_t max_times, size_t clips,
                         pm_error *error) {
    if (c->pairs->count > PAGE_MOST_JOINTS)
        return motion_refuse(error, "has %zu joints; a page holds %d", c->pairs->count,
                             (int)PAGE_MOST_JOINTS);
    MOTION_TRY(compare_prepare(c, max_times, error));
    if (!page_frames_begin(frames, c, page_room(c, clips)))
        return motion_fail(error, PM_ERROR_MEMORY, "memory is exhausted");
    frames->clips = clips;
    const compare_observer observer = page_frames_observer(frames);
    return compare_run(c, &observer, error);
}

pm_status page_compute(comparison *c, page_frames *frames, uint64_t max_times, size_t clips,
                       const char *path, pm_error *error) {
    return motion_name_failure(compute(c, frames, max_times, clips, error), path, error);
}

/* ---- parts --------------------------------------------------------------------------------- */

static bool write_numbers(FILE *file, const void *content) {
    const page *p = content;
    size_t size = 0;
    FREED char *text = outcome_json(p->outcome, &size);
    if (text)
        page_write_script_json(file, text, size);
    return text != NULL;
}

static bool write_data(FILE *file, const void *content) {
    return page_write_data(file, content);
}

static bool write_kind(FILE *file, const void *content) {
    const page *p = content;
    fprintf(file, "%s%s", page_is_one(p) ? "one" : "two", p->hides_poses ? " curves-only" : "");
    return true;
}

size_t page_first_joint(const page *p) {
    const page_frames *f = p->frames;
    size_t best = p->outcome->comparison->by_worst[0];
    double most = 0;
    for (size_t i = 0; page_is_one(p) && i < f->count; i++)
        for (size_t j = 0; j < f->joints; j++) {
            const double angle = (double)f->values[PAGE_ANGLE_A][i * f->joints + j];
            if (angle > most) {
                most = angle;
                best = j;
            }
        }
    return best;
}

static bool write_joint(FILE *file, const void *content) {
    const page *p = content;
    fprintf(file, "%zu", p->joint ? *p->joint : page_first_joint(p));
    return true;
}

#define SECTION(name)                                                                              \
    static bool section_##name(FILE *file, const void *content) {                                  \
        page_write_##name(file, content);                                                          \
        return true;                                                                               \
    }
SECTION(title)
SECTION(moments)
SECTION(slides)
SECTION(table)
SECTION(clips)

/* Of each clip of the page, of which the script shows one. */
#define SECTION_OF_CLIPS(name)                                                                     \
    static bool section_##name(FILE *file, const void *content) {                                  \
        write_of_clips(file, content, page_write_##name);                                          \
        return true;                                                                               \
    }

static void write_of_clips(FILE *file, const page *p, void (*write)(FILE *file, const page *p)) {
    for (size_t i = 0; i <= p->other_count; i++) {
        const page *of = i == 0 ? p : &p->others[i - 1];
        if (p->other_count > 0)
            fprintf(file, "<div data-clip=\"%zu\">\n", of->clip);
        write(file, of);
        if (p->other_count > 0)
            fputs("</div>\n", file);
    }
}
SECTION_OF_CLIPS(verdict)
SECTION_OF_CLIPS(conditions)
SECTION_OF_CLIPS(pictures)

static const page_writer writers[] = {
    {"numbers", write_numbers},   {"data", write_data},         {"kind", write_kind},
    {"joint", write_joint},       {"title", section_title},     {"clips", section_clips},
    {"verdict", section_verdict}, {"moments", section_moments}, {"conditions", section_conditions},
    {"slides", section_slides},   {"table", section_table},     {"pictures", section_pictures}};

/* ---- the page ------------------------------------------------------------------------------ */

static bool write_all(FILE *file, const void *content) {
    return page_write_template(file, "page.html", writers, sizeof writers / sizeof writers[0],
                               content);
}

pm_status page_write(const char *path, const page *p, pm_error *error) {
    return page_save(path, write_all, p, error);
}

/* ---- pages of motions that callers have -------------------------------------------------------- */

typedef struct page_clip {
    size_t index; /* in the motion */
    pm_motion_comparison *made;
    page_frames frames;
} page_clip;

typedef struct page_call {
    const pm_motion_page_options *options;
    const char *path;
    page_clip clips[PAGE_MOST_CLIPS]; /* the first is shown at first */
    size_t clip_count;
    size_t left_out;
} page_call;

/* The pair of the joint that is chosen at first. */
static pm_status find_joint(const page_call *call, size_t *pair, pm_error *error) {
    const joint_pairs *pairs = &call->clips[0].made->pairs;
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
    FREED char *text = compose_text(write_all, p, &size);
    if (!text)
        return motion_name_failure(motion_fail(error, PM_ERROR_MEMORY, "memory is exhausted"),
                                   p->outcome->a.path, error);
    o->write(o->write_user, text, size);
    return PM_OK;
}

static pm_status show(page_call *call, pm_error *error) {
    const pm_motion_page_options *o = call->options;
    size_t joint = 0;
    MOTION_TRY(o->has_joint ? find_joint(call, &joint, error) : PM_OK);
    page pages[PAGE_MOST_CLIPS];
    for (size_t i = 0; i < call->clip_count; i++)
        pages[i] = (page){.outcome = &call->clips[i].made->outcome,
                          .frames = &call->clips[i].frames,
                          .command = o->made_by ? o->made_by : "pm_motion_write_page",
                          .hides_poses = o->hides_poses,
                          .clip = call->clips[i].index,
                          .is_other = i > 0};
    pages[0].joint = o->has_joint ? &joint : NULL;
    pages[0].others = pages + 1;
    pages[0].other_count = call->clip_count - 1;
    pages[0].left_out = call->left_out;
    return give(call, pages, error);
}

/* The clip of the options, and after it the others that can be read, as many as a page holds. */
static void list_clips(page_call *call, const pm_motion *a, size_t first) {
    const pm_motion_content *content = &a->content;
    const size_t most = most_clips(content->node_count);
    pm_error unread;
    call->clips[0].index = first;
    call->clip_count = 1;
    for (size_t i = 0; call->options->all_clips && i < content->clip_count; i++) {
        const bool shown = i != first && call->clip_count < most &&
                           motion_check_clip(content, i, &unread) == PM_OK;
        if (shown)
            call->clips[call->clip_count++].index = i;
        call->left_out += i != first && !shown;
    }
}

static pm_status run_clip(page_call *call, size_t i, const pm_motion *a, const pm_motion *b,
                          const pm_motion_compare_options *options, pm_error *error) {
    page_clip *clip = &call->clips[i];
    pm_motion_compare_options how = *options;
    how.clip_a = clip->index;
    if (i > 0) { /* what was told and guessed of the first is of the file */
        const subject *first = call->clips[0].made->numbers.a;
        how.log = NULL;
        how.up = first->up == 2 ? PM_MOTION_UP_Z : PM_MOTION_UP_Y;
        how.unit_mm = first->unit_mm;
    }
    MOTION_TRY(comparison_begin(a, b, &how, &clip->made, error));
    MOTION_TRY(page_compute(&clip->made->numbers, &clip->frames, comparison_most_times(options),
                            call->clip_count, clip->made->outcome.a.path, error));
    return comparison_end(clip->made, error);
}

static pm_status run(page_call *call, const pm_motion *a, const pm_motion *b,
                     const pm_motion_compare_options *options, pm_error *error) {
    static const pm_motion_compare_options defaults;
    options = options ? options : &defaults;
    if (call->options->all_clips && b)
        return motion_fail(error, PM_ERROR_ARGUMENT, "all_clips: expected one motion");
    list_clips(call, a, options->clip_a);
    for (size_t i = 0; i < call->clip_count; i++)
        MOTION_TRY(run_clip(call, i, a, b, options, error));
    return show(call, error);
}

/* But for what the caller takes of the first. */
static void release(page_call *call, bool keeps_first) {
    for (size_t i = 0; i < call->clip_count; i++) {
        page_frames_release(&call->clips[i].frames);
        if (i > 0 || !keeps_first)
            pm_motion_comparison_destroy(&call->clips[i].made);
    }
}

pm_status pm_motion_write_page(const pm_motion *a, const pm_motion *b,
                               const pm_motion_compare_options *options,
                               const pm_motion_page_options *shown, const char *path,
                               pm_motion_comparison **made, pm_error *error) {
    static const pm_motion_page_options defaults;
    const pm_motion_page_options *o = shown ? shown : &defaults;
    if (!a || (!path && !o->write))
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", !a ? "a" : "path");
    MOTION_TRY(MOTION_CHECK_NEXT(pm_motion_page_options, o, error));
    FREED page_call *call = calloc(1, sizeof *call);
    MOTION_TRY_MEMORY(call, error);
    call->options = o;
    call->path = path;
    C_LOCALE_HERE;
    pm_status status = run(call, a, b, options, error);
    const bool keeps = status == PM_OK && made;
    if (made)
        *made = keeps ? call->clips[0].made : NULL;
    release(call, keeps);
    return status;
}
