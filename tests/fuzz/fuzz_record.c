/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of files of records. Each line is a record or is dropped; a record that is written again is
 * read as the same, except that too many warnings are cut, and in the table each name has its last
 * record.
 */
#include "fuzz.h"
#include "motion/base/os.h"
#include "motion/batch/record.h"
#include "motion/files/line_reader.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scratch.h"

static bool same_text(const char *a, const char *b) {
    return !a || !b ? (a == NULL || a[0] == '\0') && (b == NULL || b[0] == '\0')
                    : strcmp(a, b) == 0;
}

static bool same_rate(pm_rational a, pm_rational b) {
    return a.num == b.num && a.den == b.den;
}

static void require_same(const batch_record *a, const batch_record *b) {
    require(strcmp(a->name, b->name) == 0 && a->status == b->status);
    require(same_text(a->in, b->in) && same_text(a->out, b->out));
    require(digest_equal(&a->input, &b->input) && digest_equal(&a->options, &b->options));
    require(digest_equal(&a->output, &b->output) && same_text(a->version, b->version));
    require(same_rate(a->source_rate, b->source_rate) && same_rate(a->rate, b->rate));
    require(a->frames == b->frames && a->joints == b->joints);
    require(same_text(a->method, b->method) && same_text(a->device, b->device));
    require(a->seconds == b->seconds && a->code == b->code);
    require(a->bytes_read == b->bytes_read && a->bytes_written == b->bytes_written);
    require(a->output_time == b->output_time && a->time == b->time);
    require(b->warning_count <= a->warning_count + 1);
    require(a->error == NULL || strlen(a->error) > 4096 || same_text(a->error, b->error));
}

static void check_line(const char *line, size_t size) {
    bool no_memory = false;
    size_t written = 0;
    SCOPED(free_at) batch_record *record = record_line_read(line, size, &no_memory);
    if (!record)
        return;
    require(record->name[0] != '\0' && record->in[0] != '\0');
    require(record->status == RECORD_FAILED || record->output.text[0] != '\0');
    SCOPED(free_at) char *text = record_line_write(record, &written);
    require(text != NULL && written > 2 && text[0] == '\n' && text[written - 1] == '\n');
    require(memchr(text + 1, '\n', written - 2) == NULL);
    SCOPED(free_at) batch_record *again = record_line_read(text + 1, written - 2, &no_memory);
    require(again != NULL);
    require_same(record, again);
}

static void check_lines(int file) {
    line_reader reader;
    const char *line = NULL;
    size_t size = 0;
    int failure = 0;
    /* Short lines are the longest here, so that inputs have longer ones. */
    require(line_reader_begin(&reader, file, 1024));
    while (line_reader_next(&reader, &line, &size, &failure)) {
        require(size <= 1024 && memchr(line, '\n', size) == NULL);
        check_line(line, size);
    }
    require(failure == 0);
    line_reader_end(&reader);
}

static void check_table(const char *path) {
    size_t count = 0, records = 0;
    record_table *table = record_table_create();
    require(table != NULL && record_table_add(table, path, false, NULL, NULL) == PM_OK);
    const char *const *names = record_table_names(table, &count);
    require(names != NULL);
    for (size_t i = 0; i < count; i++) {
        const batch_record *const *found = record_table_find(table, names[i], &records);
        require(found != NULL && records == 1 && strcmp(found[0]->name, names[i]) == 0);
        require(i == 0 || strcmp(names[i - 1], names[i]) < 0);
    }
    record_table_destroy(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[SCRATCH_PATH];
    scratch_path("records.jsonl", path);
    scratch_write(path, data, size);
    const int file = os_open_to_read(path);
    require(file >= 0);
    check_lines(file);
    close(file);
    check_table(path);
    scratch_remove(path);
    return 0;
}
