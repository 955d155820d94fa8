/* SPDX-License-Identifier: MIT
 *
 * The OpenCL functions that the library calls, forwarded to an OpenCL loader that is opened on the
 * first call. Part of the build with POSEMILL_OPENCL_DLOPEN, in place of linking the loader, so
 * that a module can be loaded where none is installed; clGetPlatformIDs then says that there is no
 * platform. The functions are hidden: others in the process keep their own.
 */
#include <posemill/posemill_cl.h>

#include <stdbool.h>
#include <string.h>

#include "backend/backend.h"
#include "cl_calls.h"

enum { NOT_FOUND_KHR = -1001 }; /* CL_PLATFORM_NOT_FOUND_KHR: there is no loader */

/* NOLINTBEGIN(bugprone-macro-parentheses): the arguments are declarators */
#define DECLARE_CALL(name, params, args) cl_int(CL_API_CALL *name) params;
#define DECLARE_CREATION(type, name, params, args) type(CL_API_CALL *name) params;
#define DECLARE_MAP(name, params, args) void *(CL_API_CALL * name) params;
#define DECLARE_COUNTER(name, type) cl_int(CL_API_CALL *name)(type object);
/* NOLINTEND(bugprone-macro-parentheses) */
static struct {
    bool present;
    PM_CL_CALLS(DECLARE_CALL, DECLARE_CALL, DECLARE_CREATION, DECLARE_MAP, DECLARE_COUNTER,
                DECLARE_COUNTER)
} loader;

/* ISO C has no conversion of a pointer to an object to one of a function. */
static bool find(void *library, const char *name, void *function) {
    void *address = pm_os_symbol(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

/* A loader of OpenCL 1.1 or older lacks some functions and is not used. */
#define FIND_CALL(name, params, args) &&find(library, #name, &loader.name)
#define FIND_CREATION(type, name, params, args) &&find(library, #name, &loader.name)
#define FIND_COUNTER(name, type) &&find(library, #name, &loader.name)
static bool find_all(void *library) {
    return true PM_CL_CALLS(FIND_CALL, FIND_CALL, FIND_CREATION, FIND_CALL, FIND_COUNTER,
                            FIND_COUNTER);
}

/* The loader stays open: drivers have threads that outlive the last call. */
static void open_loader(void) {
    void *library = pm_os_open_opencl();
    loader.present = library != NULL && find_all(library);
    if (library && !loader.present)
        pm_os_close_library(library);
}

static bool is_present(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_loader);
    return loader.present;
}

#define FORWARD_CALL(name, params, args)                                                           \
    cl_int CL_API_CALL name params {                                                               \
        return is_present() ? loader.name args : NOT_FOUND_KHR;                                    \
    }
#define FORWARD_CREATION(type, name, params, args)                                                 \
    type CL_API_CALL name params {                                                                 \
        if (is_present())                                                                          \
            return loader.name args;                                                               \
        if (status)                                                                                \
            *status = NOT_FOUND_KHR;                                                               \
        return NULL;                                                                               \
    }
#define FORWARD_MAP(name, params, args) FORWARD_CREATION(void *, name, params, args)
#define FORWARD_COUNTER(name, type)                                                                \
    cl_int CL_API_CALL name(type object) {                                                         \
        return is_present() ? loader.name(object) : NOT_FOUND_KHR;                                 \
    }

PM_CL_CALLS(FORWARD_CALL, FORWARD_CALL, FORWARD_CREATION, FORWARD_MAP, FORWARD_COUNTER,
            FORWARD_COUNTER)
