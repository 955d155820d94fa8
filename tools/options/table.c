/* SPDX-License-Identifier: MIT
 *
 * The options that only the command has. Those of motions, curves, batches and devices are in the table of the
 * motion library.
 */
#include "options.h"

#include "help.h"
#include "motion/base/words.h"

#include <string.h>

static bool parse_help(const option_target *to, const char *text, char *reason) {
    help_style style = HELP_TEXT;
    const bool good = strcmp(text, "true") == 0 || help_find_style(text, &style);
    *(int *)option_field(to) = (int)style + 1;
    return good || option_refuse(reason, text, "all, man or markdown");
}

enum { OPTION_IS_help = PM_OPTION_FORM };
static const option_type option_help = {parse_help, NULL, NULL};

#define MINE(field_) .of = OPTIONS_FRONT, FIELD(command_options, field_)
#define OF_ALL (~UINT64_C(0))

const option_row command_rows[] = {
    {NAME("keys", "K.npy"), TYPE(path), MINE(keys), .verbs = OF(EVAL),
     HELP("rotations (n, tracks, 4), x y z w, float32 or float64")},
    {NAME("key-times", "T.npy"), TYPE(path), MINE(key_times), .verbs = OF(EVAL),
     .excludes = "key-rate", HELP("times of the keys (n,), float64 seconds")},
    {NAME("key-rate", "HZ"), TYPE(rate), MINE(key_rate), .verbs = OF(EVAL),
     HELP("uniform keys from time 0: 60, 29.97 or 30000/1001")},
    {NAME("times", "X.npy"), TYPE(path), MINE(times), .verbs = OF(EVAL), .excludes = "rate",
     HELP("sample times (m,), float64 seconds, any order")},
    {NAME("rate", "HZ"), TYPE(rate), MINE(rate), .letter = 'r', .verbs = OF(EVAL),
     HELP("uniform samples from the first key to the last inclusive")},
    {NAME("count", "N"), TYPE(count), MINE(count), GIVEN(command_options, count_given),
     .verbs = OF(EVAL), .requires = "rate",
     HELP("with {rate}: exactly N samples, also past the last key")},
    {NAME("vectors", "V.npy"), TYPE(path), MINE(vectors), .verbs = OF(EVAL),
     .requires = "vectors-out",
     HELP("positions or scales (n, tracks, 3), evaluated with the rotations")},
    {NAME("in-tangents", "A.npy"), TYPE(path), MINE(in_tangents), .verbs = OF(EVAL),
     HELP("incoming tangents of cubicspline, shape of {keys}, per second")},
    {NAME("out-tangents", "B.npy"), TYPE(path), MINE(out_tangents), .verbs = OF(EVAL),
     HELP("outgoing tangents of cubicspline, shape of {keys}, per second")},
    {NAME("vectors-in-tangents", "A.npy"), TYPE(path), MINE(vectors_in_tangents), .verbs = OF(EVAL),
     HELP("incoming tangents of the vectors, shape of {vectors}")},
    {NAME("vectors-out-tangents", "B.npy"), TYPE(path), MINE(vectors_out_tangents),
     .verbs = OF(EVAL), HELP("outgoing tangents of the vectors, shape of {vectors}")},
    {NAME("out", "OUT.npy"), TYPE(text), MINE(out), .letter = 'o', .verbs = OF(EVAL),
     HELP("samples (m, tracks, 4) float32; - is standard output")},
    {NAME("vectors-out", "W.npy"), TYPE(text), MINE(vectors_out), .verbs = OF(EVAL),
     .requires = "vectors", HELP("samples of {vectors} (m, tracks, 3) float32")},
    {NAME("velocity", "V.npy"), TYPE(text), MINE(velocity), .verbs = OF(EVAL),
     HELP("angular velocity, rad/s, (m, tracks, 3) float32")},
    {NAME("acceleration", "A.npy"), TYPE(text), MINE(acceleration), .verbs = OF(EVAL),
     HELP("angular acceleration, rad/s^2, (m, tracks, 3) float32")},
    {NAME("velocity-frame", "FRAME"), WORDS(motion_frame_words, 0), MINE(velocity_frame),
     .verbs = OF(EVAL), HELP("frame of velocity and acceleration: body (default) or parent")},
    {NAME("key-format", "FORMAT"), WORDS(motion_key_words, 0), MINE(key_format), .verbs = OF(EVAL),
     HELP("format of the keys of step, nlerp, slerp and cubic in device memory: float32 (default), "
          "log48 (error up to 7.6e-5 rad) or smallest48 (8.7e-5 rad)")},

    {NAME("case", "GLOB,..."), TYPE(text), MINE(cases), .verbs = OF(BENCH),
     HELP("run only the cases whose names match one, such as 'upsample-4/*'")},
    {NAME("quick", NULL), TYPE(flag), MINE(quick), .verbs = OF(BENCH),
     HELP("use an eighth of the samples and few repetitions")},
    {NAME("samples", "N"), TYPE(count), MINE(samples), RANGE(2048, 1e18), .verbs = OF(BENCH),
     HELP("samples of an upsampling by 4; default 16777216 (256 MiB), a sixteenth on the reference "
          "path; the group sizes goes up to four times as many")},
    {NAME("json", "FILE"), TYPE(text), MINE(to_json), .verbs = OF(BENCH),
     HELP("write a record; - prints it instead of the table")},
    {NAME("samples", "N"), TYPE(count), MINE(samples), .verbs = OF(VERIFY),
     HELP("approximate number of samples of random keys per method; default 200000")},
    {NAME("seed", "S"), TYPE(count), MINE(seed), .verbs = OF(VERIFY),
     HELP("seed of the random keys and times; default 1")},
    {NAME("no-check", NULL), TYPE(flag), MINE(no_check), .verbs = OF(DEVICES),
     HELP("list only; do not compare results with the reference")},
    {NAME("list", "LIST"), TYPE(path), MINE(list), .verbs = OF(MERGE),
     HELP(
         "the files that the batch was to do, as posemill list writes them: those without a record "
         "are missing")},

    {NAME("out", "OUT"), TYPE(text), MINE(out), .letter = 'o', .verbs = OF_BATCHES | OF(JOIN),
     .excludes = "out-dir", HELP("output file; - is standard output")},
    {NAME("out", "PAGE"), TYPE(text), MINE(out), .letter = 'o', .verbs = OF(COMPARE),
     HELP("write a page that shows both, a file of HTML; - writes to stdout")},
    {NAME("out", "PAGE"), TYPE(text), MINE(out), .letter = 'o', .verbs = OF(VIEW),
     .excludes = "out-dir",
     HELP("the page, a file of HTML; or a picture: .svg, a strip of poses with their times, or "
          ".gif; - writes a page to stdout")},
    {NAME("out", "PAGE"), TYPE(text), MINE(out), .letter = 'o', .verbs = OF(CHARACTER),
     HELP("write a page that shows each chain as it follows a goal, a file of HTML")},
    {NAME("out", "LIST"), TYPE(text), MINE(out), .letter = 'o', .verbs = OF(LIST),
     HELP("where the list is written; default: standard output")},
    {NAME("clip", "NAME"), TYPE(text), MINE(clip), .verbs = OF_PAIRS,
     HELP("the clip, by its name or number; default: the first")},
    {NAME("json", NULL), TYPE(flag), MINE(json),
     .verbs = OF_BATCHES | OF(EVAL) | OF(COMPARE) | OF(INFO) | OF(CHARACTER) | OF(LIST) |
              OF(MERGE) | OF(METHODS) | OF(DEVICES) | OF(VERIFY),
     HELP("print the report as JSON; for a batch, its records, one per line")},
    {NAME("shard", "I/N"), TYPE(text), MINE(shard), .verbs = OF_BATCHES, TOPIC(batch),
     .requires = "out-dir",
     HELP("do only part I, from 0, of N equal parts; auto: by the variables of Slurm, Open MPI or "
          "PMI")},

    {NAME("quiet", NULL), TYPE(flag), MINE(quiet), .letter = 'q', .verbs = OF_ALL, TOPIC(common),
     HELP("suppress report, warnings and progress; errors are still printed")},
    {NAME("verbose", NULL), TYPE(flag), MINE(verbose), .letter = 'v', .verbs = OF_ALL,
     TOPIC(common), HELP("say where files are computed, and what the device reports")},
    {NAME("help", NULL), TYPE(help), MINE(help), .letter = 'h', .verbs = OF_ALL, TOPIC(common),
     HELP("print the help of the verb and exit; {help}=all: with all options; {help}=man, "
          "{help}=markdown: as a manual page, as a section of the reference")},
};
const size_t command_row_count = sizeof command_rows / sizeof *command_rows;
_Static_assert(sizeof command_rows / sizeof *command_rows <= OPTION_FRONT_MAX,
               "there is room for the rows");
