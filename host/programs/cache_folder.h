/* SPDX-License-Identifier: MIT
 *
 * The folder of the program cache: files by name, their permissions, and the limit of their total
 * size. cache.c defines the contents of a file.
 */
#ifndef PM_HOST_CACHE_FOLDER_H
#define PM_HOST_CACHE_FOLDER_H

#include "programs.h"

/* Number of hexadecimal digits in a file's name. */
enum { PM_CACHE_NAME = 32 };

/* Adds a reference. Accepts NULL; not thread-safe. */
pm_cache_folder *pm_cache_folder_share(pm_cache_folder *folder);

/* The functions below are thread-safe, and safe between processes. */

/* Opens a file for reading and marks it as used; -1 when it does not exist or another user could
 * have written it. The caller closes it. */
int pm_cache_folder_read(pm_cache_folder *folder, const char *name);

/* Stores a file made of two parts, replacing any file of that name, and removes the least recently
 * used files while the total exceeds the limit. Returns whether the file was stored. */
bool pm_cache_folder_write(pm_cache_folder *folder, const char *name, const void *head,
                           size_t head_size, const void *body, size_t body_size);

/* Copies the first problem with the folder, once; false when there is no unreported problem. */
bool pm_cache_folder_problem(pm_cache_folder *folder, pm_log_level *level, char *text, size_t size);

#endif
