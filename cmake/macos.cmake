# SPDX-License-Identifier: MIT
#
# Builds for macOS 11 and later elsewhere, with the Clang, the headers and the linker of ziglang in Python's package
# index. `./dev` makes the commands in build/zig/bin, and packaging/windows-libraries the libraries.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_OSX_DEPLOYMENT_TARGET 11.0)
set(zig "${CMAKE_CURRENT_LIST_DIR}/../build/zig/bin/${CMAKE_SYSTEM_PROCESSOR}-macos-")
set(CMAKE_C_COMPILER "${zig}clang")
set(CMAKE_AR "${zig}ar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${zig}ranlib" CACHE FILEPATH "")
set(CMAKE_FIND_ROOT_PATH "${CMAKE_CURRENT_LIST_DIR}/../build/${CMAKE_SYSTEM_PROCESSOR}-macos-libraries")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Without the paths of objects, which the linker would keep for debuggers.
foreach(kind IN ITEMS EXE SHARED MODULE)
    set(CMAKE_${kind}_LINKER_FLAGS_INIT "-Wl,-S")
endforeach()
