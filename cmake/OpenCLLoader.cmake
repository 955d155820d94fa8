# SPDX-License-Identifier: MIT
#
# posemill_opencl: what the library needs of OpenCL. Normally the loader, which is linked; with
# POSEMILL_OPENCL_DLOPEN only the headers, and dlopen.
if(POSEMILL_OPENCL AND POSEMILL_OPENCL_DLOPEN)
    if(POSEMILL_BENCH)
        message(FATAL_ERROR "POSEMILL_OPENCL_DLOPEN defines only the functions that the library calls. "
            "The benchmark calls others: configure with -DPOSEMILL_BENCH=OFF")
    endif()
    find_path(OpenCL_INCLUDE_DIR CL/cl.h)
    if(NOT OpenCL_INCLUDE_DIR)
        message(FATAL_ERROR "CL/cl.h is missing. Install Debian's opencl-headers, or configure with "
            "-DPOSEMILL_OPENCL=OFF")
    endif()
    set(posemill_opencl ${CMAKE_DL_LIBS})
elseif(POSEMILL_OPENCL)
    find_package(OpenCL 1.2 REQUIRED)
    set(posemill_opencl OpenCL::OpenCL)
endif()
