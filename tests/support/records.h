/* SPDX-License-Identifier: MIT
 *
 * Records for the tests of batches.
 */
#ifndef POSEMILL_TESTS_RECORDS_H
#define POSEMILL_TESTS_RECORDS_H

#include "motion/batch/record.h"

/* A record with a value in each member that one of this status has. */
batch_record records_full(record_status status);

/* record_file_append without its line. */
pm_status records_append(record_file *file, const batch_record *record);

/* Fails the test unless all members are equal, except `from`. */
void records_expect_equal(const batch_record *a, const batch_record *b);

#endif
