# SPDX-License-Identifier: MIT
#
# What both libraries have in common: their versions, and those of the symbols of shared builds.
set(posemill_soversion ${PROJECT_VERSION_MAJOR})
configure_file("${PROJECT_SOURCE_DIR}/cmake/exports.map.in" "${PROJECT_BINARY_DIR}/exports.map" @ONLY)

# CMake asks the system that it runs on whether macOS finds libraries by run paths.
if(APPLE)
    set(CMAKE_SHARED_LIBRARY_RUNTIME_C_FLAG "-Wl,-rpath,")
endif()

# posemill_library_versions(<target>)
function(posemill_library_versions target)
    set_target_properties(${target} PROPERTIES
        LINKER_LANGUAGE C
        VERSION ${PROJECT_VERSION}
        SOVERSION ${posemill_soversion})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "SHARED_LIBRARY" AND NOT APPLE)
        target_link_options(${target} PRIVATE "LINKER:--version-script=${PROJECT_BINARY_DIR}/exports.map")
        set_target_properties(${target} PROPERTIES LINK_DEPENDS "${PROJECT_BINARY_DIR}/exports.map")
    endif()
endfunction()
