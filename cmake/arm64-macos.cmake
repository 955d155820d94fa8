# SPDX-License-Identifier: MIT
#
# Builds for macOS on 64-bit ARM (cmake/macos.cmake).
set(CMAKE_SYSTEM_PROCESSOR arm64)
include("${CMAKE_CURRENT_LIST_DIR}/macos.cmake")
