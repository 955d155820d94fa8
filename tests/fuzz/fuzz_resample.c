/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of complete runs of posemill resample on the reference path: the first two lines of an
 * input are values of options, four bytes select options, the rest is the file. A successful run
 * leaves a readable file with the joints of the source. A failed run returns its exit code and
 * leaves no file.
 */
#include "commands/cli.h"
#include "commands/commands.h"
#include "fuzz.h"
#include "host/base/counts.h"
#include "motion/bvh/bvh.h"
#include "scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 40, VALUE = 24, MAX_FRAMES = 4000 };

typedef struct words {
    int count;
    char *at[WORDS];
    char values[2][VALUE];
} words;

static void add(words *w, const char *word) {
    static char kept[WORDS][SCRATCH_PATH];
    if (w->count < WORDS - 1) {
        snprintf(kept[w->count], SCRATCH_PATH, "%s", word);
        w->at[w->count] = kept[w->count];
        w->count++;
    }
}

static void add_pair(words *w, const char *name, const char *value) {
    add(w, name);
    add(w, value);
}

/* Relative rates only, so that the size of the result is limited. */
static void choose_rate(words *w, fuzz_input *input) {
    static const char *const rates[] = {"x1", "x2", "x3", "x1.5", "/2", "/4", "/7", "x1001/1000"};
    add_pair(w, "--rate", rates[fuzz_byte(input) % (sizeof rates / sizeof *rates)]);
}

static void choose_curve(words *w, fuzz_input *input) {
    static const char *const ends[] = {"chord", "natural", "parabola", "zero"};
    static const char *const tangents[] = {"bessel", "mean", "hold", "tcb:0.3,-0.2,0.4"};
    const uint8_t bits = fuzz_byte(input);
    add_pair(w, "--method",
             pm_method_get_info((pm_method)(fuzz_byte(input) % PM_METHOD_COUNT))->name);
    if (bits & 1)
        add_pair(w, "--ends", ends[bits >> 6]);
    if (bits & 2)
        add_pair(w, "--tangents", tangents[bits >> 4 & 3]);
    if (bits & 4)
        add(w, "--unlimited");
    if (bits & 8)
        add_pair(w, "--axis", bits & 16 ? "0,1,0" : w->values[0]);
}

static void choose_cut(words *w, fuzz_input *input) {
    const uint8_t bits = fuzz_byte(input);
    if (bits & 1)
        add_pair(w, "--start", w->values[0]);
    if (bits & 2)
        add_pair(w, "--end", w->values[1]);
    if (bits & 4)
        add_pair(w, "--end-rule", "include");
    if (bits & 8)
        add_pair(w, "--nan", "hold");
    if (bits & 16)
        add_pair(w, "--trim-start", bits & 128 ? "1" : "2");
    if (bits & 32)
        add(w, "--literal-rate");
    if (bits & 64)
        add_pair(w, "--bvh-position", "add");
}

/* The number of joints of a readable motion; 0 for any other file, and for one with more frames. */
static size_t joints_of(const char *path, bool hold, size_t max_frames) {
    pm_motion_read_options options = {.hold_nan = hold};
    bvh *model = NULL;
    char *text = NULL, reason[INPUT_REASON_SIZE] = "";
    size_t size = 0, joints = 0;
    if (input_read_file(path, &bvh_kind, &text, &size, reason)) {
        const motion_input input = {.data = text, .size = size, .options = &options};
        if (bvh_parse(&input, &model, NULL) == PM_OK && model->frame_count <= max_frames)
            joints = model->joint_count;
    }
    bvh_free(&model);
    free(text);
    return joints;
}

static void run(words *w, const char *in, const char *out, size_t joints) {
    const int code = command_main(&command_resample, w->count, w->at);
    if (code == CLI_DONE) {
        if (joints_of(out, false, SIZE_MAX) != joints)
            abort();
    } else if ((code != CLI_USAGE && code != CLI_BAD_INPUT) || scratch_exists(out)) {
        abort();
    }
    scratch_remove(out);
    if (scratch_count() != 1) /* the input file */
        abort();
    scratch_remove(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = {data, size};
    char in[SCRATCH_PATH], out[SCRATCH_PATH];
    words w = {.count = 0};

    scratch_path("in.bvh", in);
    scratch_path("out.bvh", out);
    add(&w, "resample");
    fuzz_line(&input, w.values[0], VALUE);
    fuzz_line(&input, w.values[1], VALUE);
    choose_rate(&w, &input);
    choose_curve(&w, &input);
    choose_cut(&w, &input);
    add_pair(&w, "--device", "none");
    add(&w, "--quiet");
    add_pair(&w, "-o", out);
    add(&w, in);

    scratch_write(in, input.at, input.left);
    const size_t joints = joints_of(in, true, MAX_FRAMES);
    if (joints > 0)
        run(&w, in, out, joints);
    scratch_remove(in);
    return 0;
}
