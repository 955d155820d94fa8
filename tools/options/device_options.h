/* SPDX-License-Identifier: MIT
 *
 * --device, POSEMILL_DEVICE and --reference: selects the device of a command and creates its
 * engine.
 */
#pragma once

#include "options.h"

/* The requested device: the option, the environment variable, or "auto". */
const char *device_options_choice(const device_options *options);

/* Whether the choice is left to the library. */
bool device_options_automatic(const device_options *options);

/* The description of the engine, with POSEMILL_CACHE and POSEMILL_KERNELS as explained by --help.
 * Warnings of the library are printed. On a terminal, the program being built is shown. */
pm_engine_desc device_options_desc(const device_options *options);

/* Creates the engine. Warns on stderr when "auto" selects the reference path. On failure prints and
 * returns the code. */
cli_exit device_options_engine(const device_options *options, pm_engine **engine);

/* Whether several devices were requested: "all", or a list of numbers. */
bool device_options_several(const device_options *options);

/* For commands that use one device: prints and returns CLI_USAGE if several were requested. */
cli_exit device_options_one(const device_options *options);

/* Calls `use` with options for each requested device, one after another, also after errors. Returns
 * the first code that is not CLI_DONE. */
cli_exit device_options_each(const device_options *options,
                             cli_exit (*use)(const device_options *one, void *context),
                             void *context);

/* "cpu", "gpu", "discrete gpu", "reference", "other". */
const char *device_type_name(pm_device_type type);
