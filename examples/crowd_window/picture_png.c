/* SPDX-License-Identifier: MIT
 *
 * PNG by libpng's simplified interface.
 */
#include "picture_png.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

#include "fault.h"

pm_status picture_write(const char *path, const unsigned char *pixels, int width, int height,
                        pm_error *error) {
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_RGB};
    FILE *file = fopen(path, "wb");
    if (!file)
        return fault(error, PM_ERROR_OUTPUT, "%.300s: %s", path, strerror(errno));
    /* A negative stride: the first row is the lowest. */
    const bool written = png_image_write_to_stdio(&image, file, 0, pixels, -3 * width, NULL) != 0;
    errno = 0;
    if (fclose(file) == 0 && written)
        return PM_OK;
    remove(path);
    return fault(error, PM_ERROR_OUTPUT, "%.300s: %s", path,
                 written ? strerror(errno) : image.message);
}
