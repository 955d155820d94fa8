/* SPDX-License-Identifier: MIT
 *
 * What is done with one channel: the keys that remain, and the bound of the error.
 */
#pragma once

#include "motion/base/arena.h"
#include "motion/model/packed.h"
#include "motion/reduce/segment.h"

#include <posemill/posemill_motion.h>

#include <stdbool.h>
#include <stddef.h>

/* How far two channels are apart at most: a bound that holds at all times, and not only at those that
 * were computed. */

/* Whether a reduction is to end, of which no result is wanted: then all that is tested holds, so that searches end
 * soon. NULL: never. */
static inline bool reduce_is_cancelled(const uint32_t *cancel) {
    return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0;
}

/* How keys are written. */
typedef struct key_form {
    unsigned bits;  /* of rotations, as of packed.h; 0: in float32 */
    bool is_packed; /* numbers, times `unit`, are multiples of 2^exponent; else in float32 */
    int exponent;
    double unit;
    const double (*values)[4]; /* of rotations, by key of the source; NULL: not computed yet */
} key_form;

/* A channel with its times. */
typedef struct certified {
    const pm_motion_channel *channel;
    const pm_timeline *timeline;
    method_curve *curve; /* of linear rotations, through their keys. NULL: slerp */
    double slack; /* radians that readers add which do not normalise: rotations of another length */
    const struct turns
        *known; /* the rotations of the channel, of a source. NULL: they are not read */
} certified;

/* The segment of a rotation that ends with key `next`; constant before the first key and after the last
 * one, and of steps. */
segment certified_segment(certified c, size_t next);

/* The part of `slack` that the keys of this segment take. */
double certified_slack(certified c, size_t next);

/* What lengths of up to 1 + off add: with |v| at most `vector`, the length of such a quaternion's vector, the matrix of
 * those who take unit length for granted is up to 4 off |v| off, and that of others up to 2 off. */
double length_slack(double off, double vector);

/* Makes the curve of a rotation channel with linear interpolation and at least 2 keys, malloc'ed; sets
 * `curve`. PM_ERROR_KEY and PM_ERROR_MEMORY as method_curve_make. */
pm_status certified_make_curve(certified *c, pm_method method, pm_error *error);

/* NULL is ignored. False: some value lacked memory. */
bool certified_free_curve(method_curve *curve);

/* Of rotations, in radians. `limit`: as of arc_extent. */
arc_extent certify_rotation(certified a, certified b, double limit);

/* Of numbers with linear interpolation: the length of the difference, or its largest ratio to a number of A. */
arc_extent certify_numbers(certified a, certified b, bool is_ratio);

/* The keys of a channel of numbers with linear interpolation, and whether some may be dropped. The
 * difference of two such curves is linear between their keys, so that it is the largest at one. */

typedef struct line_keys {
    const pm_motion_channel *channel;
    const pm_timeline *timeline;
    double
        limit; /* length of the difference, or with is_ratio its part of the source's number; 0: keys
                      between equal ones are dropped */
    bool is_ratio; /* each number by itself */
    size_t worst;  /* the key at which the last test failed */
    key_form form;
} line_keys;

/* Whether the keys between two may be dropped. Neighbours always pass if their times rise as they are
 * written. */
bool lines_hold(line_keys *l, size_t from, size_t to);

/* Whether all keys but the first may be dropped: it holds at all times. */
bool lines_held(const line_keys *l);

/* Whether a key has the numbers of the next one. */
bool lines_equal(const pm_motion_channel *channel, size_t key);

/* How far two values are apart: the length of the difference, or the largest ratio. */
double lines_apart(const double *a, const double *b, uint32_t components, bool is_ratio);

/* Numbers of keys as they are written: in float32. */

/* A rotation key of the source, normalised. The way of a step of half a turn depends on the last bits, so
 * that all normalise alike. */
void unit_rotation(const pm_motion_channel *channel, size_t key, double q[4]);

/* The time of a key as it is written. */
double written_time(const pm_timeline *timeline, size_t key);

/* A rotation key as it is written, with the sign of the source. Neighbours half a turn apart turn the
 * same way as in the source: rounding does not change the sign of their dot. Such a key is 1e-6 radians
 * off, and 1e-6 more for each half turn in a row, up to 64. */
void written_rotation(const pm_motion_channel *channel, size_t key, key_form form, double q[4]);

/* A number of a key as it is written, in the source's unit. */
double written_number(const pm_motion_channel *channel, size_t key, uint32_t component,
                      key_form form);

/* The fewest keys of a curve: the shortest path from its first key to its last one, over pairs of
 * keys between which all others may be dropped. */

typedef struct path_problem {
    size_t count; /* of keys, at least 2 */
    /* Whether the keys between `from` and `to` may be dropped, from < to. */
    bool (*holds)(void *user, size_t from, size_t to);
    void *user;
    /* After a test that failed: whether those with later ends fail, too. NULL: it is not known */
    bool (*is_over)(void *user, size_t from);
} path_problem;

typedef enum path_end {
    PATH_FOUND = 0,
    PATH_NONE, /* some key cannot be reached */
    PATH_NO_MEMORY
} path_end;

/* Gives the keys that remain, in order; *keys is malloc'ed, for the caller to free. For PATH_NONE *count is the first
 * key that is not reached, and *keys is NULL. */
path_end path_find(const path_problem *problem, size_t **keys, size_t *count);

/* The same from keys that were found, malloc'ed, where fewer segments hold now: searches anew near those that do
 * not. */
path_end path_mend(const path_problem *problem, size_t **keys, size_t *count);

/* The keys of a rotation channel with linear interpolation, and whether some may be dropped. The
 * source's curve is in double; keys that remain are written in float32, times too, and it is the
 * written ones whose curve keeps the bound. */

/* Of the keys of an arc. A longer one may be taken the other way by another evaluator: keys remain that make
 * arcs shorter. */
#define TURNS_LEAST_DOT 1e-5

/* Quaternions as four rows of numbers, so that neighbours are tested together. */
typedef struct turn_rows {
    double *of[4];
} turn_rows;

enum { SIEVE_KEYS = 128 };

/* The keys after a start, as rotation vectors in its frame: what they demand of an arc's velocity there. */
typedef struct turn_sieve {
    size_t from, next;                                  /* the key that is added next */
    bool is_begun, is_over;                             /* no arc is within the bound of all keys */
    double outer[2][3];                                 /* boxes about all velocities that are */
    double stretch;                                     /* of lengths in this frame, at most */
    double vectors[3][SIEVE_KEYS], seconds[SIEVE_KEYS]; /* since the start */
    double parts[SIEVE_KEYS];                           /* 1 / the square of the bound's chord */
} turn_sieve;

typedef struct turns {
    size_t count;
    double *times, *written_times;
    /* Unit quaternions: the source's, and those that are written. A key has the sign of the shorter way
     * from the one before. If nothing is rounded, both are one. */
    turn_rows source, written;
    double *
        rounded; /* how far a written key is from the source at its time; NULL if nothing is rounded */
    bool is_exact;
    double *limits; /* that the curves may be apart in each interval */
    double *parts;  /* the limit at each key, inverted */
    double *chords; /* the limit at each key, as a chord */
    turn_sieve *sieve;
    double *angles;         /* radians of the quaternion in each interval */
    double *fastest;        /* the largest of them in each block of keys */
    double longest;         /* seconds of an interval */
    double slack;           /* as of `certified`, of all keys */
    const uint32_t *cancel; /* as of reduce_is_cancelled; NULL once it is read */
    size_t worst; /* the key at which the last test failed, which mostly fails the next one too */
} turns;

/* Reads a channel; `radians` is the bound, and `each`, unless it is NULL, that of each interval, of which the
 * smaller one holds. False: memory is exhausted. */
bool turns_read(turns *t, const pm_motion_channel *channel, const pm_timeline *timeline,
                double radians, const double *each, key_form form, motion_arena *arena);

/* Other bounds, as of turns_read, of a form whose slack is the same. */
void turns_limit(turns *t, double radians, const double *each);

/* Whether what is rounded takes at most a part of the bound at each key, and turns no step the other way. */
bool turns_pack_well(const turns *t, double part);

/* False: memory is exhausted. */
bool turn_rows_make(turn_rows *rows, size_t count, motion_arena *arena);

/* The quaternion of a key, and the source's arc from a key to the next one. */
void turn_rows_get(const turn_rows *rows, size_t key, double q[4]);
arc turns_arc(const turns *t, size_t key);

/* The arc between two keys as they are written. */
arc turns_written_arc(const turns *t, size_t from, size_t to);

/* Whether the keys between two may be dropped. Neighbours always pass if their times rise as they are
 * written: whether what is rounded keeps the bound is seen in the end. */
bool turns_hold(turns *t, size_t from, size_t to);

/* After a test of ends that rise: whether no later end passes. */
bool turns_are_over(const turns *t, size_t from);

/* Few keys of a method's curve, whose segments depend on more keys than their own two: keys are removed in
 * rounds. A round tries keys that lie apart, builds the curve without them, and puts back those near which
 * the curve leaves the bound. Earlier rounds have a part of the bound, so that keys that matter least are
 * removed first. */

typedef struct removal_problem {
    pm_method method;        /* that method_curve_knows */
    turns *const *rotations; /* with the same times, which keep the same keys; at least 1 */
    size_t rotation_count;
    /* Whether keys between two may be dropped, as far as all else goes. NULL: there is nothing else */
    bool (*holds)(void *user, size_t from, size_t to);
    void *user;
} removal_problem;

/* As path_find. Where the curve through all keys exceeds the bound, keys remain: this is seen in the end.
 * PATH_NONE: times do not rise as they are written. */
path_end removal_find(const removal_problem *problem, size_t **keys, size_t *count);

/* Few cubics for the rotations of a channel with linear interpolation: their keys are some of the
 * source's, with its values, and tangents that are fitted. */

/* A key as it is written, in float32: tangents per second. Its value has the sign that is nearest the key
 * before. */
typedef struct cubic_key {
    double in[4], value[4], out[4];
} cubic_key;

/* Cubics of a channel. Both arrays are malloc'ed, for the caller to free. */
typedef struct cubic_fit {
    size_t *keys;
    cubic_key *written;
    size_t count;
    size_t corners;  /* of smooth ones: keys with another velocity on both sides */
    size_t searches; /* that were made until then */
} cubic_fit;

/* From the keys that turns_read has read. Smooth: the tangents on both sides of a key are equal, but for
 * corners, where the source turns too sharply; looped: also those at both ends. `before`: what was found with bounds
 * that were not smaller; NULL: nothing. On failure nothing is found. PATH_NONE: no cubic that was tried stays within
 * the bound between some neighbours. */
path_end cubics_find(const turns *source, const pm_motion_channel *channel, bool is_smooth,
                     bool is_looped, const cubic_fit *before, cubic_fit *found);

/* What is done with one channel: the keys that remain, and the bound of the error. */

enum { REDUCE_NOTE = 256 };

/* The bounds, in radians and lengths, and the curve of rotations. */
typedef struct reduce_limits {
    double angle, position, scale;
    bool shares_position; /* it is a share of the distance, beyond which only the distance counts */
    pm_method curve;
    bool has_curve; /* rotations do not keep slerp where the curve leaves the bound */
    bool is_smooth;
    motion_packing packing;
    double unit;            /* of positions: what a length is multiplied by when it is written */
    const uint32_t *cancel; /* as of reduce_is_cancelled */
} reduce_limits;

/* What helps where no subset of the keys is enough. */
#define REDUCE_CURVE_HINT                                                                          \
    "choose a larger bound, or the curve slerp, which has a corner at each key; or cut what jumps"

typedef struct reduced_channel {
    certified source;   /* with the keys that were added, if there are any */
    certified authored; /* the file's, without them; a NULL channel: none were */
    bool is_looped;     /* the bounds are of the loop that is closed */
    size_t clip, index; /* of the channel */
    double
        growth; /* of positions: the largest scale above, by which their lengths are multiplied */
    bool is_reduced;
    double *limits; /* of rotations in each interval, malloc'ed. NULL: as of all */
    bool is_stale;  /* its keys are to be searched */
    bool is_held;   /* one key is enough */
    size_t group;   /* of channels that share times; 0: none */
    turns *turns;   /* what the search has read in the form, kept with `limits`. NULL: nothing */
    motion_arena memory; /* of them */
    double (*packed)[4]; /* the values of the form, malloc'ed */
    key_form form;       /* of the keys that were found */
    const double *rest;  /* the node's value; NULL: it has none */
    bool packs_not;      /* its bound is too small for rounded rotations */
    double slack;        /* as of `certified` */
    size_t *keys;        /* that remain, malloc'ed. NULL: all */
    size_t count;
    bool keeps_slerp;       /* in place of the curve that was asked for */
    char note[REDUCE_NOTE]; /* what is not as it was asked for; empty: nothing */
    cubic_key *cubics; /* of the keys that remain, malloc'ed. NULL: the source's interpolation */
    size_t corners;    /* of smooth cubics */
    size_t searches;   /* of cubics */
    certified result;  /* once it is made */
    arc_extent error;  /* radians of rotations */
    path_end end;      /* of the search */
} reduced_channel;

/* A channel in the search. */
typedef struct tested {
    bool turns;
    bool is_removed; /* tested elsewhere */
    turns rotation;
    line_keys numbers;
} tested;

/* Reads a channel. False: memory is exhausted. */
bool tested_read(tested *t, const reduced_channel *c, const reduce_limits *limits,
                 motion_arena *arena);

/* Whether the keys of a `tested` between two may be dropped. */
bool tested_holds(void *user, size_t from, size_t to);

/* The limit of a channel, of positions in its own lengths; 0 for scalars. */
double reduce_limit(const reduce_limits *limits, const reduced_channel *c);

/* Adds to the note of a channel. */
void reduce_note(reduced_channel *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether its rotations are played by a method other than slerp. */
bool reduce_has_curve(const reduced_channel *c, pm_method curve);

/* Gives a channel whose rotations are packed by filters other bits. Its keys remain. False: memory is exhausted. */
bool reduce_set_bits(reduced_channel *c, unsigned bits);

/* Whether the keys of a channel are not all equal. */
bool reduce_moves(const reduced_channel *c);

/* Whether one key is enough: all are equal or, of numbers, within the limit. */
bool reduce_is_held(const reduced_channel *c, const reduce_limits *limits);

/* Leaves the first of the keys that remain. */
void reduce_hold(reduced_channel *c);

/* Forgets what was found, as for limits that are larger than before. */
void reduce_begin(reduced_channel *c);

/* Finds the keys that remain, in place of those that were found; with `limits` that are not larger than at that time
 * only near those that do not hold. Sets `end`. */
void reduce_find_keys(reduced_channel *c, const reduce_limits *limits);

/* The same for several channels with the same times, which receive the same keys. */
void reduce_find_common_keys(reduced_channel *const *channels, size_t count,
                             const reduce_limits *limits);

/* Of channels whose forms are chosen: *keys is malloc'ed, for the caller to free; as of path_find. */
path_end reduce_search_common(reduced_channel *const *channels, size_t count,
                              const reduce_limits *limits, size_t **keys, size_t *key_count);

/* Gives several channels the same keys, of which each has a copy. False: memory is exhausted. */
bool reduce_give_keys(reduced_channel *const *channels, size_t count, const size_t *keys,
                      size_t key_count);

/* Whether channels share times. */
bool reduce_has_keys_of(const reduced_channel *a, const reduced_channel *b);

bool reduce_has_same_times(const pm_timeline *a, const pm_timeline *b);

/* Finds which channels share times, and their keys: those whose keys are few bytes more than the times. Sets
 * their groups. */
path_end merge_times(reduced_channel *channels, size_t count, const reduce_limits *limits);

/* Gives the channels of a clip that have more than one key those of all. Their curves do not change.
 * PM_ERROR_FILE: these would be many times as many. */
pm_status reduce_unite_times(reduced_channel *channels, size_t count, motion_arena *arena,
                             pm_error *error);

typedef struct loop_request {
    const pm_motion_content *content;
    pm_rational rate;          /* of the clip */
    double size;               /* of the figure */
    reduced_channel *channels; /* of the clip */
    size_t count;
    motion_arena *arena;
} loop_request;

typedef enum loop_kind {
    LOOP_NONE,
    LOOP_CLOSED, /* its last values are its first ones */
    LOOP_OPEN    /* it ends a frame before that, and gets a key */
} loop_kind;

/* Lets the channels of a clip end with the values that they begin with. Joints below the roots say what kind of loop it
 * is; what the roots travel remains. What is not closed has a note. */
pm_status reduce_close_loop(const loop_request *request, loop_kind *kind, pm_error *error);

/* Makes the channel of the result, whose timeline and its index the caller sets. False: memory is exhausted. */
bool reduce_make_channel(const reduced_channel *c, motion_arena *arena, pm_motion_channel *to);

/* The times of the keys that remain. NULL times: memory is exhausted. */
pm_timeline reduce_make_timeline(const reduced_channel *c, motion_arena *arena);

/* Computes the error of the result. Sets `end` where memory is exhausted. The error is infinite where the method
 * has no curve through the keys. */
void reduce_certify(reduced_channel *c, const reduce_limits *limits);

/* The error that exceeds a limit: what was found, or where only the bound does, that. */
double reduce_error_over(const reduced_channel *c, double limit);
