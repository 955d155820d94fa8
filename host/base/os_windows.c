/* SPDX-License-Identifier: MIT
 *
 * Windows 10 on, with the threads of MinGW-w64. There are no forks, and signals are for one thread.
 */
#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0A00

#include "os.h"

#include <locale.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <xmmintrin.h>

/* ---- processors -------------------------------------------------------------------------------- */

/* Of the group of 64 processors that the process runs in. */
size_t pm_os_processors(void) {
    DWORD_PTR own = 0, all = 0;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &all) || own == 0)
        return 1;
    return (size_t)__builtin_popcountll(own);
}

/* A job object may limit the processor's time by a share of all processors in ten thousandths. */
size_t pm_os_quota(void) {
    JOBOBJECT_CPU_RATE_CONTROL_INFORMATION rate = {0};
    SYSTEM_INFO system;
    const DWORD hard = JOB_OBJECT_CPU_RATE_CONTROL_ENABLE | JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP;
    if (!QueryInformationJobObject(NULL, JobObjectCpuRateControlInformation, &rate, sizeof rate,
                                   NULL) ||
        (rate.ControlFlags & hard) != hard || rate.CpuRate == 0)
        return SIZE_MAX;
    GetSystemInfo(&system);
    return ((size_t)system.dwNumberOfProcessors * rate.CpuRate + 9999) / 10000;
}

int pm_os_current_processor(void) {
    return (int)GetCurrentProcessorNumber();
}

/* The scheduler of Windows moves a thread that becomes ready to an idle processor itself. */
void pm_os_leave_processor(int processor) {
    (void)processor;
}

void pm_os_yield(void) {
    SwitchToThread();
}

/* ---- threads ----------------------------------------------------------------------------------- */

bool pm_os_start_thread(pthread_t *thread, void *(*serve)(void *argument), void *argument) {
    return pthread_create(thread, NULL, serve, argument) == 0;
}

int pm_os_watch_forks(void (*in_child)(void)) {
    (void)in_child;
    return 0;
}

/* Those of <fenv.h> lose whether subnormal numbers are 0. */
void pm_os_get_mode(fenv_t *mode) {
    const unsigned control = _mm_getcsr();
    memcpy(mode, &control, sizeof control);
}

void pm_os_set_mode(const fenv_t *mode) {
    unsigned control;
    memcpy(&control, mode, sizeof control);
    _mm_setcsr(control);
}

/* ---- memory ------------------------------------------------------------------------------------ */

/* Large pages require a right that users do not have. */
void *pm_os_allocate(size_t alignment, size_t size) {
    return _aligned_malloc(size, alignment);
}

void pm_os_free(void *memory) {
    _aligned_free(memory);
}

/* ---- libraries --------------------------------------------------------------------------------- */

/* In the folder of the system alone: one beside the program or in the path could be anybody's. */
void *pm_os_open_opencl(void) {
    return (void *)LoadLibraryExW(L"OpenCL.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
}

bool pm_os_opencl_is_wine(void) {
    return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != NULL;
}

void *pm_os_symbol(void *library, const char *name) {
    const FARPROC function = GetProcAddress((HMODULE)library, name);
    void *address = NULL;
    memcpy(&address, &function, sizeof address);
    return address;
}

void pm_os_close_library(void *library) {
    FreeLibrary((HMODULE)library);
}

/* ---- text -------------------------------------------------------------------------------------- */

/* A thread without a locale of its own has that of the process. NULL: it had none. */
void *pm_os_c_locale_begin(void) {
    const bool is_own = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE) == _ENABLE_PER_THREAD_LOCALE;
    const char *name = is_own ? setlocale(LC_ALL, NULL) : NULL;
    char *before = name ? _strdup(name) : NULL;
    setlocale(LC_ALL, "C");
    return before;
}

void pm_os_c_locale_end(void *before) {
    if (before)
        setlocale(LC_ALL, before);
    else
        _configthreadlocale(_DISABLE_PER_THREAD_LOCALE);
    free(before);
}
