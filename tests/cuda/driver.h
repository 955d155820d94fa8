/* SPDX-License-Identifier: MIT
 *
 * The calls of NVIDIA's driver library that cuda_check makes, declared here and found at run time:
 * neither CUDA's headers nor its libraries are required to build or to start the program.
 */
#ifndef POSEMILL_TESTS_CUDA_DRIVER_H
#define POSEMILL_TESTS_CUDA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

typedef int cuda_result; /* 0: done */
typedef unsigned long long cuda_address;

/* X(name here, name in the library, parameters). Those that end in _v2 are the ones that cuda.h
 * has named without it since CUDA 3.2. */
#define CUDA_CALLS(X)                                                                              \
    X(init, cuInit, (unsigned flags))                                                              \
    X(driver_version, cuDriverGetVersion, (int *version))                                          \
    X(error_name, cuGetErrorName, (cuda_result result, const char **name))                         \
    X(device_count, cuDeviceGetCount, (int *count))                                                \
    X(device_get, cuDeviceGet, (int *device, int index))                                           \
    X(device_name, cuDeviceGetName, (char *name, int size, int device))                            \
    X(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, int device))             \
    X(context_create, cuCtxCreate_v2, (void **context, unsigned flags, int device))                \
    X(context_destroy, cuCtxDestroy_v2, (void *context))                                           \
    X(synchronize, cuCtxSynchronize, (void))                                                       \
    X(module_load, cuModuleLoadDataEx,                                                             \
      (void **module, const void *image, unsigned count, int *options, void **values))             \
    X(module_unload, cuModuleUnload, (void *module))                                               \
    X(module_function, cuModuleGetFunction, (void **function, void *module, const char *name))     \
    X(function_attribute, cuFuncGetAttribute, (int *value, int attribute, void *function))         \
    X(allocate, cuMemAlloc_v2, (cuda_address * address, size_t bytes))                             \
    X(release, cuMemFree_v2, (cuda_address address))                                               \
    X(upload, cuMemcpyHtoD_v2, (cuda_address to, const void *from, size_t bytes))                  \
    X(download, cuMemcpyDtoH_v2, (void *to, cuda_address from, size_t bytes))                      \
    X(launch, cuLaunchKernel,                                                                      \
      (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,        \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **parameters, \
       void **extra))

/* Attributes and options, with their numbers in cuda.h. */
enum {
    CUDA_CAPABILITY_MAJOR = 75,
    CUDA_CAPABILITY_MINOR = 76,
    CUDA_FUNCTION_LOCAL_BYTES = 3,
    CUDA_FUNCTION_REGISTERS = 4,
    CUDA_JIT_ERROR_LOG = 5,
    CUDA_JIT_ERROR_LOG_BYTES = 6
};

typedef struct cuda_driver {
    void *library;
    void *context;
    char device[128];
    int version; /* 12040: CUDA 12.4 */
    int capability_major, capability_minor;
#define CUDA_POINTER(name, symbol, parameters) cuda_result(*name) parameters;
    CUDA_CALLS(CUDA_POINTER)
#undef CUDA_POINTER
} cuda_driver;

typedef enum cuda_opened {
    CUDA_OPENED,
    CUDA_ABSENT, /* this machine has no CUDA driver, or no device */
    CUDA_FAILED  /* it has, but a call failed */
} cuda_opened;

/* Loads the library, and makes a context on the first device. Prints the reason for a failure.
 * Close the driver in each case. */
cuda_opened cuda_open(cuda_driver *driver, const char *library);
void cuda_close(cuda_driver *driver);

/* Whether a call is done; otherwise prints its name and the driver's name of the error. */
bool cuda_done(const cuda_driver *driver, const char *call, cuda_result result);

/* Prints a message with the program's name before it. */
void cuda_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
