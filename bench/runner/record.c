/* SPDX-License-Identifier: MIT
 *
 * The table and the record.
 */
#define _POSIX_C_SOURCE 200809L

#include "record.h"

#include "motion/base/json.h"
#include "motion/base/printable.h"
#include "options/device_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The case of the headline. */
#define HEADLINE "upsample-4/slerp"

/* The compiler of the baseline, on which its speed depends. */
#if defined(__clang__)
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

void record_print_heading(const bench_record *record) {
    const pm_device_info *device = &record->device;
    printable_line(stdout, "device: %s (%s, driver %s); commit %s", device->name,
                   device_type_name(device->type),
                   device->driver[0] != '\0' ? device->driver : "none", record->commit);
    printf("%d tracks, %zu keys at %d Hz, %zu samples (%.1f MiB) where a case upsamples by 4; "
           "baseline on %zu threads, %s\n%s\n",
           SCENE_TRACKS, record->segments + 1, SCENE_KEY_RATE, record->samples,
           (double)record->samples * 16.0 / 1048576.0, record->threads, COMPILER,
           record->device.type != PM_DEVICE_REFERENCE && !record->event_times
               ? "the event times of the driver are implausible; using wall-clock time\n"
               : "");
    printf("%-28s %11s %8s %8s %9s %-16s %10s %9s %s\n", "case", "Msamples/s", "MB/s", "ceiling",
           "baseline", "bound", "median, ms", "max, rad", "bits");
}

enum { CELL = 24 };

/* Writes a number, or "-" for NAN. */
static const char *cell(char text[CELL], const char *format, double number) {
    if (isnan(number))
        return "-";
    snprintf(text, CELL, format, number);
    return text;
}

static const char *const bound_names[] = {NULL, "fill", "copy", "arithmetic"};

void record_print_row(const bench_result *result) {
    static const char *const bits[] = {"", "same", "differ"};
    char share[CELL], ratio[CELL], error[CELL], bound[CELL];
    const double rate = result->samples_per_s;
    const double bytes =
        result->has_bytes && !result->has_operations
            ? (double)(result->bytes_read + result->bytes_written) / result->seconds_median
            : rate * (double)result->bytes_per_sample;
    printf("%-28s %11.*f %8.*f %8s %9s %-10s %5s %10.*f %9s %s", result->name, rate < 1e7 ? 3 : 1,
           1e-6 * rate, bytes < 1e8 ? 1 : 0, 1e-6 * bytes,
           cell(share, "%.1f %%", 100.0 * result->ceiling_share),
           cell(ratio, "%.2f x", result->baseline_ratio),
           result->bound == BOUND_NONE ? "-" : bound_names[result->bound],
           cell(bound, "%.0f %%", 100.0 * result->bound_share),
           result->seconds_median < 1e-4 ? 5 : 3, 1e3 * result->seconds_median,
           cell(error, "%.1e", result->max_error_rad), bits[result->bits]);
    printf("%s\n", bench_is_wrong(result) ? "  WRONG" : "");
    fflush(stdout);
}

static const bench_result *find(const bench_record *record, const char *name) {
    for (size_t i = 0; i < record->count; i++)
        if (strcmp(record->results[i].name, name) == 0)
            return &record->results[i];
    return NULL;
}

void record_print_footing(const bench_record *record) {
    const bench_result *ours = find(record, HEADLINE);
    const bench_result *obvious = find(record, "obvious/slerp");
    if (ours && obvious)
        printf("\nslerp: %.1f times the obvious kernel\n",
               ours->samples_per_s / obvious->samples_per_s);
    if (record->fill_rate_count == 2)
        printf(
            "\nfills ran at two rates, %.1f and %.1f GB/s: shares of repetitions are of either\n",
            1e-9 * record->fill_rates[0], 1e-9 * record->fill_rates[1]);
    printf("\n");
}

/* ---- the last lines -------------------------------------------------------------- */

static void print_machine(FILE *file, const bench_load *load) {
    if (!load->known) {
        fprintf(file, "machine: load unknown\n");
        return;
    }
    fprintf(
        file,
        "machine: %s; other processes used %.2f processors, %.1f %% of the time was stolen, load "
        "average before the run %.2f%s\n",
        load->busy ? "BUSY" : "quiet", load->others, 100.0 * load->steal, load->average,
        load->busy ? "; rates are too low, shares suffer less" : "");
}

static void print_rate(FILE *file, const bench_result *ours, bool quick) {
    const bench_times *times = &ours->times;
    const double million = 1e-6 * (double)ours->samples;
    double seconds[2];
    stats_interval(times->of[ROLE_CASE], NULL, times->count, seconds);
    fprintf(file,
            "headline: %.1f million samples/s of slerp by 4, 95 %% interval %.1f to %.1f, "
            "%zu repetitions%s\n",
            1e-6 * ours->samples_per_s, million / seconds[1], million / seconds[0], times->count,
            quick ? " (a quick run)" : "");
}

static void print_bound(FILE *file, const bench_result *ours) {
    static const char *const whats[] = {[BOUND_FILL] = "writing the results (fill)",
                                        [BOUND_COPY] =
                                            "reading the keys and writing the results (copy)",
                                        [BOUND_ARITHMETIC] = "the arithmetic (multiply-adds)"};
    const bench_times *times = &ours->times;
    double shares[2];
    stats_interval(times->of[ROLE_BOUND], times->of[ROLE_CASE], times->count, shares);
    fprintf(file, "bound: %.1f %% of %s at the device's rate, 95 %% interval %.1f to %.1f\n",
            100.0 * ours->bound_share, whats[ours->bound], 100.0 * shares[0], 100.0 * shares[1]);
}

void record_print_summary(FILE *file, const bench_record *record) {
    const bench_result *ours = find(record, HEADLINE);
    print_machine(file, &record->load);
    if (ours)
        print_rate(file, ours, record->quick);
    else
        fprintf(file, "headline: not measured: the run has no %s\n", HEADLINE);
    if (ours && ours->bound != BOUND_NONE)
        print_bound(file, ours);
    else
        fprintf(file, "bound: not measured\n");
    printable_line(file, "commit: %s", record->commit);
    fprintf(file, "date: %s\n", record->date);
}

/* ---- the record ---------------------------------------------------------------- */

void record_begin(bench_record *record) {
    const time_t now = time(NULL);
    struct tm utc;
    record->version = pm_version();
    record->commit = bench_commit;
    record->host = host_of_system();
    record->average = load_average();
    record->begin = load_counters_now();
    record->date[0] = '\0';
    if (gmtime_r(&now, &utc))
        strftime(record->date, sizeof record->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* The rates of all fills of the whole output, whose results have 16 bytes each. */
static void find_fill_rates(bench_record *record) {
    const size_t most = record->count * STATS_MAX, bytes = record->samples * 16;
    double *rates = malloc(most * sizeof *rates);
    size_t count = 0;
    for (size_t i = 0; i < record->count && rates; i++) {
        const bench_result *result = &record->results[i];
        const bool is_fill = strcmp(result->name, "ceiling/fill") == 0;
        const double *seconds = result->times.of[is_fill ? ROLE_CASE : ROLE_CEILING];
        if ((is_fill || result->bound != BOUND_NONE) &&
            result->samples * result->bytes_per_sample == bytes)
            for (size_t r = 0; r < result->times.count; r++)
                rates[count++] = (double)bytes / seconds[r];
    }
    record->fill_rate_count = count > 0 ? stats_rates(rates, count, record->fill_rates) : 0;
    free(rates);
}

void record_end(bench_record *record) {
    record->load = load_since(&record->begin, record->average);
    find_fill_rates(record);
}

/* An empty text or 0 is unknown. */
static void write_known(json_writer *json, const char *key, const char *text) {
    json_write_string(json, key, text[0] != '\0' ? text : NULL);
}

/* A count that is not known is null. */
static void write_count(json_writer *json, const char *key, bool known, uint64_t count) {
    if (known)
        json_write_integer(json, key, count);
    else
        json_write_null(json, key);
}

static void write_host(json_writer *json, const bench_host *host) {
    json_begin_object(json, "host");
    write_known(json, "processor", host->processor);
    write_count(json, "cores", host->cores > 0, host->cores);
    write_known(json, "governor", host->governor);
    write_count(json, "memory_bytes", host->memory_bytes > 0, host->memory_bytes);
    write_known(json, "os", host->os);
    json_write_string(json, "compiler", COMPILER);
    json_end_object(json);
}

static void write_load(json_writer *json, const bench_load *load) {
    if (!load->known) {
        json_write_null(json, "load");
        return;
    }
    json_begin_object(json, "load");
    json_write_number(json, "average", load->average);
    json_write_number(json, "others", load->others);
    json_write_number(json, "steal", load->steal);
    json_write_string(json, "verdict", load->busy ? "busy" : "quiet");
    json_end_object(json);
}

static void write_options(json_writer *json, const bench_record *record) {
    json_begin_object(json, "options");
    json_write_bool(json, "quick", record->quick);
    json_write_string(json, "case", record->glob);
    json_write_integer(json, "samples", record->samples);
    json_write_integer(json, "tracks", SCENE_TRACKS);
    json_write_integer(json, "keys", record->segments + 1);
    json_write_integer(json, "key_rate", SCENE_KEY_RATE);
    json_write_integer(json, "baseline_threads", record->threads);
    json_write_string(json, "compiler", COMPILER);
    json_write_bool(json, "event_times", record->event_times);
    json_end_object(json);
}

static void write_times(json_writer *json, const bench_times *times) {
    static const char *const names[ROLE_COUNT] = {[ROLE_CASE] = "seconds",
                                                  [ROLE_CEILING] = "ceiling_seconds",
                                                  [ROLE_BASELINE] = "baseline_seconds",
                                                  [ROLE_BOUND] = "bound_seconds",
                                                  [ROLE_COPY] = "copy_seconds",
                                                  [ROLE_ARITHMETIC] = "arithmetic_seconds"};
    json_write_integer(json, "repetitions", times->count);
    for (size_t r = 0; r < ROLE_COUNT; r++)
        json_write_numbers(json, names[r], times->has[r] ? times->of[r] : NULL, times->count);
}

static void write_case(json_writer *json, const bench_result *result) {
    json_begin_object(json, NULL);
    json_write_string(json, "name", result->name);
    json_write_integer(json, "samples", result->samples);
    json_write_number(json, "seconds_min", result->seconds_min);
    json_write_number(json, "seconds_median", result->seconds_median);
    json_write_number(json, "seconds_p95", result->seconds_p95);
    json_write_number(json, "samples_per_s", result->samples_per_s);
    json_write_integer(json, "bytes_per_sample", result->bytes_per_sample);
    write_count(json, "bytes_read", result->has_bytes, result->bytes_read);
    write_count(json, "bytes_written", result->has_bytes, result->bytes_written);
    write_count(json, "operations", result->has_operations, result->operations);
    json_write_number(json, "ceiling_share", result->ceiling_share);
    json_write_number(json, "baseline_ratio", result->baseline_ratio);
    json_write_string(json, "bound", bound_names[result->bound]);
    json_write_number(json, "bound_share", result->bound_share);
    json_write_number(json, "max_error_rad", result->max_error_rad);
    write_times(json, &result->times);
    json_end_object(json);
}

cli_exit record_write(const bench_record *record, cli_output *output) {
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return cli_fail(CLI_CANNOT_WRITE, "--json", NULL, "out of memory");
    json_writer json = {file, 0, false};
    json_begin_object(&json, NULL);
    json_write_integer(&json, "schema", RECORD_SCHEMA);
    json_write_string(&json, "date", record->date);
    write_host(&json, &record->host);
    write_load(&json, &record->load);
    json_write_string(&json, "device", record->device.name);
    json_write_string(&json, "driver", record->device.driver);
    json_write_string(&json, "platform", record->device.platform);
    json_write_string(&json, "version", record->version);
    json_write_string(&json, "commit", record->commit);
    write_options(&json, record);
    json_write_numbers(&json, "fill_rates", record->fill_rate_count > 0 ? record->fill_rates : NULL,
                       record->fill_rate_count);
    json_begin_array(&json, "cases");
    for (size_t i = 0; i < record->count; i++)
        write_case(&json, &record->results[i]);
    json_end_array(&json);
    json_end_object(&json);
    bool complete = ferror(file) == 0;
    complete = fclose(file) == 0 && complete;
    cli_exit code = complete ? cli_output_write(output, text, size)
                             : cli_fail(CLI_CANNOT_WRITE, "--json", NULL, "out of memory");
    free(text);
    return code;
}
