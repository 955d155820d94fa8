/* SPDX-License-Identifier: MIT
 *
 * The files of a page that are embedded in the library. The build generates the table.
 */
#ifndef POSEMILL_MOTION_PAGE_PARTS_H
#define POSEMILL_MOTION_PAGE_PARTS_H

#include <stddef.h>

struct page_part {
    const char *name;          /* file name without its folder, such as "page.css" */
    const unsigned char *text; /* ends with a zero byte that `size` does not count */
    size_t size;
};

extern const struct page_part page_parts[];
extern const size_t page_part_count;

#endif
