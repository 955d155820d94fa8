/* SPDX-License-Identifier: MIT
 *
 * Steps in every order: sequences that are drawn from the table, with options that are drawn from its rows,
 * give what the same steps give one by one, each with a file of its own between.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "motion/task/task.h"
#include "support/check.h"
#include "support/motion.h"
#include "support/motion_truth.h"
#include "support/option_samples.h"
#include "support/test_folder.h"

enum { STEPS_MAX = 5, FRAMES = 14, RATE = 30, SEQUENCES = 150, FIGURE = 100 };

#define TABLE_ROW(step, name) &step_##step,
static const task_step *const table[] = {TASK_STEPS(TABLE_ROW)};

/* Formats that hold all that the sources below have. The library resamples in single precision; a file that
 * rounds more than that moves what depends on equal numbers or on a bound: gaps, and keys that are dropped. */
typedef struct form {
    const char *extension;
    bool rounds, lacks_rate;
    bool lacks_turn; /* of the rest pose */
    double tolerance;
} form;
static const form forms[] = {{"npz", false, false, false, 2e-6},
                             {"glb", true, false, false, 5e-5},
                             {"bvh", true, false, true, 5e-5},
                             {"csv", true, true, false, 5e-5}};

/* A reduction leaves times of keys. Few of them, read from a file, may be at a rate: what depends on it does not
 * follow. */
static bool reads_rate(const task_step *step) {
    return step == &step_cut || step == &step_repeat || step == &step_pick || step == &step_lowpass;
}

/* These follow the rest pose, which BVH cannot turn: the turn is in the frames of its file alone. */
static bool follows_rest(const task_step *step) {
    return step == &step_mirror || step == &step_root;
}

static bool depends_on_bits(const task_step *step) {
    return step == &step_fill || step == &step_reduce;
}

/* Values for this motion; an option without one has that of its type. An end that is included has no place in
 * files that have a rate. */
static const char *const values[][2] = {{"fill", "true"},
                                        {"fill", "frozen:2"},
                                        {"fill", "jumps"},
                                        {"clip", "0"},
                                        {"fill-max", "0.2"},
                                        {"cut", "2f:10f"},
                                        {"cut", "0.1:"},
                                        {"cut", ":0.3"},
                                        {"repeat", "2"},
                                        {"repeat", "3"},
                                        {"blend", "0.1"},
                                        {"joints", "Hips,Spine"},
                                        {"joints", "Hips,LeftHand,RightHand"},
                                        {"rename", "Spine=Back"},
                                        {"plane", "x"},
                                        {"pairs", "pairs.txt"},
                                        {"rate", "60"},
                                        {"rate", "20"},
                                        {"rate", "25"},
                                        {"end-rule", "fit"},
                                        {"start", "0.1"},
                                        {"end", "0.35"},
                                        {"trim-start", "2"},
                                        {"max-frames", "1000"},
                                        {"lowpass", "8"},
                                        {"method", "slerp"},
                                        {"method", "squad"},
                                        {"method", "hermite"},
                                        {"method", "sterp"},
                                        {"axis", "0,1,0"},
                                        {"loop", "0.5"},
                                        {"tangents", "tcb:0.5,0,-0.25"},
                                        {"angle", "3"},
                                        {"position", "0.5"},
                                        {"distance", "2"},
                                        {"curve", "slerp"},
                                        {"extract-root", "Hips"},
                                        {"root-node", "new"},
                                        {"root-name", "Ground"},
                                        {"root-axes", "xz"},
                                        {"up", "y"},
                                        {"scale", "0.5"},
                                        {"scale", "2"},
                                        {"to-unit", "m"},
                                        {"to-unit", "in"},
                                        {"unit", "cm"},
                                        {"to-up", "y"},
                                        {"to-up", "z"}};

static const char *draw_value(random_source *random, const task_step *step, const char *name,
                              char text[OPTION_SAMPLE]) {
    const char *found[COUNT_OF(values)];
    size_t count = 0, option = 0;
    while (option < pm_option_count() && (strcmp(pm_option_get_info(option)->name, name) != 0 ||
                                          !pm_option_is_of(option, step->verb)))
        option++;
    /* The loop of a curve is seconds, that of reduce a flag. */
    const bool is_flag =
        option < pm_option_count() && pm_option_get_info(option)->type == PM_OPTION_FLAG;
    for (size_t i = 0; i < COUNT_OF(values) && !is_flag; i++)
        if (strcmp(values[i][0], name) == 0)
            found[count++] = values[i][1];
    if (count > 0)
        return found[random_size(random, 0, count - 1)];
    if (option < pm_option_count())
        return option_sample(option, text);
    fail_msg("step %s: no verb has the option %s", step->name, name);
    return NULL;
}

/* ---- sequences ----------------------------------------------------------------------------- */

typedef struct sequence {
    pm_motion_step steps[STEPS_MAX];
    pm_motion_options *options[STEPS_MAX];
    size_t count;
    bool depends_on_bits, has_times;
    bool is_turned, depends_on_turn;
    char text[1024]; /* as after `run` */
} sequence;

static void release(sequence *s) {
    for (size_t i = 0; i < s->count; i++)
        pm_motion_options_destroy(&s->options[i]);
}

/* The first option of a row always, others now and then. False: they exclude each other. */
static bool draw_options(random_source *random, const task_step *step, bool has_times,
                         pm_motion_options *options, char *text) {
    char name[64], sample[OPTION_SAMPLE];
    const pm_motion_option_values *unused;
    for (const char *at = step->options; *at; at += strspn(at, " ")) {
        const size_t size = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)size, at);
        if (at == step->options || (!has_times && random_size(random, 0, 5) == 0)) {
            const char *value = draw_value(random, step, name, sample);
            sprintf(text + strlen(text), " --%s=%s", name, value);
            expect_success(pm_motion_options_set(options, name, value, new_error()));
        }
        at += size;
    }
    return pm_motion_options_get(options, &unused, NULL) == PM_OK;
}

static void add_step(random_source *random, sequence *s, const task_step *step) {
    const size_t used = strlen(s->text);
    pm_motion_options **options = &s->options[s->count];
    do {
        pm_motion_options_destroy(options);
        snprintf(s->text + used, sizeof s->text - used, " %s", step->name);
        expect_success(pm_motion_options_create(step->verb, options, new_error()));
    } while (!draw_options(random, step, s->has_times, *options, s->text));
    s->steps[s->count++] = (pm_motion_step){.name = step->name, .options = &(*options)->batch.task};
    s->has_times = step == &step_reduce || (s->has_times && step != &step_resample);
    s->depends_on_bits = s->depends_on_bits || depends_on_bits(step);
    s->depends_on_turn = s->depends_on_turn || (s->is_turned && follows_rest(step));
    s->is_turned = s->is_turned || (step == &step_transform && (*options)->batch.task.to_up);
}

static void draw_step(random_source *random, sequence *s) {
    const task_step *step = NULL;
    do
        step = table[random_size(random, 0, COUNT_OF(table) - 1)];
    while (s->has_times && reads_rate(step));
    add_step(random, s, step);
}

/* ---- what is done -------------------------------------------------------------------------- */

static pm_engine *engine;

/* What a file need not say. */
typedef struct meaning {
    int rate;
    pm_motion_up up;
    double unit_mm;
} meaning;

static pm_status run(const char *in, const char *out, const pm_motion_step *steps, size_t count,
                     meaning of, pm_error *error) {
    const pm_motion_batch_task task = {.steps = steps,
                                       .step_count = count,
                                       .read.source_rate = {of.rate, of.rate > 0},
                                       .up = of.up,
                                       .unit_mm = of.unit_mm};
    task_engines engines;
    task_curve curve = {.is_warned = false};
    task_report report = {.jumps = NULL};
    task_work work;
    task_engines_begin(&engines, engine, NULL);
    const task_how how = {.task = &task, .curve = &curve, .engines = &engines};
    pm_status status = task_open(&work, &how, &(task_input){.path = in},
                                 &(task_output){.path = out}, &report, error);
    if (status == PM_OK)
        status = task_write(&work, error);
    task_close(&work);
    free(report.jumps);
    task_curve_release(&curve);
    task_engines_end(&engines);
    return status;
}

/* CSV does not say its rate, and few formats say what a transform has made. */
static void follow(const pm_motion_step *step, const form *format, meaning *of) {
    const pm_motion_batch_task *o = step->options;
    if (o->rate && format->lacks_rate)
        of->rate = atoi(o->rate);
    if (task_find_step(step->name) != &step_transform)
        return;
    of->up = o->to_up != PM_MOTION_UP_FOUND ? o->to_up
             : o->up != PM_MOTION_UP_FOUND  ? o->up
                                            : of->up;
    of->unit_mm = o->to_unit_mm > 0 ? o->to_unit_mm : o->unit_mm > 0 ? o->unit_mm : of->unit_mm;
}

/* Each step alone: the file that it writes is what the next one reads. */
static pm_status run_apart(const char *in, const char *out, const sequence *s, const form *format,
                           pm_error *error) {
    char from[64], to[64];
    meaning of = {.rate = format->lacks_rate ? RATE : 0};
    pm_status status = PM_OK;
    snprintf(to, sizeof to, "%s", in);
    for (size_t i = 0; i < s->count && status == PM_OK; i++) {
        memcpy(from, to, sizeof from);
        snprintf(to, sizeof to, "part%zu.%s", i, format->extension);
        status = run(from, i + 1 < s->count ? to : out, &s->steps[i], 1, of, error);
        follow(&s->steps[i], format, &of);
    }
    return status;
}

/* ---- what is compared ---------------------------------------------------------------------- */

static const pm_timeline *longest(const pm_motion_clip *clip) {
    const pm_timeline *found = &clip->timelines[0];
    for (size_t t = 1; t < clip->timeline_count; t++)
        if (clip->timelines[t].key_count > found->key_count)
            found = &clip->timelines[t];
    return found;
}

/* A file need not have a channel that stays at rest. */
static void value_at(const pm_motion_content *content, size_t node, pm_motion_path path,
                     double time, double value[TRUTH_NUMBERS]) {
    const pm_motion_clip *clip = &content->clips[0];
    const pm_motion_node *rest = &content->nodes[node];
    memcpy(value, path == PM_MOTION_ROTATION ? rest->rotation : rest->position,
           (path == PM_MOTION_ROTATION ? 4 : 3) * sizeof *value);
    for (size_t c = 0; c < clip->channel_count; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        const pm_timeline *times = &clip->timelines[channel->timeline];
        if (channel->node == (int32_t)node && channel->path == path)
            truth_at(channel, times, truth_find(times, time), value);
    }
}

static void compare_values(const pm_motion_content *a, const pm_motion_content *b, size_t node,
                           double time, double tolerance, const char *what) {
    double p[TRUTH_NUMBERS], q[TRUTH_NUMBERS], apart = 0;
    value_at(a, node, PM_MOTION_ROTATION, time, p);
    value_at(b, node, PM_MOTION_ROTATION, time, q);
    if (truth_angle(p, q) > tolerance)
        fail_msg("%s: node %zu is turned by %g at %g s", what, node, truth_angle(p, q), time);
    value_at(a, node, PM_MOTION_POSITION, time, p);
    value_at(b, node, PM_MOTION_POSITION, time, q);
    for (int i = 0; i < 3; i++)
        apart = fmax(apart, fabs(p[i] - q[i]));
    if (apart > FIGURE * tolerance)
        fail_msg("%s: node %zu is moved by %g at %g s", what, node, apart, time);
}

/* Arrays have channels of no node. */
static void compare_channels(const pm_motion_clip *a, const pm_motion_clip *b, double time,
                             double tolerance, const char *what) {
    double p[TRUTH_NUMBERS], q[TRUTH_NUMBERS];
    for (size_t c = 0; c < a->channel_count; c++) {
        const pm_timeline *x = &a->timelines[a->channels[c].timeline];
        const pm_timeline *y = &b->timelines[b->channels[c].timeline];
        truth_at(&a->channels[c], x, truth_find(x, time), p);
        truth_at(&b->channels[c], y, truth_find(y, time), q);
        const bool turns = a->channels[c].path == PM_MOTION_ROTATION;
        for (uint32_t i = 0; !turns && i < a->channels[c].components; i++)
            if (fabs(p[i] - q[i]) > tolerance)
                fail_msg("%s: channel %zu differs by %g at %g s", what, c, p[i] - q[i], time);
        if (turns && truth_angle(p, q) > tolerance)
            fail_msg("%s: channel %zu is turned by %g", what, c, truth_angle(p, q));
    }
}

static void compare_nodes(const pm_motion_node *a, const pm_motion_node *b, double tolerance,
                          const char *what) {
    if (a->parent != b->parent || a->name.size != b->name.size ||
        memcmp(a->name.text, b->name.text, a->name.size) != 0)
        fail_msg("%s: a node has another name or parent", what);
    for (int i = 0; i < 3; i++)
        if (fabs(a->position[i] - b->position[i]) > FIGURE * tolerance)
            fail_msg("%s: a node is %g elsewhere", what, a->position[i] - b->position[i]);
}

static void compare(const char *a, const char *b, double tolerance, const char *what) {
    SCOPED(pm_motion_destroy) pm_motion *x = NULL;
    SCOPED(pm_motion_destroy) pm_motion *y = NULL;
    expect_success(pm_motion_open(a, NULL, &x, new_error()));
    expect_success(pm_motion_open(b, NULL, &y, new_error()));
    if (x->content.node_count != y->content.node_count || x->content.clip_count != 1 ||
        y->content.clip_count != 1 ||
        (x->content.node_count == 0 &&
         x->content.clips[0].channel_count != y->content.clips[0].channel_count))
        fail_msg("%s: other nodes, clips or channels", what);
    const pm_timeline *times = longest(x->content.clips), *others = longest(y->content.clips);
    if (times->key_count != others->key_count)
        fail_msg("%s -> %s:%s: %zu keys, %zu step by step", a, b, what, times->key_count,
                 others->key_count);
    for (size_t n = 0; n < x->content.node_count; n++)
        compare_nodes(&x->content.nodes[n], &y->content.nodes[n], tolerance, what);
    for (size_t k = 0; k < times->key_count; k++) {
        const double time = truth_time(times, k);
        if (fabs(time - truth_time(others, k)) > 1e-6)
            fail_msg("%s: key %zu is at another time", what, k);
        for (size_t n = 0; n < x->content.node_count; n++)
            compare_values(&x->content, &y->content, n, time, tolerance, what);
        if (x->content.node_count == 0)
            compare_channels(x->content.clips, y->content.clips, time, tolerance, what);
    }
}

/* ---- the sources --------------------------------------------------------------------------- */

static const char hierarchy[] =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
    "Xrotation Yrotation\nJOINT Spine\n{\nOFFSET 0 20 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT LeftHand\n{\nOFFSET 30 10 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd "
    "Site\n{\nOFFSET 8 0 0\n}\n}\nJOINT RightHand\n{\nOFFSET -30 10 0\nCHANNELS 3 Yrotation "
    "Xrotation Zrotation\nEnd Site\n{\nOFFSET -8 0 0\n}\n}\n}\n}\nMOTION\n";

/* A walk: smooth, so that keys can be dropped, with frames that are equal. */
static void write_sources(random_source *random) {
    FILE *file = fopen("in.bvh", "w");
    assert_non_null(file);
    fprintf(file, "%sFrames: %d\nFrame Time: 0.0333333\n", hierarchy, FRAMES);
    double phase[15];
    for (int c = 0; c < 15; c++)
        phase[c] = random_between(random, 0, 6);
    for (int k = 0; k < FRAMES; k++)
        for (int c = 0; c < 15; c++) {
            const int frame = k > 6 && k < 10 ? 7 : k;
            const double wave = sin(phase[c] + 0.3 * frame);
            fprintf(file, "%.6f%c",
                    c == 1   ? 90 + wave
                    : c == 2 ? 4 * frame + wave
                             : (c < 3 ? 3 : 40) * wave,
                    c < 14 ? ' ' : '\n');
        }
    assert_int_equal(fclose(file), 0);
    test_folder_put_text("pairs.txt", "LeftHand RightHand\n");
    file = fopen("in.csv", "w");
    assert_non_null(file);
    for (int k = 0; k < FRAMES; k++) {
        const double half = 0.1 * (k > 6 && k < 10 ? 7 : k);
        fprintf(file, "%.6f,0.1,0.8,0,0,%.9f,%.9f,%.6f,%.6f\n", 0.05 * k, sin(half), cos(half),
                sin(phase[0] + half), cos(phase[1] + half));
    }
    assert_int_equal(fclose(file), 0);
    SCOPED(pm_motion_destroy) pm_motion *walk = NULL;
    expect_success(pm_motion_open("in.bvh", NULL, &walk, new_error()));
    expect_success(pm_motion_convert(walk, NULL, "in.npz", new_error()));
    expect_success(pm_motion_convert(walk, NULL, "in.glb", new_error()));
}

static int begin(void **state) {
    const int failed = test_folder_enter(state);
    return failed == 0 &&
                   pm_engine_create(&(pm_engine_desc){.device = "none"}, &engine, NULL) == PM_OK
               ? 0
               : -1;
}

static int end(void **state) {
    pm_engine_destroy(&engine);
    return test_folder_leave(state);
}

/* Whether a step packs what another one changes then. */
static bool packs_early(const sequence *s) {
    bool packs = false;
    for (size_t i = 0; i + 1 < s->count; i++)
        packs = packs || task_packing(s->steps[i].options);
    return packs;
}

/* Both are refused, or both give the same. What is packed is the last step of a sequence. */
static bool try_sequence(random_source *random, const form *format) {
    sequence s = {.count = 0};
    char in[64], out[64], apart[64];
    pm_error first = {.status = PM_OK}, second = first;
    const size_t count = random_size(random, 1, STEPS_MAX);
    while (s.count < count)
        draw_step(random, &s);
    snprintf(in, sizeof in, "in.%s", format->extension);
    snprintf(out, sizeof out, "out.%s", format->extension);
    snprintf(apart, sizeof apart, "apart.%s", format->extension);
    const pm_status status =
        run(in, out, s.steps, s.count, (meaning){.rate = format->lacks_rate ? RATE : 0}, &first);
    const pm_status expected =
        packs_early(&s) ? PM_ERROR_ARGUMENT : run_apart(in, apart, &s, format, &second);
    if ((status == PM_OK) != (expected == PM_OK))
        fail_msg("%s:%s: %d '%s', step by step %d '%s'", in, s.text, (int)status, first.message,
                 (int)expected, second.message);
    if (status == PM_OK && !(format->rounds && s.depends_on_bits) &&
        !(format->lacks_turn && s.depends_on_turn))
        compare(out, apart, format->tolerance, s.text);
    release(&s);
    return status == PM_OK;
}

/* ---- what a row says ------------------------------------------------------------------------ */

static bool has_same_times(const pm_motion_clip *a, const pm_motion_clip *b) {
    const pm_timeline *x = longest(a), *y = longest(b);
    bool same = x->key_count == y->key_count;
    for (size_t k = 0; same && k < x->key_count; k++)
        same = fabs(truth_time(x, k) - truth_time(y, k)) < 1e-6;
    return same;
}

TEST_WITH(a_step_leaves_untouched_what_its_row_says, begin, end, NULL) {
    random_source random = random_salted(62);
    write_sources(&random);
    SCOPED(pm_motion_destroy) pm_motion *before = NULL;
    expect_success(pm_motion_open("in.npz", NULL, &before, new_error()));
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        sequence s = {.has_times = true}; /* with the first option of the row alone */
        SCOPED(pm_motion_destroy) pm_motion *after = NULL;
        add_step(&random, &s, table[i]);
        expect_success(run("in.npz", "out.npz", s.steps, 1, (meaning){0}, new_error()));
        expect_success(pm_motion_open("out.npz", NULL, &after, new_error()));
        const pm_motion_content *a = &before->content, *b = &after->content;
        if (table[i]->does & STEP_KEEPS_NODES)
            assert_int_equal(a->node_count, b->node_count);
        for (size_t n = 0; table[i]->does & STEP_KEEPS_NODES && n < a->node_count; n++)
            compare_nodes(&a->nodes[n], &b->nodes[n], 1e-12, s.text);
        if (table[i]->does & STEP_KEEPS_TIMES && !has_same_times(a->clips, b->clips))
            fail_msg("%s: keys are at other times", s.text);
        release(&s);
    }
}

TEST_WITH(a_sequence_of_steps_is_its_steps_one_by_one, begin, end, NULL) {
    random_source random = random_salted(61);
    write_sources(&random);
    for (size_t f = 0; f < COUNT_OF(forms); f++) {
        size_t done = 0;
        for (size_t i = 0; i < SEQUENCES; i++)
            done += try_sequence(&random, &forms[f]);
        print_message("%s: %zu of %d sequences are no refusals\n", forms[f].extension, done,
                      SEQUENCES);
        assert_in_range(done, SEQUENCES / 10, SEQUENCES);
    }
}
