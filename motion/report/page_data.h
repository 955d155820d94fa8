/* SPDX-License-Identifier: MIT
 *
 * The data of a page for its script: a JSON head, and blocks of 16-bit numbers in base64.
 */
#ifndef POSEMILL_MOTION_PAGE_DATA_H
#define POSEMILL_MOTION_PAGE_DATA_H

#include "motion/report/page_frames.h"

#include <stdio.h>

/* Writes the script elements `head`, `times`, `placesA`, `angleA` and so on. False: memory is
 * exhausted. */
bool page_write_data(FILE *file, const page_frames *f);

/* The bytes of the times of a subject's keys as text, at most. */
size_t page_keys_text(const subject *s);

#endif
