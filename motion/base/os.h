/* SPDX-License-Identifier: MIT
 *
 * The door to the operating system: what motion files, batches and the command ask of it, with one
 * implementation for each system (os_posix*.c and os_windows*.c). No other file of motion/ and tools/ may
 * name a system. Paths are UTF-8, and / separates their parts everywhere; systems may have other separators
 * too. Descriptors are those of <unistd.h>, whose close() and getpid() all systems have. A failure is an errno
 * value: returned where a function returns int, in errno elsewhere.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pthread.h>

/* ---- what lies in file systems ------------------------------------------------------------------- */

typedef enum os_kind { OS_NONE = 0, OS_REGULAR, OS_FOLDER, OS_PIPE, OS_LINK, OS_OTHER } os_kind;

typedef struct os_info {
    os_kind kind;
    uint64_t size;
    int64_t time;          /* of the last change: nanoseconds since 1970 */
    uint64_t volume, file; /* both together are the same for all names of one file */
    unsigned rights;       /* for os_create and os_set_rights */
} os_info;

/* False with errno, and OS_NONE. Links are followed, but by os_look_at_link. */
bool os_look(const char *path, os_info *info);
bool os_look_at_link(const char *path, os_info *info);
bool os_look_at_open(int file, os_info *info);

static inline bool os_same_file(const os_info *a, const os_info *b) {
    return a->volume == b->volume && a->file == b->file;
}

/* ---- names --------------------------------------------------------------------------------------- */

/* The last separator in a path; NULL: none. */
const char *os_last_separator(const char *path);
bool os_is_absolute(const char *path);

/* What is behind the last separator. */
static inline const char *os_last_part(const char *path) {
    const char *separator = os_last_separator(path);
    return separator ? separator + 1 : path;
}

/* Whether a path names a device, such as NUL in any folder, in place of a file. Devices that lie in file
 * systems are os_kind. */
bool os_names_device(const char *path);

/* Whether the parts of a relative name, which / separates, are names of files here and of no other place. */
bool os_can_have_name(const char *name);

/* The absolute path of what exists, with links resolved, malloc'ed. NULL with errno. */
char *os_resolve(const char *path);

/* A name of a system whose names are UTF-16, in UTF-8 and malloc'ed. NULL: names are bytes here, memory is
 * exhausted, or the text is none. */
char *os_narrow(const wchar_t *wide);

/* What a symbolic link says, malloc'ed. NULL: it is none. */
char *os_link_target(const char *path);

/* ---- open files ---------------------------------------------------------------------------------- */

/* Descriptors that no started program inherits; -1 with errno. None waits for the other end of a pipe. */
int os_open_to_read(const char *path);
int os_open_to_append(const char *path);          /* and to read; created if it is missing */
int os_open_to_lock(const char *path);            /* likewise, written anywhere; no link */
int os_open_in_place(const char *path);           /* a device or a pipe, to write */
int os_create(const char *path, unsigned rights); /* a new file, to write; 0666: as any */

/* Up to `size` bytes; 0: the end. -1 with errno, which is never EINTR. At a place: regular files alone, whose
 * own place is undefined after. */
int64_t os_read(int file, void *to, size_t size);
int64_t os_read_at(int file, void *to, size_t size, uint64_t at);
int64_t os_write(int file, const void *from, size_t size);
int64_t os_write_at(int file, const void *from, size_t size, uint64_t at);
uint64_t os_place(int file); /* where the next read begins */

/* Waits until a pipe has bytes or has ended. */
void os_wait_for_bytes(int file);

/* Returns when the content is on the disk. File systems that cannot flush are no failure. */
int os_flush(int file);

int os_set_rights(int file, unsigned rights);
bool os_can_write(const char *path);

/* A second descriptor, with the locks of the first. */
int os_duplicate(int file);

/* The bytes of an open regular file, which may be closed then. NULL: it cannot be mapped. */
const void *os_map(int file, size_t size);
void os_unmap(const void *bytes, size_t size);

/* The pages of a map leave the process's memory until they are read again. */
void os_drop_pages(const void *bytes, size_t size);

/* Whether a disk or a quota is full. */
bool os_is_full(int failure);

/* ---- locks, which end with the process ----------------------------------------------------------- */

typedef enum os_lock_use { OS_UNLOCKED, OS_SHARED, OS_ALONE } os_lock_use;

/* Changes the lock of a descriptor; OS_SHARED waits, and OS_ALONE is EWOULDBLOCK while others have one. */
int os_lock(int file, os_lock_use use);
bool os_lacks_locks(int failure); /* the file system has none */

/* Removes a regular file that no process has locked: one that was left behind. */
void os_remove_unlocked(const char *path);

/* ---- folders and their files --------------------------------------------------------------------- */

typedef struct os_folder os_folder;

os_folder *os_folder_open(const char *path);
bool os_folder_look(os_folder *folder, os_info *info); /* at the folder itself */
/* Names, in any order, without "." and ".."; NULL at the end, or with errno. */
const char *os_folder_next(os_folder *folder);
bool os_folder_look_at(os_folder *folder, const char *name, bool follow, os_info *info);
void os_folder_close(os_folder *folder); /* accepts NULL */

int os_make_folder(const char *path);

/* A new folder; its name ends in XXXXXX, which is replaced. */
int os_make_new_folder(char *path);

/* A file, or an empty folder. Callable in what os_watch_signals calls. */
void os_remove(const char *path);

/* Renames an open file with the lock that it has. What exists at the target is replaced, or with
 * `must_be_new` EEXIST. */
int os_rename(int file, const char *path, const char *target, bool must_be_new);

/* ---- signals that end the process, and a console that does --------------------------------------- */

typedef struct os_signals {
    uint64_t words[16];
} os_signals;

/* Between both calls none ends the process on this thread. */
void os_hold_signals(os_signals *before);
void os_give_signals(const os_signals *before);

/* Each calls `at_end`, a signal handler or on a thread of its own, with its number, and ends the process as
 * before where that returns true. Ignored ones stay ignored, and handlers of others are kept but for those of
 * the signals that users and terminals send. A file that is too large becomes an error. */
void os_watch_signals(bool (*at_end)(int number));

/* Has a function called in each child process that is forked from now on. */
void os_watch_forks(void (*in_child)(void));

/* ---- the command ---------------------------------------------------------------------------------- */

/* Makes standard streams binary and the console one of UTF-8, and opens something in place of each standard
 * stream that the caller closed. False with errno. */
bool os_begin_command(void);

/* The arguments of the process in UTF-8, which are not freed. False: memory is exhausted, or they are none. */
bool os_take_arguments(int *argc, char ***argv);

/* Columns of the terminal that standard error is; 0: it is none, -1: not known. */
int os_terminal_columns(void);

/* ---- time, memory, threads, text ----------------------------------------------------------------- */

double os_seconds(void);      /* of a monotonic clock */
int64_t os_time_of_day(void); /* nanoseconds since 1970 */
void os_sleep(unsigned milliseconds);

uint64_t os_memory(void);       /* of this machine; 0: not known */
uint64_t os_memory_taken(void); /* by this process, at most so far; 0: not known */

/* Asks for huge pages in memory that is not filled yet, where it is large and the system has them. NULL is
 * ignored. */
void os_ask_for_huge_pages(void *memory, size_t size);

void os_keep_memory(void);   /* lets small files reuse the memory of those before */
void os_return_memory(void); /* gives what was freed back to the system */

/* A condition whose waits the time of day does not change. False: the time is over. */
void os_condition_begin(pthread_cond_t *condition);
bool os_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, unsigned milliseconds);

/* A stream in memory. NULL: it cannot be made. The second function closes it; false: memory is exhausted, and
 * *text is NULL. */
FILE *os_text_begin(char **text, size_t *size);
bool os_text_end(FILE *stream, char **text, size_t *size);

char *strndup(const char *text, size_t size); /* as of POSIX, which not all systems declare */
