# SPDX-License-Identifier: MIT
#
# Writes the definition of bench_commit to OUTPUT if it has changed, so that an unchanged commit
# causes no compilation. Run with cmake -DSOURCE=<checkout> -DOUTPUT=<file> -P.
execute_process(
    COMMAND git describe --always --dirty --abbrev=12 --exclude=*
    WORKING_DIRECTORY "${SOURCE}"
    OUTPUT_VARIABLE commit
    OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE failure
    ERROR_QUIET)
if(NOT failure STREQUAL "0" OR NOT commit MATCHES "^[0-9a-f]+(-dirty)?$")
    set(commit unknown)
endif()
set(text "#include \"runner/record.h\"\n\nconst char bench_commit[] = \"${commit}\";\n")
set(before "")
if(EXISTS "${OUTPUT}")
    file(READ "${OUTPUT}" before)
endif()
if(NOT before STREQUAL text)
    file(WRITE "${OUTPUT}" "${text}")
endif()
