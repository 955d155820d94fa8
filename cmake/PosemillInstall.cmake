# SPDX-License-Identifier: MIT
#
# Installs the library, its headers, the command with its manual pages, and the files for find_package
# and pkg-config. No installed file contains the prefix, so the tree can be moved.
include(CMakePackageConfigHelpers)

set(posemill_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/posemill")

install(TARGETS posemill EXPORT posemill-targets
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/include/posemill/posemill.h"
    "${PROJECT_SOURCE_DIR}/include/posemill/posemill_crowd.h"
    "${PROJECT_SOURCE_DIR}/include/posemill/posemill_points.h"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/posemill")
if(POSEMILL_OPENCL)
    install(FILES "${PROJECT_SOURCE_DIR}/include/posemill/posemill_cl.h"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/posemill")
endif()
if(TARGET posemill_motion)
    install(TARGETS posemill_motion EXPORT posemill-targets
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    install(FILES "${PROJECT_SOURCE_DIR}/include/posemill/posemill_motion.h"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/posemill")
    if(POSEMILL_NPZ)
        install(FILES "${PROJECT_SOURCE_DIR}/include/posemill/posemill_library.h"
            DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/posemill")
    endif()
endif()
if(TARGET posemill_command)
    install(TARGETS posemill_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
if(TARGET posemill_help)
    install(DIRECTORY "${PROJECT_BINARY_DIR}/help/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}")
    install(FILES "${PROJECT_BINARY_DIR}/help/cli.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
    install(FILES "${PROJECT_BINARY_DIR}/help/posemill.bash" RENAME posemill
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
    install(FILES "${PROJECT_BINARY_DIR}/help/posemill.zsh" RENAME _posemill
        DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
    install(FILES "${PROJECT_BINARY_DIR}/help/posemill.fish"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
set(posemill_origin "$ORIGIN") # where the linker of the system finds a file beside the one that needs it
if(APPLE)
    set(posemill_origin "@loader_path")
endif()
if(TARGET posemill_command AND BUILD_SHARED_LIBS)
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR
        BASE_DIRECTORY "${CMAKE_INSTALL_FULL_BINDIR}" OUTPUT_VARIABLE bin_to_lib)
    set_target_properties(posemill_command PROPERTIES INSTALL_RPATH "${posemill_origin}/${bin_to_lib}")
endif()
if(TARGET posemill_motion AND BUILD_SHARED_LIBS)
    set_target_properties(posemill_motion PROPERTIES INSTALL_RPATH "${posemill_origin}")
endif()

install(EXPORT posemill-targets NAMESPACE posemill:: DESTINATION "${posemill_cmake_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/posemill-config.cmake.in"
    "${PROJECT_BINARY_DIR}/posemill-config.cmake"
    INSTALL_DESTINATION "${posemill_cmake_dir}"
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/posemill-config-version.cmake"
    COMPATIBILITY SameMajorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/posemill-config.cmake"
    "${PROJECT_BINARY_DIR}/posemill-config-version.cmake"
    DESTINATION "${posemill_cmake_dir}")

# posemill_install_pc(<name> <its own libraries, -lm ...>)
# A static library passes on its own libraries; a shared library does not.
function(posemill_install_pc name)
    list(JOIN ARGN " " links)
    set(pc_cflags "")
    set(pc_libs "")
    set(pc_private "")
    if(BUILD_SHARED_LIBS)
        set(pc_cflags " -DPOSEMILL_SHARED")
        set(pc_private " ${links}")
    else()
        set(pc_libs " ${links}")
    endif()
    set(pc_folder "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
        BASE_DIRECTORY "${pc_folder}" OUTPUT_VARIABLE pc_to_prefix)
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR
        BASE_DIRECTORY "${pc_folder}" OUTPUT_VARIABLE pc_to_include)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()

# The thread library is always listed, because it is part of some C libraries but not of others.
set(posemill_links -lm -pthread)
if(POSEMILL_OPENCL AND NOT POSEMILL_OPENCL_DLOPEN)
    list(PREPEND posemill_links -lOpenCL)
endif()
posemill_install_pc(posemill ${posemill_links})
if(TARGET posemill_motion)
    get_property(motion_links TARGET posemill_motion_objects PROPERTY POSEMILL_LIBRARIES)
    list(TRANSFORM motion_links PREPEND -l)
    posemill_install_pc(posemill-motion ${motion_links} -lm)
endif()
