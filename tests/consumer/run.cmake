# SPDX-License-Identifier: MIT
#
# One consumer test, selected by MODE: find_package, pkg_config or add_subdirectory, which also tries
# find_package and pkg-config with the shared libraries. All files are created under WORK. The installed
# tree is moved before use, so an absolute path in it fails the test.
cmake_minimum_required(VERSION 3.25)

function(consumer_run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(consumer_install)
    consumer_run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/first"
        --config "${BUILD_TYPE}")
    file(RENAME "${WORK}/first" "${WORK}/moved")
endfunction()

# consumer_build_project(<folder> <options>...): builds the consumers in a folder of WORK, and runs them.
function(consumer_build_project folder)
    consumer_run("${CMAKE_COMMAND}" -S "${SOURCE}/tests/consumer/project" -B "${WORK}/${folder}"
        -G "${GENERATOR}" "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}"
        "-DCMAKE_C_FLAGS=${FLAGS}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
        "-DPOSEMILL_OPENCL=${OPENCL}" ${ARGV})
    consumer_run("${CMAKE_COMMAND}" --build "${WORK}/${folder}")
    consumer_run("${WORK}/${folder}/consumer_c")
    consumer_run("${WORK}/${folder}/consumer_cpp")
    if(EXISTS "${WORK}/${folder}/consumer_motion")
        consumer_run("${WORK}/${folder}/consumer_motion")
    endif()
endfunction()

# The command has a manual page, each of its verbs too, and a reference of all.
function(consumer_check_manuals)
    set(command "${WORK}/moved/${BINDIR}/posemill")
    if(NOT EXISTS "${command}")
        return()
    endif()
    execute_process(COMMAND "${command}" help --commands
        OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[a-z]+" verbs "${text}")
    if(NOT verbs)
        message(FATAL_ERROR "the command lists no verb: ${text}")
    endif()
    list(TRANSFORM verbs PREPEND "posemill-")
    foreach(page IN ITEMS posemill ${verbs})
        if(NOT EXISTS "${WORK}/moved/${MANDIR}/man1/${page}.1")
            message(FATAL_ERROR "no manual page is installed for ${page}")
        endif()
    endforeach()
    file(GLOB_RECURSE reference "${WORK}/moved/*/cli.md")
    if(NOT reference)
        message(FATAL_ERROR "the reference of the command is not installed")
    endif()
endfunction()

function(consumer_find_package)
    consumer_install()
    consumer_check_manuals()
    consumer_check_relocatable()
    consumer_build_project(build "-DCMAKE_PREFIX_PATH=${WORK}/moved")
endfunction()

# Installed targets and pkg-config files name libraries, not the places where this machine has them.
function(consumer_check_relocatable)
    file(GLOB_RECURSE files "${WORK}/moved/*.cmake" "${WORK}/moved/*.pc")
    foreach(file IN LISTS files)
        file(STRINGS "${file}" lines REGEX "(LINK_ONLY:|[ ;\"])/[a-z]+/")
        if(lines)
            message(FATAL_ERROR "${file} has absolute paths: ${lines}")
        endif()
    endforeach()
    if(NOT BUILD_TYPE STREQUAL "Release")
        return() # debugging information names sources
    endif()
    file(GLOB_RECURSE files "${WORK}/moved/*")
    string(REGEX REPLACE "([][+.*()^$?])" "\\\\\\1" places "${SOURCE}|${WORK}")
    foreach(file IN LISTS files)
        file(STRINGS "${file}" lines REGEX "${places}")
        if(lines)
            message(FATAL_ERROR "${file} names the build machine: ${lines}")
        endif()
    endforeach()
endfunction()

# Compiles and runs a consumer of a package with the options from pkg-config.
function(consumer_compile name source package)
    execute_process(COMMAND "${PKG_CONFIG}" ${ARGN} --cflags --libs ${package}
        OUTPUT_VARIABLE options OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(options UNIX_COMMAND "${options}")
    separate_arguments(flags UNIX_COMMAND "${FLAGS}")
    consumer_run("${C_COMPILER}" ${flags} "${SOURCE}/tests/consumer/project/${source}"
        -o "${WORK}/${name}" ${options})
    consumer_run("${WORK}/${name}")
endfunction()

# A static link requires the libraries used by the library. A successful link is not a sufficient
# test, because the C library of this machine may contain libm and the thread library.
function(consumer_check_static_options)
    execute_process(COMMAND "${PKG_CONFIG}" --static --libs posemill
        OUTPUT_VARIABLE options OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set(needed -lposemill -lm -pthread)
    if(OPENCL)
        list(APPEND needed -lOpenCL)
    endif()
    foreach(option IN LISTS needed)
        if(NOT " ${options} " MATCHES " ${option} ")
            message(FATAL_ERROR "pkg-config --static does not list ${option}: ${options}")
        endif()
    endforeach()
endfunction()

# The installed tree, with pkg-config.
function(consumer_check_pkg_config)
    set(ENV{PKG_CONFIG_PATH} "${WORK}/moved/${LIBDIR}/pkgconfig")
    set(ENV{LD_LIBRARY_PATH} "${WORK}/moved/${LIBDIR}:$ENV{LD_LIBRARY_PATH}")
    consumer_compile(consumer_c consumer.c posemill)
    consumer_compile(consumer_static consumer.c posemill --static)
    if(EXISTS "${WORK}/moved/${LIBDIR}/pkgconfig/posemill-motion.pc")
        consumer_compile(consumer_motion consumer_motion.c posemill-motion)
        consumer_compile(consumer_motion_static consumer_motion.c posemill-motion --static)
    endif()
    consumer_check_static_options()
endfunction()

function(consumer_pkg_config)
    if(NOT PKG_CONFIG)
        message("consumer: skipped: pkg-config is missing")
        return()
    endif()
    consumer_install()
    consumer_check_pkg_config()
endfunction()

# A shared library must export only its interface, the pm_ names, with a version.
function(consumer_check_exports library)
    execute_process(COMMAND "${NM}" -D --defined-only "${library}"
        OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]+" names "${names}")
    list(FILTER names EXCLUDE REGEX " (pm_[a-z_0-9]+@@POSEMILL_[0-9.]+|POSEMILL_[0-9.]+|_init|_fini)$")
    if(NOT FLAGS AND names)
        message(FATAL_ERROR "exported names outside the interface: ${names}")
    endif()
endfunction()

# Compiles the libraries, whose optimiser and instruction sets other builds test, and installs them from
# there. With the options of packaging/check-abi, so that ccache compiles for both once.
function(consumer_add_subdirectory)
    set(BUILD_TYPE Debug)
    consumer_build_project(build "-DPOSEMILL_SOURCE=${SOURCE}" -DBUILD_SHARED_LIBS=ON -DPOSEMILL_MOTION=ON
        -DPOSEMILL_INSTALL=ON -DPOSEMILL_INSTRUCTION_SETS=OFF)
    consumer_check_exports("${WORK}/build/posemill/host/libposemill.so")
    consumer_check_exports("${WORK}/build/posemill/motion/libposemill_motion.so")
    set(BUILD "${WORK}/build")
    consumer_install()
    consumer_check_relocatable()
    consumer_build_project(installed "-DCMAKE_PREFIX_PATH=${WORK}/moved")
    if(PKG_CONFIG)
        consumer_check_pkg_config()
    endif()
endfunction()

# consumer_expect_cache(<folder> <text>): the cache of a build folder has a line.
function(consumer_expect_cache folder text)
    file(STRINGS "${folder}/CMakeCache.txt" lines REGEX "^${text}$")
    if(NOT lines)
        message(FATAL_ERROR "${folder}/CMakeCache.txt has no line ${text}")
    endif()
endfunction()

# What a packager does: no preset, no tests and no test framework, libraries left out by options.
function(consumer_configure)
    consumer_run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" -G "${GENERATOR}"
        "-DCMAKE_C_COMPILER=${C_COMPILER}" -DBUILD_TESTING=OFF -DCMOCKA_LIBRARY=CMOCKA-NOTFOUND
        -DPOSEMILL_OPENCL=${OPENCL} -DPOSEMILL_MESHOPT=OFF -DPOSEMILL_ARCHIVES=OFF
        -DPOSEMILL_GIF=OFF)
    consumer_expect_cache("${WORK}/build" "CMAKE_BUILD_TYPE:[A-Z]+=Release")
    if(EXISTS "${WORK}/build/tests" OR EXISTS "${WORK}/build/CTestTestfile.cmake")
        message(FATAL_ERROR "BUILD_TESTING=OFF configured tests")
    endif()
    foreach(name IN ITEMS MESHOPTIMIZER LIBARCHIVE GIFLIB)
        file(STRINGS "${WORK}/build/CMakeCache.txt" lines REGEX "^${name}_")
        if(lines)
            message(FATAL_ERROR "left out, but looked for: ${lines}")
        endif()
    endforeach()
    execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" -DPOSEMILL_GLTF=OFF
        -DPOSEMILL_MESHOPT=ON OUTPUT_QUIET ERROR_VARIABLE text)
    if(NOT text MATCHES "POSEMILL_MESHOPT requires POSEMILL_GLTF")
        message(FATAL_ERROR "an option that is ON was left out: ${text}")
    endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
if(MODE STREQUAL "find_package")
    consumer_find_package()
elseif(MODE STREQUAL "pkg_config")
    consumer_pkg_config()
elseif(MODE STREQUAL "add_subdirectory")
    consumer_add_subdirectory()
elseif(MODE STREQUAL "configure")
    consumer_configure()
else()
    message(FATAL_ERROR "MODE is ${MODE}; expected find_package, pkg_config, add_subdirectory or configure")
endif()
