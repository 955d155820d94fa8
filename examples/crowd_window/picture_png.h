/* SPDX-License-Identifier: MIT
 *
 * Writes pictures as PNG.
 */
#ifndef EXAMPLES_CROWD_WINDOW_PICTURE_PNG_H
#define EXAMPLES_CROWD_WINDOW_PICTURE_PNG_H

#include <posemill/posemill.h>

/* `pixels` are red, green, blue, a byte each, with the lowest row first as OpenGL reads them. A file
 * that cannot be written completely is removed. */
pm_status picture_write(const char *path, const unsigned char *pixels, int width, int height,
                        pm_error *error);

#endif
