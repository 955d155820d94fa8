/* SPDX-License-Identifier: MIT
 *
 * Projects poses, and fits them into pictures: each stays in place, so that all are of one size.
 */
#include "motion/report/picture.h"

#include "motion/report/bones.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "motion/base/c_locale.h"
#include "motion/compare/outcome.h"
#include "motion/report/page.h"

enum { MOST_JOINTS = 4000, MOST_POSES = 3000, LEAST_SIDE = 32, MOST_SIDE = 4096 };

/* Pixels around the poses, and below those of a strip, for the times. */
enum { MARGIN = 8, LABEL = 18 };

/* Of the poses, relative to the largest of their coordinates. */
static const double smallest_side = 1e-6;

static const char *const views[] = {"the front", "the side", "above", "behind"};

typedef struct making {
    picture p;
    subject *s;
    subject_pose *poses; /* of one time */
    int32_t *parents;    /* of bones */
    bool is_gif;
    double seconds; /* of the part that is shown */
    pm_motion_picture_view from;
    double low[2], high[2]; /* of all poses in place */
    bool is_finite;
    motion_arena arena;
} making;

/* ---- projection ---------------------------------------------------------------------------- */

/* x to the right and y up of the view. Where z points up, y is to the right. */
static void project(const making *m, const double place[3], double to[2]) {
    const bool is_y = m->s->up == 1;
    const double x = place[is_y ? 0 : 1], y = place[is_y ? 1 : 2], z = place[is_y ? 2 : 0];
    const bool is_top = m->from == PM_MOTION_PICTURE_TOP;
    to[0] = m->from == PM_MOTION_PICTURE_SIDE ? -z : m->from == PM_MOTION_PICTURE_BACK ? -x : x;
    to[1] = is_top ? -z : y;
}

/* The first root of a pose stays over one place of the ground. */
static void project_in_place(const making *m, size_t joint, const double root[2], double to[2]) {
    project(m, m->poses[joint].place, to);
    to[0] -= root[0];
    to[1] -= m->from == PM_MOTION_PICTURE_TOP ? root[1] : 0;
}

static void add_bones(making *m, size_t pose) {
    picture_bone *bone = m->p.poses + pose * m->p.bones;
    double root[2], ends[2][2];
    project(m, m->poses[m->s->order[0]].place, root);
    for (size_t j = 0; j < m->s->joint_count; j++) {
        const int32_t parent = m->parents[j];
        project_in_place(m, j, root, ends[1]);
        memcpy(ends[0], ends[1], sizeof ends[0]);
        if (parent >= 0)
            project_in_place(m, (size_t)parent, root, ends[0]);
        for (int i = 0; i < 2; i++) {
            m->low[i] = fmin(m->low[i], ends[1][i]);
            m->high[i] = fmax(m->high[i], ends[1][i]);
            m->is_finite = m->is_finite && isfinite(ends[1][i]);
        }
        if (parent >= 0)
            *bone++ = (picture_bone){{ends[0][0], ends[0][1]}, {ends[1][0], ends[1][1]}};
    }
}

/* The side of the poses that fills a picture: a figure that is small beside its own coordinates is
 * rounding, and one that is a point has no size. */
static double side_of(const making *m, int axis) {
    double size = 0;
    for (int i = 0; i < 2; i++)
        size = fmax(size, fmax(fabs(m->low[i]), fabs(m->high[i])));
    return fmax(m->high[axis] - m->low[axis], size > 0 ? smallest_side * size : 1);
}

/* From units of length into pixels. */
static void fit(making *m) {
    const double room[2] = {m->p.cell - 2 * MARGIN,
                            (double)m->p.height - 2 * MARGIN - (m->is_gif ? 0 : LABEL)};
    const double sides[2] = {side_of(m, 0), side_of(m, 1)};
    const double zoom = fmin(room[0] / sides[0], room[1] / sides[1]);
    const double left = MARGIN + (room[0] - (m->high[0] - m->low[0]) * zoom) / 2;
    const double bottom = MARGIN + (room[1] + (m->high[1] - m->low[1]) * zoom) / 2;
    for (size_t i = 0; i < m->p.count * m->p.bones; i++)
        for (int end = 0; end < 2; end++) {
            double *at = end == 0 ? m->p.poses[i].from : m->p.poses[i].to;
            at[0] = left + (at[0] - m->low[0]) * zoom;
            at[1] = bottom - (at[1] - m->low[1]) * zoom;
        }
}

/* ---- poses --------------------------------------------------------------------------------- */

static pm_status evaluate(making *m, pm_error *error) {
    m->low[0] = m->low[1] = (double)INFINITY;
    m->high[0] = m->high[1] = -(double)INFINITY;
    m->is_finite = true;
    for (size_t pose = 0; pose < m->p.count; pose++) {
        const double time = m->p.begin + fmin(m->p.step * (double)pose, m->seconds);
        MOTION_TRY(subject_evaluate(m->s, &time, 1, m->poses, error));
        add_bones(m, pose);
    }
    if (!m->is_finite)
        return motion_refuse(error, "has places that are not finite, which a picture cannot show");
    if (!(m->high[0] - m->low[0] < 1e30) || !(m->high[1] - m->low[1] < 1e30))
        return motion_refuse(error, "has places that are too far apart for a picture");
    fit(m);
    return PM_OK;
}

/* A strip has as many poses as fit side by side, a GIF 25 in each second, or as many as are given. */
static void choose_times(making *m, const pm_motion_picture_options *o) {
    const double side = fmax((double)m->p.height * 0.6, LEAST_SIDE);
    const double wanted = m->is_gif ? m->seconds * 25 + 1 : (double)m->p.width / side;
    size_t count = o->poses > 0 ? o->poses : (size_t)fmin(fmax(wanted, 1), MOST_POSES);
    count = m->seconds > 0 ? count : 1;
    m->p.count = count;
    m->p.step = count < 2 ? 0 : m->seconds / (double)(count - 1);
    m->p.cell = m->is_gif ? (double)m->p.width : (double)m->p.width / (double)count;
}

static pm_status prepare(making *m, const pm_motion_picture_options *o, pm_error *error) {
    const size_t joints = m->s->joint_count;
    if (!m->s->has_places) {
        motion_report(error, PM_ERROR_FILE, "has no skeleton, which a picture shows");
        motion_cure_joints(error);
        return PM_ERROR_FILE;
    }
    if (joints > MOST_JOINTS)
        return motion_refuse(error, "has %zu joints; a picture shows %d", joints, MOST_JOINTS);
    m->parents = bones_find(&m->arena, m->s);
    MOTION_TRY_MEMORY(m->parents, error);
    for (size_t j = 0; j < joints; j++)
        m->p.bones += m->parents[j] >= 0;
    choose_times(m, o);
    m->poses = motion_allocate(&m->arena, joints, sizeof *m->poses);
    m->p.poses = motion_allocate(&m->arena, m->p.count, m->p.bones * sizeof *m->p.poses + 1);
    return m->poses && m->p.poses ? evaluate(m, error) : motion_refuse_memory(error);
}

/* ---- public -------------------------------------------------------------------------------- */

static bool has_extension(const char *path, const char *extension) {
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, extension) == 0;
}

static bool is_side(uint32_t side) {
    return side == 0 || (side >= LEAST_SIDE && side <= MOST_SIDE);
}

static pm_status check(const pm_motion_picture_options *o, const char *path, pm_error *error) {
    MOTION_TRY(MOTION_CHECK_NEXT(pm_motion_picture_options, o, error));
    if (!is_side(o->width) || !is_side(o->height))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "size is %ux%u; expected sides of %d to %d pixels", o->width, o->height,
                           LEAST_SIDE, MOST_SIDE);
    if ((unsigned)o->from >= sizeof views / sizeof *views)
        return motion_fail(error, PM_ERROR_ARGUMENT, "from is %d, which is no view", (int)o->from);
    if (o->poses > MOST_POSES)
        return motion_fail(error, PM_ERROR_ARGUMENT, "poses is %u; expected at most %d", o->poses,
                           MOST_POSES);
    return has_extension(path, ".svg") || has_extension(path, ".gif")
               ? PM_OK
               : motion_fail(error, PM_ERROR_ARGUMENT,
                             "the picture has no known extension; expected .svg or .gif");
}

/* ---- SVG --------------------------------------------------------------------------------------- */

static void write_pose(FILE *file, const picture *p, size_t pose) {
    const double left = p->cell * (double)pose;
    fputs("<path d=\"", file);
    for (size_t i = 0; i < p->bones; i++) {
        const picture_bone *bone = &p->poses[pose * p->bones + i];
        fprintf(file, "M%.1f %.1fL%.1f %.1f", left + bone->from[0], bone->from[1],
                left + bone->to[0], bone->to[1]);
    }
    fprintf(file, "\"/>\n<text x=\"%.1f\" y=\"%zu\">%.4g s</text>\n", left + p->cell / 2,
            p->height - 6, p->begin + p->step * (double)pose);
}

/* A strip of poses side by side, with their times. */
static bool write_svg(FILE *file, const void *content) {
    const picture *p = content;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" "
            "viewBox=\"0 0 %zu %zu\" role=\"img\">\n<title>",
            p->width, p->height, p->width, p->height);
    page_write_text(file, p->name, strlen(p->name));
    fprintf(file,
            ", from %s</title>\n<style>path{fill:none;stroke:#246;stroke-width:2;"
            "stroke-linecap:round}text{font:11px sans-serif;text-anchor:middle;fill:#666}"
            "</style>\n",
            p->view);
    for (size_t pose = 0; pose < p->count; pose++)
        write_pose(file, p, pose);
    fputs("</svg>\n", file);
    return true;
}

/* ---- the whole --------------------------------------------------------------------------------- */

static pm_status draw(pm_motion_comparison *made, const pm_motion_picture_options *o,
                      const char *path, pm_error *error) {
    making m = {.s = &made->subjects[0], .is_gif = has_extension(path, ".gif"), .from = o->from};
    const times_request *part = &made->numbers.times;
    const double end = part->to > 0 ? fmin(part->to, m.s->seconds) : m.s->seconds;
    m.p = (picture){.name = made->outcome.a.path,
                    .view = views[o->from],
                    .width = o->width   ? o->width
                             : m.is_gif ? 320
                                        : 960,
                    .height = o->height ? o->height : 320,
                    .begin = fmin(part->from, end)};
    m.seconds = end - m.p.begin;
    pm_status status = motion_name_failure(prepare(&m, o, error), made->outcome.a.path, error);
    if (status == PM_OK)
        status = m.is_gif ? picture_write_gif(&m.p, path, error)
                          : page_save(path, write_svg, &m.p, error);
    motion_arena_release(&m.arena);
    return status;
}

pm_status pm_motion_write_picture(const pm_motion *motion, const pm_motion_compare_options *options,
                                  const pm_motion_picture_options *shown, const char *path,
                                  pm_error *error) {
    static const pm_motion_picture_options defaults;
    const pm_motion_picture_options *o = shown ? shown : &defaults;
    SCOPED(pm_motion_comparison_destroy) pm_motion_comparison *made = NULL;
    MOTION_REQUIRE(error, motion, path);
    MOTION_TRY(check(o, path, error));
    C_LOCALE_HERE;
    MOTION_TRY(comparison_begin(motion, NULL, options, &made, error));
    return draw(made, o, path, error);
}
