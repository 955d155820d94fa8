/* SPDX-License-Identifier: MIT
 *
 * The verbs that main dispatches to.
 */
#pragma once

#include "options/options.h"

extern const command command_bench, command_character, command_compare, command_convert,
    command_devices, command_edit, command_eval, command_info, command_join, command_list,
    command_merge, command_methods, command_mirror, command_reduce, command_resample, command_run,
    command_verify, command_view;
