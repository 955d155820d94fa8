/* SPDX-License-Identifier: MIT
 *
 * Folders of Windows. Paths are UTF-8 here and wide at the system. A folder in the user's profile is the
 * user's alone; elsewhere the owner is checked, and not the list of rights.
 */
#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0A00

#include "os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include <aclapi.h>

enum { TEMPORARY = 7 };

struct pm_os_folder {
    const pm_host *host;
    wchar_t *path; /* ends in a backslash */
};

/* With room for `more` characters behind it; NULL: no memory, or no UTF-8. */
static wchar_t *widen(const pm_host *host, const char *text, size_t more) {
    const int count = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = count > 0 ? pm_allocate(host, ((size_t)count + more) * sizeof *wide) : NULL;
    if (wide)
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, count);
    return wide;
}

static char *narrow(const pm_host *host, const wchar_t *wide, size_t more) {
    const int count = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *text = count > 0 ? pm_allocate(host, (size_t)count + more) : NULL;
    if (text)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, count, NULL, NULL);
    return text;
}

char *pm_os_cache_folder(const pm_host *host, const char *name, bool *no_memory) {
    const wchar_t *base = _wgetenv(L"LOCALAPPDATA");
    *no_memory = false;
    if (!base || !*base)
        return NULL;
    char *path = narrow(host, base, strlen(name) + strlen("\\\\cache") + 1);
    *no_memory = !path;
    if (path) {
        strcat(path, "\\");
        strcat(path, name);
        strcat(path, "\\cache");
    }
    return path;
}

static pm_os_found say_failure(DWORD code, char why[PM_OS_WHY]) {
    wchar_t wide[PM_OS_WHY] = L"";
    const DWORD length =
        FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, code,
                       MAKELANGID(LANG_ENGLISH, SUBLANG_DEFAULT), wide, PM_OS_WHY / 4, NULL);
    char *text = length > 0 ? narrow(NULL, wide, 0) : NULL;
    if (text) {
        text[strcspn(text, "\r\n")] = '\0';
        snprintf(why, PM_OS_WHY, "%s", text);
    } else {
        snprintf(why, PM_OS_WHY, "error %lu", (unsigned long)code);
    }
    pm_release(text);
    return PM_OS_FAILED;
}

/* ---- owners ------------------------------------------------------------------------------------ */

/* Whether an owner is the user of this process or the administrators. */
static bool is_ours(PSID owner) {
    union {
        TOKEN_USER user;
        char room[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    } token;
    HANDLE own = NULL;
    DWORD size = 0;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &own))
        return false;
    const bool known = GetTokenInformation(own, TokenUser, &token, sizeof token, &size);
    CloseHandle(own);
    return (known && EqualSid(owner, token.user.User.Sid)) ||
           IsWellKnownSid(owner, WinBuiltinAdministratorsSid) ||
           IsWellKnownSid(owner, WinLocalSystemSid);
}

static pm_os_found check_owner(HANDLE opened, char why[PM_OS_WHY]) {
    PSECURITY_DESCRIPTOR descriptor = NULL;
    PSID owner = NULL;
    const DWORD code = GetSecurityInfo(opened, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner,
                                       NULL, NULL, NULL, &descriptor);
    if (code != ERROR_SUCCESS)
        return say_failure(code, why);
    const bool ours = owner && is_ours(owner);
    LocalFree(descriptor);
    if (ours)
        return PM_OS_GOOD;
    snprintf(why, PM_OS_WHY, "is owned by another user");
    return PM_OS_SUSPECT;
}

/* ---- folders ----------------------------------------------------------------------------------- */

static void make_folders(wchar_t *path) {
    for (wchar_t *at = path; *at; at++)
        if ((*at == L'\\' || *at == L'/') && at > path && at[-1] != L':') {
            const wchar_t separator = *at;
            *at = L'\0';
            CreateDirectoryW(path, NULL);
            *at = separator;
        }
    CreateDirectoryW(path, NULL);
}

bool pm_os_can_write(const char *path) {
    wchar_t *wide = widen(NULL, path, 0);
    if (wide)
        make_folders(wide);
    const DWORD found = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    pm_release(wide);
    return found != INVALID_FILE_ATTRIBUTES && (found & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

static pm_os_found check_folder(const wchar_t *path, char why[PM_OS_WHY]) {
    const DWORD found = GetFileAttributesW(path);
    const DWORD code = found == INVALID_FILE_ATTRIBUTES ? GetLastError() : ERROR_SUCCESS;
    if (code == ERROR_FILE_NOT_FOUND || code == ERROR_PATH_NOT_FOUND)
        return PM_OS_MISSING;
    if (code != ERROR_SUCCESS)
        return say_failure(code, why);
    if (!(found & FILE_ATTRIBUTE_DIRECTORY) || (found & FILE_ATTRIBUTE_REPARSE_POINT)) {
        snprintf(why, PM_OS_WHY, "is a symbolic link or no folder");
        return PM_OS_SUSPECT;
    }
    HANDLE opened = CreateFileW(
        path, READ_CONTROL, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
        OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    if (opened == INVALID_HANDLE_VALUE)
        return say_failure(GetLastError(), why);
    const pm_os_found owner = check_owner(opened, why);
    CloseHandle(opened);
    return owner;
}

pm_os_found pm_os_folder_open(const pm_host *host, const char *path, bool make,
                              pm_os_folder **folder, char why[PM_OS_WHY]) {
    wchar_t *wide = widen(host, path, 1);
    *folder = NULL;
    if (!wide)
        return say_failure(ERROR_INVALID_NAME, why);
    if (make)
        make_folders(wide);
    pm_os_found found = check_folder(wide, why);
    if (found == PM_OS_MISSING && make)
        found = say_failure(ERROR_PATH_NOT_FOUND, why);
    if (found == PM_OS_GOOD && !(*folder = pm_allocate(host, sizeof **folder)))
        found = say_failure(ERROR_NOT_ENOUGH_MEMORY, why);
    if (found != PM_OS_GOOD) {
        pm_release(wide);
        return found;
    }
    wcscat(wide, L"\\");
    **folder = (pm_os_folder){host, wide};
    return found;
}

void pm_os_folder_close(pm_os_folder *folder) {
    if (folder)
        pm_release(folder->path);
    pm_release(folder);
}

/* The path of a file, with room for the end of a temporary name. Names are ASCII. */
static wchar_t *path_of(const pm_os_folder *folder, const char *name) {
    const size_t size = wcslen(folder->path) + strlen(name) + TEMPORARY + 1;
    wchar_t *path = pm_allocate(folder->host, size * sizeof *path);
    if (path)
        swprintf(path, size, L"%ls%hs", folder->path, name);
    return path;
}

/* ---- files ------------------------------------------------------------------------------------- */

static bool read_exactly(HANDLE file, void *to, size_t size) {
    const size_t most = 1u << 30;
    char *at = to;
    while (size > 0) {
        DWORD got = 0;
        if (!ReadFile(file, at, (DWORD)(size < most ? size : most), &got, NULL) || got == 0)
            return false;
        at += got;
        size -= got;
    }
    return true;
}

static pm_os_found read_whole(const pm_host *host, HANDLE file, size_t limit, void **bytes,
                              size_t *size, char why[PM_OS_WHY]) {
    LARGE_INTEGER length;
    FILETIME now;
    if (!GetFileSizeEx(file, &length) || length.QuadPart <= 0 ||
        (unsigned long long)length.QuadPart > limit)
        return PM_OS_MISSING;
    const pm_os_found found = check_owner(file, why);
    if (found != PM_OS_GOOD)
        return found;
    *size = (size_t)length.QuadPart;
    *bytes = pm_allocate(host, *size);
    if (*bytes && read_exactly(file, *bytes, *size)) {
        GetSystemTimeAsFileTime(&now);
        SetFileTime(file, NULL, NULL, &now);
        return PM_OS_GOOD;
    }
    pm_release(*bytes);
    *bytes = NULL;
    return PM_OS_MISSING;
}

pm_os_found pm_os_folder_read(pm_os_folder *folder, const char *name, size_t limit, void **bytes,
                              size_t *size, char why[PM_OS_WHY]) {
    const DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    BY_HANDLE_FILE_INFORMATION info;
    wchar_t *path = path_of(folder, name);
    pm_os_found found = PM_OS_MISSING;
    *bytes = NULL;
    HANDLE file = path ? CreateFileW(path, GENERIC_READ | FILE_WRITE_ATTRIBUTES, shared, NULL,
                                     OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, NULL)
                       : INVALID_HANDLE_VALUE;
    pm_release(path);
    if (file == INVALID_HANDLE_VALUE)
        return PM_OS_MISSING;
    if (GetFileInformationByHandle(file, &info) &&
        (info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)) {
        snprintf(why, PM_OS_WHY, "is a symbolic link");
        found = PM_OS_SUSPECT;
    } else if (GetFileType(file) == FILE_TYPE_DISK) {
        found = read_whole(folder->host, file, limit, bytes, size, why);
    }
    CloseHandle(file);
    return found;
}

static bool write_exactly(HANDLE file, const void *from, size_t size) {
    const size_t most = 1u << 30;
    const char *at = from;
    while (size > 0) {
        DWORD put = 0;
        if (!WriteFile(file, at, (DWORD)(size < most ? size : most), &put, NULL) || put == 0)
            return false;
        at += put;
        size -= put;
    }
    return true;
}

static HANDLE create_temporary(wchar_t *path) {
    enum { TRIES = 64 };
    const size_t length = wcslen(path);
    HANDLE file = INVALID_HANDLE_VALUE;
    for (unsigned i = 0; file == INVALID_HANDLE_VALUE && i < TRIES; i++) {
        LARGE_INTEGER now;
        QueryPerformanceCounter(&now);
        const uint64_t mixed =
            ((uint64_t)now.QuadPart + ((uint64_t)GetCurrentProcessId() << 32) + i) *
            0x9e3779b97f4a7c15u; /* 2^64 / golden ratio: scatters similar inputs */
        swprintf(path + length, TEMPORARY + 1, L".%06x", (unsigned)(mixed >> 40));
        file = CreateFileW(path, GENERIC_WRITE, 0, NULL, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
        if (file == INVALID_HANDLE_VALUE && GetLastError() != ERROR_FILE_EXISTS)
            break;
    }
    return file;
}

/* An open file can be neither renamed nor removed. */
pm_os_found pm_os_folder_write(pm_os_folder *folder, const char *name, const void *head,
                               size_t head_size, const void *body, size_t body_size,
                               char why[PM_OS_WHY]) {
    wchar_t *path = path_of(folder, name), *temporary = path_of(folder, name);
    HANDLE file = path && temporary ? create_temporary(temporary) : INVALID_HANDLE_VALUE;
    pm_os_found found = PM_OS_GOOD;
    if (!path || !temporary) {
        found = say_failure(ERROR_NOT_ENOUGH_MEMORY, why);
    } else if (file == INVALID_HANDLE_VALUE) {
        found = say_failure(GetLastError(), why);
    } else {
        if (!write_exactly(file, head, head_size) || !write_exactly(file, body, body_size))
            found = say_failure(GetLastError(), why);
        CloseHandle(file);
        if (found == PM_OS_GOOD && !MoveFileExW(temporary, path, MOVEFILE_REPLACE_EXISTING))
            found = say_failure(GetLastError(), why);
        if (found != PM_OS_GOOD)
            DeleteFileW(temporary);
    }
    pm_release(path);
    pm_release(temporary);
    return found;
}

void pm_os_folder_remove(pm_os_folder *folder, const char *name) {
    wchar_t *path = path_of(folder, name);
    if (path)
        DeleteFileW(path);
    pm_release(path);
}

/* In units of 100 nanoseconds. */
static int64_t ticks_of(FILETIME time) {
    return (int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime);
}

void pm_os_folder_list(pm_os_folder *folder, pm_os_file each, void *user) {
    const DWORD others = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
    WIN32_FIND_DATAW found;
    FILETIME now;
    wchar_t *pattern = path_of(folder, "*");
    HANDLE listing = pattern ? FindFirstFileW(pattern, &found) : INVALID_HANDLE_VALUE;
    pm_release(pattern);
    if (listing == INVALID_HANDLE_VALUE)
        return;
    GetSystemTimeAsFileTime(&now);
    do {
        char *name =
            found.dwFileAttributes & others ? NULL : narrow(folder->host, found.cFileName, 0);
        const int64_t used = ticks_of(found.ftLastWriteTime);
        if (name)
            each(user, name, (uint64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow, used,
                 (ticks_of(now) - used) / 10000000);
        pm_release(name);
    } while (FindNextFileW(listing, &found));
    FindClose(listing);
}
