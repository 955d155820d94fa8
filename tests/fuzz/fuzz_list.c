/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of lists of files: each line is refused with a reason, or what it gives is within the limits
 * and may be the name of an output. No file is opened.
 */
#include "fuzz.h"
#include "motion/items/items.h"
#include "motion/items/list_line.h"

#include <stdlib.h>
#include <string.h>

static bool is_text(const char *text) {
    return text == NULL || text[0] != '\0';
}

static void check(const list_line *line) {
    require(line->path != NULL && is_text(line->path));
    require(is_text(line->member) && is_text(line->out) && is_text(line->layout));
    require(line->bytes <= LIST_BYTES_MAX && (line->has_bytes || line->bytes == 0));
    require((line->rate.num == 0 && line->rate.den == 0) ||
            (line->rate.num > 0 && line->rate.den > 0));
    SCOPED(free_at) char *name = batch_name_of(line->out ? line->out : line->path);
    require(name != NULL && name[0] != '/' && strstr(name, "//") == NULL);
    require(line->out == NULL || strcmp(name, line->out) == 0);
    SCOPED(free_at) char *again = batch_name_of(name);
    require(again != NULL && strcmp(name, again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    list_text text = list_text_of((const char *)data, size);
    list_found found = LIST_LINE;
    char reason[LIST_REASON_SIZE] = "";
    size_t last = 0;
    while (found == LIST_LINE) {
        list_line line;
        found = list_next(&text, &line, reason);
        if (found == LIST_LINE) {
            check(&line);
            require(line.number > last);
            last = line.number;
        }
        list_line_release(&line);
    }
    require(found == LIST_END ? text.at == text.end : reason[0] != '\0');
    return 0;
}
