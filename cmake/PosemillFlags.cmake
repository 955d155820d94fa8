# SPDX-License-Identifier: MIT
#
# Compiler flags of every target of this project. They do not propagate to users of the library:
# posemill_target() adds them privately.

include(CheckCCompilerFlag)

add_library(posemill_warnings INTERFACE)
target_compile_options(posemill_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wdouble-promotion
    -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla)
# The headers of MinGW-w64 check formats as Microsoft's library reads them, although the C99 functions that
# are used here take size_t, and classify numbers by macros that convert. Other systems check both.
if(WIN32)
    target_compile_options(posemill_warnings INTERFACE
        -Wno-format -Wno-format-extra-args -Wno-float-conversion)
    target_compile_definitions(posemill_warnings INTERFACE __USE_MINGW_ANSI_STDIO=1)
endif()

# Newer Clang counts exact operations of constants and numbers, names of eight bytes without an end, and arguments
# that the called function does not read.
if(APPLE)
    target_compile_options(posemill_warnings INTERFACE -Wno-enum-float-conversion -Wno-unknown-warning-option
        -Wno-unterminated-string-initialization -Wno-uninitialized-const-pointer)
endif()

# GCC does not align vectors of 32 and 64 bytes on the stack of Windows (GCC bug 54412), so no move may require it.
if(WIN32 AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wa,-muse-unaligned-vector-move)
endif()

# The reference path, the kernels compiled into the host and the oracle must not depend on whether a
# compiler fuses operations. errno is never read and would cost a call in each square root.
add_library(posemill_arithmetic INTERFACE)
target_compile_options(posemill_arithmetic INTERFACE -ffp-contract=off -fno-math-errno)

# Additional instruction sets for some files, each with the options that enable it. The program
# checks the processor before it uses one, so the build runs on every processor of its architecture.
set(posemill_instruction_sets "")
if(POSEMILL_INSTRUCTION_SETS AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    set(posemill_instruction_sets avx2 avx512)
    set(posemill_options_of_avx2 -mavx2 -mfma)
    set(posemill_options_of_avx512
        -mfma -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512)
    # GCC copies structs of vectors in parts of 16 bytes by default. A vector that is loaded from such
    # a copy waits until all its parts are in the cache.
    check_c_compiler_flag("-mmove-max=512 -mstore-max=512" POSEMILL_HAS_MOVE_MAX)
    if(POSEMILL_HAS_MOVE_MAX)
        list(APPEND posemill_options_of_avx2 -mmove-max=256 -mstore-max=256)
        list(APPEND posemill_options_of_avx512 -mmove-max=512 -mstore-max=512)
    endif()
endif()

# With sanitizers no function is compiled for several processors (host/base/clones.h), and a fused
# multiply-add would be a call into libm, where tests would spend most of their time. A program with
# sanitizers does not travel, so all but the baseline set uses what this processor has.
set(posemill_options_here "")
if(CMAKE_C_FLAGS MATCHES "-fsanitize" AND posemill_instruction_sets AND NOT CMAKE_CROSSCOMPILING)
    include(CheckCSourceRuns)
    check_c_source_runs("
        int main(void) {
            return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") ? 0 : 1;
        }" POSEMILL_HAS_AVX2_HERE)
    if(POSEMILL_HAS_AVX2_HERE)
        set(posemill_options_here -mavx2 -mfma)
    endif()
endif()

# Prepares one target of this project: C11 without extensions, hidden symbols, warnings.
function(posemill_target target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 11
        C_STANDARD_REQUIRED ON
        C_EXTENSIONS OFF
        C_VISIBILITY_PRESET hidden)
    target_link_libraries(${target} PRIVATE
        $<BUILD_INTERFACE:posemill_warnings> $<BUILD_INTERFACE:posemill_arithmetic>)
    if(NOT target STREQUAL "posemill_set_baseline")
        target_compile_options(${target} PRIVATE ${posemill_options_here})
    endif()
endfunction()
