# SPDX-License-Identifier: MIT
#
# What both libraries have in common: their versions, and those of the symbols of shared builds.
set(posemill_soversion ${PROJECT_VERSION_MAJOR})
configure_file("${PROJECT_SOURCE_DIR}/cmake/exports.map.in" "${PROJECT_BINARY_DIR}/exports.map" @ONLY)

# CMake asks the system that it runs on whether macOS finds libraries by run paths.
if(APPLE)
    set(CMAKE_SHARED_LIBRARY_RUNTIME_C_FLAG "-Wl,-rpath,")
endif()

# posemill_export_list(<target> <public header>...): a DLL exports the functions that its headers mark with
# PM_API. Its import library is one that linkers of MinGW and of MSVC read, where LLVM has made it.
function(posemill_export_list target)
    set(list "${PROJECT_BINARY_DIR}/${target}.def")
    set(exports "EXPORTS\n")
    foreach(header IN LISTS ARGN)
        set(header "${PROJECT_SOURCE_DIR}/include/posemill/${header}")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
        file(READ "${header}" text)
        string(REGEX MATCHALL "\nPM_API [^(;]*[ *\n]pm_[a-z_0-9]+\\(" functions "${text}")
        foreach(function IN LISTS functions)
            string(REGEX REPLACE ".*[ *\n](pm_[a-z_0-9]+).*" "    \\1\n" function "${function}")
            string(APPEND exports "${function}")
        endforeach()
    endforeach()
    file(CONFIGURE OUTPUT "${list}" CONTENT "${exports}")
    target_sources(${target} PRIVATE "${list}")
    set_target_properties(${target} PROPERTIES IMPORT_PREFIX "" IMPORT_SUFFIX ".lib")
    find_program(POSEMILL_DLLTOOL llvm-dlltool)
    if(POSEMILL_DLLTOOL)
        add_custom_command(TARGET ${target} POST_BUILD
            COMMAND "${POSEMILL_DLLTOOL}" -m i386:x86-64 -D $<TARGET_FILE_NAME:${target}> -d "${list}"
                -l $<TARGET_LINKER_FILE:${target}> VERBATIM)
    endif()
endfunction()

# posemill_library_versions(<target> <public header>...)
function(posemill_library_versions target)
    set_target_properties(${target} PROPERTIES
        LINKER_LANGUAGE C
        VERSION ${PROJECT_VERSION}
        SOVERSION ${posemill_soversion})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "SHARED_LIBRARY" AND WIN32)
        posemill_export_list(${target} ${ARGN})
    elseif(type STREQUAL "SHARED_LIBRARY" AND NOT APPLE)
        target_link_options(${target} PRIVATE "LINKER:--version-script=${PROJECT_BINARY_DIR}/exports.map")
        set_target_properties(${target} PROPERTIES LINK_DEPENDS "${PROJECT_BINARY_DIR}/exports.map")
    endif()
endfunction()
