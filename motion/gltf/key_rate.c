/* SPDX-License-Identifier: MIT
 *
 * Finds the rate of uniform key times: the last time stands for an interval, in which the simplest
 * rate is taken, and then each key is held against it.
 */
#include "motion/gltf/key_rate.h"

#include <float.h>
#include <math.h>

enum { LARGEST_DENOMINATOR = 1000 };

/* The distance of neighbouring float32 at `value`, which exporters lose by computing in float32. */
static double spacing(double value) {
    return fmax(value, (double)FLT_MIN) * (double)FLT_EPSILON;
}

bool key_rate_fits(const double *times, size_t count, pm_rational rate) {
    if (times[0] != 0.0)
        return false;
    for (size_t k = 1; k < count; k++) {
        const double exact = (double)k * (double)rate.den / (double)rate.num;
        if (!(fabs(exact - times[k]) <= spacing(times[k])))
            return false;
    }
    return true;
}

/* The fraction with the smallest denominator in [low, high]. */
static pm_rational simplest(double low, double high) {
    for (int64_t den = 1; den <= LARGEST_DENOMINATOR; den++) {
        const double num = ceil(low * (double)den);
        if (num >= 1.0 && num <= high * (double)den)
            return (pm_rational){(int64_t)num, den};
    }
    return (pm_rational){0, 0};
}

static pm_rational rate_in(double low, double nearest, double high) {
    const double whole = round(nearest), ntsc = round(nearest * 1.001);
    if (whole >= 1.0 && whole >= low && whole <= high)
        return (pm_rational){(int64_t)whole, 1};
    if (ntsc >= 1.0 && ntsc * 1000.0 / 1001.0 >= low && ntsc * 1000.0 / 1001.0 <= high)
        return (pm_rational){(int64_t)ntsc * 1000, 1001};
    return simplest(low, high);
}

pm_rational key_rate(const double *times, size_t count) {
    const pm_rational none = {0, 0};
    if (count < 2 || times[0] != 0.0)
        return none;
    const double last = times[count - 1], keys = (double)(count - 1), half = spacing(last);
    const double nearest = keys / last;
    if (!(nearest < 1e9 && nearest > 1e-9))
        return none;
    const pm_rational rate = rate_in(keys / (last + half), nearest, keys / (last - half));
    return rate.den > 0 && key_rate_fits(times, count, rate) ? rate : none;
}
