/* SPDX-License-Identifier: MIT
 *
 * Makes the coefficients of kernels/pm_math.h: near-minimax polynomials whose
 * coefficients are float32 numbers. They are rounded one at a time, lowest degree
 * first, and the higher ones are fitted again to what each rounding left over.
 * Prints every polynomial with its largest error in exact arithmetic. Not part of
 * the library; run it when a degree or an interval changes.
 */
#include <math.h>
#include <stdio.h>

enum { NODES = 600, MAX_TERMS = 16, ROUNDS = 400 };

typedef struct {
    const char *name;
    long double (*function)(long double);
    long double end; /* fitted on [0, end] */
    int terms;
} fit;

static long double sinc(long double x2) {
    long double x = sqrtl(x2);
    return x2 < 1e-12L ? 1 - x2 / 6 : sinl(x) / x;
}

/* (cos x - 1 + x^2/2)/x^4, by its series: the closed form cancels */
static long double cosine_rest(long double x2) {
    long double term = 1.0L / 24, sum = 0;
    for (int n = 4; n < 40; n += 2) {
        sum += term;
        term *= -x2 / ((n + 1) * (n + 2));
    }
    return sum;
}

/* theta/sin(theta) of y = sin(theta/2)^2: the arc sine of a chord */
static long double arc_gain(long double y) {
    return y < 1e-12L ? 1 + 2 * y / 3 : asinl(sqrtl(y)) / sqrtl(y * (1 - y));
}

static long double inverse_root(long double z) {
    return 1 / sqrtl(1 - z);
}

static long double arctangent(long double x2) {
    long double x = sqrtl(x2);
    return x2 < 1e-12L ? 1 - x2 / 3 : atanl(x) / x;
}

/* Solves the normal equations a c = b by elimination with pivoting. */
static void solve(int n, long double a[MAX_TERMS][MAX_TERMS + 1], long double *c) {
    for (int i = 0; i < n; i++) {
        int pivot = i;
        for (int r = i + 1; r < n; r++)
            if (fabsl(a[r][i]) > fabsl(a[pivot][i]))
                pivot = r;
        for (int k = 0; k <= n; k++) {
            long double t = a[i][k];
            a[i][k] = a[pivot][k];
            a[pivot][k] = t;
        }
        for (int r = 0; r < n; r++) {
            long double f = r == i ? 0 : a[r][i] / a[i][i];
            for (int k = i; k <= n; k++)
                a[r][k] -= f * a[i][k];
        }
    }
    for (int i = 0; i < n; i++)
        c[i] = a[i][n] / a[i][i];
}

static void weighted_fit(const fit *f, int fixed, const long double *x, const long double *rest,
                         const long double *weight, long double *c) {
    long double a[MAX_TERMS][MAX_TERMS + 1] = {{0}};
    int n = f->terms - fixed;
    for (int k = 0; k < NODES; k++)
        for (int i = 0; i < n; i++) {
            long double pi = powl(x[k] / f->end, fixed + i);
            for (int j = 0; j < n; j++)
                a[i][j] += weight[k] * pi * powl(x[k] / f->end, fixed + j);
            a[i][n] += weight[k] * pi * rest[k];
        }
    solve(n, a, c);
    for (int i = 0; i < n; i++)
        c[i] /= powl(f->end, fixed + i);
}

static long double residual(const long double *c, int from, int terms, long double x,
                            long double rest) {
    long double value = 0;
    for (int i = terms - 1; i >= from; i--)
        value = value * x + c[i - from];
    return rest - value * powl(x, from);
}

/* Lawson's rule: weights times the size of the error lead least squares to minimax. */
static void minimax_tail(const fit *f, int fixed, const long double *x, const long double *rest,
                         long double *c) {
    long double weight[NODES];
    for (int k = 0; k < NODES; k++)
        weight[k] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        weighted_fit(f, fixed, x, rest, weight, c);
        long double sum = 0;
        for (int k = 0; k < NODES; k++) {
            weight[k] *= fabsl(residual(c, fixed, f->terms, x[k], rest[k])) + 1e-30L;
            sum += weight[k];
        }
        for (int k = 0; k < NODES; k++)
            weight[k] = weight[k] / sum + 1e-12L;
    }
}

static void fit_rounded(const fit *f) {
    long double x[NODES], rest[NODES], c[MAX_TERMS], largest = 0;
    float rounded[MAX_TERMS];
    for (int k = 0; k < NODES; k++) {
        x[k] = f->end * (1 - cosl(3.14159265358979323846L * k / (NODES - 1))) / 2;
        rest[k] = f->function(x[k]);
    }
    for (int fixed = 0; fixed < f->terms; fixed++) {
        if (fixed == 0) /* exact at 0, up to rounding */
            rounded[0] = (float)f->function(0);
        else {
            minimax_tail(f, fixed, x, rest, c);
            rounded[fixed] = (float)c[0];
        }
        for (int k = 0; k < NODES; k++)
            rest[k] -= (long double)rounded[fixed] * powl(x[k], fixed);
    }
    for (int k = 0; k < NODES; k++)
        largest = fmaxl(largest, fabsl(rest[k]));
    printf("%s on [0, %.6Lf], error %.2Le\n", f->name, f->end, largest);
    for (int i = 0; i < f->terms; i++)
        printf("    %.9gf%s", (double)rounded[i], i + 1 < f->terms ? ",\n" : "\n");
}

int main(void) {
    const long double quarter_turn = 2.46740110027233965471L; /* (pi/2)^2 */
    const fit fits[] = {
        {"pm_sinc", sinc, quarter_turn, 5},  {"pm_cos_rest", cosine_rest, quarter_turn, 4},
        {"pm_arc_gain", arc_gain, 0.5L, 10}, {"pm_inverse_root", inverse_root, 0.5L, 10},
        {"pm_atan", arctangent, 1, 10},
    };
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
        fit_rounded(&fits[i]);
    return 0;
}
