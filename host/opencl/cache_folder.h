/* SPDX-License-Identifier: MIT
 *
 * The folder that built programs are kept in, as files by name: who may have put them there, how
 * much room they take. What is in a file is cl_cache.c's.
 */
#ifndef PM_HOST_CL_FOLDER_H
#define PM_HOST_CL_FOLDER_H

#include <posemill/posemill.h>

typedef struct pm_cl_folder pm_cl_folder;

/* Hexadecimal digits of a file's name. */
enum { PM_CL_NAME = 32 };

/* Where a description says. *folder is NULL where nothing is to be kept. Nothing is opened yet. */
pm_status pm_cl_folder_open(const pm_engine_desc *desc, pm_cl_folder **folder, pm_error *error);

/* Engines over several devices share one, so that what is wrong with it is said once. Both take
 * NULL, neither is thread-safe. */
pm_cl_folder *pm_cl_folder_share(pm_cl_folder *folder);
void pm_cl_folder_close(pm_cl_folder *folder);

/* What follows is thread-safe, and between processes too. */

/* A file to read, which counts as used now, or -1: there is none, or it is not to be trusted. */
int pm_cl_folder_read(pm_cl_folder *folder, const char *name);

/* Puts a file there, of two parts, in place of one of that name; files that were not used for
 * longest go where there is no room for all. Whether it is there now. */
bool pm_cl_folder_write(pm_cl_folder *folder, const char *name, const void *head, size_t head_size,
                        const void *body, size_t body_size);

/* Copies the first thing that was wrong with the folder, once; false when there is none to tell. */
bool pm_cl_folder_problem(pm_cl_folder *folder, pm_log_level *level, char *text, size_t size);

#endif
