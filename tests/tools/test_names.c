/* SPDX-License-Identifier: MIT
 *
 * Tests of names from outside: how they are printed, the rules for names of outputs, link
 * resolution, and the files and folders created under them. No device is required.
 */
#define _XOPEN_SOURCE 700

#include "support/command.h"

#include "oracle/random_tracks.h"

#include <posemill/posemill_motion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/check.h"
#include "support/test_folder.h"

/* ---- inputs -------------------------------------------------------------------- */

enum { KEYS = 3 };
static const char *const inputs[] = {"keys.npy", "walk.bvh", "broken.bvh"};
enum { INPUTS = COUNT_OF(inputs) };

#define HIERARCHY(joint)                                                                           \
    "HIERARCHY\nROOT " joint "\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"       \
    "End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\n"
#define ROWS "0 0 0\n10 0 0\n20 0 0\n"

FIXTURE(make_inputs) {
    const size_t shape[] = {KEYS, 1, 4};
    const float keys[KEYS][1][4] = {{{0, 0, 0, 1}}, {{1, 0, 0, 0}}, {{0, 1, 0, 0}}};
    command_put_array("keys.npy", PM_FLOAT32, 3, shape, keys);
    test_folder_put_text("walk.bvh", HIERARCHY("Hips") "Frames: 3\nFrame Time: 0.1\n" ROWS);
    test_folder_put_text("broken.bvh", HIERARCHY("Hips") "Frames: 3\nFrame Time: 0.1\n0 0\n");
    return 0;
}

#define EVAL                                                                                       \
    "$posemill eval --reference --quiet --keys keys.npy --key-rate 10 --rate 20 "                  \
    "--method slerp "
#define RESAMPLE "$posemill resample --reference --rate 60 "

static bool exists(const char *name) {
    struct stat status;
    return lstat(name, &status) == 0;
}

/* ---- text from outside --------------------------------------------------------- */

/* Only printable ASCII, line ends and complete UTF-8 characters may reach a terminal. */
static void expect_harmless(const char *text) {
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        size_t more = *at < 0x80 ? 0 : *at >> 5 == 6 ? 1 : *at >> 4 == 14 ? 2 : 3;
        bool good = more > 0 ? *at >= 0xc2 && *at < 0xf5 && !(*at == 0xc2 && at[1] < 0xa0)
                             : *at == '\n' || (*at >= 0x20 && *at < 0x7f);
        for (size_t i = 1; i <= more && good; i++)
            good = at[i] >> 6 == 2;
        if (!good)
            fail_msg("byte %02x at %zu of: %s", *at, (size_t)(at - (const unsigned char *)text),
                     text);
        at += more + 1;
    }
}

/* A name of harmful and harmless pieces, in octal for the printf of a shell. */
static void draw_name(random_source *source, char *name, size_t room) {
    static const char *const parts[] = {
        "\\033]0;x\\007", "\\302\\233", "\\177",          "\\303\\251", "a",
        "\\012",          "\\200",      "\\346\\255\\251"};
    name[0] = '\0';
    for (int i = 0; i < 6; i++)
        strncat(name, parts[random_bits(source) % 8], room - strlen(name) - 1);
}

static void expect_shown(int code, const char *line) {
    expect(code, line);
    expect_harmless(output);
    expect_harmless(error_output);
}

TEST(names_of_files_reach_no_terminal) {
    random_source source = random_start();
    for (int round = 0; round < 3; round++) {
        char name[128], line[1024];
        draw_name(&source, name, sizeof name);
        const char *const tails[] = {
            "$posemill resample --reference --rate 60 \"$n\" -o x.bvh",
            "$posemill eval --reference --keys \"$n\" --key-rate 1 --rate 2 --method slerp --out x",
            EVAL "--out \"none/$n\"",
            RESAMPLE "walk.bvh -o \"none/$n\"",
            RESAMPLE "walk.bvh -o \"x.$n\"",
            "$posemill \"$n\"",
            "$posemill eval \"--$n\"",
            "$posemill eval --ends \"$n\"",
            "$posemill eval --key-rate \"$n\"",
            "$posemill eval --reference --device \"$n\" --keys keys.npy",
        };
        static const int codes[] = {4, 4, 6, 6, 2, 2, 2, 2, 2, 2};
        for (size_t i = 0; i < COUNT_OF(tails); i++) {
            snprintf(line, sizeof line, "n=$(printf '%s'); %s", name, tails[i]);
            expect_shown(codes[i], line);
            /* The last entry is the device name in a conflict whose message does not quote it. */
            assert_true(strstr(error_output, "\\x1b") != NULL || strstr(name, "\\033") == NULL ||
                        i + 1 == COUNT_OF(tails));
        }
        snprintf(line, sizeof line,
                 "n=$(printf '%s'); cp walk.bvh \"$n.bvh\" && " RESAMPLE
                 "\"$n.bvh\" -o \"o$n.bvh\" && " RESAMPLE "--json \"$n.bvh\" -o \"o$n.bvh\" && " //
                 "cp broken.bvh \"$n.bvh\" && ! " RESAMPLE "\"$n.bvh\" -o \"o$n.bvh\" && "
                 "rm \"$n.bvh\" \"o$n.bvh\"",
                 name);
        expect_shown(0, line);
        expect_word(output, "3 -> 13 frames");
        expect_word(output, "\"frames\": 13");
    }
    expect_nothing_but(inputs, INPUTS);
}

/* The message of the library, which the command prints as it is, or nothing. */
static void expect_harmless_reading(const char *text, int64_t rate) {
    const pm_motion_read_options options = {.source_rate = {rate, 1}};
    pm_motion *motion = NULL;
    pm_error error = {0};
    pm_motion_parse(text, strlen(text), "odd.bvh", NULL, rate ? &options : NULL, &motion, &error);
    expect_harmless(error.message);
    assert_true((motion != NULL) != (error.message[0] != '\0'));
    pm_motion_destroy(&motion);
}

/* Joints, channels, and words in place of numbers; with --source-rate also the frame time, which then
 * appears in the report. */
TEST(words_of_files_reach_no_terminal) {
    static const char *const cursors[] = {
        HIERARCHY("%s") "Frames: 3\nFrame Time: 0.1\n0 0 x\n",
        HIERARCHY("Hips\n{\n}\nROOT %s") "Frames: 3\nFrame Time: 0.1\n0 0 x\n",
        HIERARCHY("Hips") "Frames: %s\nFrame Time: 0.1\n" ROWS,
        HIERARCHY("Hips") "Frames: 3\nFrame Time: %s\n" ROWS,
        HIERARCHY("Hips") "Frames: 3\nFrame %s 1\n" ROWS,
        HIERARCHY("Hips") "Frames: 3\nFrame Time: 0.1\n0 %s 0\n",
        HIERARCHY("Hips") "Frames: 3\nFrame Time: 0.1\n0 0 0 %s\n0 0 0\n",
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 %s\n}\n",
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 a b %s }\n",
        "HIERARCHY\nROOT a\n{\n%s\n}\n",
        "HIERARCHY\n%s\n",
    };
    /* Without blanks and braces, and such that the limits of 40 and 60 bytes would split a
     * character. */
    static const char *const words[] = {
        "\x1b]0;x\x07", "a\x7f\x1b[2J",
        "\xc2\x9b"
        "31m",
        "\xff\xfe",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
        "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\x1b"};
    for (size_t i = 0; i < COUNT_OF(cursors); i++) {
        for (size_t k = 0; k < COUNT_OF(words); k++) {
            char text[1024];
            snprintf(text, sizeof text, cursors[i], words[k]);
            expect_harmless_reading(text, 0);
            expect_harmless_reading(text, 30);
        }
    }
    test_folder_put_text("odd.bvh", HIERARCHY("Hips") "Frames: 3\nFrame Time: \x1b[31m\n" ROWS);
    expect(0, RESAMPLE "--source-rate 30 odd.bvh -o x.bvh");
    expect_word(output, "frame time \\x1b[31m");
    expect(0, RESAMPLE "--source-rate 30 --json odd.bvh -o x.bvh");
    expect_word(output, "\"frame_time\": \"\\u001b[31m\"");
    test_folder_put_text(
        "odd.bvh", HIERARCHY("Schr\xc3\xa4gl\xc3\xa4ufer") "Frames: 3\nFrame Time: 1\n0 0 x\n");
    expect_failure(4, RESAMPLE "--source-rate 30 odd.bvh -o y.bvh", "(Schr\xc3\xa4gl\xc3\xa4ufer)");
}

/* ---- what outputs are called --------------------------------------------------- */

TEST(output_extensions_match_the_format) {
    static const char *const no_motion[] = {
        RESAMPLE "walk.bvh -o walk.txt",
        RESAMPLE "walk.bvh -o walk.fbx",
        RESAMPLE "walk.bvh --format bvh -o walk.amc",
        RESAMPLE "walk.bvh -o walk.NPY",
        RESAMPLE "walk.bvh -o ./a.b/w.bvh.x",
        "$posemill convert walk.bvh walk.fbx",
        "$posemill convert walk.bvh -o walk.txt",
    };
    for (size_t i = 0; i < COUNT_OF(no_motion); i++) {
        expect_failure(2, no_motion[i],
                       "expected bvh, gltf, glb, vrm, vrma, npz, usda, tum or csv");
        assert_string_equal(output, "");
    }
    static const char *const refused[] = {
        EVAL "--out o.npz",
        EVAL "--out o.npy --velocity v.bvh",
        EVAL "--out o.txt",
    };
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        expect_failure(2, refused[i], "\n  use the extension .");
        assert_string_equal(output, "");
    }
    expect_nothing_but(inputs, INPUTS);
    static const char *const taken[] = {
        RESAMPLE "walk.bvh -o x",
        RESAMPLE "walk.bvh -o x.bvh",
        RESAMPLE "walk.bvh -o x.BVH",
        RESAMPLE "walk.bvh -o x.npz",
        RESAMPLE "walk.bvh -o x.glb",
        RESAMPLE "walk.bvh -o x.vrm && head -c 4 x.vrm | grep glTF",
        "$posemill convert walk.bvh x.VRMA && $posemill convert x.VRMA y.bvh && rm y.bvh",
        RESAMPLE "walk.bvh --to gltf -o x",
        RESAMPLE "walk.bvh --format bvh -o x.gltf",
        RESAMPLE "walk.bvh -o - >x",
        RESAMPLE "walk.bvh --format bvh -o x.txt",
        "mkdir a.b; " RESAMPLE "walk.bvh -o a.b/x && mv a.b/x . && rmdir a.b",
        EVAL "--out x",
        EVAL "--out x.npy",
        EVAL "--out - >x",
        EVAL "--out /dev/null && touch x",
    };
    for (size_t i = 0; i < COUNT_OF(taken); i++) {
        expect(0, taken[i]);
        expect(0, "rm x*");
    }
}

TEST(errors_use_the_words_of_the_command) {
    expect_failure(2, RESAMPLE "walk.bvh -o x.bvh --method cubicspline", "BVH files have none");
    assert_null(strstr(error_output, "tangents_in"));
    static const char *const lines[] = {
        RESAMPLE "walk.bvh -o x.bvh --loop 0.15",
        RESAMPLE "walk.bvh -o x.bvh --loop 0.2",
        EVAL "--out x.npy --loop 1e300",
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        expect_failure(4, lines[i], "loop");
        assert_null(strchr(error_output, '_'));
    }
    expect_nothing_but(inputs, INPUTS);
}

/* ---- results and their sources --------------------------------------------------- */

/* Verbs that make a file of a file, with the source and the result to fill in. Those that do not take
 * --overwrite make pages. */
static const char *const verbs[] = {
    RESAMPLE "walk.bvh -o %s",           RESAMPLE "--json walk.bvh -o %s",
    RESAMPLE "--scale 2 walk.bvh -o %s", "$posemill convert walk.bvh %s",
    "$posemill convert walk.bvh -o %s",  "$posemill convert --scale 2 walk.bvh -o %s",
    "$posemill view walk.bvh -o %s",     "$posemill compare walk.bvh walk.bvh -o %s",
};
enum { VERBS = COUNT_OF(verbs), OVERWRITERS = 6 };

TEST(no_result_replaces_its_source) {
    static const char *const names[] = {"walk.bvh", "./walk.bvh", "hard.bvh", "soft.bvh",
                                        "down/../walk.bvh"};
    static const char *const pages[] = {"hard.html", "./hard.html", "soft.html",
                                        "down/../soft.html", "down/../hard.html"};
    expect(0,
           "mkdir down; for end in bvh html; do ln walk.bvh hard.$end; ln -s walk.bvh soft.$end; "
           "done; cp walk.bvh kept");
    for (size_t i = 0; i < VERBS; i++) {
        for (size_t k = 0; k < COUNT_OF(names); k++) {
            char line[256];
            snprintf(line, sizeof line, verbs[i], i < OVERWRITERS ? names[k] : pages[k]);
            expect_failure(6, line, "would be overwritten");
            expect(0, "cmp walk.bvh kept");
        }
    }
    expect(0, "rm -r down hard.* soft.* kept");
    expect_nothing_but(inputs, INPUTS);
}

TEST(a_result_replaces_its_source_where_that_is_asked_for) {
    expect(0, "cp walk.bvh kept");
    for (size_t i = 0; i < OVERWRITERS; i++) {
        char line[256];
        snprintf(line, sizeof line, verbs[i], "walk.bvh --overwrite && cp kept walk.bvh");
        expect(0, line);
    }
    expect(0, RESAMPLE "walk.bvh -o walk.bvh --overwrite && grep 'Frames: 13' walk.bvh");
    expect(0, "mv kept walk.bvh");
}

TEST(no_result_replaces_a_file_that_an_option_names) {
    expect(0, "echo '* 30' >rates");
    expect_failure(6, RESAMPLE "walk.bvh --to bvh --rates rates -o ./rates",
                   "rates: would be overwritten");
    expect(0, "grep 30 rates && rm rates");
}

TEST(batches_leave_their_sources) {
    expect(0, "mkdir in out; cp walk.bvh in; ln in/walk.bvh out/walk.bvh");
    expect_failure(6, RESAMPLE "in --out-dir in --overwrite", "would be overwritten");
    expect_failure(6, RESAMPLE "in --out-dir out --overwrite", "would be overwritten");
    expect_failure(6, "$posemill convert in --out-dir out --overwrite --scale 2",
                   "would be overwritten");
    expect(0, "cmp in/walk.bvh walk.bvh && rm -r in out");
}

/* ---- forms of convert and resample ----------------------------------------------- */

TEST(an_output_is_an_operand_or_an_option) {
    static const char *const lines[] = {
        "$posemill convert walk.bvh x.bvh",
        "$posemill convert walk.bvh -o x.bvh",
        "$posemill convert -o x.bvh walk.bvh",
        "$posemill convert --out=x.bvh walk.bvh",
        "$posemill convert - --format bvh -o - <walk.bvh >x.bvh",
        "$posemill convert - - --format bvh <walk.bvh >x.bvh",
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        expect(0, lines[i]);
        expect(0, "grep -v '^Frame Time' walk.bvh >w; grep -v '^Frame Time' x.bvh | cmp - w && "
                  "rm x.bvh w");
    }
    expect(0, RESAMPLE "walk.bvh x.bvh && grep 'Frames: 13' x.bvh");
    expect_failure(2, RESAMPLE "walk.bvh x.bvh", "'x.bvh' exists");
    expect(0, RESAMPLE "walk.bvh x.bvh --overwrite && rm x.bvh");
    expect_failure(2, "$posemill convert walk.bvh", "missing; expected -o OUT");
    expect_failure(2, "$posemill convert", "input: missing");
    expect_failure(2, "$posemill convert walk.bvh x.bvh -o y.bvh", "accepts one input");
    expect_failure(2, "$posemill convert walk.bvh -o y.bvh --out-dir d", "cannot be combined");
    expect_failure(2, "$posemill convert walk.bvh -o y.bvh --resume", "requires --out-dir");
    expect_nothing_but(inputs, INPUTS);
}

TEST(options_that_only_bvh_has_are_refused_for_others) {
    static const char *const lines[] = {
        "$posemill convert walk.bvh x.glb --euler ZYX",
        "$posemill convert walk.bvh x.npz --decimals 3",
        RESAMPLE "walk.bvh -o x.glb --euler ZYX",
        RESAMPLE "walk.bvh --out-dir d --to glb --decimals 3",
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        expect_failure(2, lines[i], "is for BVH");
    expect_nothing_but(inputs, INPUTS);
}

/* ---- where outputs lead -------------------------------------------------------- */

/* The same file by another name: through the folder, its parent, or a link to it. */
static void other_name(random_source *source, const char *name, char *other, size_t room) {
    static const char *const ways[] = {"./%s",    ".//%s",      "down/../%s",
                                       "here/%s", "down/up/%s", "$PWD/%s",
                                       "link-%s", "twice-%s",   "down/link-%s"};
    snprintf(other, room, ways[random_bits(source) % (COUNT_OF(ways))], name);
}

TEST(two_outputs_in_one_file_are_found_whatever_they_are_called) {
    random_source source = random_start();
    for (int round = 0; round < 6; round++) {
        char first[64], second[64], line[1024];
        bool there = random_unit(&source) < 0.5;
        other_name(&source, "o.npy", first, sizeof first);
        other_name(&source, "o.npy", second, sizeof second);
        snprintf(line, sizeof line,
                 "mkdir down; ln -s . here; ln -s .. down/up; ln -s o.npy link-o.npy; "
                 "ln -s link-o.npy twice-o.npy; ln -s ../o.npy down/link-o.npy; %s" EVAL
                 "--out %s --velocity %s",
                 there ? "echo old > o.npy; " : "", first, second);
        run(line);
        if (!strstr(error_output, "same file as the output") || (there != exists("o.npy")))
            fail_msg("%s and %s: %s", first, second, error_output);
        expect(0, there ? "grep -q old o.npy && rm -r o.npy down here *-o.npy"
                        : "rm -r down here *-o.npy");
    }
    expect_failure(2, "echo old > a.npy; ln a.npy b.npy; " EVAL "--out a.npy --velocity b.npy",
                   "same file as the output");
    expect_failure(2, EVAL "--out - --velocity /dev/stdout > joined", "same file as the output");
    expect(0, EVAL "--out c.npy --velocity d.npy && rm ?.npy joined");
    expect_nothing_but(inputs, INPUTS);
}

TEST(an_output_never_replaces_an_input) {
    static const char *const lines[] = {
        EVAL "--out keys.npy",
        EVAL "--out ./keys.npy",
        "ln -s keys.npy link.npy; " EVAL "--out link.npy",
        "ln keys.npy hard.npy; " EVAL "--velocity hard.npy --out o.npy",
        "ln -s . here; " EVAL "--out o.npy --acceleration here/keys.npy",
        "cp keys.npy v.npy; " EVAL "--vectors v.npy --vectors-out v.npy --out o.npy",
        ("<keys.npy $posemill eval --reference --keys - --key-rate 1 --rate 2 --method slerp "
         "--out keys.npy"),
    };
    expect(0, "cp keys.npy same");
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        expect_failure(2, lines[i], "would overwrite the input");
        expect(0, "cmp keys.npy same && test ! -e o.npy && rm -f link.npy hard.npy here v.npy");
    }
    /* A file that is both input and output but not regular, such as a terminal or a socket, loses
     * nothing. */
    expect(0, "$posemill eval --quiet --reference --keys keys.npy --key-rate 1 --rate 2 "
              "--method slerp --out /dev/null --velocity v.npy");
}

TEST(results_of_a_batch_are_told_apart_before_any_is_written) {
    expect(0, "mkdir a b out; cp walk.bvh a/x.bvh; cp walk.bvh b/x.bvh; cp walk.bvh b/y.bvh");
    expect_failure(2, RESAMPLE "a/x.bvh b/x.bvh --out-dir out", "has the output name 'x.bvh'");
    expect_failure(2, RESAMPLE "a/x.bvh b/x.bvh --out-dir new", "has the output name 'x.bvh'");
    expect_failure(2, "mkdir c; cp a/x.bvh c/x.csv; " RESAMPLE "a c --to glb --out-dir new",
                   "two inputs would be written to the same file x.glb");
    expect_failure(6, "touch out/x.bvh; " RESAMPLE "a/x.bvh b/y.bvh --out-dir out",
                   "out/x.bvh: exists already");
    expect_failure(2,
                   "ln -s x.bvh out/y.bvh; " RESAMPLE "a/x.bvh b/y.bvh --out-dir out --overwrite",
                   "two inputs would be written to the same file");
    expect_failure(6, RESAMPLE "a/x.bvh b/y.bvh --out-dir ./b/../b",
                   "would be overwritten by a result");
    expect_failure(
        6, "ln -s ../b/y.bvh a/y.bvh; ln -s a here; " RESAMPLE "b/y.bvh walk.bvh --out-dir here",
        "would be overwritten by a result");
    expect(0,
           "test ! -e new && test ! -s out/x.bvh && cmp a/x.bvh walk.bvh && cmp b/y.bvh walk.bvh "
           "&& test ! -e b/walk.bvh");
}

/* The target of a link is written, whether or not it exists. */
TEST(links_are_followed) {
    expect(0, "mkdir far; ln -s far/o.npy o.npy; " EVAL "--out o.npy && test -L o.npy && "
              "test -f far/o.npy && cp far/o.npy first && " EVAL "--out o.npy && test -L o.npy && "
              "cmp far/o.npy first");
    expect_failure(6, "ln -s loop.npy loop.npy; " EVAL "--out loop.npy", "loop.npy");
    expect(0, "test -L loop.npy && rm -r far first o.npy loop.npy");
    expect_nothing_but(inputs, INPUTS);
}

/* The next file opened gets the number of a closed stream, and reports would be written to it. */
TEST(closed_streams_do_not_mix_into_outputs) {
    expect(0, EVAL "--out right.npy");
    expect(6, "$posemill eval --reference --keys keys.npy --key-rate 10 --rate 20 --method slerp "
              "--out o.npy >&-");
    expect_word(error_output, "standard output");
    expect(0, "cmp o.npy right.npy");
    run("$posemill eval --reference --keys keys.npy --key-rate 10 --rate 20 --method slerp "
        "--tangents mean --out p.npy 2>&-");
    expect(0, "cmp p.npy right.npy");
    run("$posemill eval --reference --quiet --keys keys.npy --key-rate 10 --rate 20 "
        "--method slerp --out q.npy <&-");
    expect(0, "cmp q.npy right.npy");
    expect_failure(4, "$posemill eval --keys - --key-rate 1 --rate 2 --method slerp --out x <&-",
                   "standard input");
}

/* ---- how much ------------------------------------------------------------------ */

TEST(too_many_frames_are_refused_with_their_number) {
    static const struct {
        const char *time, *options, *word;
        int code;
    } cases[] = {
        {"999999999", "--rate 60", "119999999881", 4}, /* 2 spans at 60 Hz, plus one */
        {"0.1", "--rate 500000000", "100000001", 4},
        {"0.1", "--rate 50 --max-frames 10", "11", 4},
        {"0.1", "--rate 50 --max-frames 11", "", 0},
        {"0.1", "--rate 9999999999 --loop 10000000000", "at least 9223372036854775808", 4},
        {"500333333", "--rate /4", "1e9 seconds", 4}, /* could not be read again */
        {"0.1", "--rate 60 --max-frames many", "--max-frames", 2},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[512], line[256];
        snprintf(text, sizeof text, HIERARCHY("Hips") "Frames: 3\nFrame Time: %s\n" ROWS,
                 cases[i].time);
        test_folder_put_text("many.bvh", text);
        snprintf(line, sizeof line, "$posemill resample --reference many.bvh -o x.bvh %s",
                 cases[i].options);
        if (cases[i].code != 0) {
            expect_failure(cases[i].code, line, cases[i].word);
            assert_false(exists("x.bvh"));
        } else {
            expect(0, line);
            expect(0, "rm x.bvh");
        }
    }
    expect_failure(4, EVAL "--rate 500000000 --out o.npy", "100000001 samples");
    expect_failure(4, EVAL "--max-frames 4 --out o.npy", "5 samples");
    expect(0, EVAL "--max-frames 5 --out o.npy");
    expect(0, EVAL "--max-frames 4 --count 9 --out o.npy");
}

/* ---- folders ------------------------------------------------------------------- */

TEST(a_folder_of_results_has_them_and_their_records) {
    expect_failure(2, RESAMPLE "walk.bvh --out-dir one/two --method cubicspline", "cubicspline");
    expect_nothing_but(inputs, INPUTS);
    expect_failure(4, RESAMPLE "broken.bvh --out-dir one/two", "broken.bvh");
    expect_failure(4, RESAMPLE "none.bvh --out-dir one/two", "none.bvh");
    expect_failure(4, RESAMPLE "walk.bvh --start 9 --out-dir one/two", "--start");
    expect(0, "test \"$(ls -A one/two)\" = .posemill && rm -r one");
    expect(1, RESAMPLE "broken.bvh walk.bvh --out-dir one//two/three/");
    expect(0, "test -f one/two/three/walk.bvh && test ! -e one/two/three/broken.bvh && rm -r one");
    expect(0, RESAMPLE "walk.bvh --out-dir one && rm -r one");
    expect_failure(6, "ln -s none nowhere; " RESAMPLE "walk.bvh --out-dir nowhere", "File exists");
    expect(0, "rm nowhere");
    expect_failure(6, RESAMPLE "walk.bvh --out-dir keys.npy", "expected a folder");
    expect_failure(6, RESAMPLE "walk.bvh --out-dir keys.npy/x", "keys.npy");
    expect_nothing_but(inputs, INPUTS);
}

TEST(a_folder_as_input_is_refused) {
    expect_failure(4, RESAMPLE ". -o x.bvh", "is a folder");
    expect_failure(4, "mkdir takes takes.bvh; " RESAMPLE "takes -o x.bvh", "is a folder");
    expect_failure(4, RESAMPLE "takes.bvh -o x.bvh", "is a folder");
    expect_failure(4, RESAMPLE "none -o x.bvh", "No such file");
    expect(0, "rmdir takes takes.bvh");
    expect_nothing_but(inputs, INPUTS);
}

TEST_GROUP(command_enter_folder, command_leave_folder)
TEST_EACH(make_inputs, command_empty_folder)
