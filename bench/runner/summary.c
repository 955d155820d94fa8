/* SPDX-License-Identifier: MIT
 *
 * The headline is slerp that upsamples by 4 in device memory. Texts of drivers are escaped for the
 * terminal, and in the entry for TeX too.
 */
#include "summary.h"

#include "motion/base/printable.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 256, ENTRY = 2048 };

/* The headline's case, if it was measured. */
static const bench_result *headline(const bench_record *record) {
    const bench_result *found = record_find(record, RECORD_HEADLINE);
    return found && found->times.count > 0 ? found : NULL;
}

static void tell_rate(const bench_record *record, char text[TEXT]) {
    const bench_result *ours = headline(record);
    double seconds[2];
    if (!ours) {
        snprintf(text, TEXT, "not measured: the run has no %s", RECORD_HEADLINE);
        return;
    }
    stats_interval(ours->times.of[ROLE_CASE], NULL, ours->times.count, seconds);
    const double million = 1e-6 * (double)ours->samples;
    snprintf(text, TEXT,
             "%.1f million samples/s of slerp by 4, 95 %% interval %.1f to %.1f, %zu repetitions%s",
             1e-6 * ours->samples_per_s, million / seconds[1], million / seconds[0],
             ours->times.count, record->quick ? " (a quick run)" : "");
}

static void tell_bound(const bench_record *record, char text[TEXT]) {
    static const char *const whats[] = {[BOUND_FILL] = "writing the results (fill)",
                                        [BOUND_COPY] =
                                            "reading the keys and writing the results (copy)",
                                        [BOUND_ARITHMETIC] = "the arithmetic (multiply-adds)"};
    const bench_result *ours = headline(record);
    double shares[2];
    if (!ours || ours->bound == BOUND_NONE) {
        snprintf(text, TEXT, "not measured");
        return;
    }
    const bench_times *times = &ours->times;
    stats_interval(times->of[ROLE_BOUND], times->of[ROLE_CASE], times->count, shares);
    snprintf(text, TEXT, "%.1f %% of %s at the device's rate, 95 %% interval %.1f to %.1f",
             100.0 * ours->bound_share, whats[ours->bound], 100.0 * shares[0], 100.0 * shares[1]);
}

static const char *verdict(const bench_load *load) {
    return !load->known ? "load unknown" : load->busy ? "BUSY" : "quiet";
}

static void print_machine(FILE *file, const bench_load *load) {
    fprintf(file, "machine: %s", verdict(load));
    if (load->known)
        fprintf(file,
                "; other processes used %.2f processors, %.1f %% of the time was stolen, load "
                "average before the run %.2f",
                load->others, 100.0 * load->steal, load->average);
    fprintf(file, load->known && load->busy ? "; rates are too low, shares suffer less\n" : "\n");
}

void summary_print(FILE *file, const bench_record *record) {
    char rate[TEXT], bound[TEXT];
    tell_rate(record, rate);
    tell_bound(record, bound);
    print_machine(file, &record->load);
    fprintf(file, "headline: %s\nbound: %s\n", rate, bound);
    printable_line(file, "commit: %s", record->commit);
    fprintf(file, "date: %s\n", record->date);
}

/* The text with what is special in TeX escaped. A text that does not fit is cut. */
static void write_tex(char entry[ENTRY], const char *untrusted) {
    char clean[ENTRY];
    const char *text = clean;
    size_t used = 0;
    printable_text(clean, sizeof clean, untrusted, strlen(untrusted));
    for (; *text != '\0' && used + 3 < ENTRY; text++) {
        if (strchr("\\~^", *text)) { /* these have no short escape */
            entry[used++] = '-';
            continue;
        }
        if (strchr("&%$#_{}", *text))
            entry[used++] = '\\';
        entry[used++] = *text;
    }
    entry[used] = '\0';
}

void summary_print_bibtex(FILE *file, const bench_record *record) {
    char rate[TEXT], bound[TEXT], title[ENTRY], note[ENTRY], escaped[ENTRY];
    tell_rate(record, rate);
    tell_bound(record, bound);
    snprintf(note, sizeof note, "Posemill%s%s: posemill bench on %s", record->version[0] ? " " : "",
             record->version, record->device.name);
    write_tex(title, note);
    snprintf(note, sizeof note, "commit %s; driver %s; %s; bound: %s; machine: %s", record->commit,
             record->device.driver[0] != '\0' ? record->device.driver : "none", rate, bound,
             verdict(&record->load));
    write_tex(escaped, note);
    fprintf(file,
            "\n@misc{posemill-bench-%.10s,\n"
            "  author = {{Posemill contributors}},\n",
            record->date);
    fprintf(file, "  title = {%s},\n", title);
    fprintf(file, "  year = {%.4s},\n  month = {%.2s},\n", record->date, record->date + 5);
    fprintf(file, "  note = {%s; measured %s}\n", escaped, record->date);
    fprintf(file, "}\n");
}
