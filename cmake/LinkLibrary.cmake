# SPDX-License-Identifier: MIT
#
# Libraries of the system that parts of the build use. Links are by path in the build and by name in
# installed targets, which may be used on another machine.

# posemill_add_library(<target> <NAME> <library>)
# The target's property POSEMILL_LINKS has what libraries made of its objects link, and
# POSEMILL_LIBRARIES the names for pkg-config.
function(posemill_add_library target name library)
    set(link "$<BUILD_INTERFACE:${${name}_LIBRARY}>$<INSTALL_INTERFACE:${library}>")
    target_include_directories(${target} SYSTEM PRIVATE "${${name}_INCLUDE_DIR}")
    target_link_libraries(${target} PRIVATE "${link}")
    set_property(TARGET ${target} APPEND PROPERTY POSEMILL_LINKS "${link}")
    set_property(TARGET ${target} APPEND PROPERTY POSEMILL_LIBRARIES ${library})
endfunction()

# What is looked for of each library: a header, the library's name, and Debian's package.
set(posemill_GIFLIB gif_lib.h gif libgif-dev)
set(posemill_JANSSON jansson.h jansson libjansson-dev)
set(posemill_LIBARCHIVE archive_entry.h archive libarchive-dev)
set(posemill_MESHOPTIMIZER meshoptimizer.h meshoptimizer libmeshoptimizer-dev)
set(posemill_XXHASH xxhash.h xxhash libxxhash-dev)
set(posemill_ZLIB zlib.h z zlib1g-dev)

# posemill_choose(<option> <what its absence means> <NAME>...)
# Makes an option that may be AUTO a variable that is ON or OFF: ON where all its libraries are found, which
# is required where the option is ON. The cache has <NAME>_INCLUDE_DIR and <NAME>_LIBRARY.
function(posemill_choose option absence)
    if(NOT ${option} AND NOT "${${option}}" STREQUAL "AUTO")
        return()
    endif()
    foreach(name IN LISTS ARGN)
        list(GET posemill_${name} 0 header)
        list(GET posemill_${name} 1 library)
        list(GET posemill_${name} 2 package)
        find_path(${name}_INCLUDE_DIR ${header})
        # The static one first where MinGW has both: a program then depends on no DLL but those of the system.
        set(names ${library})
        if(MINGW)
            list(PREPEND names lib${library}.a)
        endif()
        find_library(${name}_LIBRARY NAMES ${names})
        if(${name}_INCLUDE_DIR AND ${name}_LIBRARY)
            continue()
        endif()
        if(NOT "${${option}}" STREQUAL "AUTO")
            message(FATAL_ERROR "${library} is missing. Install Debian's ${package}, or configure with "
                "-D${option}=OFF")
        endif()
        posemill_left_out("${library}: ${absence}. Debian's package is ${package}")
        set(${option} OFF PARENT_SCOPE)
        return()
    endforeach()
    set(${option} ON PARENT_SCOPE)
endfunction()

# posemill_choose_part(<option> <whole> <arguments of posemill_choose>): likewise, of a part of what another
# option builds.
function(posemill_choose_part option whole)
    if(${whole})
        posemill_choose(${option} ${ARGN})
    elseif("${${option}}" STREQUAL "AUTO")
        set(${option} OFF)
    elseif(${option})
        message(FATAL_ERROR "${option} requires ${whole}, which is off or lacks a library")
    endif()
    set(${option} "${${option}}" PARENT_SCOPE)
endfunction()

# posemill_link_library(<target> <NAME>): links a library that was found.
function(posemill_link_library target name)
    list(GET posemill_${name} 1 library)
    posemill_add_library(${target} ${name} ${library})
endfunction()

# posemill_load_library(<target> <NAME>)
# Where the library is a shared one whose file name has its version, sources open it with dlopen, by
# POSEMILL_<NAME>_SONAME: it takes no time where it is not used. Otherwise it is linked.
function(posemill_load_library target name)
    file(REAL_PATH "${${name}_LIBRARY}" file)
    if(file MATCHES "/(lib[^/]*[.]so[.][0-9]+)[^/]*$")
        target_include_directories(${target} SYSTEM PRIVATE "${${name}_INCLUDE_DIR}")
        set_property(TARGET ${target} APPEND PROPERTY POSEMILL_PARTS
            "POSEMILL_${name}_SONAME=\"${CMAKE_MATCH_1}\"")
    else()
        posemill_link_library(${target} ${name})
    endif()
endfunction()

# posemill_left_out(<what, and how to get it>)
# Says that a part is not built because something is missing. `./dev build` repeats it at its end.
function(posemill_left_out text)
    message(STATUS "Left out: ${text}")
    file(APPEND "${PROJECT_BINARY_DIR}/left-out.txt" "${text}\n")
endfunction()
