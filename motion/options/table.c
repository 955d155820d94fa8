/* SPDX-License-Identifier: MIT
 *
 * The options of the motion library: one row each, and nowhere else. Rows of one name have verbs of their
 * own. An option of a topic is in the help of that topic; the others are in the help of their verbs.
 */
#include "motion/base/format_list.h"
#include "motion/base/words.h"
#include "motion/options/options.h"

/* ---- words ----------------------------------------------------------------------------------- */

static const char *word_of_format(size_t index) {
    return index + 1 < pm_motion_format_count()
               ? pm_motion_format_name((pm_motion_format)(PM_MOTION_ANY + 1 + index))
               : NULL;
}

static const char *word_of_euler(size_t index) {
    return index < pm_euler_order_count() ? pm_euler_order_name((pm_euler_order)index) : NULL;
}

static const char *word_of_method(size_t index) {
    return index < pm_method_count() ? pm_method_get_info((pm_method)index)->name : NULL;
}

static const char *word_of_curve(size_t index) {
    return index == pm_method_count() ? "authored" : word_of_method(index);
}

/* Those that need no tangents. */
static const char *word_of_comparison(size_t index) {
    if (index == 0)
        return "authored";
    for (size_t method = 0; method < pm_method_count(); method++) {
        const pm_method_info *info = pm_method_get_info((pm_method)method);
        index -= !info->takes_in_out;
        if (index == 0 && !info->takes_in_out)
            return info->name;
    }
    return NULL;
}

static const char *const reduced_words[] = {"slerp",   "cubicspline", "squad",
                                            "hermite", "spline",      NULL};
static const char *const preset_words[] = {"game", "web", "film", NULL};
static const char *const nan_words[] = {"hold", NULL};
static const char *const position_words[] = {"replace", "add", NULL};
static const char *const auto_words[] = {"auto", NULL};
static const char *const new_words[] = {"new", NULL};
static const char *const feet_words[] = {"feet", NULL};
static const char *const to_up_words[] = {"y", "z", "keep", NULL};
static const char *const at_words[] = {"mesh", "joints", NULL};
static const double at_values[] = {PM_MOTION_AT_MESH, PM_MOTION_AT_JOINTS};
static const char *const axis_words[] = {"x", "y", "z", NULL};
static const double lowpass_values[] = {PM_MOTION_LOWPASS_AUTO};
static const char *const skeleton_words[] = {"smpl", "smplh", "smplx", NULL};
static const char *const layout_words[] = {
    "amass",    "amass-x",       "inter-x", "beyondmimic", "beyondmimic-xyzw",
    "isaaclab", "isaaclab-xyzw", "plain",   "robot",       "robot-wxyz",
    "seed",     "tum",           "euroc",   "kitti",       NULL};

enum {
    BVH = 1 << PM_MOTION_BVH,
    NPZ = 1 << PM_MOTION_NPZ,
    CSV = 1 << PM_MOTION_CSV,
    TUM = 1 << PM_MOTION_TUM,
    AMC = 1 << PM_MOTION_AMC
};

/* ---- rows ------------------------------------------------------------------------------------ */

#define READ(field_) .of = OPTIONS_READ, FIELD(pm_motion_read_options, field_)
#define TASK(field_) .of = OPTIONS_TASK, FIELD(pm_motion_batch_task, field_)
#define CURVE(field_) .of = OPTIONS_CURVE, FIELD(pm_motion_curve, field_)
#define ROOT(field_) .of = OPTIONS_ROOT, FIELD(pm_motion_root_options, field_)
#define FILL(field_) .of = OPTIONS_FILL, FIELD(pm_motion_fill_options, field_)
#define EDIT(field_) .of = OPTIONS_EDIT, FIELD(pm_motion_edit_options, field_)
#define MIRROR(field_) .of = OPTIONS_MIRROR, FIELD(pm_motion_mirror_options, field_)
#define REDUCE(field_) .of = OPTIONS_REDUCE, FIELD(pm_motion_reduce_options, field_)
#define JOIN(field_) .of = OPTIONS_JOIN, FIELD(pm_motion_join_options, field_)
#define COMPARE(field_) .of = OPTIONS_COMPARE, FIELD(pm_motion_compare_options, field_)
#define PICTURE(field_) .of = OPTIONS_PICTURE, FIELD(pm_motion_picture_options, field_)
#define BATCH(field_) .of = OPTIONS_BATCH, FIELD(pm_motion_batch_options, field_)
#define SOURCES(field_) .of = OPTIONS_SOURCES, FIELD(pm_motion_batch_sources, field_)
#define DEVICE(field_) .of = OPTIONS_DEVICE, FIELD(option_device, field_)

#define OF_CURVES (OF(RESAMPLE) | OF(EVAL))
#define OF_WRITERS (OF_MOVERS | OF(JOIN) | OF(RUN))

const option_row option_rows[] = {
    /* ---- of resample, and of those that resample too ---- */
    {NAME("rate", "HZ"), TYPE(target_rate), TASK(rate), .letter = 'r', .verbs = OF(RESAMPLE),
     HELP("target rate: 60, 29.97, 30000/1001, or relative to the source: x2, /4")},
    {NAME("method", "NAME"), TYPE(curve_method), CURVE(method), .word_of = word_of_curve,
     .verbs = OF(RESAMPLE), HELP("interpolation method; see: posemill methods")},
    {NAME("method", "NAME"), TYPE(curve_method), CURVE(method), .word_of = word_of_method,
     .verbs = OF(EVAL), HELP("interpolation method; see: posemill methods")},
    {NAME("start", "S"), TYPE(time), TASK(start_after_first_key), .verbs = OF(RESAMPLE) | OF_PAIRS,
     HELP("begin S seconds after the first key; a result then begins at 0")},
    {NAME("end", "S"), TYPE(time), TASK(end_after_first_key), .verbs = OF(RESAMPLE) | OF_PAIRS,
     HELP("end S seconds after the first key at the latest")},
    {NAME("end-rule", "RULE"), WORDS(motion_end_rule_words, PM_MOTION_END_FIT), TASK(end_rule),
     GIVEN(pm_motion_batch_task, end_rule_given), .verbs = OF(RESAMPLE),
     HELP("fit (default): the last sample is the last multiple that fits; "
          "include: adds a sample at the end itself")},
    {NAME("trim-start", "N"), TYPE(count), TASK(trim_start), .verbs = OF(RESAMPLE) | OF_PAIRS,
     HELP("leave out the first N frames, such as a T-pose")},
    {NAME("keep-time", NULL), TYPE(flag), TASK(keep_time), .verbs = OF(RESAMPLE),
     .requires = "start trim-start",
     HELP("glTF, with {start} or {trim-start}: samples keep their times, and the result does "
          "not begin at 0")},
    {NAME("lowpass", "HZ"), TYPE(number), TASK(lowpass), ABOVE(0, 0), .info.unit = "Hz",
     .words = auto_words, .word_values = lowpass_values, .verbs = OF(RESAMPLE),
     HELP("remove higher frequencies, without a delay; auto: 0.45 of the smaller rate, so that a "
          "lower rate does not alias")},
    {NAME("fill", NULL), TYPE(fill), FILL(frozen), .verbs = OF(RESAMPLE),
     HELP("fill gaps with a hermite curve: values that are not finite; with {fill}=frozen:N "
          "also rotations that hold exactly still for more than N frames while others move; with "
          "{fill}=jumps also frames in which a joint jumps away and back, and with {fill}=jumps:20 "
          "from 20 degrees on instead of 30")},
    {NAME("fill-max", "S"), TYPE(seconds), FILL(longest), .usual_number = 0.5,
     .verbs = OF(RESAMPLE), .requires = "fill",
     HELP("longest gap that {fill} fills, in seconds; default 0.5")},
    {NAME("max-frames", "N"), TYPE(count), TASK(max_samples), RANGE(1, 9e18), .leaves_bytes = true,
     .verbs = OF(RESAMPLE) | OF(COMPARE) | OF(EVAL) | OF(EDIT),
     HELP(
         "maximum number of frames in a result, or of times that are compared; default 100000000")},
    {NAME("check", NULL), TYPE(flag), TASK(check), .leaves_bytes = true, .verbs = OF(RESAMPLE),
     HELP("also evaluate on the reference path and report the difference")},

    /* ---- of edit, join and mirror ---- */
    {NAME("cut", "A:B"), TYPE(cut), EDIT(start_after_first_key), .verbs = OF(EDIT),
     HELP("keep the part from A to B, both included: in seconds after the first key, 1.5:3, or in "
          "frames from 0, 10f:40f; A or B may be left out")},
    {NAME("repeat", "N"), TYPE(count), EDIT(repeat), RANGE(1, 9e18), .usual_number = 1,
     .verbs = OF(EDIT), HELP("play it N times")},
    {NAME("blend", "S"), TYPE(seconds), EDIT(blend), .verbs = OF(EDIT),
     HELP("with {repeat}: crossfade of S seconds")},
    {NAME("continue-root", NULL), TYPE(flag), EDIT(continue_root), .verbs = OF(EDIT),
     HELP("with {repeat}: each time goes on where the one before ended; of a cycle "
          "the last pose, which is the first one, is left out")},
    {NAME("joints", "LIST"), TYPE(joints), EDIT(joints), .numbers = 1, .info.repeats = true,
     .verbs = OF(EDIT),
     HELP("keep these joints, by names with commas between them; each stays where it was in the "
          "world")},
    {NAME("rename", "OLD=NEW"), TYPE(rename), EDIT(renames), .numbers = 2, .info.repeats = true,
     .verbs = OF(EDIT), HELP("give a joint another name; may be repeated")},
    {NAME("blend", "S"), TYPE(seconds), JOIN(blend), .verbs = OF(JOIN),
     HELP("crossfade of S seconds, in which each motion overlaps the next one; default: none")},
    {NAME("continue-root", NULL), TYPE(flag), JOIN(continue_root), .verbs = OF(JOIN),
     HELP("each motion goes on where the one before ended: its heading, and its place on the "
          "ground; a pose that is there twice is left out")},
    {NAME("plane", "AXIS"), TYPE(plane), MIRROR(normal), .words = axis_words, .verbs = OF(MIRROR),
     HELP("x, y or z, which points from right to left; default: the one across which the rest "
          "pose maps most pairs")},
    {NAME("pairs", "FILE"), TYPE(path), MIRROR(pairs), .reads = FILE_TEXT, .verbs = OF(MIRROR),
     HELP("a file with two names of joints on each line; default: by their names")},

    /* ---- of reduce ---- */
    {NAME("preset", "NAME"), TYPE(word), REDUCE(preset), .words = preset_words,
     .first = PM_MOTION_REDUCE_GAME, .verbs = OF(REDUCE),
     HELP("game: {angle} 0.5 and {quantize}; web: {angle} 1 and {compress}; film: {angle} 0.05. "
          "What is given besides comes first, and {distance} in place of the angle")},
    {NAME("angle", "DEG"), TYPE(number), REDUCE(angle), GIVEN(pm_motion_reduce_options, has_angle),
     ABOVE(0, 180), .info.unit = "degrees", .verbs = OF(REDUCE),
     HELP("the rotation of each joint differs at all times by at most DEG degrees; default 0.5")},
    {NAME("distance", "LENGTH"), TYPE(number), REDUCE(distance), .verbs = OF(REDUCE),
     HELP("the position of each joint, and points around it, are at all times within LENGTH of "
          "where the source has them, in model space; without {angle} the only bound of "
          "rotations")},
    {NAME("at", "PLACE"), TYPE(number), REDUCE(at), ABOVE(0, 0), .words = at_words,
     .word_values = at_values, .verbs = OF(REDUCE),
     HELP(
         "these points: mesh, the corners of boxes around the vertices that a joint moves, so "
         "that the skin keeps the distance; joints, none; or a length along its axes, in model "
         "space. Default: mesh where there is one, else 10 cm, or a 17th of the figure where the unit "
         "is not known")},
    {NAME("position", "LENGTH"), TYPE(number), REDUCE(position),
     GIVEN(pm_motion_reduce_options, has_position), .verbs = OF(REDUCE),
     HELP("positions relative to the parent differ by at most LENGTH, in the file's unit; default: "
          "1e-5 of the figure's size; 0: keys are dropped only where nothing changes")},
    {NAME("scale-error", "RATIO"), TYPE(number), REDUCE(scale_error),
     GIVEN(pm_motion_reduce_options, has_scale_error), .verbs = OF(REDUCE),
     HELP("scales and morph weights differ by at most this part of themselves; default 1e-5; 0 as "
          "for positions")},
    {NAME("curve", "NAME"), TYPE(method), REDUCE(curve), .words = reduced_words,
     .verbs = OF(REDUCE),
     HELP("curve of rotations: slerp, squad, hermite or spline through some of the source's keys, "
          "or cubicspline, with tangents that are fitted and about a third of the keys; default: "
          "slerp")},
    {NAME("smooth", NULL), TYPE(flag), REDUCE(smooth), .verbs = OF(REDUCE),
     HELP("with cubicspline: the velocity is continuous at keys, for editors")},
    {NAME("common", NULL), TYPE(flag), REDUCE(common), .verbs = OF(REDUCE),
     HELP("all joints of a clip have keys at the same times")},
    {NAME("loop", NULL), TYPE(flag), REDUCE(loop), .verbs = OF(REDUCE),
     HELP(
         "clips are loops: they end as they begin, by a key one frame after the last one where that "
         "is missing; what a root travels is not closed, and is named")},
    {NAME("additive", "BASE"), TYPE(text), REDUCE(additive), .requires = "distance",
     .verbs = OF(REDUCE),
     HELP(
         "clips are added to a pose, of which {distance} is measured: rest, the rest pose, or the name "
         "of a clip")},
    {NAME("quantize", NULL), TYPE(flag), REDUCE(quantize), .verbs = OF(REDUCE),
     HELP("glTF: rotations are int16; what that rounds is part of the bounds, and joints share key "
          "times where that makes the file smaller")},
    {NAME("compress", NULL), TYPE(flag), REDUCE(compress), .verbs = OF(REDUCE),
     HELP("the same, compressed by EXT_meshopt_compression, with as few bits as the bounds allow")},

    /* ---- of compare and view ---- */
    {NAME("tolerance", "DEG,MM"), TYPE(numbers), COMPARE(tolerance_degrees), .numbers = 2,
     GIVEN(pm_motion_compare_options, has_tolerance), .verbs = OF(COMPARE),
     HELP("exit with 1 if an angle is above DEG degrees, or a distance above MM millimetres")},
    {NAME("at", "PLACE"), TYPE(number), COMPARE(at), ABOVE(0, 0), .words = at_words,
     .word_values = at_values, .verbs = OF(COMPARE),
     HELP("where distances are measured, beside the joints: mesh, the corners of boxes around the "
          "vertices that a joint moves; joints, nowhere; or a length along its axes. Default: "
          "mesh where there is one, else joints")},
    {NAME("certify", NULL), TYPE(flag), COMPARE(certify), .verbs = OF(COMPARE),
     HELP("also state bounds of the angles and distances that no time exceeds, also between those "
          "that are compared; with {method} slerp, squad, hermite or spline only rotations are "
          "interpolated by it, as by reduce")},
    {NAME("contacts", "JOINTS"), TYPE(names), COMPARE(contacts), .words = feet_words,
     .verbs = OF(COMPARE),
     HELP("also state when these joints of A, names with commas between, or feet, those with foot, "
          "toe or ankle in their names, are in contact with the ground, and how fast they slide")},
    {NAME("rpe-delta", "N"), TYPE(count), COMPARE(rpe_delta), RANGE(1, 9e18), .usual_number = 1,
     .verbs = OF(COMPARE),
     HELP("of trajectories: how many poses apart those of the relative pose error are")},
    {NAME("map", "FILE"), TYPE(path), COMPARE(map), .verbs = OF(COMPARE),
     HELP("pairs of joints: on each line a name of A, a tab, and a name of B")},
    {NAME("rate", "HZ"), TYPE(rate), COMPARE(rate), .letter = 'r', .verbs = OF_PAIRS,
     HELP("compare or show at this rate instead of the key times")},
    {NAME("method", "NAME"), TYPE(curve_method), CURVE(method), .word_of = word_of_comparison,
     .verbs = OF(COMPARE),
     HELP("interpolate A by this method; default: authored, by what the file says")},
    {NAME("size", "WxH"), TYPE(size), PICTURE(width), .verbs = OF(VIEW), .excludes = "out-dir",
     HELP("pixels of a picture; default: 960x320 of SVG, 320x320 of GIF")},
    {NAME("from", "VIEW"), WORDS(motion_view_words, PM_MOTION_PICTURE_FRONT), PICTURE(from),
     .verbs = OF(VIEW), .excludes = "out-dir",
     HELP("the view of a picture: front, side, top or back; default: front")},
    {NAME("poses", "N"), TYPE(count), PICTURE(poses), RANGE(1, 3000), .verbs = OF(VIEW),
     .excludes = "out-dir",
     HELP("poses of a picture; default: as many as fit, or 25 in each second of a GIF")},

    /* ---- files ---- */
    {NAME("rate", "HZ"), TYPE(target_rate), TASK(rate), .letter = 'r',
     .verbs = OF_MOVERS & ~OF(RESAMPLE),
     HELP("also resample, each channel by its own interpolation")},
    {NAME("out-dir", "DIR"), TYPE(text), BATCH(out_dir), .verbs = OF_BATCHES,
     HELP("output folder of a batch; results mirror the inputs")},
    {NAME("out-dir", "DIR"), TYPE(text), BATCH(out_dir), .verbs = OF(VIEW),
     HELP("folder of a page for each file, and of an index.html that lists them")},
    {NAME("to", "FORMAT"), TYPE(format), TASK(format), .word_of = word_of_format, .first = 1,
     .verbs = OF_BATCHES | OF(JOIN),
     HELP(
         "format of outputs without an extension, and of all outputs of a batch:" MOTION_WRITTEN_NAMES)},
    {NAME("clip", "NAME"), TYPE(clips), TASK(clips), .info.repeats = true, .verbs = OF_BATCHES,
     HELP("a clip, by its name or number; may be repeated; default: all that fit"), .numbers = 1},

    /* ---- reading ---- */
    {NAME("format", "FORMAT"), TYPE(format), READ(format), .word_of = word_of_format, .first = 1,
     .verbs = OF_READERS, TOPIC(reading),
     HELP("format of inputs without an extension:" MOTION_READ_NAMES)},
    {NAME("source-rate", "HZ"), .other_name = "src-rate", TYPE(rate), READ(source_rate),
     .formats = BVH | NPZ | CSV | AMC, .verbs = OF_READERS, TOPIC(reading),
     HELP("frames per second of the source, instead of what the file says")},
    {NAME("literal-rate", NULL), .other_name = "no-snap", TYPE(flag), READ(literal_rate),
     .formats = BVH | NPZ, .verbs = OF_READERS, TOPIC(reading),
     HELP("use the frame time exactly as written: .0083333 is not 120 Hz")},
    {NAME("up", "AXIS"), WORDS(motion_up_words, PM_MOTION_UP_Y), TASK(up), .verbs = OF_READERS,
     TOPIC(reading),
     HELP("the axis that points up in the input: y or z; default: what the format states, else "
          "estimated by the figure; see: posemill info")},
    {NAME("unit", "UNIT"), TYPE(number), TASK(unit_mm), ABOVE(0, 0),
     .words = motion_to_unit_words + 1, .word_values = motion_to_unit_values + 1,
     .info.unit = "millimetres", .verbs = OF_READERS, TOPIC(reading),
     HELP("unit of length of the input: mm, cm, dm, m, in, ft, or a number of millimetres; "
          "default: what the format states, else estimated by the height of the figure")},
    {NAME("layout", "LAYOUT"), TYPE(path), READ(layout), .words = layout_words,
     .formats = NPZ | CSV | TUM, .reads = FILE_TEXT, .verbs = OF_READERS, TOPIC(reading),
     HELP(
         "NPZ: amass, amass-x, inter-x, beyondmimic, beyondmimic-xyzw, isaaclab, isaaclab-xyzw, "
         "plain, or a JSON file with a layout; default: by the names of the members. "
         "CSV and TUM: robot, robot-wxyz, seed, tum, euroc, kitti, kitti:TIMES with a file of times, "
         "or columns such as index,position,euler-xyz; "
         "default: by the header")},
    {NAME("skeleton", "JOINTS"), TYPE(path), READ(skeleton), .words = skeleton_words,
     .reads = FILE_MOTION, .verbs = OF_READERS, TOPIC(reading),
     HELP("joints for a file without them: smpl, smplh, smplx, or a file (any motion file, or "
          "JSON); of AMC its ASF file; default: the one beside it")},
    {NAME("rates", "FILE"), TYPE(path), READ(rates_file), .formats = NPZ, .reads = FILE_TEXT,
     .by_content = true, .verbs = OF_READERS, TOPIC(reading),
     HELP("NPZ: a file with rates of paths, for files whose own rate is wrong")},
    {NAME("nan", "hold"), WORDS(nan_words, 1), READ(hold_nan), .formats = BVH, .verbs = OF_READERS,
     TOPIC(reading), HELP("BVH: replace a value that is not finite by the one of the row before")},
    {NAME("bvh-position", "RULE"), WORDS(position_words, 0), READ(bvh_adds_offset), .formats = BVH,
     .verbs = OF_READERS, TOPIC(reading),
     HELP("how position channels combine with OFFSET: replace (default) or add; "
          "from BVH to BVH the result is the same")},
    {NAME("strict", NULL), TYPE(flag), READ(strict), .verbs = OF_READERS, TOPIC(reading),
     HELP("reject a file whose parts disagree, such as Frames: and its number of rows")},

    /* ---- writing ---- */
    {NAME("to-up", "AXIS"), WORDS(to_up_words, PM_MOTION_UP_Y), TASK(to_up),
     .verbs = OF_WRITERS | OF(REDUCE), TOPIC(writing),
     HELP("y or z: turn the world so that this axis points up instead of {up}; keep: as it is. "
          "Default: y in glTF that is made of another format, if {up} is known, else keep")},
    {NAME("to-unit", "UNIT"), TYPE(number), TASK(to_unit_mm), ABOVE(0, 0),
     .words = motion_to_unit_words, .word_values = motion_to_unit_values,
     .info.unit = "millimetres", .verbs = OF_WRITERS | OF(REDUCE), TOPIC(writing),
     HELP("unit of length of the output, as of {unit}: lengths are multiplied; keep: as they are. "
          "Default: m in glTF that is made of another format, if {unit} is known and without "
          "{scale}, else keep")},
    {NAME("scale", "FACTOR"), TYPE(number), TASK(scale), ABOVE(0, 0), .usual_number = 1,
     .verbs = OF_WRITERS, TOPIC(writing),
     HELP("multiply all lengths, such as by 0.5; with {to-unit} besides it")},
    {NAME("euler", "ORDER"), TYPE(word), .word_of = word_of_euler, TASK(euler),
     GIVEN(pm_motion_batch_task, euler_given), .usual_number = -1, .verbs = OF_WRITERS,
     TOPIC(writing),
     HELP("BVH: order of the rotation channels; default: that of each joint of a BVH file, "
          "else ZXY")},
    {NAME("decimals", "N"), TYPE(count), TASK(decimals), RANGE(1, 9), .verbs = OF_WRITERS,
     TOPIC(writing),
     HELP("BVH: decimals of computed numbers; default 6. convert writes all numbers of the "
          "rows with them")},
    {NAME("drop-rest", NULL), TYPE(flag), TASK(drop_rest), .verbs = OF_WRITERS | OF(REDUCE),
     TOPIC(writing),
     HELP(
         "glTF: leave out channels that keep the rest pose. Not for players that leave such nodes as "
         "the clip before had them")},
    {NAME("apply-scale", NULL), TYPE(flag), TASK(apply_scale), .verbs = OF(CONVERT), TOPIC(writing),
     HELP("put uniform scales of nodes, such as 0.01 of an armature, into positions and inverse "
          "bind matrices, so that the result looks the same; scales that change remain")},
    {NAME("extract-root", "JOINT"), TYPE(root_joint), TASK(root.joint), .words = auto_words,
     .verbs = OF_WRITERS & ~OF(RUN), TOPIC(root),
     HELP("make the root move as this joint does, usually the hips: its heading and its place "
          "on the ground; auto: the first joint that moves")},
    {NAME("root-node", "NODE"), TYPE(root_node), ROOT(root), .words = new_words,
     .verbs = OF_WRITERS & ~OF(RUN), TOPIC(root), .requires = "extract-root",
     HELP("the node above the joint that moves; new: one that is added. Default: the highest, "
          "or a new one where that is turned at rest")},
    {NAME("root-name", "NAME"), TYPE(text), ROOT(new_name), .verbs = OF_WRITERS & ~OF(RUN),
     TOPIC(root), .requires = "extract-root",
     HELP("the name of a node that is added; default: root")},
    {NAME("root-axes", "AXES"), TYPE(axes), ROOT(axes), .verbs = OF_WRITERS & ~OF(RUN), TOPIC(root),
     .requires = "extract-root", .excludes = "keep-position",
     HELP("axes of the place, such as xz or z; default: the horizontal ones")},
    {NAME("keep-heading", NULL), TYPE(flag), ROOT(keep_heading), .verbs = OF_WRITERS & ~OF(RUN),
     TOPIC(root), .requires = "extract-root",
     HELP("leave turns about the axis that points up in the joint")},
    {NAME("keep-position", NULL), TYPE(flag), ROOT(keep_position), .verbs = OF_WRITERS & ~OF(RUN),
     TOPIC(root), .requires = "extract-root", .excludes = "keep-heading",
     .cure = "both together leave nothing to extract", HELP("leave the place in the joint")},

    /* ---- curve ---- */
    {NAME("tangents", "KIND"), TYPE(tangents), CURVE(tangents), .words = motion_tangents_words,
     .reads = FILE_ARRAY, .by_content = true, .verbs = OF_CURVES, TOPIC(curve),
     HELP("velocities at the keys of squad and hermite: bessel (default), mean, hold, "
          "tcb:T,C,B, or FILE.npy (n, tracks, 3) of half-angle rad/s")},
    {NAME("ends", "KIND"), WORDS(motion_ends_words, 0), CURVE(ends),
     GIVEN(pm_motion_curve, ends_given), .verbs = OF_CURVES, TOPIC(curve),
     HELP("end condition of squad, hermite and spline: chord (default), natural, "
          "parabola, zero")},
    {NAME("unlimited", NULL), .other_name = "no-limit", TYPE(flag), CURVE(unlimited),
     .verbs = OF_CURVES, TOPIC(curve), HELP("disable the limiter of squad")},
    {NAME("loop", "P"), TYPE(seconds), CURVE(loop), .verbs = OF_CURVES, TOPIC(curve),
     HELP("closed track with a period of P seconds; if P is the span of the keys, "
          "the last key must repeat the first")},
    {NAME("axis", "AXIS"), TYPE(axis), CURVE(axis), .reads = FILE_ARRAY, .by_content = true,
     .verbs = OF_CURVES, TOPIC(curve),
     HELP("twist axis of sterp: x,y,z for all tracks, or FILE.npy (tracks, 3)")},
    {NAME("axis-frame", "FRAME"), WORDS(motion_frame_words, 0), CURVE(axis_frame),
     GIVEN(pm_motion_curve, axis_frame_given), .verbs = OF_CURVES, TOPIC(curve),
     HELP("frame of {axis}: body (default) or parent")},
    {NAME("swing", "A,B"), TYPE(window), CURVE(swing), GIVEN(pm_motion_curve, swing_given),
     .numbers = 2, RANGE(0, 1), .verbs = OF_CURVES, TOPIC(curve),
     HELP("part of a segment in which sterp swings; default 0,1")},
    {NAME("twist", "C,D"), TYPE(window), CURVE(twist), GIVEN(pm_motion_curve, twist_given),
     .numbers = 2, RANGE(0, 1), .verbs = OF_CURVES, TOPIC(curve),
     HELP("part of a segment in which sterp twists; default 0,1")},

    /* ---- batches ---- */
    {NAME("files-from", "LIST"), TYPE(path), SOURCES(files_from),
     .verbs = OF_BATCHES | OF(VIEW) | OF(LIST), TOPIC(batch),
     HELP("take inputs from a list with a path or a JSON object per line, or from a tar "
          "archive; - is standard input")},
    {NAME("match", "GLOB"), TYPE(text), SOURCES(match), .verbs = OF_BATCHES | OF(VIEW) | OF(LIST),
     TOPIC(batch),
     HELP("pick files in folders and archives by name, or by the path in the folder where the "
          "pattern has a /; default: all motion formats")},
    {NAME("jobs", "N"), TYPE(count), BATCH(jobs), RANGE(1, 1024), .verbs = OF_BATCHES, TOPIC(batch),
     .requires = "out-dir", HELP("files at a time; default: one per processor")},
    {NAME("memory", "BYTES"), TYPE(bytes), BATCH(memory), .verbs = OF_BATCHES, TOPIC(batch),
     .requires = "out-dir",
     HELP("limit of memory, such as 4G; default: a quarter of the machine's")},
    {NAME("resume", NULL), TYPE(flag), BATCH(resume), .verbs = OF_BATCHES, TOPIC(batch),
     .requires = "out-dir", HELP("keep outputs that the records prove correct")},
    {NAME("verify", NULL), TYPE(flag), BATCH(verify), .verbs = OF_BATCHES, TOPIC(batch),
     .requires = "resume", HELP("with {resume}, also read the outputs and compare their digests")},
    {NAME("overwrite", NULL), TYPE(flag), BATCH(overwrite), .verbs = OF_BATCHES | OF(JOIN),
     TOPIC(batch), .excludes = "resume",
     HELP("replace outputs that exist; without {out-dir}: let the result replace its source")},
    {NAME("records", "FILE"), TYPE(text), BATCH(records), .verbs = OF_BATCHES, TOPIC(batch),
     .requires = "out-dir",
     HELP("where to append records; default: DIR/.posemill/records-I.jsonl")},
    {NAME("report", "DIR"), TYPE(text), BATCH(report), .verbs = OF(RESAMPLE) | OF(REDUCE),
     TOPIC(batch), .requires = "out-dir", .excludes = "extract-root",
     .cure = "of one file: posemill compare IN OUT {out} PAGE",
     HELP("compare all outputs with their sources: an index.html that sorts them by error, "
          "and pages of the worst")},
    {NAME("report-pages", "N"), TYPE(count), BATCH(report_pages), RANGE(0, 10000),
     .verbs = OF(RESAMPLE) | OF(REDUCE), TOPIC(batch), .requires = "report",
     HELP("how many of the worst get a page; default 10; 0: only the index")},

    /* ---- device ---- */
    {NAME("device", "DEVICE"), TYPE(text), DEVICE(device),
     .verbs = OF_MOVERS | OF(RUN) | OF(EVAL) | OF(COMPARE) | OF(VERIFY), TOPIC(device),
     HELP("auto, cpu, gpu, none, N, P:D or part of a name, or "
          "several: all, or a list such as 0,2; see: posemill devices. "
          "Default: POSEMILL_DEVICE, else auto")},
    {NAME("device", "DEVICE"), TYPE(text), DEVICE(device), .verbs = OF(DEVICES) | OF(BENCH),
     HELP("auto, cpu, gpu, none, N, P:D or part of a name; "
          "see: posemill devices. Default: POSEMILL_DEVICE, else auto")},
    {NAME("reference", NULL), TYPE(flag), DEVICE(reference),
     .verbs = OF_MOVERS | OF(RUN) | OF(EVAL) | OF(COMPARE), TOPIC(device),
     HELP("evaluate on the CPU reference path, without OpenCL")},
};
const size_t option_row_count = sizeof option_rows / sizeof *option_rows;
_Static_assert(sizeof option_rows / sizeof *option_rows + OPTION_FRONT_MAX <= OPTION_ROWS_MAX,
               "there is room for the rows of a front end");
#define HAS_COUNT(struct_, names_, count_)                                                         \
    _Static_assert(offsetof(struct_, count_) == offsetof(struct_, names_) + sizeof(void *),        \
                   "names are followed by their count")
HAS_COUNT(pm_motion_edit_options, joints, joint_count);
HAS_COUNT(pm_motion_edit_options, renames, rename_count);
HAS_COUNT(pm_motion_batch_task, clips, clip_count);
_Static_assert(offsetof(pm_motion_compare_options, tolerance_mm) ==
                   offsetof(pm_motion_compare_options, tolerance_degrees) + sizeof(double),
               "a tolerance is two numbers");
