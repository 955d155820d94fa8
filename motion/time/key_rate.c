/* SPDX-License-Identifier: MIT
 *
 * Finds the grid of uniform key times: the distance of the ends stands for an interval, in which the
 * simplest rate is taken, and then each key is compared with it.
 */
#include "motion/time/key_rate.h"

#include <math.h>

#include "motion/time/rate.h"

/* What a time may lose, in distances of neighbouring float32: half of one where it is rounded, and
 * two where the frame time, the product with k and the sum with the start are rounded too. */
static const double rounded = 0.5, computed = 2.0;

/* What times that were added up may lose, in frames, where each step is one frame. */
static const double largest_drift = 0.01;

/* The distance of neighbouring float32 at `value`. */
static double spacing(double value) {
    return (double)(nextafterf((float)value, INFINITY) - (float)value);
}

double key_time_loss(double time) {
    return computed * spacing(time);
}

pm_rational key_grid_start(double first, pm_rational rate) {
    const double frame = round(first * rate_value(rate));
    pm_rational start = {0, 1};
    if (first == 0.0)
        return start;
    if (frame >= 1.0 && frame < 0x1p53 &&
        fabs(frame / rate_value(rate) - first) <= key_time_loss(first) &&
        rate_divide((pm_rational){(int64_t)frame, 1}, rate, &start))
        return start;
    const double half = rounded * spacing(first);
    return rate_simplest(first - half, first + half, &start) ? start : (pm_rational){0, 0};
}

/* Times that were added up drift away from the grid, but each is one frame behind the other. */
static bool is_next(const double *times, size_t k, double frame, double drift) {
    const double step = times[k] - times[k - 1];
    return fabs(step - frame) <= key_time_loss(times[k]) && drift <= largest_drift * frame;
}

static bool fits(const double *times, size_t count, const key_grid *grid) {
    const double start = rate_value(grid->start), frame = 1.0 / rate_value(grid->rate);
    for (size_t k = 1; k < count; k++) {
        const double exact = start + (double)k * (double)grid->rate.den / (double)grid->rate.num;
        const double drift = fabs(exact - times[k]);
        if (!(drift <= key_time_loss(times[k])) && !is_next(times, k, frame, drift))
            return false;
    }
    return true;
}

bool key_rate_fits(const double *times, size_t count, pm_rational rate) {
    const key_grid grid = {rate, key_grid_start(times[0], rate)};
    return grid.start.den != 0 && fits(times, count, &grid);
}

int64_t key_grid_frame(const key_grid *grid, double time) {
    const double frames = (time - rate_value(grid->start)) * rate_value(grid->rate);
    const double frame = round(frames);
    const double lost = key_time_loss(time) * rate_value(grid->rate);
    return frame >= 0.0 && frame < 0x1p53 && fabs(frames - frame) <= fmax(lost, largest_drift)
               ? (int64_t)frame
               : -1;
}

/* A whole rate or N*1000/1001 in [low, high]. */
static bool find_common(double low, double high, pm_rational *rate) {
    const double nearest = low + (high - low) / 2;
    const double whole = round(nearest), ntsc = round(nearest * 1.001);
    if (whole >= 1.0 && whole >= low && whole <= high) {
        *rate = (pm_rational){(int64_t)whole, 1};
        return true;
    }
    if (!(ntsc >= 1.0 && ntsc * 1000.0 / 1001.0 >= low && ntsc * 1000.0 / 1001.0 <= high))
        return false;
    return rate_multiply((pm_rational){(int64_t)ntsc, 1}, (pm_rational){1000, 1001}, rate);
}

/* How a rate is looked for among those at which all times together lost so many distances; 0: at which
 * times that were added up have drifted away. Last, a fraction that only these times have. */
static const struct {
    double distances;
    bool (*find)(double low, double high, pm_rational *rate);
} ways[] = {{0.5, find_common}, {0.5, rate_find_simple}, {2.0, find_common},
            {0, find_common},   {0.5, rate_simplest},    {2.0, rate_simplest}};

pm_rational key_rate(const double *times, size_t count) {
    if (count < 2)
        return (pm_rational){0, 0};
    const double frames = (double)(count - 1), seconds = times[count - 1] - times[0];
    const double distance = spacing(times[0]) + spacing(times[count - 1]);
    if (!(seconds / frames < 1e9 && seconds / frames > 1e-9))
        return (pm_rational){0, 0};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const double lost =
            ways[i].distances > 0 ? ways[i].distances * distance : largest_drift * seconds / frames;
        const double high = lost < seconds ? frames / (seconds - lost) : 1e9;
        pm_rational rate;
        if (ways[i].find(frames / (seconds + lost), high, &rate) && rate.num > 0 &&
            key_rate_fits(times, count, rate))
            return rate;
    }
    return (pm_rational){0, 0};
}
