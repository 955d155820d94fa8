/* SPDX-License-Identifier: MIT
 *
 * Records of joints on their way to memory, where each instance has its own, a stride apart.
 * A lane is an instance: words wait until there are whole cache lines of each, and are then
 * transposed, for a line that is written in parts past the caches is written several times.
 */
#ifndef PM_RECORDS_H
#define PM_RECORDS_H

#include "pm_memory.h"

/* Words that wait: whole cache lines of records of 6, 8 and 12. */
#define PM_WAITING 48

/* Where lanes write; lane i only where bit i of `active` is set. */
typedef struct pm_lanes_out {
    pm_global float *to[PM_LANES]; /* each on a boundary of PM_LANES floats, where it streams */
    pm_u32 active;
    pm_u32 streams;
} pm_lanes_out;

#define PM_ALL_ACTIVE ((1u << PM_LANES) - 1u)

#if PM_LANES == 1

/* Words 4 by 4 where they go so; memory is on a boundary of 8 bytes at least. */
pm_fn void pm_store_words(const pm_lanes_out *out, pm_u32 at, const real *words, pm_u32 count) {
    pm_global float *to = out->to[0] + at;
#ifdef PM_OPENCL
    for (pm_u32 i = 0; i + 4 <= count; i += 4)
        vstore4(vload4(0, words + i), 0, to + i);
    for (pm_u32 i = count & ~3u; i < count; i++)
        to[i] = words[i];
#else
    for (pm_u32 i = 0; i < count; i++)
        to[i] = words[i];
#endif
}

#else

/* PM_LANES words of all lanes, as words of one lane after another */
typedef struct pm_lines {
    real of[PM_LANES];
} pm_lines;

#ifdef PM_OPENCL

pm_fn pm_quat_block pm_block_of_words(const real *words) {
    return pm_block_of(pm_quat_of(words[0], words[1], words[2], words[3]));
}

#if PM_LANES == 16
/* Of four lanes, four words each from a, b, c and d. */
pm_fn void pm_put_fours(real a, real b, real c, real d, real *lanes) {
    pm_quat_block m;
    m.r0 = a;
    m.r1 = b;
    m.r2 = c;
    m.r3 = d;
    m = pm_fours_transposed(m);
    lanes[0] = m.r0;
    lanes[1] = m.r1;
    lanes[2] = m.r2;
    lanes[3] = m.r3;
}
#endif

pm_fn pm_lines pm_lines_of(const real *words) {
    pm_lines lines;
    pm_quat_block a = pm_block_of_words(words);
#if PM_LANES == 4
    lines.of[0] = a.r0;
    lines.of[1] = a.r1;
    lines.of[2] = a.r2;
    lines.of[3] = a.r3;
#elif PM_LANES == 8
    pm_quat_block b = pm_block_of_words(words + 4);
    lines.of[0] = PM_SHUFFLE(a.r0, b.r0, PM_LOWER);
    lines.of[1] = PM_SHUFFLE(a.r0, b.r0, PM_UPPER);
    lines.of[2] = PM_SHUFFLE(a.r1, b.r1, PM_LOWER);
    lines.of[3] = PM_SHUFFLE(a.r1, b.r1, PM_UPPER);
    lines.of[4] = PM_SHUFFLE(a.r2, b.r2, PM_LOWER);
    lines.of[5] = PM_SHUFFLE(a.r2, b.r2, PM_UPPER);
    lines.of[6] = PM_SHUFFLE(a.r3, b.r3, PM_LOWER);
    lines.of[7] = PM_SHUFFLE(a.r3, b.r3, PM_UPPER);
#else
    pm_quat_block b = pm_block_of_words(words + 4);
    pm_quat_block c = pm_block_of_words(words + 8);
    pm_quat_block d = pm_block_of_words(words + 12);
    pm_put_fours(a.r0, b.r0, c.r0, d.r0, lines.of);
    pm_put_fours(a.r1, b.r1, c.r1, d.r1, lines.of + 4);
    pm_put_fours(a.r2, b.r2, c.r2, d.r2, lines.of + 8);
    pm_put_fours(a.r3, b.r3, c.r3, d.r3, lines.of + 12);
#endif
    return lines;
}

pm_fn void pm_store_line(real line, pm_global float *to, pm_u32 streams) {
#ifdef PM_STREAM
    if (streams) {
        PM_STREAM(line, to);
        return;
    }
#endif
    (void)streams;
    PM_VSTORE(line, 0, to);
}

pm_fn void pm_store_part(real line, pm_global float *to, pm_u32 count) {
    float words[PM_LANES];
    PM_VSTORE(line, 0, words);
    pm_u32 i = 0;
    for (; i + 4 <= count; i += 4)
        vstore4(vload4(0, words + i), 0, to + i);
    for (; i < count; i++)
        to[i] = words[i];
}

#else /* C11 */

pm_fn pm_lines pm_lines_of(const real *words) {
    pm_lines lines;
    for (int i = 0; i < PM_LANES; i++)
        for (int w = 0; w < PM_LANES; w++)
            lines.of[i][w] = words[w][i];
    return lines;
}

pm_fn void pm_store_part(real line, float *to, pm_u32 count) {
    for (pm_u32 w = 0; w < count; w++)
        to[w] = line[w];
}

pm_fn void pm_store_line(real line, float *to, pm_u32 streams) {
    (void)streams;
    pm_store_part(line, to, PM_LANES);
}

#endif

/* `count` words of each lane, up to PM_LANES. */
pm_fn void pm_store_lines(const pm_lanes_out *out, pm_u32 at, const real *words, pm_u32 count) {
    pm_lines lines = pm_lines_of(words);
    if (count >= PM_LANES && out->active == PM_ALL_ACTIVE) {
        PM_UNROLL
        for (int i = 0; i < PM_LANES; i++)
            pm_store_line(lines.of[i], out->to[i] + at, out->streams);
        return;
    }
    for (int i = 0; i < PM_LANES; i++)
        if (out->active >> i & 1)
            pm_store_part(lines.of[i], out->to[i] + at, count < PM_LANES ? count : PM_LANES);
}

/* `count` words of each lane, up to PM_WAITING, which go to `at` and what follows it. */
pm_fn void pm_store_words(const pm_lanes_out *out, pm_u32 at, const real *words, pm_u32 count) {
    for (pm_u32 w = 0; w < count; w += PM_LANES)
        pm_store_lines(out, at + w, words + w, count - w);
}

#endif
#endif
