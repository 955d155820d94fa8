/* SPDX-License-Identifier: MIT
 *
 * Opens tar archives, one at a time, and reads members. Sizes in headers are claims: memory grows with the data that
 * is there, and only the caller's limit is trusted.
 */
#include "motion/items/archive.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool archive_is_named(const char *path) {
    static const char *const ends[] = {".tar",    ".tar.gz",  ".tgz",
                                       ".tar.xz", ".tar.bz2", ".tar.zst"};
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const size_t size = strlen(ends[i]);
        if (length > size && strcasecmp(path + length - size, ends[i]) == 0)
            return true;
    }
    return false;
}

bool member_read(member_reader *r, const batch_item *item, const input_kind *kind, char **data,
                 size_t *size, char reason[ARCHIVE_REASON_SIZE]) {
    if (!r->path || strcmp(r->path, item->archive) != 0) {
        archive_close(&r->archive);
        r->path = item->archive;
        if (!archive_open(item->archive, &r->archive, reason))
            return false;
    }
    if (!r->archive) {
        snprintf(reason, ARCHIVE_REASON_SIZE, "the archive cannot be read");
        return false;
    }
    return archive_read(r->archive, item, kind, data, size, reason);
}

void member_reader_close(member_reader *r) {
    archive_close(&r->archive);
    r->path = NULL;
}

#ifdef POSEMILL_LIBARCHIVE

#include "motion/base/c_locale.h"
#include "motion/base/os.h"
#include "motion/items/archive_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static const bool names_are_wide = sizeof(wchar_t) == 2;

#ifdef POSEMILL_LIBARCHIVE_SONAME

#include <dlfcn.h>
#include <pthread.h>

archive_table archive_functions;
static bool is_loaded;

/* It stays open, as its threads and caches may. */
static void load(void) {
    void *library = dlopen(POSEMILL_LIBARCHIVE_SONAME, RTLD_NOW | RTLD_LOCAL), *symbol;
    is_loaded = library != NULL;
#define LOAD(name)                                                                                 \
    symbol = is_loaded ? dlsym(library, "archive_" #name) : NULL;                                  \
    is_loaded = symbol != NULL;                                                                    \
    memcpy(&archive_functions.name, &symbol, sizeof symbol);
    ARCHIVE_FUNCTIONS(LOAD)
#undef LOAD
}

static bool can_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded;
}

#else

#define POSEMILL_LIBARCHIVE_SONAME "libarchive"
#define LINKED(name) .name = archive_##name,
archive_table archive_functions = {ARCHIVE_FUNCTIONS(LINKED)};
#undef LINKED

static bool can_load(void) {
    return true;
}

#endif

/* What an archive may claim without having it. */
#define HOLES_MAX (UINT64_C(16) << 20)

static bool refuse(char *reason, const char *text) {
    snprintf(reason, ARCHIVE_REASON_SIZE, "%s", text);
    return false;
}

/* The words of libarchive for its last failure. */
static bool refuse_archive(const archive_reader *reader, char *reason) {
    const char *text = archive_functions.error_string(reader->archive);
    return refuse(reason, text ? text : "cannot be read");
}

static bool support_tar(struct archive *a) {
    return archive_functions.read_support_format_tar(a) >= ARCHIVE_WARN &&
           archive_functions.read_support_filter_gzip(a) >= ARCHIVE_WARN &&
           archive_functions.read_support_filter_bzip2(a) >= ARCHIVE_WARN &&
           archive_functions.read_support_filter_xz(a) >= ARCHIVE_WARN &&
           archive_functions.read_support_filter_zstd(a) >= ARCHIVE_WARN &&
           (!names_are_wide ||
            archive_functions.read_set_option(a, "tar", "hdrcharset", "UTF-8") == ARCHIVE_OK);
}

bool archive_open(const char *path, archive_reader **reader, char reason[ARCHIVE_REASON_SIZE]) {
    enum { BLOCK = 1 << 18 };
    *reader = NULL;
    if (!can_load())
        return refuse(reason, "is a tar archive, and " POSEMILL_LIBARCHIVE_SONAME
                              " is not installed (Debian: libarchive13)");
    archive_reader *opened = calloc(1, sizeof *opened);
    if (!opened || !(opened->archive = archive_functions.read_new())) {
        free(opened);
        return refuse(reason, "out of memory");
    }
    opened->file = input_open(path, INPUT_REGULAR, reason); /* it is read more than once */
    if (opened->file < 0) {
        archive_close(&opened);
        return false;
    }
    if (!support_tar(opened->archive) ||
        archive_functions.read_open_fd(opened->archive, opened->file, BLOCK) != ARCHIVE_OK) {
        (void)refuse_archive(opened, reason);
        archive_close(&opened);
        return false;
    }
    *reader = opened;
    return true;
}

/* Names are UTF-8 in the locale of libarchive: those that a locale does not have take it some
 * microseconds a byte, and are warned of. */
static int next_header(archive_reader *reader) {
    void *const before = utf8_locale_begin();
    const int result = archive_functions.read_next_header(reader->archive, &reader->entry);
    c_locale_end(before);
    return result;
}

/* Where names of files are UTF-16, libarchive has them so, and its bytes lack characters. False: not UTF-8. */
static bool find_name(archive_reader *reader, int result) {
    free(reader->narrowed);
    reader->narrowed = NULL;
    if (!names_are_wide) {
        reader->name = archive_functions.entry_pathname(reader->entry);
        return true;
    }
    const wchar_t *wide = archive_functions.entry_pathname_w(reader->entry);
    reader->name = reader->narrowed = wide && result == ARCHIVE_OK ? os_narrow(wide) : NULL;
    return reader->name != NULL;
}

archive_step archive_next(archive_reader *reader, char reason[ARCHIVE_REASON_SIZE]) {
    const int result = next_header(reader);
    if (result == ARCHIVE_EOF)
        return ARCHIVE_AT_END;
    if (result < ARCHIVE_WARN) { /* a warning is about a name that the locale does not have */
        (void)refuse_archive(reader, reason);
        return ARCHIVE_BROKEN;
    }
    reader->place = reader->begun ? reader->place + 1 : 0;
    reader->begun = true;
    if (!find_name(reader, result)) {
        snprintf(reason, ARCHIVE_REASON_SIZE, "the name of entry %" PRIu64 " is not UTF-8",
                 reader->place + 1);
        return ARCHIVE_BROKEN;
    }
    return ARCHIVE_AT_ENTRY;
}

/* Holes have no bytes in the archive. */
static uint64_t holes_of(struct archive_entry *entry) {
    uint64_t data = 0;
    la_int64_t begin, size;
    if (archive_functions.entry_sparse_reset(entry) == 0)
        return 0;
    while (archive_functions.entry_sparse_next(entry, &begin, &size) == ARCHIVE_OK)
        data += size > 0 ? (uint64_t)size : 0;
    const uint64_t all = (uint64_t)archive_functions.entry_size(entry);
    return all > data ? all - data : 0;
}

const char *archive_fault_of(struct archive_entry *entry) {
    const mode_t type = archive_functions.entry_filetype(entry);
    if (type == AE_IFLNK || archive_functions.entry_hardlink(entry))
        return "is a link, which is not followed in an archive";
    if (type != AE_IFREG)
        return "is no regular file";
    if (!archive_functions.entry_size_is_set(entry) || archive_functions.entry_size(entry) < 0)
        return "has no size";
    return holes_of(entry) > HOLES_MAX ? "is a sparse file with more than 16 MiB of holes" : NULL;
}

static const char changed[] = "has changed since it was listed";

static bool find_member(archive_reader *reader, const batch_item *item, char *reason) {
    const size_t prefix = strlen(item->archive) + 1; /* "takes.tar:" */
    if (reader->begun && reader->place >= item->member)
        return refuse(reason, "lies before the last member that was read");
    while (!reader->begun || reader->place < item->member) {
        const archive_step step = archive_next(reader, reason);
        if (step != ARCHIVE_AT_ENTRY)
            return step == ARCHIVE_AT_END ? refuse(reason, changed) : false;
    }
    return (reader->name != NULL && archive_fault_of(reader->entry) == NULL &&
            strcmp(reader->name, item->path + prefix) == 0 &&
            (uint64_t)archive_functions.entry_size(reader->entry) == item->bytes) ||
           refuse(reason, changed);
}

/* Makes room for more of `most` bytes and a NUL. */
static bool grow(char **data, size_t *room, size_t most) {
    enum { FIRST = 1 << 20 };
    const size_t doubled = *room < FIRST ? FIRST : *room > most / 2 ? most : 2 * *room;
    const size_t next = doubled < most ? doubled : most;
    char *more = realloc(*data, next + 1);
    if (more) {
        *data = more;
        *room = next;
    }
    return more != NULL;
}

/* The first bytes are read and checked by themselves. */
static bool read_data(archive_reader *reader, const input_kind *kind, size_t most, char **data,
                      char *reason) {
    size_t used = 0, room = 0, goal = most < INPUT_FIRST_BYTES ? most : INPUT_FIRST_BYTES;
    if (!grow(data, &room, most))
        return refuse(reason, "out of memory");
    while (used < most) {
        if (used == room && !grow(data, &room, most))
            return refuse(reason, "out of memory");
        const size_t wanted = (goal < room ? goal : room) - used;
        const la_ssize_t got = archive_functions.read_data(reader->archive, *data + used, wanted);
        if (got < 0)
            return refuse_archive(reader, reason);
        if (got == 0)
            return refuse(reason, "is cut off");
        used += (size_t)got;
        if (used > input_machine_bounds().file)
            return refuse(reason, "is larger than the memory of this machine");
        if (used == goal && goal < most) {
            if (!input_check_kind(kind, *data, used, false, reason))
                return false;
            goal = most;
        }
    }
    (*data)[used] = '\0';
    return input_check_kind(kind, *data, used, true, reason);
}

bool archive_read(archive_reader *reader, const batch_item *item, const input_kind *kind,
                  char **data, size_t *size, char reason[ARCHIVE_REASON_SIZE]) {
    *data = NULL;
    *size = 0;
    if (item->bytes >= SIZE_MAX / 2)
        return refuse(reason, "is too large");
    if (find_member(reader, item, reason) &&
        read_data(reader, kind, (size_t)item->bytes, data, reason)) {
        *size = (size_t)item->bytes;
        return true;
    }
    free(*data);
    *data = NULL;
    return false;
}

void archive_close(archive_reader **reader) {
    if (*reader) {
        (void)archive_functions.read_free((*reader)->archive);
        if ((*reader)->file >= 0)
            close((*reader)->file);
        free((*reader)->narrowed);
        free(*reader);
        *reader = NULL;
    }
}

#else

#include "motion/base/fault.h"

static const char absent[] = "is a tar archive, and this build is without libarchive";

pm_status archive_list(const char *path, const char *match, batch_items *items, pm_error *error) {
    (void)match, (void)items;
    return motion_fail_at(error, PM_ERROR_FILE, path,
                          "build with libarchive (Debian: libarchive-dev)", "%s", absent);
}

pm_status archive_find(const char *path, const archive_wanted *wanted, size_t count,
                       batch_items *items, pm_error *error) {
    (void)wanted, (void)count, (void)items;
    return archive_list(path, NULL, NULL, error);
}

bool archive_open(const char *path, archive_reader **reader, char reason[ARCHIVE_REASON_SIZE]) {
    (void)path;
    *reader = NULL;
    snprintf(reason, ARCHIVE_REASON_SIZE, "%s", absent);
    return false;
}

bool archive_read(archive_reader *reader, const batch_item *item, const input_kind *kind,
                  char **data, size_t *size, char reason[ARCHIVE_REASON_SIZE]) {
    (void)reader, (void)item, (void)kind;
    *data = NULL;
    *size = 0;
    snprintf(reason, ARCHIVE_REASON_SIZE, "%s", absent);
    return false;
}

void archive_close(archive_reader **reader) {
    *reader = NULL;
}

#endif
