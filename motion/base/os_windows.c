/* SPDX-License-Identifier: MIT
 *
 * Consoles, time and memory of Windows.
 */
#include "motion/base/os_windows.h"

#include "motion/base/c_locale.h"
#include "motion/base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include <psapi.h>
#include <shellapi.h>

char *os_narrow(const wchar_t *wide) {
    const int size =
        WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, wide, -1, NULL, 0, NULL, NULL);
    char *text = size > 0 ? malloc((size_t)size) : NULL;
    if (text)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, size, NULL, NULL);
    return text;
}

wchar_t *os_widen(const char *text) {
    const int size = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = size > 0 ? malloc((size_t)size * sizeof *wide) : NULL;
    if (wide)
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, size);
    return wide;
}

/* ---- the end of a process ------------------------------------------------------------------------ */

/* The system calls the handler on a thread of its own, which waits for what it needs. */
void os_hold_signals(os_signals *before) {
    (void)before;
}

void os_give_signals(const os_signals *before) {
    (void)before;
}

static bool (*called_at_end)(int number);

/* FALSE: the next handler is called, the last of which ends the process. */
static BOOL WINAPI handle_end(DWORD event) {
    const bool is_key = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
    return !called_at_end(is_key ? SIGINT : SIGTERM);
}

void os_watch_signals(bool (*at_end)(int number)) {
    called_at_end = at_end;
    SetConsoleCtrlHandler(handle_end, TRUE);
}

void os_watch_forks(void (*in_child)(void)) {
    (void)in_child;
}

/* ---- the command ---------------------------------------------------------------------------------- */

bool os_take_arguments(int *argc, char ***argv) {
    int count = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
    char **texts = wide ? calloc((size_t)count + 1, sizeof *texts) : NULL;
    bool good = texts != NULL;
    for (int i = 0; good && i < count; i++)
        good = (texts[i] = os_narrow(wide[i])) != NULL;
    LocalFree(wide);
    if (good) {
        *argc = count;
        *argv = texts;
    }
    return good;
}

bool os_begin_command(void) {
    for (int stream = 0; stream < 3; stream++) {
        const int mode = stream == 0 ? _O_WRONLY : _O_RDONLY;
        if (_get_osfhandle(stream) < 0 && _open("NUL", mode | _O_BINARY) != stream)
            return false;
        _setmode(stream, _O_BINARY);
    }
    SetConsoleOutputCP(CP_UTF8);
    return true;
}

int os_terminal_columns(void) {
    CONSOLE_SCREEN_BUFFER_INFO info;
    HANDLE console = GetStdHandle(STD_ERROR_HANDLE);
    DWORD mode;
    if (!GetConsoleMode(console, &mode))
        return 0;
    return GetConsoleScreenBufferInfo(console, &info) && info.dwSize.X > 0 ? info.dwSize.X : -1;
}

/* ---- time, memory, threads, text ----------------------------------------------------------------- */

double os_seconds(void) {
    LARGE_INTEGER ticks, rate;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&rate);
    return (double)ticks.QuadPart / (double)rate.QuadPart;
}

int64_t os_time_of_day(void) {
    FILETIME now;
    GetSystemTimePreciseAsFileTime(&now);
    return nanoseconds_of(now);
}

void os_sleep(unsigned milliseconds) {
    Sleep(milliseconds);
}

uint64_t os_memory(void) {
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : 0;
}

uint64_t os_memory_taken(void) {
    PROCESS_MEMORY_COUNTERS counters;
    return GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters)
               ? counters.PeakWorkingSetSize
               : 0;
}

void os_ask_for_huge_pages(void *memory, size_t size) {
    (void)memory, (void)size; /* they require a right that users do not have */
}

void os_keep_memory(void) {
}

void os_return_memory(void) {
}

/* The time of day may change: a wait is then longer or shorter once. */
void os_condition_begin(pthread_cond_t *condition) {
    pthread_cond_init(condition, NULL);
}

bool os_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, unsigned milliseconds) {
    const int64_t end = os_time_of_day() + (int64_t)milliseconds * 1000000;
    const struct timespec at = {(time_t)(end / 1000000000), (long)(end % 1000000000)};
    return pthread_cond_timedwait(condition, mutex, &at) == 0;
}

/* A file that the system keeps in memory where it can, and removes when it is closed. */
FILE *os_text_begin(char **text, size_t *size) {
    wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 16];
    *text = NULL;
    *size = 0;
    const DWORD length = GetTempPathW(MAX_PATH + 1, folder);
    if (length == 0 || length > MAX_PATH || GetTempFileNameW(folder, L"pm", 0, path) == 0)
        return NULL;
    return _wfopen(path, L"w+bTD");
}

bool os_text_end(FILE *stream, char **text, size_t *size) {
    const int64_t end =
        ferror(stream) == 0 && fseek(stream, 0, SEEK_END) == 0 ? _ftelli64(stream) : -1;
    char *read = end >= 0 ? malloc((size_t)end + 1) : NULL;
    rewind(stream);
    if (read && fread(read, 1, (size_t)end, stream) == (size_t)end) {
        read[end] = '\0';
        *text = read;
        *size = (size_t)end;
    } else {
        free(read);
    }
    fclose(stream);
    return *text != NULL;
}

char *strndup(const char *text, size_t size) {
    const size_t length = strnlen(text, size);
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

/* A thread without a locale of its own has that of the process. NULL: it had none. */
void *c_locale_begin(void) {
    const bool is_own = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE) == _ENABLE_PER_THREAD_LOCALE;
    const char *name = is_own ? setlocale(LC_ALL, NULL) : NULL;
    char *before = name ? _strdup(name) : NULL;
    setlocale(LC_ALL, "C");
    return before;
}

void *utf8_locale_begin(void) {
    return c_locale_begin(); /* names are wide */
}

void c_locale_end(void *before) {
    if (before)
        setlocale(LC_ALL, before);
    else
        _configthreadlocale(_DISABLE_PER_THREAD_LOCALE);
    free(before);
}
