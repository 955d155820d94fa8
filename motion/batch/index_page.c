/* SPDX-License-Identifier: MIT
 *
 * Fills the template report_index.html, and writes what rows have in common.
 */
#include "motion/batch/index_page.h"

#include "motion/report/page.h"

#include <string.h>

static void write_text(FILE *file, const char *text) {
    page_write_text(file, text, strlen(text));
}

void index_write_isolated(FILE *file, const char *text, const char *if_empty) {
    fputs("<bdi>", file);
    if (!text || *text == '\0')
        fputs(if_empty, file);
    else
        write_text(file, text);
    fputs("</bdi>", file);
}

void index_write_link(FILE *file, const char *link) {
    fputs("<a href=\"", file); /* report_page_name has no marks that need an escape */
    fputs(link, file);
}

void index_write_name(FILE *file, const char *name, const char *link) {
    if (link) {
        index_write_link(file, link);
        fputs("\">", file);
    }
    index_write_isolated(file, name, "");
    if (link)
        fputs("</a>", file);
}

void index_begin_row(FILE *file, bool refused, bool *has_mark) {
    fputs(!refused    ? "<tr>"
          : *has_mark ? "<tr class=\"refused\">"
                      : "<tr class=\"refused\" id=\"refused\">",
          file);
    *has_mark = *has_mark || refused;
    fputs("<th scope=\"row\">", file);
}

void index_end_counts(FILE *file, bool has_refused) {
    if (has_refused)
        fputs(": <a href=\"#refused\">the last rows say why</a>", file);
    fputs(".</p>\n", file);
}

void index_write_refusal(FILE *file, int columns, const char *what, const char *error) {
    fprintf(file, "<td class=\"why\" colspan=\"%d\">%s: ", columns, what);
    index_write_isolated(file, error, "");
    fputs("</td>", file);
}

/* ---- parts of the template ----------------------------------------------------------------- */

static bool write_title(FILE *file, const void *content) {
    const index_page *index = content;
    fputs(index->title, file);
    write_text(file, index->folder);
    return true;
}

static bool write_order(FILE *file, const void *content) {
    return fputs(((const index_page *)content)->order, file) >= 0;
}

static bool write_heads(FILE *file, const void *content) {
    return page_write_file(file, ((const index_page *)content)->heads);
}

static bool write_columns(FILE *file, const void *content) {
    return page_write_file(file, ((const index_page *)content)->columns);
}

static bool write_verdict(FILE *file, const void *content) {
    const index_page *index = content;
    return index->verdict(file, index->content);
}

static bool write_rows(FILE *file, const void *content) {
    const index_page *index = content;
    return index->rows(file, index->content);
}

static bool write_conditions(FILE *file, const void *content) {
    const index_page *index = content;
    fprintf(file, "<dt>%s</dt><dd>", index->folder_has);
    index_write_isolated(file, index->folder, "");
    fprintf(file, "</dd>\n<dt>made by</dt><dd>posemill %s: <code>", pm_version());
    write_text(file, index->made_by);
    fputs("</code></dd>\n", file);
    return true;
}

static bool write_all(FILE *file, const void *content) {
    static const page_writer writers[] = {
        {"title", write_title},          {"order", write_order},     {"heads", write_heads},
        {"columns", write_columns},      {"verdict", write_verdict}, {"rows", write_rows},
        {"conditions", write_conditions}};
    return page_write_template(file, "report_index.html", writers,
                               sizeof writers / sizeof writers[0], content);
}

pm_status index_page_write(const char *path, const index_page *index, pm_error *error) {
    return page_save(path, write_all, index, error);
}
