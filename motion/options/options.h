/* SPDX-License-Identifier: MIT
 *
 * The table of options: what each is named, what its value is, which field it fills, and which verbs take it.
 * The command, the Python package, the digests of batches and the tests walk over it. A front end may add
 * rows of its own.
 */
#pragma once

#include <posemill/posemill_motion.h>
#include <stddef.h>
#include <stdio.h>

#include "motion/base/arena.h"

enum {
    OPTION_REASON = 384,   /* bytes for why a value is refused */
    OPTION_ROWS_MAX = 192, /* of the library and of a front end */
    OPTION_FRONT_MAX = 64, /* of a front end */
    OPTION_CLIPS_MAX = 256
};

/* The verbs of the command, in the order of its help. */
typedef enum option_verb {
    VERB_DEVICES,
    VERB_EVAL,
    VERB_RESAMPLE,
    VERB_CONVERT,
    VERB_EDIT,
    VERB_JOIN,
    VERB_MIRROR,
    VERB_REDUCE,
    VERB_RUN,
    VERB_COMPARE,
    VERB_VIEW,
    VERB_INFO,
    VERB_CHARACTER,
    VERB_LIST,
    VERB_MERGE,
    VERB_METHODS,
    VERB_VERIFY,
    VERB_BENCH,
    VERB_COUNT
} option_verb;

#define OF(verb) (UINT64_C(1) << VERB_##verb)
#define OF_MOVERS (OF(RESAMPLE) | OF(CONVERT) | OF(EDIT) | OF(MIRROR))
#define OF_BATCHES (OF_MOVERS | OF(REDUCE) | OF(RUN))
#define OF_PAIRS (OF(COMPARE) | OF(VIEW))
#define OF_READERS (OF_BATCHES | OF_PAIRS | OF(JOIN) | OF(INFO) | OF(CHARACTER))

/* Its name; NULL for no verb. */
const char *option_verb_name(option_verb verb);

/* The struct that an option fills. Those before OPTIONS_JOIN are of what a batch does to each file. */
typedef enum option_struct {
    OPTIONS_READ,
    OPTIONS_TASK,
    OPTIONS_CURVE,
    OPTIONS_ROOT,
    OPTIONS_FILL,
    OPTIONS_EDIT,
    OPTIONS_MIRROR,
    OPTIONS_REDUCE,
    OPTIONS_JOIN,
    OPTIONS_COMPARE,
    OPTIONS_PICTURE,
    OPTIONS_BATCH,
    OPTIONS_SOURCES,
    OPTIONS_DEVICE, /* option_device */
    OPTIONS_FRONT,  /* that of a front end */
    OPTION_STRUCTS
} option_struct;

typedef struct option_device {
    const char *device; /* NULL: not given */
    bool reference;
} option_device;

/* What a file that an option names holds, of which a batch has the digest beside the name. */
typedef enum option_file {
    FILE_NOT_READ,
    FILE_TEXT,
    FILE_ARRAY,
    FILE_MOTION /* or a text */
} option_file;

typedef struct option_row option_row;

/* Where a value goes. */
typedef struct option_target {
    const option_row *row;
    void *base;          /* the struct */
    motion_arena *arena; /* of what it points to */
} option_target;

typedef struct option_type {
    /* Stores a value. False: it is none; `reason` has OPTION_REASON bytes. */
    bool (*parse)(const option_target *to, const char *text, char *reason);
    /* Writes the value in one form whatever its spelling; nothing if it is the default. The name was
     * written. NULL: of no batch */
    void (*write)(const option_row *row, const void *base, FILE *text);
    /* The path that the value may be. NULL: none */
    const char *(*path)(const option_row *row, const void *base);
} option_type;

struct option_row {
    pm_option_info info;
    const option_type *type;
    uint64_t verbs; /* sum of OF */
    option_struct of;
    size_t field, size;       /* offset and size of the field */
    size_t given;             /* offset of a bool beside it that becomes true, and 1; 0: none */
    const char *const *words; /* NULL: none, or those of word_of */
    const char *(*word_of)(size_t index);
    const double *word_values; /* of the words of a number */
    int first;                 /* enumerator of the first word */
    unsigned numbers;          /* how many; of a list of names, how many each entry has */
    double
        usual_number; /* that means the same as 0; of words, not 0: the first one is no default */
    char letter;      /* 'o' for -o; 0: none */
    const char *other_name; /* which means the same. NULL: none */
    bool leaves_bytes;      /* no byte of an output depends on it */
    option_file reads;
    bool by_content;  /* a batch's digest has the content of the file, and not its name */
    unsigned formats; /* bits of the formats of inputs that it is for. 0: all */
    const char *requires, *excludes; /* names with blanks between: one of them; none of them */
    const char *cure; /* how to, where these are violated; options in braces. NULL: see the help */
};

/* Macros for rows: their names, help, types and fields. */
#define NAME(name_, argument_)                                                                     \
    .info.name = (name_), .info.argument = (argument_), .info.since = "1.0"
#define HELP(...) .info.help = __VA_ARGS__
#define TOPIC(topic_) .info.topic = #topic_
#define RANGE(least_, most_) .info.least = (least_), .info.most = (most_)
#define ABOVE(least_, most_) RANGE(least_, most_), .info.is_above = true
#define TYPE(type_) .type = &option_##type_, .info.type = (pm_option_type)OPTION_IS_##type_
#define WORDS(list, first_) TYPE(word), .words = (list), .first = (first_)
#define FIELD(struct_, field_)                                                                     \
    .field = offsetof(struct_, field_), .size = sizeof(((struct_ *)0)->field_)
#define GIVEN(struct_, field_) .given = offsetof(struct_, field_) + 1

/* A type, with what it is for users. */
#define OPTION_TYPE(name_, is_)                                                                    \
    extern const option_type option_##name_;                                                       \
    enum { OPTION_IS_##name_ = PM_OPTION_##is_ };

OPTION_TYPE(flag, FLAG)       /* bool */
OPTION_TYPE(text, TEXT)       /* const char * */
OPTION_TYPE(path, FILE)       /* likewise */
OPTION_TYPE(names, NAMES)     /* const char *, as a text */
OPTION_TYPE(word, WORD)       /* an enum or a bool */
OPTION_TYPE(format, WORD)     /* pm_motion_format */
OPTION_TYPE(number, NUMBER)   /* double; words have their word_values */
OPTION_TYPE(numbers, NUMBERS) /* double[] */
OPTION_TYPE(count, INTEGER)   /* size_t, uint64_t or uint32_t */
OPTION_TYPE(bytes, INTEGER)   /* uint64_t: 512M */
OPTION_TYPE(rate, RATE)       /* pm_rational above 0 */
OPTION_TYPE(time, TIME)       /* pm_rational from 0 on */
OPTION_TYPE(seconds, TIME)    /* double above 0, also as a fraction */

/* Those of one option. */
OPTION_TYPE(target_rate, RATE)  /* const char *: also x2, /4 */
OPTION_TYPE(method, WORD)       /* pm_method */
OPTION_TYPE(curve_method, WORD) /* pm_motion_curve, as the following */
OPTION_TYPE(tangents, FORM)
OPTION_TYPE(axis, FORM)
OPTION_TYPE(window, NUMBERS) /* double[2] */
OPTION_TYPE(axes, FORM)      /* unsigned: bits of "xz" */
OPTION_TYPE(plane, WORD)     /* pm_motion_axis */
OPTION_TYPE(cut, FORM)       /* pm_motion_edit_options, as the following */
OPTION_TYPE(joints, NAMES)
OPTION_TYPE(rename, FORM)
OPTION_TYPE(clips, TEXT) /* pm_motion_batch_task, as the following */
OPTION_TYPE(root_joint, TEXT)
OPTION_TYPE(root_node, TEXT) /* pm_motion_root_options */
OPTION_TYPE(fill, FORM)      /* pm_motion_fill_options */
OPTION_TYPE(size, FORM)      /* pm_motion_picture_options */

/* The rows of the library. */
extern const option_row option_rows[];
extern const size_t option_row_count;

struct pm_motion_options {
    uint64_t verbs; /* sum of OF; of which an option must have one */
    motion_arena arena;
    pm_motion_batch_options batch;
    pm_motion_batch_sources sources;
    pm_motion_reduce_options reduce;
    pm_motion_fill_options fill;
    pm_motion_edit_options edit;
    pm_motion_mirror_options mirror;
    pm_motion_join_options join;
    pm_motion_compare_options compare;
    pm_motion_picture_options picture;
    option_device device;
    pm_motion_option_values values;
    const option_row *front_rows; /* of a front end */
    size_t front_count;
    void *front; /* the struct that they fill */
    bool given[OPTION_ROWS_MAX];
};

/* Row `index` of those of the library and of the front end, whatever their verbs; NULL after the last. */
const option_row *options_row(const pm_motion_options *o, size_t index);

/* The row of a name, whose words may be separated by - or _, or of a letter; NULL: the verb has none. */
const option_row *options_find(const pm_motion_options *o, const char *name, size_t size);
const option_row *options_find_letter(const pm_motion_options *o, char letter);

/* The name that may be meant by one that the verb does not have; NULL: none. */
const char *options_find_nearest(const pm_motion_options *o, const char *name, size_t size);

/* Sets it. False: the value is refused, with a reason. */
bool options_set_row(pm_motion_options *o, const option_row *row, const char *value,
                     char reason[OPTION_REASON]);

/* The path of the file that row `index` reads; NULL: it reads none. */
const char *options_input(pm_motion_options *o, size_t index);

/* Writes a text in which options are in braces with a mark before each: "--" for the command. */
void option_spell(const char *text, const char *mark, char *spelled, size_t size);

/* Whether an option of the verb was set. */
bool options_is_given(const pm_motion_options *o, const char *name);

/* An option that was set without one that it requires, or with one that it excludes. */
typedef struct option_conflict {
    const option_row *row;
    bool is_lacking;
    const char *names; /* of the others, `size` bytes, with blanks between */
    size_t size;
} option_conflict;

/* Fills what options of one struct say for another, and finds a conflict. True: there is none. */
bool options_settle(pm_motion_options *o, option_conflict *found);

/* Where the structs of what is done to each file are; NULL: it has none. */
void options_of_task(const pm_motion_batch_task *task, const void *places[OPTION_STRUCTS]);

/* The word at an index; NULL after the last. */
const char *option_word_at(const option_row *row, size_t index);

/* Finds a word. On failure the reason lists all, and names the one that was meant. */
bool option_find_word(const option_row *row, const char *text, size_t *index, char *reason);

/* "'TEXT' is invalid; expected EXPECTED". Returns false. */
bool option_refuse(char *reason, const char *text, const char *expected, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads exactly `count` finite numbers with commas between. */
bool option_read_numbers(const char *text, size_t count, double *numbers);
bool option_read_number(const char *text, double *number);

/* For parsers and writers of rows: the field, and the bool beside it. */
static inline void *option_field(const option_target *to) {
    return (char *)to->base + to->row->field;
}

void option_note_given(const option_target *to);
