/* SPDX-License-Identifier: MIT
 *
 * Which commit was built; commit.cmake writes the definition at every build.
 */
#ifndef POSEMILL_BENCH_COMMIT_H
#define POSEMILL_BENCH_COMMIT_H

/* Abbreviated, with "-dirty" when files were changed since; "unknown" outside a checkout. */
extern const char bench_commit[];

#endif
