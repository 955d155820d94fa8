/* SPDX-License-Identifier: MIT
 *
 * Files and folders of Windows. All are opened so that others may rename and remove them meanwhile, as on
 * other systems; a file that another program has opened without that is replaced by none.
 */
#include "motion/base/os_windows.h"

#include "motion/base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { SHARED = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

/* The errno value of the last failure of the system. */
static int failure_of(DWORD code) {
    switch (code) {
    case ERROR_SUCCESS:
        return 0;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_BAD_PATHNAME:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_NETPATH:
        return ENOENT;
    case ERROR_INVALID_NAME:
        return EINVAL;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
        return EEXIST;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        return ENOSPC;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
        return ENOMEM;
    case ERROR_FILENAME_EXCED_RANGE:
        return ENAMETOOLONG;
    case ERROR_DIRECTORY:
        return ENOTDIR;
    case ERROR_LOCK_VIOLATION:
    case ERROR_IO_PENDING:
        return EWOULDBLOCK;
    case ERROR_INVALID_FUNCTION:
    case ERROR_NOT_SUPPORTED:
    case ERROR_CALL_NOT_IMPLEMENTED:
        return ENOSYS;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
        return EPIPE;
    case ERROR_TOO_MANY_OPEN_FILES:
        return EMFILE;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_USER_MAPPED_FILE:
    case ERROR_WRITE_PROTECT:
        return EACCES;
    default:
        return EIO;
    }
}

static int failure_now(void) {
    return failure_of(GetLastError());
}

/* False with errno. */
static bool done(BOOL result) {
    if (!result)
        errno = failure_now();
    return result;
}

/* The absolute path, of any length, malloc'ed. NULL with errno. */
static wchar_t *full_path(const char *path) {
    static const wchar_t local[] = L"\\\\?\\", remote[] = L"\\\\?\\UNC";
    wchar_t *wide = os_widen(path), *full = NULL;
    const DWORD size = wide ? GetFullPathNameW(wide, 0, NULL, NULL) : 0;
    wchar_t *made = size > 0 ? malloc((size + wcslen(remote)) * sizeof *made) : NULL;
    if (made && GetFullPathNameW(wide, size, made, NULL) > 0)
        full = made;
    else
        free(made);
    if (full && size >= MAX_PATH - 12 && wcsncmp(full, L"\\\\", 2) != 0) {
        memmove(full + wcslen(local), full, size * sizeof *full);
        memcpy(full, local, wcslen(local) * sizeof *full);
    } else if (full && size >= MAX_PATH - 12 && wcsncmp(full, L"\\\\?", 3) != 0) {
        memmove(full + wcslen(remote), full + 1, (size - 1) * sizeof *full);
        memcpy(full, remote, wcslen(remote) * sizeof *full);
    }
    free(wide);
    if (!full)
        errno = *path == '\0' ? ENOENT : EINVAL;
    return full;
}

static HANDLE open_path(const char *path, DWORD access, DWORD create, DWORD flags) {
    wchar_t *full = full_path(path);
    HANDLE file = INVALID_HANDLE_VALUE;
    if (full) {
        file = CreateFileW(full, access, SHARED, NULL, create, flags, NULL);
        const int failure = failure_now();
        const DWORD found = file == INVALID_HANDLE_VALUE ? GetFileAttributesW(full) : 0;
        const bool is_folder =
            found != INVALID_FILE_ATTRIBUTES && (found & FILE_ATTRIBUTE_DIRECTORY);
        free(full);
        errno = failure == EACCES && is_folder ? EISDIR : failure;
    }
    return file;
}

static HANDLE handle_of(int file) {
    return (HANDLE)_get_osfhandle(file);
}

/* ---- what lies in file systems ------------------------------------------------------------------- */

static bool describe(HANDLE file, os_info *info) {
    BY_HANDLE_FILE_INFORMATION found;
    const DWORD type = file == INVALID_HANDLE_VALUE ? FILE_TYPE_UNKNOWN : GetFileType(file);
    *info = (os_info){.kind = OS_NONE};
    if (file == INVALID_HANDLE_VALUE)
        return false;
    if (type != FILE_TYPE_DISK) {
        info->kind = type == FILE_TYPE_PIPE ? OS_PIPE : OS_OTHER;
        return true;
    }
    if (!done(GetFileInformationByHandle(file, &found)))
        return false;
    *info = (os_info){.kind = found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT ? OS_LINK
                              : found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY   ? OS_FOLDER
                                                                                    : OS_REGULAR,
                      .size = (uint64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow,
                      .time = nanoseconds_of(found.ftLastWriteTime),
                      .volume = found.dwVolumeSerialNumber,
                      .file = (uint64_t)found.nFileIndexHigh << 32 | found.nFileIndexLow,
                      .rights = 0666};
    return true;
}

static bool look(const char *path, DWORD flags, os_info *info) {
    HANDLE file =
        open_path(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags);
    const bool told = describe(file, info);
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    return told;
}

bool os_look(const char *path, os_info *info) {
    const bool told = look(path, 0, info);
    info->kind = info->kind == OS_LINK ? OS_REGULAR : info->kind; /* a placeholder of a cloud */
    return told;
}

bool os_look_at_link(const char *path, os_info *info) {
    return look(path, FILE_FLAG_OPEN_REPARSE_POINT, info);
}

bool os_look_at_open(int file, os_info *info) {
    return describe(handle_of(file), info);
}

/* ---- names --------------------------------------------------------------------------------------- */

static bool is_separator(char c) {
    return c == '/' || c == '\\';
}

const char *os_last_separator(const char *path) {
    const char *last = NULL;
    for (const char *at = path; *at; at++)
        if (is_separator(*at) || (*at == ':' && at == path + 1))
            last = at;
    return last;
}

bool os_is_absolute(const char *path) {
    return is_separator(path[0]) || (path[0] != '\0' && path[1] == ':');
}

/* The system makes one of a path that names a device. */
bool os_names_device(const char *path) {
    wchar_t *full = full_path(path);
    const bool is_device = full && wcsncmp(full, L"\\\\.\\", 4) == 0;
    free(full);
    return is_device;
}

bool os_can_have_name(const char *name) {
    for (const char *at = name; *at; at++) {
        const bool ends = at[1] == '/' || at[1] == '\0';
        if ((unsigned char)*at < ' ' || strchr("\\:*?\"<>|", *at) ||
            (ends && (*at == '.' || *at == ' ')))
            return false;
    }
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        char *copy = strndup(part, strcspn(part, "/"));
        const bool is_device = !copy || os_names_device(copy);
        free(copy);
        if (is_device)
            return false;
    }
    return true;
}

/* Without the prefix of long paths, and with /. */
char *os_resolve(const char *path) {
    HANDLE file = open_path(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    char *text = NULL;
    if (file == INVALID_HANDLE_VALUE)
        return NULL;
    const DWORD size = GetFinalPathNameByHandleW(file, NULL, 0, 0);
    wchar_t *wide = size > 0 ? malloc((size + 1) * sizeof *wide) : NULL;
    if (wide && GetFinalPathNameByHandleW(file, wide, size + 1, 0) > 0) {
        const bool is_remote = wcsncmp(wide, L"\\\\?\\UNC", 7) == 0;
        if (is_remote)
            wide[6] = L'\\';
        text = os_narrow(wide + (is_remote ? 6 : wcsncmp(wide, L"\\\\?\\", 4) == 0 ? 4 : 0));
    }
    for (char *at = text; at && *at; at++)
        *at = *at == '\\' ? '/' : *at;
    free(wide);
    CloseHandle(file);
    errno = text ? 0 : ENOMEM;
    return text;
}

/* A link without its target cannot be told from one to nothing: what is created there replaces it. */
char *os_link_target(const char *path) {
    (void)path;
    return NULL;
}

/* ---- open files ---------------------------------------------------------------------------------- */

static int descriptor_of(HANDLE file, int flags) {
    if (file == INVALID_HANDLE_VALUE)
        return -1;
    const int opened = _open_osfhandle((intptr_t)file, flags | _O_BINARY | _O_NOINHERIT);
    if (opened < 0)
        CloseHandle(file);
    return opened;
}

int os_open_to_read(const char *path) {
    return descriptor_of(open_path(path, GENERIC_READ, OPEN_EXISTING, 0), _O_RDONLY);
}

/* Without FILE_WRITE_DATA every write is at the end. */
int os_open_to_append(const char *path) {
    const DWORD access = GENERIC_READ | FILE_APPEND_DATA | FILE_WRITE_ATTRIBUTES;
    return descriptor_of(open_path(path, access, OPEN_ALWAYS, 0), _O_RDWR);
}

int os_open_to_lock(const char *path) {
    const DWORD access = GENERIC_READ | GENERIC_WRITE;
    return descriptor_of(open_path(path, access, OPEN_ALWAYS, FILE_FLAG_OPEN_REPARSE_POINT),
                         _O_RDWR);
}

int os_open_in_place(const char *path) {
    return descriptor_of(open_path(path, GENERIC_WRITE, OPEN_EXISTING, 0), _O_WRONLY);
}

/* DELETE is the right to rename. */
int os_create(const char *path, unsigned rights) {
    (void)rights;
    return descriptor_of(open_path(path, GENERIC_READ | GENERIC_WRITE | DELETE, CREATE_NEW, 0),
                         _O_RDWR);
}

static DWORD at_once(size_t size) {
    return (DWORD)(size < (size_t)1 << 30 ? size : (size_t)1 << 30);
}

static OVERLAPPED place_of(uint64_t at) {
    return (OVERLAPPED){.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
}

/* A pipe without writers is at its end. */
static int64_t got_of(BOOL result, DWORD got) {
    const DWORD code = result ? ERROR_SUCCESS : GetLastError();
    if (result || code == ERROR_BROKEN_PIPE || code == ERROR_HANDLE_EOF)
        return (int64_t)got;
    errno = failure_of(code);
    return -1;
}

int64_t os_read(int file, void *to, size_t size) {
    DWORD got = 0;
    const BOOL result = ReadFile(handle_of(file), to, at_once(size), &got, NULL);
    return got_of(result, got);
}

int64_t os_read_at(int file, void *to, size_t size, uint64_t at) {
    OVERLAPPED place = place_of(at);
    DWORD got = 0;
    const BOOL result = ReadFile(handle_of(file), to, at_once(size), &got, &place);
    return got_of(result, got);
}

int64_t os_write(int file, const void *from, size_t size) {
    DWORD put = 0;
    return done(WriteFile(handle_of(file), from, at_once(size), &put, NULL)) ? (int64_t)put : -1;
}

int64_t os_write_at(int file, const void *from, size_t size, uint64_t at) {
    OVERLAPPED place = place_of(at);
    DWORD put = 0;
    return done(WriteFile(handle_of(file), from, at_once(size), &put, &place)) ? (int64_t)put : -1;
}

uint64_t os_place(int file) {
    LARGE_INTEGER none = {.QuadPart = 0}, at = {.QuadPart = 0};
    return SetFilePointerEx(handle_of(file), none, &at, FILE_CURRENT) ? (uint64_t)at.QuadPart : 0;
}

void os_wait_for_bytes(int file) {
    (void)file; /* reads wait */
}

int os_flush(int file) {
    const int failure = FlushFileBuffers(handle_of(file)) ? 0 : failure_now();
    return failure == ENOSYS || failure == EACCES ? 0 : failure;
}

int os_set_rights(int file, unsigned rights) {
    (void)file, (void)rights; /* a file has those of its folder */
    return 0;
}

bool os_can_write(const char *path) {
    wchar_t *full = full_path(path);
    const DWORD found = full ? GetFileAttributesW(full) : INVALID_FILE_ATTRIBUTES;
    free(full);
    errno = EACCES;
    return found == INVALID_FILE_ATTRIBUTES || !(found & FILE_ATTRIBUTE_READONLY);
}

int os_duplicate(int file) {
    return _dup(file);
}

const void *os_map(int file, size_t size) {
    HANDLE mapping = CreateFileMappingW(handle_of(file), NULL, PAGE_READONLY, 0, 0, NULL);
    const void *bytes = mapping ? MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, size) : NULL;
    if (mapping)
        CloseHandle(mapping);
    return bytes;
}

void os_unmap(const void *bytes, size_t size) {
    (void)size;
    UnmapViewOfFile(bytes);
}

void os_drop_pages(const void *bytes, size_t size) {
    VirtualUnlock((void *)(uintptr_t)bytes, size); /* of pages that are not locked */
}

bool os_is_full(int failure) {
    return failure == ENOSPC;
}

/* ---- locks --------------------------------------------------------------------------------------- */

/* Of a byte that no file has, because others cannot read what is locked. One lock must be given up before
 * the next is taken. */
int os_lock(int file, os_lock_use use) {
    OVERLAPPED place = place_of(UINT64_C(1) << 62);
    const DWORD how = use == OS_ALONE ? LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY : 0;
    UnlockFileEx(handle_of(file), 0, 1, 0, &place);
    return use == OS_UNLOCKED || LockFileEx(handle_of(file), how, 0, 1, 0, &place) ? 0
                                                                                   : failure_now();
}

bool os_lacks_locks(int failure) {
    return failure == ENOSYS;
}

void os_remove_unlocked(const char *path) {
    os_info named;
    if (!os_look_at_link(path, &named) || named.kind != OS_REGULAR)
        return;
    const int file = descriptor_of(
        open_path(path, GENERIC_READ | GENERIC_WRITE, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT),
        _O_RDWR);
    if (file < 0)
        return;
    if (os_lock(file, OS_ALONE) == 0)
        os_remove(path);
    close(file);
}

/* ---- folders and their files --------------------------------------------------------------------- */

struct os_folder {
    HANDLE listing;
    bool begun;
    WIN32_FIND_DATAW found;
    char *name; /* of the last file */
    char path[];
};

static char *joined(const char *folder, const char *name) {
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder, name);
    else
        errno = ENOMEM;
    return path;
}

os_folder *os_folder_open(const char *path) {
    const size_t size = strlen(path) + 1;
    os_folder *folder = calloc(1, sizeof *folder + size);
    char *pattern = joined(path, "*");
    wchar_t *full = pattern ? full_path(pattern) : NULL;
    if (folder && full) {
        memcpy(folder->path, path, size);
        folder->listing = FindFirstFileW(full, &folder->found);
    }
    const int failure = !folder || !pattern ? ENOMEM : !full ? errno : failure_now();
    const bool opened = folder && full && folder->listing != INVALID_HANDLE_VALUE;
    free(pattern);
    free(full);
    if (opened)
        return folder;
    free(folder);
    errno = failure;
    return NULL;
}

bool os_folder_look(os_folder *folder, os_info *info) {
    return os_look(folder->path, info);
}

const char *os_folder_next(os_folder *folder) {
    do {
        if (folder->begun && !FindNextFileW(folder->listing, &folder->found)) {
            const DWORD code = GetLastError();
            errno = code == ERROR_NO_MORE_FILES ? 0 : failure_of(code);
            return NULL;
        }
        folder->begun = true;
    } while (wcscmp(folder->found.cFileName, L".") == 0 ||
             wcscmp(folder->found.cFileName, L"..") == 0);
    free(folder->name);
    folder->name = os_narrow(folder->found.cFileName);
    errno = folder->name ? 0 : EILSEQ;
    return folder->name;
}

bool os_folder_look_at(os_folder *folder, const char *name, bool follow, os_info *info) {
    char *path = joined(folder->path, name);
    *info = (os_info){.kind = OS_NONE};
    const bool told = path && (follow ? os_look(path, info) : os_look_at_link(path, info));
    const int failure = errno;
    free(path);
    errno = failure;
    return told;
}

void os_folder_close(os_folder *folder) {
    if (folder) {
        FindClose(folder->listing);
        free(folder->name);
    }
    free(folder);
}

int os_make_folder(const char *path) {
    wchar_t *full = full_path(path);
    const int failure = !full ? errno : CreateDirectoryW(full, NULL) ? 0 : failure_now();
    free(full);
    return failure;
}

int os_make_new_folder(char *path) {
    enum { DIGITS = 6, TRIES = 64 };
    int failure = EEXIST;
    for (unsigned i = 0; failure == EEXIST && i < TRIES; i++) {
        LARGE_INTEGER now;
        QueryPerformanceCounter(&now);
        const uint64_t mixed =
            ((uint64_t)now.QuadPart + ((uint64_t)GetCurrentProcessId() << 32) + i) *
            0x9e3779b97f4a7c15u; /* 2^64 / golden ratio: scatters similar inputs */
        snprintf(path + strlen(path) - DIGITS, DIGITS + 1, "%06x", (unsigned)(mixed >> 40));
        failure = os_make_folder(path);
    }
    return failure;
}

void os_remove(const char *path) {
    wchar_t *full = full_path(path);
    if (full && !DeleteFileW(full))
        RemoveDirectoryW(full);
    free(full);
}

/* By its handle, so that the file keeps its lock. */
static int rename_open(HANDLE file, const char *target, bool must_be_new) {
    wchar_t *full = full_path(target);
    const size_t length = full ? wcslen(full) : 0,
                 size = sizeof(FILE_RENAME_INFO) + length * sizeof *full;
    FILE_RENAME_INFO *rename = full ? calloc(1, size) : NULL;
    int failure = full ? ENOMEM : errno;
    if (rename) {
        rename->ReplaceIfExists = !must_be_new;
        rename->FileNameLength = (DWORD)(length * sizeof *full);
        memcpy(rename->FileName, full, length * sizeof *full);
        const BOOL renamed = SetFileInformationByHandle(file, FileRenameInfo, rename, (DWORD)size);
        failure = renamed ? 0 : failure_now();
    }
    free(rename);
    free(full);
    return failure;
}

/* The system replaces no file that is open or mapped, but renames it. The old one is first called as the new one was,
 * with ".old" behind it, so that no other process takes it for one that was left behind, and gets the freed name
 * when the new one is in place: who has it mapped keeps it, and what cannot be removed yet is removed as what was left
 * behind. A crash between both leaves the name free, and both files. */
static int replace_in_use(HANDLE file, const char *path, const char *target) {
    os_info info;
    HANDLE old = open_path(target, DELETE | FILE_READ_ATTRIBUTES, OPEN_EXISTING,
                           FILE_FLAG_OPEN_REPARSE_POINT);
    const size_t size = strlen(path) + sizeof ".old";
    char *aside = malloc(size);
    int failure = !describe(old, &info) || info.kind != OS_REGULAR ? EACCES : aside ? 0 : ENOMEM;
    if (failure == 0) {
        snprintf(aside, size, "%s.old", path);
        failure = rename_open(old, aside, true);
    }
    if (failure == 0) {
        failure = rename_open(file, target, true);
        rename_open(old, failure == 0 ? path : target, true);
    }
    const bool replaced = failure == 0;
    if (old != INVALID_HANDLE_VALUE)
        CloseHandle(old);
    if (replaced)
        os_remove(path);
    free(aside);
    return failure;
}

int os_rename(int file, const char *path, const char *target, bool must_be_new) {
    const int failure = rename_open(handle_of(file), target, must_be_new);
    return failure == EACCES && !must_be_new ? replace_in_use(handle_of(file), path, target)
                                             : failure;
}
