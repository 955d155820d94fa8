/* SPDX-License-Identifier: MIT
 *
 * The last five lines of a run, and the entry that cites it: the machine, the headline with its
 * interval, what bounds it, the commit and the date.
 */
#ifndef POSEMILL_BENCH_SUMMARY_H
#define POSEMILL_BENCH_SUMMARY_H

#include "record.h"

#include <stdio.h>

/* Five lines. What a run did not measure is named as missing. The record may be one that was read. */
void summary_print(FILE *file, const bench_record *record);

/* A BibTeX entry with the same figures, and the version and the device. */
void summary_print_bibtex(FILE *file, const bench_record *record);

#endif
