/* SPDX-License-Identifier: MIT
 *
 * Text, numbers and data for HTML.
 */
#include "motion/report/page_text.h"

#include "motion/base/printable.h"

#include <math.h>
#include <string.h>

static void write_character(FILE *file, const char *text, size_t length) {
    static const char special[] = "&<>\"'";
    static const char *const escapes[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    const char *found = length == 1 ? strchr(special, *text) : NULL;
    if (found)
        fputs(escapes[found - special], file);
    else
        fwrite(text, 1, length, file);
}

void page_write_text(FILE *file, const char *text, size_t size) {
    for (size_t at = 0; at < size;) {
        const size_t length = utf8_length(text + at, size - at);
        const size_t taken = length > 0 ? length : 1;
        if (length == 0 || utf8_is_control(text + at, length))
            for (size_t i = 0; i < taken; i++)
                fprintf(file, "\\x%02x", (unsigned)(unsigned char)text[at + i]);
        else
            write_character(file, text + at, length);
        at += taken;
    }
}

void page_write_name(FILE *file, pm_motion_name name, size_t number) {
    if (name.size == 0 && number == PAGE_NO_NUMBER)
        fputs("(no name)", file);
    else if (name.size == 0)
        fprintf(file, "joint %zu", number);
    else
        page_write_text(file, name.text, name.size);
}

void page_write_script_json(FILE *file, const char *json, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (json[i] == '<')
            fputs("\\u003c", file);
        else
            fputc(json[i], file);
}

void page_write_cell(FILE *file, double number) {
    if (isfinite(number))
        fprintf(file, "<td data-v=\"%.17g\">%.4g</td>", number, number);
    else
        fputs("<td>–</td>", file);
}
