/* SPDX-License-Identifier: MIT
 *
 * Matching names of joints and bodies: exactly, by what is left of them without common words, or by numbers.
 */
#include "motion/library/library.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "motion/model/names.h"

/* Words that files add to the names of joints. */
static const char *const words[] = {"joint", "dof", "pos", "position", "angle", "rad"};

static bool is_separator(char c) {
    return c != '\0' && strchr("_-./: ()[]", c) != NULL;
}

static bool is_word(const char *text, size_t size) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == size && memcmp(words[i], text, size) == 0)
            return true;
    return false;
}

/* Removes separators and one word at an end. False: there is none, or nothing else. */
static bool strip_end(pm_motion_name *name) {
    size_t size = name->size, word = 0;
    while (size > 0 && is_separator(name->text[size - 1]))
        size--;
    while (word < size && !is_separator(name->text[size - 1 - word]))
        word++;
    const bool stripped = word < size && is_word(name->text + size - word, word);
    name->size = stripped ? size - word - 1 : size;
    return stripped;
}

static bool strip_start(pm_motion_name *name) {
    size_t word = 0;
    while (word < name->size && !is_separator(name->text[word]))
        word++;
    if (word >= name->size || !is_word(name->text, word))
        return false;
    *name = (pm_motion_name){name->text + word + 1, name->size - word - 1};
    return true;
}

/* The name in small letters, without words at its ends. Text NULL: memory is exhausted. */
static pm_motion_name plain_name(pm_motion_name name, motion_arena *arena) {
    char *text = motion_copy_text(arena, name.text, name.size);
    for (size_t i = 0; text && i < name.size; i++)
        text[i] = (char)tolower((unsigned char)text[i]);
    pm_motion_name plain = {text, name.size};
    while (text && (strip_end(&plain) || strip_start(&plain)))
        ;
    return plain;
}

static bool make_plain(robot_names from, motion_arena *arena, robot_names *to) {
    pm_motion_name *names = motion_allocate(arena, from.count, sizeof *names);
    bool good = names != NULL;
    for (size_t i = 0; good && i < from.count; i++) {
        names[i] = plain_name(from.names[i], arena);
        good = names[i].text != NULL;
    }
    *to = (robot_names){names, from.count};
    return good;
}

static motion_named *sort(robot_names of, motion_arena *arena) {
    motion_named *sorted = motion_allocate(arena, of.count, sizeof *sorted);
    for (size_t i = 0; sorted && i < of.count; i++)
        sorted[i] = (motion_named){of.names[i], (uint32_t)i};
    if (sorted)
        motion_sort_named(sorted, of.count);
    return sorted;
}

static bool is_twice(const motion_named *sorted, size_t count, size_t i) {
    return i + 1 < count && motion_compare_names(sorted[i].name, sorted[i + 1].name) == 0;
}

/* Which names have a partner. */
typedef struct matching {
    motion_named *file, *robot;
    bool *file_found, *robot_found; /* by place */
    bool twice;
} matching;

/* False: memory is exhausted. */
static bool match(robot_names file, robot_names robot, motion_arena *arena, uint32_t *places,
                  matching *m) {
    *m = (matching){sort(file, arena), sort(robot, arena),
                    motion_allocate(arena, file.count, sizeof *m->file_found),
                    motion_allocate(arena, robot.count, sizeof *m->robot_found), false};
    if (!m->file || !m->robot || !m->file_found || !m->robot_found)
        return false;
    for (size_t i = 0; i < robot.count; i++)
        places[i] = PM_NO_INDEX32;
    for (size_t i = 0, j = 0; i < file.count && j < robot.count;) {
        const int order = motion_compare_names(m->file[i].name, m->robot[j].name);
        if (order == 0) {
            m->twice =
                m->twice || is_twice(m->file, file.count, i) || is_twice(m->robot, robot.count, j);
            places[m->robot[j].index] = m->file[i].index;
            m->file_found[m->file[i].index] = m->robot_found[m->robot[j].index] = true;
        }
        i += order <= 0;
        j += order >= 0;
    }
    return true;
}

static bool are_all(const bool *found, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!found[i])
            return false;
    return true;
}

static bool is_whole(const matching *m, robot_names file, robot_names robot, bool all) {
    return !m->twice && are_all(m->file_found, file.count) &&
           (!all || are_all(m->robot_found, robot.count));
}

enum { LIST = 160 };

/* Names, or those without a partner. False: they do not fit, and the list ends with "...". */
static bool list_names(robot_names of, const bool *found, char text[LIST]) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < of.count; i++) {
        char shown[MOTION_PRINTABLE];
        if (found && found[i])
            continue;
        motion_printable(shown, of.names[i].text, of.names[i].size);
        if (used + strlen(shown) + 8 > LIST) {
            snprintf(text + used, LIST - used, ", ...");
            return false;
        }
        used += (size_t)snprintf(text + used, LIST - used, "%s%s", used ? ", " : "", shown);
    }
    return true;
}

/* Whole lists where they fit, otherwise what differs. */
static pm_status refuse(const char *kind, robot_names file, robot_names robot, const matching *m,
                        pm_error *error) {
    const char *twice = m->twice ? "; one of them is there twice" : "";
    char ours[LIST], theirs[LIST];
    const bool fits = list_names(file, NULL, theirs);
    if (list_names(robot, NULL, ours) && fits)
        return motion_refuse(error, "has the %s names %s; the robot has %s%s", kind, theirs, ours,
                             twice);
    (void)list_names(file, m->file_found, theirs);
    (void)list_names(robot, m->robot_found, ours);
    return motion_refuse(error,
                         "%s names that the robot lacks: %s; those that the file lacks: %s%s", kind,
                         theirs[0] ? theirs : "none", ours[0] ? ours : "none", twice);
}

static void note_plain(const char *kind, robot_names file, robot_names robot,
                       const uint32_t *places, motion_notes *notes) {
    for (size_t i = 0; notes && i < robot.count; i++) {
        const pm_motion_name name =
            places[i] != PM_NO_INDEX32 ? file.names[places[i]] : robot.names[i];
        if (motion_compare_names(name, robot.names[i]) == 0)
            continue;
        motion_note(notes,
                    "%s names are those of the robot without regard to case and to words such as "
                    "'joint' and 'dof' at their ends: '%s' is '%s'",
                    kind, MOTION_SHOWN(name.text, name.size),
                    MOTION_SHOWN(robot.names[i].text, robot.names[i].size));
        return;
    }
}

/* Whether names only count: 0, 1, 2 or 1, 2, 3. */
static bool are_numbers(robot_names plain) {
    size_t first = 0;
    for (size_t i = 0; i < plain.count; i++) {
        char text[24];
        if (i == 0 && plain.names[0].size == 1)
            first = plain.names[0].text[0] == '1';
        const int size = snprintf(text, sizeof text, "%zu", i + first);
        if (plain.names[i].size != (size_t)size ||
            memcmp(plain.names[i].text, text, (size_t)size) != 0)
            return false;
    }
    return plain.count > 0;
}

static void use_order(const char *kind, robot_names robot, uint32_t *places, motion_notes *notes) {
    for (size_t i = 0; i < robot.count; i++)
        places[i] = (uint32_t)i;
    if (notes)
        motion_note(notes,
                    "%ss are numbered and not named; they are taken in the order of the robot",
                    kind);
}

bool robot_has_names(robot_names names) {
    for (size_t i = 0; names.names && i < names.count; i++)
        if (names.names[i].size > 0)
            return true;
    return false;
}

static pm_status match_in(motion_arena *arena, const char *kind, robot_names file,
                          robot_names robot, bool all, uint32_t *places, motion_notes *notes,
                          pm_error *error) {
    robot_names plain_file, plain_robot;
    matching exact, plain;
    if (!match(file, robot, arena, places, &exact))
        return motion_refuse_memory(error);
    if (is_whole(&exact, file, robot, all))
        return PM_OK;
    if (!make_plain(file, arena, &plain_file) || !make_plain(robot, arena, &plain_robot) ||
        !match(plain_file, plain_robot, arena, places, &plain))
        return motion_refuse_memory(error);
    if (is_whole(&plain, file, robot, all)) {
        note_plain(kind, file, robot, places, notes);
        return PM_OK;
    }
    if (file.count != robot.count || !are_numbers(plain_file))
        return refuse(kind, file, robot, &exact, error);
    use_order(kind, robot, places, notes);
    return PM_OK;
}

pm_status robot_match_names(const char *kind, robot_names file, robot_names robot, bool all,
                            uint32_t *places, motion_notes *notes, pm_error *error) {
    motion_arena arena = {NULL};
    if (!robot_has_names(file) || !robot_has_names(robot)) {
        use_order(kind, robot, places, NULL);
        return PM_OK;
    }
    const pm_status status = match_in(&arena, kind, file, robot, all, places, notes, error);
    motion_arena_release(&arena);
    return status;
}
