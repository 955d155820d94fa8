/* SPDX-License-Identifier: MIT
 *
 * What the files of Windows share.
 */
#pragma once

#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0A00

#include <stdint.h>
#include <windows.h>

/* 1970, in the units of 100 ns since 1601 that FILETIME has. */
static const int64_t epoch = 116444736000000000;

static inline int64_t nanoseconds_of(FILETIME time) {
    return ((int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime) - epoch) * 100;
}

/* UTF-8 as UTF-16, malloc'ed; os_narrow is its reverse. NULL: memory is exhausted, or the text is none. */
wchar_t *os_widen(const char *text);
