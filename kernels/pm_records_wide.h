/* SPDX-License-Identifier: MIT
 *
 * Records where a cache line is a vector. Words are transposed when they are stored.
 */
#ifndef PM_RECORDS_WIDE_H
#define PM_RECORDS_WIDE_H

#ifndef PM_LANES
#define PM_LANES 16
#endif

#include "pm_lanes_out.h"

#if PM_LANES != 16
#error "PM_LANES is not 16: a cache line is not one vector"
#endif

#ifdef PM_OPENCL

pm_fn void pm_store_part(real line, pm_global float *to, pm_u32 first, pm_u32 end) {
    float words[PM_LANES];
    PM_VSTORE(line, 0, words);
    for (pm_u32 i = first; i < end; i += 4)
        pm_store_words(words + i, to + i, end - i);
}

/* Stores a line of a lane. Unless `whole`, only words of records, up to `count`, in an active lane. */
pm_fn void pm_put_line(const pm_lanes_out *out, int lane, pm_u32 at, real line, pm_u32 count,
                       pm_u32 whole) {
    if (whole)
        pm_store_vector(line, out->to[lane] + at, out->streams);
    else if (out->active >> lane & 1)
        pm_store_part(line, out->to[lane] + at, at == 0 ? out->past : 0, count);
}

/* Stores the lines of four lanes, the first and those each `step` further on, as soon as they are
 * transposed. All lines of a block would not fit the registers, and spilling them takes
 * a tenth of the kernel's time. */
pm_fn void pm_put_four_lines(const pm_lanes_out *out, int lane, int step, pm_u32 at,
                             pm_quat_block lines, pm_u32 count, pm_u32 whole) {
    pm_put_line(out, lane, at, lines.r0, count, whole);
    pm_put_line(out, lane + step, at, lines.r1, count, whole);
    pm_put_line(out, lane + 2 * step, at, lines.r2, count, whole);
    pm_put_line(out, lane + 3 * step, at, lines.r3, count, whole);
}

/* Stores PM_LANES words of all lanes, as one line per lane. Vector k of a block has four words of each
 * lane 4 p + k. */
pm_fn void pm_put_lines(const pm_lanes_out *out, pm_u32 at, const real *words, pm_u32 count,
                        pm_u32 whole) {
    pm_quat_block a = pm_block_of_words(words);
    pm_quat_block b = pm_block_of_words(words + 4);
    pm_quat_block c = pm_block_of_words(words + 8);
    pm_quat_block d = pm_block_of_words(words + 12);
    pm_quat_block lines = pm_parts_transposed(pm_rows_of(a.r0, b.r0, c.r0, d.r0));
    pm_put_four_lines(out, 0, 4, at, lines, count, whole);
    lines = pm_parts_transposed(pm_rows_of(a.r1, b.r1, c.r1, d.r1));
    pm_put_four_lines(out, 1, 4, at, lines, count, whole);
    lines = pm_parts_transposed(pm_rows_of(a.r2, b.r2, c.r2, d.r2));
    pm_put_four_lines(out, 2, 4, at, lines, count, whole);
    lines = pm_parts_transposed(pm_rows_of(a.r3, b.r3, c.r3, d.r3));
    pm_put_four_lines(out, 3, 4, at, lines, count, whole);
}

#else /* C11 */

pm_fn void pm_put_lines(const pm_lanes_out *out, pm_u32 at, const real *words, pm_u32 count,
                        pm_u32 whole) {
    for (int i = 0; i < PM_LANES; i++)
        for (pm_u32 w = at == 0 ? out->past : 0;
             w < (whole ? PM_LANES : count) && (out->active >> i & 1); w++)
            out->to[i][at + w] = words[w][i];
}

#endif

pm_rare_fn void pm_put_some(const pm_lanes_out *out, pm_u32 at, const real *words, pm_u32 count) {
    pm_put_lines(out, at, words, count, 0);
}

/* Stores `count` words of each lane, at most PM_LANES. */
pm_fn void pm_store_lines(const pm_lanes_out *out, pm_u32 at, const real *words, pm_u32 count) {
    if (count >= PM_LANES && out->active == PM_ALL_ACTIVE && (at > 0 || out->past == 0))
        pm_put_lines(out, at, words, PM_LANES, 1);
    else
        pm_put_some(out, at, words, count < PM_LANES ? count : PM_LANES);
}

#define PM_RECORD_WORDS_TOTAL (2 * PM_BUFFER_WORDS + PM_LANES)

/* The memory for record n, of `size` words, in one of two buffers. */
pm_fn real *pm_record(const pm_lanes_out *out, real *words, pm_u32 n, pm_u32 size) {
    pm_u32 per_buffer = PM_BUFFER_WORDS / size;
    return words + n / per_buffer % 2 * PM_BUFFER_WORDS + n % per_buffer * size + out->past;
}

/* Stores the rest of the previous buffer, from `line` on, and the records up to n of the present
 * one. */
pm_rare_fn void pm_send_rest(const pm_lanes_out *out, const real *words, pm_u32 n, pm_u32 size,
                             pm_u32 line) {
    pm_u32 per_buffer = PM_BUFFER_WORDS / size, fill = n / per_buffer;
    const real *before = words + (fill + 1) % 2 * PM_BUFFER_WORDS;
    for (pm_u32 w = line * PM_LANES; fill > 0 && w < PM_BUFFER_WORDS; w += PM_LANES)
        pm_store_lines(out, (fill - 1) * PM_BUFFER_WORDS + w, before + w, PM_LANES);
    pm_u32 count = (n % per_buffer + 1) * size + out->past;
    for (pm_u32 w = 0; w < count; w += PM_LANES)
        pm_store_lines(out, fill * PM_BUFFER_WORDS + w, words + fill % 2 * PM_BUFFER_WORDS + w,
                       count - w);
}

/* Double buffering: records fill one buffer while the other is stored. After record n, as many
 * lines as a record takes are stored. Stores and arithmetic use different units of a processor, and
 * interleaving them keeps both busy. */
pm_fn void pm_send_records(const pm_lanes_out *out, real *words, pm_u32 n, pm_u32 size,
                           pm_u32 last) {
    pm_u32 per_buffer = PM_BUFFER_WORDS / size, lines = (size + PM_LANES - 1) / PM_LANES;
    pm_u32 fill = n / per_buffer, line = n % per_buffer * lines;
    const real *before = words + (fill + 1) % 2 * PM_BUFFER_WORDS;
    for (pm_u32 i = 0; i < lines; i++, line++)
        if (fill > 0 && line < PM_BUFFER_WORDS / PM_LANES)
            pm_store_lines(out, (fill - 1) * PM_BUFFER_WORDS + line * PM_LANES,
                           before + line * PM_LANES, PM_LANES);
    if (n % (2 * per_buffer) == 2 * per_buffer - 1) /* what does not fit the second buffer */
        for (pm_u32 w = 0; w < out->past; w++)
            words[w] = words[2 * PM_BUFFER_WORDS + w];
    if (last)
        pm_send_rest(out, words, n, size, line);
}

#endif
