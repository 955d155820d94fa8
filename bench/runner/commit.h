/* SPDX-License-Identifier: MIT
 *
 * The commit of the build; commit.cmake writes the definition at every build.
 */
#ifndef POSEMILL_BENCH_COMMIT_H
#define POSEMILL_BENCH_COMMIT_H

/* Abbreviated, with "-dirty" if files were changed since; "unknown" outside a checkout. */
extern const char bench_commit[];

#endif
