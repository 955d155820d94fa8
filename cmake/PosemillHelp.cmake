# SPDX-License-Identifier: MIT
#
# Writes the manual pages, the reference and the completions that the command prints into the folder OUT. Run as a
# script: cmake -DPOSEMILL=COMMAND -DOUT=FOLDER -P PosemillHelp.cmake
function(write_help file)
    execute_process(COMMAND ${POSEMILL} ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE "${OUT}/${file}" "${text}")
endfunction()

execute_process(COMMAND ${POSEMILL} help --commands OUTPUT_VARIABLE verbs COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[a-z]+" verbs "${verbs}")
file(REMOVE_RECURSE "${OUT}/man1")
write_help(man1/posemill.1 help --man)
foreach(verb IN LISTS verbs)
    write_help(man1/posemill-${verb}.1 help --man ${verb})
endforeach()
write_help(cli.md help --markdown)
foreach(shell bash zsh fish)
    write_help(posemill.${shell} completions ${shell})
endforeach()
