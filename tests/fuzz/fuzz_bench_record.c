/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of records of posemill bench that --cite reads: what is not refused gives five lines and an
 * entry whose braces match, without a character that moves the terminal or begins a command of TeX.
 */
#define _POSIX_C_SOURCE 200809L

#include "bench/runner/summary.h"
#include "fuzz.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text after the first word of a line, which must be `word`. Moves *at to the next line. */
static void require_line(const char **at, const char *word) {
    const char *end = strchr(*at, '\n');
    require(end != NULL && strncmp(*at, word, strlen(word)) == 0);
    require(end[-1] != ' ' || strcmp(word, "commit: ") == 0);
    *at = end + 1;
}

static void require_printable(const char *text) {
    for (; *text != '\0'; text++)
        require((unsigned char)*text >= 0x80 || isprint((unsigned char)*text) || *text == '\n');
}

/* Whatever follows a backslash is a character, and not the name of a command. */
static void require_entry(const char *entry) {
    int depth = 0;
    require(strncmp(entry, "\n@misc{posemill-bench-", 22) == 0);
    for (const char *at = entry; *at != '\0'; at++) {
        if (*at == '\\') {
            require(at[1] != '\0' && strchr("&%$#_{}", at[1]) != NULL);
            at++;
            continue;
        }
        depth += *at == '{';
        depth -= *at == '}';
        require(depth >= 0);
    }
    require(depth == 0);
}

static void require_numbers(const bench_result *result) {
    require(isfinite(result->samples_per_s) && result->samples_per_s > 0.0);
    require(result->times.count >= 1 && result->times.count <= STATS_MAX);
    require(result->bound == BOUND_NONE ||
            (isfinite(result->bound_share) && result->bound_share > 0.0));
}

static void check(const bench_record *record, const bench_result *result) {
    static const char *const words[] = {"machine: ", "headline: ", "bound: ", "commit: ", "date: "};
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    require(file != NULL && record->count <= 1);
    if (record->count == 1)
        require_numbers(result);
    summary_print(file, record);
    summary_print_bibtex(file, record);
    require(fclose(file) == 0 && strlen(text) == size);
    require_printable(text);
    const char *at = text;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        require_line(&at, words[i]);
    require_entry(at);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bench_record record;
    bench_result result;
    if (!record_parse((const char *)data, size, &record, &result))
        check(&record, &result);
    bench_result_free(&result);
    return 0;
}
