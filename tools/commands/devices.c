/* SPDX-License-Identifier: MIT
 *
 * posemill devices: lists the available devices. Whether results match the reference bit for bit
 * is measured on each device; drivers' claims are not used.
 */
#include "commands.h"
#include "files/progress.h"
#include "motion/base/json.h"
#include "motion/base/printable.h"
#include "options/device_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct device_row {
    pm_device_info info;
    pm_bit_match bit_match;
    char failure[sizeof((pm_error *)0)
                     ->message]; /* why the comparison failed; empty: it succeeded */
} device_row;

typedef struct device_list {
    device_row *rows;
    size_t count;
    const char *problem; /* why the list is empty. NULL: it is not */
    const char *hint;
    pm_error error; /* holds the text of problem if the library reported it */
} device_list;

static void measure(device_row *row) {
    char name[64];
    SCOPED(pm_engine_destroy) pm_engine *engine = NULL;
    pm_error error = {0};
    snprintf(name, sizeof name, "%zu:%zu", row->info.platform_index, row->info.device_index);
    const device_options chosen = {.device = name, .programs_on_cpu = true};
    const pm_engine_desc desc = device_options_desc(&chosen);
    if (pm_engine_create(&desc, &engine, &error) != PM_OK) {
        snprintf(row->failure, sizeof row->failure, "%s", error.message);
        return;
    }
    pm_engine_get_info(engine, &row->info);
    if (pm_engine_self_check(engine, &row->bit_match, &error) != PM_OK) {
        row->bit_match = PM_BIT_MATCH_UNKNOWN;
        snprintf(row->failure, sizeof row->failure, "%s", error.message);
    }
}

static cli_exit list_all(device_list *list) {
    size_t count = 0;
    pm_status status = pm_list_devices(NULL, 0, &count, &list->error);
    if (status == PM_ERROR_NO_PLATFORM || status == PM_ERROR_NO_DEVICE) {
        list->problem = list->error.message;
        list->hint = list->error.hint;
        return CLI_DONE;
    }
    if (status != PM_OK)
        return cli_fail_error("devices", &list->error);
    if (count == 0) {
        list->problem = "an OpenCL driver is installed, but it offers no device";
        list->hint =
            "check the permissions of /dev/dri/render* or /dev/nvidia* (group render or "
            "video); Mesa's rusticl requires RUSTICL_ENABLE=llvmpipe or the name of a GPU driver";
        return CLI_DONE;
    }
    FREED pm_device_info *infos = calloc(count, sizeof *infos);
    list->rows = calloc(count, sizeof *list->rows);
    if (!infos || !list->rows)
        return cli_fail(CLI_DEVICE_FAILED, "devices", NULL, "out of memory");
    size_t found = 0;
    status = pm_list_devices(infos, count, &found, &list->error);
    list->count = found < count ? found : count;
    for (size_t i = 0; i < list->count && status == PM_OK; i++)
        list->rows[i].info = infos[i];
    return status == PM_OK ? CLI_DONE : cli_fail_error("devices", &list->error);
}

static cli_exit list_one(const device_options *chosen, device_list *list) {
    SCOPED(pm_engine_destroy) pm_engine *engine = NULL;
    CLI_TRY(device_options_one(chosen));
    CLI_TRY(device_options_engine(chosen, &engine));
    list->rows = calloc(1, sizeof *list->rows);
    if (list->rows) {
        pm_engine_get_info(engine, &list->rows[0].info);
        list->count = list->rows[0].info.type == PM_DEVICE_REFERENCE ? 0 : 1;
    }
    return list->rows ? CLI_DONE : cli_fail(CLI_DEVICE_FAILED, "devices", NULL, "out of memory");
}

static void json_claims(json_writer *json, const pm_device_claims *claims) {
    json_begin_object(json, "claims");
    json_write_bool(json, "fma", claims->fma);
    json_write_bool(json, "denormals", claims->denormals);
    json_write_bool(json, "round_to_nearest", claims->round_to_nearest);
    json_write_bool(json, "correctly_rounded_divide_sqrt", claims->correctly_rounded_divide_sqrt);
    if (claims->work_group_multiple == 0)
        json_write_null(json, "work_group_multiple");
    else
        json_write_integer(json, "work_group_multiple", claims->work_group_multiple);
    json_end_object(json);
}

static void json_device(json_writer *json, const device_row *row) {
    char location[64];
    snprintf(location, sizeof location, "%zu:%zu", row->info.platform_index,
             row->info.device_index);
    json_begin_object(json, NULL);
    json_write_integer(json, "index", row->info.index);
    json_write_string(json, "platform_device", location);
    json_write_string(json, "name", row->info.name);
    json_write_string(json, "type", device_type_name(row->info.type));
    json_write_string(json, "platform", row->info.platform);
    json_write_string(json, "driver", row->info.driver);
    json_write_integer(json, "memory_bytes", row->info.memory_bytes);
    json_write_integer(json, "largest_allocation_bytes", row->info.max_allocation_bytes);
    json_write_integer(json, "compute_units", row->info.compute_units);
    json_claims(json, &row->info.claims);
    if (row->bit_match == PM_BIT_MATCH_UNKNOWN)
        json_write_null(json, "bit_identical");
    else
        json_write_bool(json, "bit_identical", row->bit_match == PM_BIT_MATCH_EXACT);
    json_write_string(json, "failure", row->failure[0] != '\0' ? row->failure : NULL);
    json_end_object(json);
}

static void print_json(const device_list *list) {
    json_writer json = {stdout, 0, false};
    json_begin_object(&json, NULL);
    json_begin_array(&json, "devices");
    for (size_t i = 0; i < list->count; i++)
        json_device(&json, &list->rows[i]);
    json_end_array(&json);
    json_begin_object(&json, "reference");
    json_write_string(&json, "device", "none");
    json_write_string(&json, "type", "reference");
    json_write_bool(&json, "bit_identical", true);
    json_end_object(&json);
    json_write_string(&json, "problem", list->problem);
    json_write_string(&json, "hint", list->hint);
    json_end_object(&json);
}

/* One line per device. Cells are text, so that a column can be as wide as its widest cell. */
enum { COLUMNS = 9, CELL = 160 };
typedef char table_line[COLUMNS][CELL];

static void size_text(uint64_t bytes, char *text) {
    const double mib = 1024.0 * 1024.0;
    double size = (double)bytes;
    if (size >= 1024.0 * mib)
        snprintf(text, CELL, "%.1f GiB", size / (1024.0 * mib));
    else
        snprintf(text, CELL, "%.0f MiB", size / mib);
}

/* The claims that a driver makes, such as "fma, denormals, nearest, divide, x8". */
static void claims_text(const pm_device_claims *claims, char *text) {
    const struct {
        bool made;
        const char *name;
    } each[] = {{claims->fma, "fma"},
                {claims->denormals, "denormals"},
                {claims->round_to_nearest, "nearest"},
                {claims->correctly_rounded_divide_sqrt, "divide"}};
    int length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        if (each[i].made)
            length += snprintf(text + length, CELL - (size_t)length, "%s%s", length > 0 ? ", " : "",
                               each[i].name);
    if (claims->work_group_multiple > 0)
        length += snprintf(text + length, CELL - (size_t)length, "%sx%" PRIu32,
                           length > 0 ? ", " : "", claims->work_group_multiple);
    if (length == 0)
        snprintf(text, CELL, "-");
}

static const char *bit_match_text(const device_row *row) {
    switch (row->bit_match) {
    case PM_BIT_MATCH_EXACT:
        return "identical";
    case PM_BIT_MATCH_DIFFERENT:
        return "differ";
    case PM_BIT_MATCH_UNKNOWN:
        break;
    }
    return row->failure[0] != '\0' ? "failed" : "not measured";
}

static void fill_line(const device_row *row, table_line line) {
    snprintf(line[0], CELL, "%zu", row->info.index);
    snprintf(line[1], CELL, "%zu:%zu", row->info.platform_index, row->info.device_index);
    printable_text(line[2], CELL, row->info.name, strlen(row->info.name));
    snprintf(line[3], CELL, "%s", device_type_name(row->info.type));
    printable_text(line[4], CELL, row->info.driver, strlen(row->info.driver));
    size_text(row->info.memory_bytes, line[5]);
    size_text(row->info.max_allocation_bytes, line[6]);
    claims_text(&row->info.claims, line[7]);
    snprintf(line[8], CELL, "%s", bit_match_text(row));
}

static cli_exit print_table(const device_list *list) {
    static const char *const headings[COLUMNS] = {"index",  "P:D",     "name",   "type", "driver",
                                                  "memory", "largest", "claims", "bits"};
    static const char *const reference[COLUMNS] = {
        "none", "-", "CPU reference path, plain C", "reference", "-", "-", "-", "-", "identical"};
    size_t count = list->count + 2;
    FREED table_line *lines = calloc(count, sizeof *lines);
    if (!lines)
        return cli_fail(CLI_DEVICE_FAILED, "devices", NULL, "out of memory");
    int width[COLUMNS] = {0};
    for (size_t i = 0; i < count; i++) {
        for (int c = 0; c < COLUMNS && (i == 0 || i + 1 == count); c++)
            snprintf(lines[i][c], CELL, "%s", i == 0 ? headings[c] : reference[c]);
        if (i > 0 && i + 1 < count)
            fill_line(&list->rows[i - 1], lines[i]);
        for (int c = 0; c < COLUMNS; c++) {
            int length = (int)strlen(lines[i][c]);
            width[c] = length > width[c] ? length : width[c];
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (int c = 0; c + 1 < COLUMNS; c++)
            printf("%-*s  ", width[c], lines[i][c]);
        printf("%s\n", lines[i][COLUMNS - 1]);
    }
    return CLI_DONE;
}

static void explain(const device_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (list->rows[i].failure[0] != '\0')
            cli_warn(list->rows[i].info.name, "%s", list->rows[i].failure);
    if (list->problem && !cli_quiet) {
        printable_line(stderr, "posemill: devices: %s", list->problem);
        printable_line(stderr, "  %s", list->hint);
    }
}

static cli_exit run(command_options *o, int count, char **operands) {
    device_list list = {0};
    (void)count, (void)operands;
    cli_exit code = o->device.device ? list_one(&o->device, &list) : list_all(&list);
    for (size_t i = 0; i < list.count && code == CLI_DONE && !o->no_check; i++)
        measure(&list.rows[i]);
    progress_clear();
    if (code == CLI_DONE && o->json)
        print_json(&list);
    else if (code == CLI_DONE)
        code = print_table(&list);
    if (code == CLI_DONE)
        explain(&list);
    free(list.rows);
    return code;
}

const command command_devices = {
    .verb = VERB_DEVICES,
    .brief = "list OpenCL devices and compare their results with the reference",
    .usage = "[--device DEVICE] [--json] [--no-check]",
    .summary = "Lists OpenCL devices: index, P:D, name, type, driver, memory, largest allocation,\n"
               "what the driver claims about float32 and sizes of work-groups, and whether\n"
               "results match the CPU reference path bit for bit. The comparison takes seconds\n"
               "on a device used for the first time; it does not rely on the claims.",
    .notes = "With --device only that device is listed, and the exit code is 3 if it does not\n"
             "exist; POSEMILL_DEVICE is ignored. Without --device the exit code is 0 even\n"
             "without OpenCL, because the reference path is always available.",
    .example = "posemill devices\nposemill devices --device gpu --json",
    .run = run,
};
