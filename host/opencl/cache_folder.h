/* SPDX-License-Identifier: MIT
 *
 * The folder of the program cache: files by name, their permissions, and the limit of their total
 * size. cache.c defines the contents of a file.
 */
#ifndef PM_HOST_CL_FOLDER_H
#define PM_HOST_CL_FOLDER_H

#include <posemill/posemill.h>

typedef struct pm_cl_folder pm_cl_folder;

/* Number of hexadecimal digits in a file's name. */
enum { PM_CL_NAME = 32 };

/* Creates the object for the folder that a description names. *folder is NULL when the cache is
 * disabled. No file is opened yet. The caller owns one reference; release it with
 * pm_cl_folder_close. */
pm_status pm_cl_folder_open(const pm_engine_desc *desc, pm_cl_folder **folder, pm_error *error);

/* Add and release a reference. The devices of an engine share the folder, so that a problem is
 * logged once. Both accept NULL; neither is thread-safe. */
pm_cl_folder *pm_cl_folder_share(pm_cl_folder *folder);
void pm_cl_folder_close(pm_cl_folder *folder);

/* The functions below are thread-safe, and safe between processes. */

/* Opens a file for reading and marks it as used; -1 when it does not exist or another user could
 * have written it. The caller closes it. */
int pm_cl_folder_read(pm_cl_folder *folder, const char *name);

/* Stores a file made of two parts, replacing any file of that name, and removes the least recently
 * used files while the total exceeds the limit. Returns whether the file was stored. */
bool pm_cl_folder_write(pm_cl_folder *folder, const char *name, const void *head, size_t head_size,
                        const void *body, size_t body_size);

/* Copies the first problem with the folder, once; false when there is no unreported problem. */
bool pm_cl_folder_problem(pm_cl_folder *folder, pm_log_level *level, char *text, size_t size);

#endif
