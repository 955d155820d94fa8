/* SPDX-License-Identifier: MIT
 *
 * What the headers of Python ask about a compiler and its C library, for builds of the extension module for
 * systems whose Python is not here (make-wheels). The build defines MS_WINDOWS where it is for Windows.
 */
#ifndef POSEMILL_PYCONFIG_H
#define POSEMILL_PYCONFIG_H

#define SIZEOF_SHORT __SIZEOF_SHORT__
#define SIZEOF_INT __SIZEOF_INT__
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_LONG_LONG __SIZEOF_LONG_LONG__
#define SIZEOF_FLOAT __SIZEOF_FLOAT__
#define SIZEOF_DOUBLE __SIZEOF_DOUBLE__
#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define SIZEOF_VOID_P __SIZEOF_POINTER__
#define SIZEOF_WCHAR_T __SIZEOF_WCHAR_T__
#define SIZEOF_TIME_T 8
#define SIZEOF_PID_T 4
#define HAVE_LONG_LONG 1
#define HAVE_SSIZE_T 1
#define HAVE_STDDEF_H 1
#define HAVE_STDINT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_PROTOTYPES 1
#define WITH_THREAD 1

#ifdef MS_WINDOWS
#define MS_WIN64 1
#define HAVE_DECLSPEC_DLL 1 /* functions and objects are those of a DLL */
#define Py_ENABLE_SHARED 1
#define NT_THREADS 1
#else
#define HAVE_UNISTD_H 1
#define HAVE_PTHREAD_H 1
#endif

#endif
