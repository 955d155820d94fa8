/* SPDX-License-Identifier: MIT
 *
 * Reads from a record what its last lines tell. A record may be anyone's file, so every member that is
 * used is checked; the others are those of later versions, or of no interest here.
 */
#include "record.h"

#include "motion/files/input.h"
#include "motion/text/text.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double longest = 1e9; /* s, and of loads; no larger number is plausible */

/* The text of a member. A member that is missing is one of a wrong type. */
static bool take_text(const json_t *from, const char *key, char *out, size_t room) {
    const json_t *text = json_object_get(from, key);
    const size_t size = json_string_length(text);
    if (!json_is_string(text) || size >= room)
        return false;
    memcpy(out, json_string_value(text), size + 1);
    return true;
}

static bool is_number(const json_t *value, double least) {
    const double number = json_number_value(value);
    return json_is_number(value) && number >= least && number <= longest;
}

static bool take_number(const json_t *from, const char *key, double *out) {
    const json_t *value = json_object_get(from, key);
    *out = json_number_value(value);
    return is_number(value, 0.0);
}

/* Such as 2026-11-28T21:00:00Z. */
static bool is_date(const char *text) {
    static const char form[] = "####-##-##T##:##:##Z";
    for (size_t i = 0; i < sizeof form; i++)
        if (form[i] == '#' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    return true;
}

static bool take_load(const json_t *load, bench_load *out) {
    char verdict[8];
    out->known = load && !json_is_null(load); /* older records have none */
    if (!out->known)
        return true;
    if (!take_text(load, "verdict", verdict, sizeof verdict) ||
        !take_number(load, "average", &out->average) ||
        !take_number(load, "others", &out->others) || !take_number(load, "steal", &out->steal))
        return false;
    out->busy = strcmp(verdict, "busy") == 0;
    return out->busy || strcmp(verdict, "quiet") == 0;
}

/* The times of one role; NULL where the member is no list of them. */
static double *times_of(const json_t *from, const char *key, size_t count) {
    const json_t *list = json_object_get(from, key);
    double *times = json_array_size(list) == count ? malloc(count * sizeof *times) : NULL;
    for (size_t i = 0; times && i < count; i++) {
        times[i] = json_number_value(json_array_get(list, i));
        if (!is_number(json_array_get(list, i), 1e-12)) {
            free(times);
            return NULL;
        }
    }
    return times;
}

static bool take_bound(const json_t *from, bench_result *result) {
    bench_times *times = &result->times;
    const char *bound = json_string_value(json_object_get(from, "bound"));
    if (!bound)
        return true;
    for (bench_bound b = BOUND_FILL; b <= BOUND_ARITHMETIC; b++)
        if (strcmp(bound, record_bound_names[b]) == 0)
            result->bound = b;
    times->of[ROLE_BOUND] = times_of(from, "bound_seconds", times->count);
    if (result->bound == BOUND_NONE || !times->of[ROLE_BOUND])
        return false;
    result->bound_share =
        stats_ratio(times->of[ROLE_BOUND], times->of[ROLE_CASE], 1.0, times->count);
    return true;
}

/* Figures follow from the times. */
static bool take_case(const json_t *from, bench_result *result) {
    const json_int_t samples = json_integer_value(json_object_get(from, "samples"));
    bench_times *times = &result->times;
    double sorted[STATS_MAX];
    times->count = json_array_size(json_object_get(from, "seconds"));
    if (samples < 1 || samples > (json_int_t)1 << 53 || times->count < 1 ||
        times->count > STATS_MAX)
        return false;
    times->of[ROLE_CASE] = times_of(from, "seconds", times->count);
    if (!times->of[ROLE_CASE])
        return false;
    memcpy(sorted, times->of[ROLE_CASE], times->count * sizeof *sorted);
    result->samples = (size_t)samples;
    result->samples_per_s = (double)samples / stats_median(sorted, times->count);
    return take_bound(from, result);
}

static bool take_headline(const json_t *cases, bench_record *record, bench_result *result) {
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *one = json_array_get(cases, i);
        const char *name = json_string_value(json_object_get(one, "name"));
        if (name && strcmp(name, RECORD_HEADLINE) == 0) {
            memcpy(result->name, RECORD_HEADLINE, sizeof RECORD_HEADLINE);
            record->count = 1;
            return take_case(one, result);
        }
    }
    return json_is_array(cases);
}

/* NULL, or the member that is none of a record. */
static const char *fault_of(const json_t *root, bench_record *record, bench_result *result) {
    pm_device_info *device = &record->device;
    record->quick = json_is_true(json_object_get(json_object_get(root, "options"), "quick"));
    if (json_integer_value(json_object_get(root, "schema")) != RECORD_SCHEMA)
        return "schema";
    if (!take_text(root, "date", record->date, sizeof record->date) || !is_date(record->date))
        return "date";
    if (json_object_get(root, "version") && /* older records have none */
        !take_text(root, "version", record->version, sizeof record->version))
        return "version";
    if (!take_text(root, "commit", record->commit, sizeof record->commit))
        return "commit";
    if (!take_text(root, "device", device->name, sizeof device->name))
        return "device";
    if (!take_text(root, "driver", device->driver, sizeof device->driver))
        return "driver";
    if (!take_load(json_object_get(root, "load"), &record->load))
        return "load";
    return take_headline(json_object_get(root, "cases"), record, result) ? NULL : "cases";
}

const char *record_parse(const char *text, size_t size, bench_record *record,
                         bench_result *result) {
    *record = (bench_record){.results = result};
    *result = (bench_result){.bound = BOUND_NONE};
    json_t *root =
        text_json_is_deep(text, size) ? NULL : json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    const char *fault = root ? fault_of(root, record, result) : "JSON";
    json_decref(root);
    return fault;
}

cli_exit record_read(const char *path, bench_record *record, bench_result *result) {
    static const char hint[] = "posemill bench --json FILE writes records of schema 2";
    char reason[INPUT_REASON_SIZE] = "", *text = NULL;
    size_t size = 0;
    *result = (bench_result){.bound = BOUND_NONE};
    if (!input_read_beside(path, NULL, INPUT_BESIDE_MAX, &text, &size, reason))
        return cli_fail(CLI_BAD_INPUT, path, NULL, "%s", reason);
    const char *fault = record_parse(text, size, record, result);
    free(text);
    if (!fault)
        return CLI_DONE;
    return strcmp(fault, "JSON") == 0
               ? cli_fail(CLI_BAD_INPUT, path, hint, "no record of posemill bench: not JSON")
               : cli_fail(CLI_BAD_INPUT, path, hint,
                          "no record of posemill bench: %s is missing or not one of a record",
                          fault);
}
