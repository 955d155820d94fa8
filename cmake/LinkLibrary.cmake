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

# posemill_link_library(<target> <NAME> <header> <library> <Debian package> <option>)
# A library that an option leaves out. The cache has <NAME>_INCLUDE_DIR and <NAME>_LIBRARY.
function(posemill_link_library target name header library package option)
    find_path(${name}_INCLUDE_DIR ${header})
    find_library(${name}_LIBRARY ${library})
    if(NOT ${name}_INCLUDE_DIR OR NOT ${name}_LIBRARY)
        message(FATAL_ERROR "${library} is missing. Install Debian's ${package}, or configure with "
            "-D${option}=OFF")
    endif()
    posemill_add_library(${target} ${name} ${library})
endfunction()

# posemill_optional_library(<target> <NAME> <header> <library> <Debian package> <option> <what its
#                           absence means>)
# Likewise for an option that may be AUTO: linked where it is found. Linked, the target has the
# definition POSEMILL_<NAME> among its POSEMILL_PARTS.
function(posemill_optional_library target name header library package option absence)
    if(${option} STREQUAL "AUTO")
        find_path(${name}_INCLUDE_DIR ${header})
        find_library(${name}_LIBRARY ${library})
        if(NOT ${name}_INCLUDE_DIR OR NOT ${name}_LIBRARY)
            posemill_left_out("${library}: ${absence}. Debian's package is ${package}")
            return()
        endif()
    elseif(NOT ${option})
        return()
    endif()
    posemill_link_library(${target} ${name} ${header} ${library} ${package} ${option})
    set_property(TARGET ${target} APPEND PROPERTY POSEMILL_PARTS POSEMILL_${name})
endfunction()

# posemill_left_out(<what, and how to get it>)
# Says that a part is not built because something is missing. `./dev build` repeats it at its end.
function(posemill_left_out text)
    message(STATUS "Left out: ${text}")
    file(APPEND "${PROJECT_BINARY_DIR}/left-out.txt" "${text}\n")
endfunction()
