/* SPDX-License-Identifier: MIT
 *
 * Signals, terminals, time and memory of POSIX systems.
 */
#define _GNU_SOURCE /* madvise, _SC_PHYS_PAGES, struct winsize */
#define _DARWIN_C_SOURCE

#include "motion/base/c_locale.h"
#include "motion/base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* ---- signals ------------------------------------------------------------------------------------- */

/* All signals end a process but these, which do not, cannot be caught, or report a fault of the
 * instruction that they interrupt. Real-time signals are among those that do. */
static sigset_t fatal_set(void) {
    static const int others[] = {SIGKILL,  SIGSTOP, SIGCHLD, SIGCONT, SIGURG,
                                 SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGSEGV,
                                 SIGBUS,   SIGFPE,  SIGILL,  SIGTRAP, SIGXFSZ,
#ifdef SIGINFO /* of macOS, where SIGIO ends nothing either */
                                 SIGINFO,  SIGIO
#endif
    };
    sigset_t set;
    sigfillset(&set);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        sigdelset(&set, others[i]);
    return set;
}

/* Those that the command always takes over. Others may be the handlers of a driver, of a profiler or
 * of the program that this is a part of. */
static bool is_own(int number) {
    return number == SIGHUP || number == SIGINT || number == SIGQUIT || number == SIGTERM ||
           number == SIGPIPE || number == SIGXCPU;
}

_Static_assert(sizeof(sigset_t) <= sizeof(os_signals), "a set of signals fits");

void os_hold_signals(os_signals *before) {
    const sigset_t set = fatal_set();
    sigset_t found;
    pthread_sigmask(SIG_BLOCK, &set, &found);
    memcpy(before, &found, sizeof found);
}

void os_give_signals(const os_signals *before) {
    sigset_t set;
    memcpy(&set, before, sizeof set);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
}

static bool (*called_at_end)(int number);

static void end(int number) {
    sigset_t set;
    if (!called_at_end(number))
        return;
    signal(number, SIG_DFL);
    raise(number);
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    _exit(128 + number);
}

void os_watch_signals(bool (*at_end)(int number)) {
    struct sigaction action;
    called_at_end = at_end;
    memset(&action, 0, sizeof action);
    action.sa_handler = end;
    action.sa_flags = SA_RESTART; /* the first signal of a batch lets files in work be finished */
    action.sa_mask = fatal_set(); /* a second signal would wait for the first */
    for (int number = 1; number < NSIG; number++) {
        struct sigaction current;
        if (sigismember(&action.sa_mask, number) == 1 && sigaction(number, NULL, &current) == 0 &&
            current.sa_handler != SIG_IGN && (is_own(number) || current.sa_handler == SIG_DFL))
            sigaction(number, &action, NULL);
    }
    signal(SIGXFSZ, SIG_IGN);
}

void os_watch_forks(void (*in_child)(void)) {
    pthread_atfork(NULL, NULL, in_child); /* fails only without memory */
}

/* ---- the command ---------------------------------------------------------------------------------- */

/* Otherwise the next file opened, an output, would get the number of a stream, and reports would be written
 * into it. The open mode is the wrong one for the stream, so that reading and writing fail as before. */
bool os_begin_command(void) {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        const int mode = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", mode) != stream)
            return false;
    }
    return true;
}

bool os_take_arguments(int *argc, char ***argv) {
    (void)argc, (void)argv;
    return true;
}

int os_terminal_columns(void) {
    struct winsize size;
    if (isatty(STDERR_FILENO) != 1)
        return 0;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : -1;
}

/* ---- time, memory, threads, text ----------------------------------------------------------------- */

static int64_t nanoseconds_of(clockid_t clock) {
    struct timespec now = {0, 0};
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double os_seconds(void) {
    return 1e-9 * (double)nanoseconds_of(CLOCK_MONOTONIC);
}

int64_t os_time_of_day(void) {
    return nanoseconds_of(CLOCK_REALTIME);
}

void os_sleep(unsigned milliseconds) {
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000L}, NULL);
}

uint64_t os_memory(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

uint64_t os_memory_taken(void) {
#ifdef __APPLE__
    enum { UNIT = 1 };
#else
    enum { UNIT = 1024 };
#endif
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * UNIT : 0;
}

/* Advice to the system, which may ignore it: small pages do as well. */
void os_ask_for_huge_pages(void *memory, size_t size) {
#ifdef MADV_HUGEPAGE
    enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };
    const size_t before = -(uintptr_t)memory % PAGE;
    if (memory && size >= 2 * (size_t)HUGE_PAGE)
        madvise((char *)memory + before, size - before, MADV_HUGEPAGE);
#endif
    (void)memory;
    (void)size;
}

/* By default the C library gives 2 MB back to the system after each file, and takes them again:
 * measured, 20,000 files of 24 kB take 1.15 times as long. */
void os_keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, 32 << 20);
    mallopt(M_MMAP_THRESHOLD, 8 << 20);
#endif
}

void os_return_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void os_condition_begin(pthread_cond_t *condition) {
#ifdef __APPLE__
    pthread_cond_init(condition, NULL);
#else
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
#endif
}

bool os_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, unsigned milliseconds) {
    int64_t wait = (int64_t)milliseconds * 1000000;
#ifdef __APPLE__
    const struct timespec span = {(time_t)(wait / 1000000000), (long)(wait % 1000000000)};
    return pthread_cond_timedwait_relative_np(condition, mutex, &span) == 0;
#else
    wait += nanoseconds_of(CLOCK_MONOTONIC);
    const struct timespec at = {(time_t)(wait / 1000000000), (long)(wait % 1000000000)};
    return pthread_cond_timedwait(condition, mutex, &at) == 0;
#endif
}

FILE *os_text_begin(char **text, size_t *size) {
    return open_memstream(text, size);
}

bool os_text_end(FILE *stream, char **text, size_t *size) {
    (void)size;
    const bool done = ferror(stream) == 0;
    if (fclose(stream) == 0 && done)
        return true;
    free(*text);
    *text = NULL;
    return false;
}

/* Characters of 32 bits have no names of files. */
char *os_narrow(const wchar_t *wide) {
    (void)wide;
    return NULL;
}

/* The C locale is a constant of the C library, which takes no memory and is not freed. */
void *c_locale_begin(void) {
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static locale_t utf8;

static void make_utf8(void) {
    utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* It is kept, because making it reads a file. Without one, (locale_t)0 changes nothing. */
void *utf8_locale_begin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_utf8);
    return uselocale(utf8);
}

void c_locale_end(void *before) {
    uselocale(before);
}
