/* SPDX-License-Identifier: MIT
 *
 * Computes the coefficients of kernels/pm_math.h: near-minimax polynomials whose coefficients are
 * float32 numbers. The coefficients are rounded one at a time, lowest degree first, and after
 * each rounding the higher ones are fitted again to the remaining error. The program also
 * computes the coefficients of kernels/pm_double.h in double, where rounding them is harmless, and those
 * of pm_chord_terms in two variables, whose factors make their rounding harmless too. It
 * prints every polynomial with its largest error in exact arithmetic. It is not part of the
 * library; run it when a degree or an interval changes.
 */
#include <math.h>
#include <stdio.h>

enum { NODES = 600, MAX_TERMS = 24, ROUNDS = 400 };

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

/* (cos x - 1 + x^2/2)/x^4, computed from its series because the closed form cancels. */
static long double cosine_rest(long double x2) {
    long double term = 1.0L / 24, sum = 0;
    for (int n = 4; n < 40; n += 2) {
        sum += term;
        term *= -x2 / ((n + 1) * (n + 2));
    }
    return sum;
}

/* theta/sin(theta) as a function of the squared chord x = 4 sin(theta/2)^2. */
static long double arc_gain(long double x) {
    long double y = x / 4;
    return y < 1e-12L ? 1 + 2 * y / 3 : asinl(sqrtl(y)) / sqrtl(y * (1 - y));
}

/* x/sin(x) as a function of x^2. */
static long double cosecant(long double x2) {
    return 1 / sinc(x2);
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

/* Lawson's algorithm: multiplying the weights by the error size makes least squares converge to
 * minimax. */
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

/* Power series in x^2, for functions whose closed form cancels. term(n) is the coefficient of
 * x^(2n). */
static long double series(long double (*term)(int), long double x2) {
    long double sum = 0;
    for (int n = 24; n >= 0; n--)
        sum = sum * x2 + term(n);
    return sum;
}

/* (-1)^n / n!, the terms of the sine and cosine series. */
static long double signed_factorial(int sign, int n) {
    return (sign % 2 ? -1 : 1) / tgammal((long double)n + 1);
}

static long double jr_a_term(int n) {
    return signed_factorial(n, 2 * n + 2);
}

static long double jr_b_term(int n) {
    return signed_factorial(n, 2 * n + 3);
}

static long double jr_a_slope_term(int n) {
    return (2 * n + 2) * jr_a_term(n + 1);
}

static long double jr_b_slope_term(int n) {
    return (2 * n + 2) * jr_b_term(n + 1);
}

/* (1 - cos x)/x^2 */
static long double jr_a(long double x2) {
    return series(jr_a_term, x2);
}

/* (x - sin x)/x^3 */
static long double jr_b(long double x2) {
    return series(jr_b_term, x2);
}

/* The derivatives of both with respect to x, divided by x. */
static long double jr_a_slope(long double x2) {
    return series(jr_a_slope_term, x2);
}

static long double jr_b_slope(long double x2) {
    return series(jr_b_slope_term, x2);
}

/* (1 - (x/2) cot(x/2))/x^2. With y = x/2 the numerator is (sin y - y cos y)/sin y. It is computed
 * from the series of sine and cosine, whose leading terms cancel in exact fractions. */
static long double jr_k_term(int n) {
    return signed_factorial(n, 2 * n + 2) - signed_factorial(n, 2 * n + 3);
}

static long double jr_k(long double x2) {
    return series(jr_k_term, x2 / 4) / (4 * sinc(x2 / 4));
}

/* The polynomial through `terms` Chebyshev nodes of [0, end], by divided differences. Its error is
 * within a small factor of the minimax error. */
static void interpolate(const fit *f, long double *c) {
    long double x[MAX_TERMS], difference[MAX_TERMS];
    int n = f->terms;
    for (int k = 0; k < n; k++) {
        x[k] = f->end * (1 - cosl(3.14159265358979323846L * (k + 0.5L) / n)) / 2;
        difference[k] = f->function(x[k]);
        c[k] = 0;
    }
    for (int order = 1; order < n; order++)
        for (int k = n - 1; k >= order; k--)
            difference[k] = (difference[k] - difference[k - 1]) / (x[k] - x[k - order]);
    for (int k = n - 1; k >= 0; k--) { /* c = c (X - x[k]) + difference[k] */
        for (int i = n - 1; i > 0; i--)
            c[i] = c[i - 1] - c[i] * x[k];
        c[0] = difference[k] - c[0] * x[k];
    }
}

static void fit_double(const fit *f) {
    long double c[MAX_TERMS] = {0}, largest = 0;
    interpolate(f, c);
    for (int k = 0; k < NODES; k++) {
        long double x = f->end * k / (NODES - 1), value = 0;
        for (int i = f->terms - 1; i >= 0; i--)
            value = value * x + (long double)(double)c[i];
        largest = fmaxl(largest, fabsl(value / f->function(x) - 1));
    }
    printf("%s on [0, %.6Lf], relative error %.2Le\n", f->name, f->end, largest);
    for (int i = f->terms - 1; i >= 0; i--)
        printf("    %.17g%s", (double)c[i], i > 0 ? ",\n" : "\n");
}

/* ---- slerp as a point of the chord, in two variables ----
 *
 * A slerp by h between unit quaternions, x = 4 sin(phi)^2 their squared chord, has the direction of
 * the point at r = (1 - tan(s phi)/tan(phi))/2 of the chord, s = 1 - 2 h. Fitted is Q(x, s^2) in
 *   r = h + x s (1 - s^2)/2 Q(x, s^2),
 * a polynomial in x whose coefficients are polynomials in s^2. */
enum { CHORD_X = 48, CHORD_S = 40, CHORD_POINTS = CHORD_X * CHORD_S };
enum { CHORD_TERMS = 26, CHORD_ROUNDS = 60 };
static const int chord_degrees[] = {0, 1, 2, 3, 4, 5, 4};

typedef struct {
    long double terms[CHORD_TERMS]; /* of Q */
    long double scale;              /* of Q's error in r */
    long double value, weight;
} chord_point;

static void chord_terms(long double x, long double s2, long double *terms) {
    long double power = 1;
    for (size_t k = 0; k < sizeof chord_degrees / sizeof *chord_degrees; k++, power *= x) {
        long double term = power;
        for (int j = 0; j <= chord_degrees[k]; j++, term *= s2)
            *terms++ = term;
    }
}

static chord_point chord_at(long double x, long double s) {
    chord_point p = {.weight = 1, .scale = x * s * (1 - s * s) / 2};
    long double phi = asinl(sqrtl(x) / 2);
    p.value = (s - tanl(s * phi) / tanl(phi)) / (2 * p.scale);
    chord_terms(x, s * s, p.terms);
    return p;
}

/* Least squares by Householder reflections of the rows (terms, value), which normal equations in as
 * many terms are too ill-conditioned for. */
static void chord_solve(const chord_point *points, long double *c) {
    static long double rows[CHORD_POINTS][CHORD_TERMS + 1];
    for (int i = 0; i < CHORD_POINTS; i++) {
        long double weight = sqrtl(points[i].weight) * points[i].scale;
        for (int t = 0; t < CHORD_TERMS; t++)
            rows[i][t] = weight * points[i].terms[t];
        rows[i][CHORD_TERMS] = weight * points[i].value;
    }
    for (int t = 0; t < CHORD_TERMS; t++) {
        long double norm = 0, dot;
        for (int i = t; i < CHORD_POINTS; i++)
            norm += rows[i][t] * rows[i][t];
        long double diagonal = rows[t][t] > 0 ? -sqrtl(norm) : sqrtl(norm);
        rows[t][t] -= diagonal; /* column t becomes the reflection's vector */
        for (int j = t + 1; j <= CHORD_TERMS; j++) {
            dot = 0;
            for (int i = t; i < CHORD_POINTS; i++)
                dot += rows[i][t] * rows[i][j];
            dot /= diagonal * rows[t][t];
            for (int i = t; i < CHORD_POINTS; i++)
                rows[i][j] += dot * rows[i][t];
        }
        c[t] = diagonal;
    }
    for (int t = CHORD_TERMS - 1; t >= 0; t--) {
        long double rest = rows[t][CHORD_TERMS];
        for (int j = t + 1; j < CHORD_TERMS; j++)
            rest -= rows[t][j] * c[j];
        c[t] = rest / c[t];
    }
}

static long double chord_error(const chord_point *p, const long double *c) {
    long double value = 0;
    for (int t = 0; t < CHORD_TERMS; t++)
        value += (long double)(float)c[t] * p->terms[t];
    return fabsl((value - p->value) * p->scale);
}

static void fit_chord(void) {
    static chord_point points[CHORD_POINTS];
    const long double pi = 3.14159265358979323846L;
    long double c[CHORD_TERMS], largest = 0;
    for (int i = 0; i < CHORD_POINTS; i++) {
        const int row = i / CHORD_S, column = i % CHORD_S;
        long double x = 1 - cosl(pi * (row + 0.5L) / CHORD_X);
        long double s = (1 - cosl(pi * (column + 0.5L) / CHORD_S)) / 2;
        points[i] = chord_at(x, s);
    }
    for (int round = 0; round < CHORD_ROUNDS; round++) { /* Lawson's algorithm, as above */
        long double sum = 0;
        chord_solve(points, c);
        for (int i = 0; i < CHORD_POINTS; i++)
            sum += points[i].weight *= chord_error(&points[i], c) + 1e-14L;
        for (int i = 0; i < CHORD_POINTS; i++)
            points[i].weight = points[i].weight / sum + 1e-9L;
    }
    for (int i = 0; i < NODES * NODES; i++) { /* between the nodes too */
        const int row = i / NODES, column = i % NODES;
        chord_point p = chord_at(2 * (row + 0.5L) / NODES, (column + 0.5L) / NODES);
        largest = fmaxl(largest, chord_error(&p, c));
    }
    printf("pm_chord_terms on [0, 2] x [0, 1], error of r %.2Le\n", largest);
    const long double *next = c;
    for (size_t k = 0; k < sizeof chord_degrees / sizeof *chord_degrees; k++)
        for (int j = 0; j <= chord_degrees[k]; j++)
            printf("    %.9gf%s", (double)(float)*next++, j < chord_degrees[k] ? "," : "\n");
}

int main(void) {
    const long double quarter_turn = 2.46740110027233965471L; /* (pi/2)^2 */
    const fit fits[] = {
        {"pm_sinc", sinc, quarter_turn, 5},          {"pm_cos_rest", cosine_rest, quarter_turn, 4},
        {"pm_cosecant", cosecant, quarter_turn, 10}, {"pm_arc_gain", arc_gain, 2, 10},
        {"pm_inverse_root", inverse_root, 0.5L, 10}, {"pm_atan", arctangent, 1, 10},
    };
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
        fit_rounded(&fits[i]);
    fit_chord();
    const long double past_quarter = 2.5L; /* above (pi/2)^2 by the rounding of a range reduction */
    const long double past_half = 10;      /* above pi^2, for the same reason */
    const long double past_chord = 2.001L; /* above 2 by the rounding of keys half a turn apart */
    const fit doubles[] = {
        {"arc_terms", arc_gain, past_chord, 22},
        {"sinc_terms", sinc, past_quarter, 9},
        {"cos_terms", cosine_rest, past_quarter, 7},
        {"jr_a_terms", jr_a, past_half, 10},
        {"jr_b_terms", jr_b, past_half, 9},
        {"jr_k_terms", jr_k, past_half, 13},
        {"jr_a_slope_terms", jr_a_slope, past_half, 9},
        {"jr_b_slope_terms", jr_b_slope, past_half, 9},
    };
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++)
        fit_double(&doubles[i]);
    return 0;
}
