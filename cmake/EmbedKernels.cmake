# SPDX-License-Identifier: MIT
#
# Converts files into one C file of byte arrays with a table of name, text and size: the kernels as
# host/programs/kernel_source.h declares them, or the files of a page as motion/report/page.h does.
# Included, it provides posemill_embed_kernels() and posemill_embed_page(). Run as a script (cmake -P)
# with OUTPUT, HEADER, TYPE, TABLE, COUNT and FILES set, it writes the file. It writes bytes because C
# compilers limit the length of string literals.

function(posemill_embed_files output header type table count)
    cmake_path(GET output PARENT_PATH folder)
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(
        OUTPUT "${output}"
        COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DHEADER=${header}" "-DTYPE=${type}"
                "-DTABLE=${table}" "-DCOUNT=${count}" "-DFILES=${ARGN}"
                -P "${CMAKE_CURRENT_FUNCTION_LIST_FILE}"
        DEPENDS ${ARGN} "${CMAKE_CURRENT_FUNCTION_LIST_FILE}"
        COMMENT "Embedding ${table}"
        VERBATIM)
endfunction()

function(posemill_embed_kernels output)
    posemill_embed_files("${output}" programs/kernel_source.h pm_kernel_source pm_kernel_sources
        pm_kernel_source_count ${ARGN})
endfunction()

function(posemill_embed_page output)
    posemill_embed_files("${output}" motion/report/page.h page_part page_parts page_part_count ${ARGN})
endfunction()

# The final zero makes a text a C string; the size excludes it.
function(posemill_byte_array file index array_text size_out)
    file(SIZE "${file}" size)
    file(READ "${file}" hex HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    set(${array_text}
        "static const unsigned char text_${index}[] = {\n${bytes}0x00\n};\n\n" PARENT_SCOPE)
    set(${size_out} ${size} PARENT_SCOPE)
endfunction()

function(posemill_write_table output)
    set(arrays "")
    set(rows "")
    set(index 0)
    foreach(file IN LISTS ARGN)
        cmake_path(GET file FILENAME name)
        posemill_byte_array("${file}" ${index} array size)
        string(APPEND arrays "${array}")
        string(APPEND rows "    {\"${name}\", text_${index}, ${size}},\n")
        math(EXPR index "${index} + 1")
    endforeach()
    file(WRITE "${output}"
        "/* Made by cmake/EmbedKernels.cmake. */\n"
        "#include \"${HEADER}\"\n\n"
        "${arrays}"
        "const struct ${TYPE} ${TABLE}[] = {\n${rows}};\n\n"
        "const size_t ${COUNT} = ${index};\n")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
    posemill_write_table("${OUTPUT}" ${FILES})
endif()
