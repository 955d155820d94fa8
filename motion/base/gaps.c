/* SPDX-License-Identifier: MIT
 *
 * Counts and fills values that are not finite.
 */
#include "motion/base/gaps.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void motion_add_gap(motion_gaps *gaps, const char *place, ...) {
    va_list arguments;
    if (gaps->count++ > 0)
        return;
    va_start(arguments, place);
    (void)vsnprintf(gaps->first, sizeof gaps->first, place, arguments);
    va_end(arguments);
}

static double number_at(const char *at, size_t element) {
    double wide = 0;
    float narrow = 0;
    memcpy(element == sizeof wide ? (void *)&wide : (void *)&narrow, at, element);
    return element == sizeof wide ? wide : (double)narrow;
}

/* All bytes 0 are the number 0 in either type. */
static void fill_column(char *column, size_t element, size_t stride, size_t rows) {
    size_t good = 0;
    while (good < rows && !isfinite(number_at(column + good * stride, element)))
        good++;
    for (size_t k = 0; k < rows; k++) {
        char *at = column + k * stride;
        if (isfinite(number_at(at, element)))
            good = k;
        else if (good < rows)
            memcpy(at, column + good * stride, element);
        else
            memset(at, 0, element);
    }
}

size_t motion_fill_gaps(void *data, size_t element, size_t rows, size_t width, size_t *count) {
    char *bytes = data;
    size_t first = rows * width;
    for (size_t i = rows * width; i-- > 0;)
        if (!isfinite(number_at(bytes + i * element, element))) {
            first = i;
            ++*count;
        }
    for (size_t c = 0; c < width && first < rows * width; c++)
        fill_column(bytes + c * element, element, width * element, rows);
    return first;
}
