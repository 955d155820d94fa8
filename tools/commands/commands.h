/* SPDX-License-Identifier: MIT
 *
 * The sub-commands that main dispatches to. Each takes its own name as argv[0] and returns a
 * cli_exit.
 */
#ifndef POSEMILL_TOOLS_COMMANDS_H
#define POSEMILL_TOOLS_COMMANDS_H

int cmd_bench(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_edit(int argc, char **argv);
int cmd_devices(int argc, char **argv);
int cmd_eval(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_join(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_methods(int argc, char **argv);
int cmd_mirror(int argc, char **argv);
int cmd_reduce(int argc, char **argv);
int cmd_resample(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_view(int argc, char **argv);

#endif
