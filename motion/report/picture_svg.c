/* SPDX-License-Identifier: MIT
 *
 * A strip of poses as SVG.
 */
#include "motion/report/picture.h"

#include <string.h>

#include "motion/report/page.h"

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

static bool write_all(FILE *file, const void *content) {
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

pm_status picture_write_svg(const picture *p, const char *path, pm_error *error) {
    return page_save(path, write_all, p, error);
}
