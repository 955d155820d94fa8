# SPDX-License-Identifier: MIT
#
# Builds for macOS on x86-64 (cmake/macos.cmake).
set(CMAKE_SYSTEM_PROCESSOR x86_64)
include("${CMAKE_CURRENT_LIST_DIR}/macos.cmake")
