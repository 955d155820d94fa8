/* SPDX-License-Identifier: MIT
 *
 * --device, POSEMILL_DEVICE and --reference: which device a command computes on, and
 * the engine for it.
 */
#ifndef POSEMILL_TOOLS_DEVICE_OPTIONS_H
#define POSEMILL_TOOLS_DEVICE_OPTIONS_H

#include "options.h"

typedef struct device_options {
    const char *device; /* NULL: POSEMILL_DEVICE, else auto */
    bool reference;     /* the reference path, whatever the environment says */
    uint32_t lanes;     /* 0: the engine's choice. Not in the table; set by the command */
    bool in_background; /* programs are built while the reference samples. Likewise */
} device_options;

/* The table with --device and --reference, or with --device alone. */
option_group device_options_group(device_options *options);
option_group device_options_group_without_reference(device_options *options);
/* Likewise, of a command that device_options_one is for. */
option_group device_options_group_of_one(device_options *options);

/* What was asked for: the option, the environment, or "auto". */
const char *device_options_choice(const device_options *options);

/* The description of that engine, with POSEMILL_CACHE and POSEMILL_KERNELS as --help of the
 * command explains them, and warnings of the library printed; on a terminal, the program that is being built
 * is shown. */
pm_engine_desc device_options_desc(const device_options *options);

/* Creates the engine. Says so on stderr when "auto" came down to the reference path.
 * On failure prints and returns the code. */
cli_exit device_options_engine(const device_options *options, pm_engine **engine);

/* Whether several devices were asked for: "all", or a list of numbers. */
bool device_options_several(const device_options *options);

/* For commands that are about one device: CLI_USAGE, and says so, where several were asked
 * for. */
cli_exit device_options_one(const device_options *options);

/* Calls `use` with options for each device that was asked for, one after another, whatever
 * came of those before. Returns the first code that is not CLI_DONE. */
cli_exit device_options_each(const device_options *options,
                             cli_exit (*use)(const device_options *one, void *context),
                             void *context);

/* "cpu", "gpu", "discrete gpu", "reference", "other". */
const char *device_type_name(pm_device_type type);

#endif
