# SPDX-License-Identifier: MIT
#
# Libraries of the system that a part of the build requires, and that an option leaves out.

# posemill_link_library(<target> <NAME> <header> <library> <Debian package> <option>)
# The cache has <NAME>_INCLUDE_DIR and <NAME>_LIBRARY.
function(posemill_link_library target name header library package option)
    find_path(${name}_INCLUDE_DIR ${header})
    find_library(${name}_LIBRARY ${library})
    if(NOT ${name}_INCLUDE_DIR OR NOT ${name}_LIBRARY)
        message(FATAL_ERROR "${library} is missing. Install Debian's ${package}, or configure with "
            "-D${option}=OFF")
    endif()
    target_include_directories(${target} SYSTEM PRIVATE "${${name}_INCLUDE_DIR}")
    target_link_libraries(${target} PRIVATE "${${name}_LIBRARY}")
endfunction()
