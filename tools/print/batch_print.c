/* SPDX-License-Identifier: MIT
 *
 * Counts of a batch as text.
 */
#include "print.h"

#include "motion/base/composed.h"
#include "motion/base/printable.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void failures_add(batch_failures *failures, const char *name, const char *reason, cli_exit code) {
    failures->one_code = failures->count == 0 || (failures->one_code && failures->code == code);
    if (failures->count == 0)
        failures->code = code;
    if (failures->count < STATUS_FAILURES)
        failures->first[failures->count] = compose_format("%s: %s", name, reason);
    failures->count++;
}

void failures_release(batch_failures *failures) {
    for (size_t i = 0; i < STATUS_FAILURES; i++)
        free(failures->first[i]);
    *failures = (batch_failures){.count = 0};
}

cli_exit status_code(const pm_motion_batch_result *status, const batch_failures *failures) {
    if (status->done + status->kept + status->failed < status->files)
        return CLI_PARTIAL;
    if (status->failed == 0)
        return CLI_DONE;
    return failures->one_code && status->failed == status->files ? failures->code : CLI_PARTIAL;
}

enum { BAR_COLUMNS = 120 };
enum { PART_FILES, PART_BYTES, PART_SAMPLES, PART_FAILED, PART_LEFT, PARTS, PART_SIZE = 48 };

/* "12.3 M" */
static void write_count(char *text, size_t size, double count, const char *unit) {
    static const char prefixes[] = " kMGT";
    int prefix = 0;
    while (count >= 999.5 && prefixes[prefix + 1] != '\0') {
        count /= 1000.0;
        prefix++;
    }
    if (prefix == 0)
        snprintf(text, size, "%.0f %s", count, unit);
    else
        snprintf(text, size, "%.1f %c %s", count, prefixes[prefix], unit);
}

/* "1:23 left". The rest takes as long a byte as what has ended. */
static void write_left(char *text, size_t size, const pm_motion_batch_result *status) {
    const uint64_t ended = status->bytes_ended;
    if (ended == 0 || ended > status->bytes) {
        text[0] = '\0';
        return;
    }
    const double left = ceil(status->seconds * ((double)(status->bytes - ended) / (double)ended));
    const uint64_t s = left < 1e9 ? (uint64_t)left : UINT64_C(1000000000);
    if (s < 3600)
        snprintf(text, size, "%" PRIu64 ":%02d left", s / 60, (int)(s % 60));
    else
        snprintf(text, size, "%" PRIu64 ":%02d:%02d left", s / 3600, (int)(s / 60 % 60),
                 (int)(s % 60));
}

static double per_second(double amount, double seconds) {
    return seconds > 0 ? amount / seconds : 0;
}

static void write_parts(const pm_motion_batch_result *status, char parts[PARTS][PART_SIZE]) {
    const double seconds = status->seconds;
    const uint64_t ended = status->done + status->kept + status->failed;
    const double bytes = (double)(status->bytes_read + status->bytes_written);
    snprintf(parts[PART_FILES], PART_SIZE, "%" PRIu64 "/%" PRIu64 " files", ended, status->files);
    snprintf(parts[PART_BYTES], PART_SIZE, "%.1f MB/s", 1e-6 * per_second(bytes, seconds));
    write_count(parts[PART_SAMPLES], PART_SIZE, per_second((double)status->joint_samples, seconds),
                "joint samples/s");
    snprintf(parts[PART_FAILED], PART_SIZE, "%" PRIu64 " failed", status->failed);
    write_left(parts[PART_LEFT], PART_SIZE, status);
}

static size_t join_parts(char parts[PARTS][PART_SIZE], char line[STATUS_WIDTH]) {
    size_t used = 0;
    line[0] = '\0';
    for (int i = 0; i < PARTS; i++)
        if (parts[i][0] != '\0')
            used += (size_t)snprintf(line + used, STATUS_WIDTH - used, "%s%s", used > 0 ? ", " : "",
                                     parts[i]);
    return used;
}

/* A bar in front, of a wide terminal. */
static void add_bar(const pm_motion_batch_result *status, size_t room, char line[STATUS_WIDTH]) {
    enum { LEAST = 10, MOST = 60 };
    const uint64_t ended = status->done + status->kept + status->failed;
    if (room < LEAST + 3 || status->files == 0)
        return;
    const size_t cells = room - 3 < MOST ? room - 3 : MOST, used = strlen(line) + 1;
    const size_t filled = (size_t)((double)cells * ((double)ended / (double)status->files));
    memmove(line + cells + 3, line, used);
    line[0] = '[';
    memset(line + 1, '#', filled);
    memset(line + 1 + filled, '.', cells - filled);
    memcpy(line + 1 + cells, "] ", 2);
}

void status_line(const pm_motion_batch_result *status, int columns, char line[STATUS_WIDTH]) {
    static const int least_needed[] = {PART_SAMPLES, PART_BYTES, PART_LEFT, PART_FAILED};
    const size_t most = columns < 1              ? 0
                        : columns < STATUS_WIDTH ? (size_t)columns - 1
                                                 : STATUS_WIDTH - 1;
    char parts[PARTS][PART_SIZE];
    write_parts(status, parts);
    size_t length = join_parts(parts, line);
    for (size_t i = 0; i < sizeof least_needed / sizeof least_needed[0] && length > most; i++) {
        parts[least_needed[i]][0] = '\0';
        length = join_parts(parts, line);
    }
    if (length > most) {
        line[0] = '\0';
        return;
    }
    if (columns >= BAR_COLUMNS)
        add_bar(status, most - length, line);
}

void status_print(const pm_motion_batch_result *status, const batch_failures *failures,
                  const char *records, bool to_stderr) {
    const double seconds = status->seconds;
    FILE *file = to_stderr ? stderr : stdout;
    const uint64_t left = status->files - status->done - status->kept - status->failed;
    const double bytes = (double)(status->bytes_read + status->bytes_written);
    char samples[PART_SIZE], kept[PART_SIZE] = "", unfinished[PART_SIZE] = "";
    write_count(samples, sizeof samples, (double)status->joint_samples, "joint samples");
    if (status->kept > 0)
        snprintf(kept, sizeof kept, ", %" PRIu64 " kept", status->kept);
    if (left > 0)
        snprintf(unfinished, sizeof unfinished, ", %" PRIu64 " left", left);
    printable_line(file,
                   "%" PRIu64 " file%s: %" PRIu64 " done%s, %" PRIu64 " failed%s; %" PRIu64
                   " frames, %s, %.1f s, %.1f MB/s",
                   status->files, status->files == 1 ? "" : "s", status->done, kept, status->failed,
                   unfinished, status->frames, samples, seconds, 1e-6 * per_second(bytes, seconds));
    for (size_t i = 0; i < STATUS_FAILURES && i < failures->count; i++)
        printable_line(file, "failed: %s",
                       failures->first[i] ? failures->first[i] : "out of memory");
    if (status->failed > STATUS_FAILURES)
        printable_line(file, "and %" PRIu64 " more failed; see %s",
                       status->failed - STATUS_FAILURES, records);
}
