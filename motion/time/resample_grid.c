/* SPDX-License-Identifier: MIT
 *
 * The exact grid of samples. Products use 128 bits, so that long clips and literal rates of 13
 * digits do not overflow; what still does not fit is rejected.
 */
#include "motion/time/resample_grid.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* Brings two fractions of a frame to a common denominator. */
static bool common_unit(pm_rational first, pm_rational step, resample_grid *grid) {
    uint64_t first_den = (uint64_t)first.den, step_den = (uint64_t)step.den;
    uint64_t divisor = (uint64_t)rate_common_divisor(first.den, step.den);
    wide unit = (wide)(first_den / divisor) * step_den;
    wide offset = (wide)first.num * (step_den / divisor);
    wide stride = (wide)step.num * (first_den / divisor);
    if (unit > INT64_MAX || offset > INT64_MAX || stride > INT64_MAX)
        return false;
    grid->unit = (uint64_t)unit;
    grid->first = (uint64_t)offset;
    grid->step = (uint64_t)stride;
    return true;
}

/* Whether a <= b, for times of 0 or more. */
static bool at_most(pm_rational a, pm_rational b) {
    return (wide)a.num * (uint64_t)b.den <= (wide)b.num * (uint64_t)a.den;
}

/* Counts the samples from the first up to an end of the source, including or excluding the end. */
static bool count_samples(const pm_rational end_frame, bool with_end, resample_grid *grid) {
    wide end = (wide)end_frame.num * grid->unit, den = (uint64_t)end_frame.den;
    wide first = (wide)grid->first * den, step = (wide)grid->step * den, count;
    if (end < first)
        return false;
    count = (end - first) / step + 1;
    if (!with_end && (end - first) % step == 0)
        count--;
    grid->count = count <= INT64_MAX ? (uint64_t)count : RESAMPLE_GRID_OVERFLOW;
    return true;
}

/* A loop without a closing frame ends at its period, where frame 0 repeats, so the last sample lies
 * before it. Periods are doubles; half a thousandth of a sample compensates their rounding. */
static void count_loop(const resample_span *span, resample_grid *grid) {
    double start = rate_value(grid->start);
    double samples = (span->loop - start) * rate_value(span->rate);
    grid->count = samples >= 0x1p63 ? RESAMPLE_GRID_OVERFLOW
                  : samples > 0     ? (uint64_t)ceil(samples - 5e-4)
                                    : 0;
}

static resample_grid_fault find_end(const resample_span *span, pm_rational last,
                                    resample_grid *grid) {
    if (span->end.den == 0) {
        grid->end = last;
        return RESAMPLE_GRID_OK;
    }
    grid->end = span->end;
    if (span->loop == 0 && !at_most(span->end, last))
        return RESAMPLE_GRID_END;
    return RESAMPLE_GRID_OK;
}

resample_grid_fault resample_grid_make(const resample_span *span, resample_grid *grid) {
    pm_rational zero = {0, 1}, frames = {(int64_t)span->frame_count - 1, 1};
    pm_rational last, first, step, end_frame;
    memset(grid, 0, sizeof *grid);
    grid->start = span->start.den == 0 ? zero : span->start;
    if (!rate_divide(frames, span->source_rate, &last) ||
        !rate_multiply(grid->start, span->source_rate, &first) ||
        !rate_divide(span->source_rate, span->rate, &step) || !common_unit(first, step, grid))
        return RESAMPLE_GRID_TOO_FINE;
    resample_grid_fault fault = find_end(span, last, grid);
    if (fault != RESAMPLE_GRID_OK)
        return fault;
    double closing = span->loop - rate_value(last);
    if (span->loop > 0 && span->end.den == 0 && closing > 1e-9 * span->loop) {
        count_loop(span, grid);
        return grid->count > 0 ? RESAMPLE_GRID_OK : RESAMPLE_GRID_START;
    }
    if (!at_most(grid->start, grid->end))
        return RESAMPLE_GRID_START;
    if (!rate_multiply(grid->end, span->source_rate, &end_frame) ||
        !count_samples(end_frame, true, grid))
        return RESAMPLE_GRID_TOO_FINE;
    if (span->end_rule == RESAMPLE_END_INCLUDE) {
        uint64_t with = grid->count;
        if (!count_samples(end_frame, false, grid))
            return RESAMPLE_GRID_TOO_FINE;
        grid->extra = grid->count == with;
        grid->count = with;
    }
    return RESAMPLE_GRID_OK;
}

resample_position resample_position_at(const resample_grid *grid, uint64_t sample) {
    const wide at = (wide)grid->step * sample + grid->first;
    resample_position position = {(uint64_t)(at / grid->unit), (uint64_t)(at % grid->unit)};
    return position;
}

resample_position resample_position_end(const resample_grid *grid, pm_rational source_rate) {
    wide frames = (wide)grid->end.num * (uint64_t)source_rate.num;
    wide den = (wide)grid->end.den * (uint64_t)source_rate.den;
    resample_position position = {(uint64_t)(frames / den), (frames % den) != 0};
    return position;
}

void resample_position_step(const resample_grid *grid, resample_position *position) {
    uint64_t step = grid->step % grid->unit;
    position->frame += grid->step / grid->unit;
    position->remainder += step; /* both below 2^63 */
    if (position->remainder >= grid->unit) {
        position->remainder -= grid->unit;
        position->frame++;
    }
}
