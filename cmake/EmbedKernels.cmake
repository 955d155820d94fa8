# SPDX-License-Identifier: MIT
#
# Converts kernel files into one C file of byte arrays with the table declared in
# host/opencl/kernel_source.h. Included, it provides posemill_embed_kernels(). Run as a script
# (cmake -P) with OUTPUT and FILES set, it writes the file. It writes bytes because C compilers limit
# the length of string literals.

function(posemill_embed_kernels output)
    cmake_path(GET output PARENT_PATH folder)
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(
        OUTPUT "${output}"
        COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DFILES=${ARGN}"
                -P "${CMAKE_CURRENT_FUNCTION_LIST_FILE}"
        DEPENDS ${ARGN} "${CMAKE_CURRENT_FUNCTION_LIST_FILE}"
        COMMENT "Embedding the kernel sources"
        VERBATIM)
endfunction()

# The final zero makes a text a C string; the size excludes it.
function(posemill_kernel_array file index array_text size_out)
    file(SIZE "${file}" size)
    file(READ "${file}" hex HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    set(${array_text}
        "static const unsigned char text_${index}[] = {\n${bytes}0x00\n};\n\n" PARENT_SCOPE)
    set(${size_out} ${size} PARENT_SCOPE)
endfunction()

function(posemill_write_kernel_sources output)
    set(arrays "")
    set(rows "")
    set(index 0)
    foreach(file IN LISTS ARGN)
        cmake_path(GET file FILENAME name)
        posemill_kernel_array("${file}" ${index} array size)
        string(APPEND arrays "${array}")
        string(APPEND rows "    {\"${name}\", text_${index}, ${size}},\n")
        math(EXPR index "${index} + 1")
    endforeach()
    file(WRITE "${output}"
        "/* Made from the files in kernels/ by cmake/EmbedKernels.cmake. */\n"
        "#include \"opencl/kernel_source.h\"\n\n"
        "${arrays}"
        "const struct pm_kernel_source pm_kernel_sources[] = {\n${rows}};\n\n"
        "const size_t pm_kernel_source_count = ${index};\n")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
    posemill_write_kernel_sources("${OUTPUT}" ${FILES})
endif()
