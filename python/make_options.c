/* SPDX-License-Identifier: MIT
 *
 * usage: make_options
 *
 * Writes the module posemill.options: the keywords of each function as a TypedDict, from the table of
 * options, for type checkers, editors and readers.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "functions.h"

#include <posemill/posemill_motion.h>

static const char head[] =
    "# SPDX-License-Identifier: MIT\n"
    "\"\"\"The keywords of functions, as types: written from the table of options of the library.\n\n"
    "``load(path, **options: Unpack[LoadOptions])`` is how :func:`load` takes them. None is as if left out.\n"
    "\"\"\"\n"
    "from __future__ import annotations\n\n"
    "from collections.abc import Mapping, Sequence\n"
    "from fractions import Fraction\n"
    "from os import PathLike\n"
    "from typing import Any, Literal, Optional, TypedDict, Union\n\n"
    "Rate = Union[str, int, float, Fraction]\n"
    "File = Union[str, PathLike[str]]\n"
    "Form = Union[str, PathLike[str], Sequence[Any], Mapping[str, str]]\n";

static const char *const types[] = {[PM_OPTION_FLAG] = "bool",
                                    [PM_OPTION_TEXT] = "str",
                                    [PM_OPTION_FILE] = "File",
                                    [PM_OPTION_NUMBER] = "float",
                                    [PM_OPTION_INTEGER] = "int",
                                    [PM_OPTION_RATE] = "Rate",
                                    [PM_OPTION_TIME] = "Rate",
                                    [PM_OPTION_NUMBERS] = "Union[str, Sequence[float]]",
                                    [PM_OPTION_NAMES] = "Union[str, Sequence[str]]",
                                    [PM_OPTION_FORM] = "Form"};

/* "cut" becomes "CutOptions", "batch_steps" "BatchStepsOptions". */
static void write_class(const char *name) {
    bool begins = true;
    printf("\n\nclass ");
    for (const char *c = name; *c; c++) {
        if (*c != '_')
            putchar(begins ? toupper((unsigned char)*c) : *c);
        begins = *c == '_';
    }
    printf("Options(TypedDict, total=False):\n");
}

/* A name as a keyword. */
static void write_name(const char *name, size_t size) {
    for (size_t i = 0; i < size; i++)
        putchar(name[i] == '-' ? '_' : name[i]);
    if (size == 4 && memcmp(name, "from", size) == 0)
        putchar('_'); /* a word of Python */
}

/* Options in braces become code. */
static void write_help(const char *help) {
    printf("        ");
    for (const char *at = help; *at;) {
        const size_t plain = strcspn(at, "{\\"), size = strcspn(at + plain, "}");
        printf("%.*s", (int)plain, at);
        at += plain;
        if (*at == '{') {
            printf("``");
            write_name(at + 1, size - 1);
            printf("``");
            at += size + (at[size] == '}');
        } else if (*at == '\\') {
            printf("\\\\");
            at++;
        }
    }
    printf("\n");
}

static void write_words(size_t option) {
    const char *word = NULL;
    printf("Literal[");
    for (size_t i = 0; (word = pm_option_get_word(option, i)) != NULL; i++)
        printf("%s\"%s\"", i > 0 ? ", " : "", word);
    printf("]");
}

/* Numbers with words, and forms whose value may be left out, are of either type. */
static void write_type(size_t option) {
    const pm_option_info *info = pm_option_get_info(option);
    const bool has_words = pm_option_get_word(option, 0) != NULL;
    printf("Optional[");
    if (info->type == PM_OPTION_WORD) {
        write_words(option);
    } else if (info->type == PM_OPTION_NUMBER && has_words) {
        printf("Union[float, ");
        write_words(option);
        printf("]");
    } else if (info->type == PM_OPTION_FORM && native_option_is_flag(option)) {
        printf("Union[Form, bool]");
    } else if (info->type == PM_OPTION_INTEGER && strcmp(info->argument, "BYTES") == 0) {
        printf("Union[int, str]"); /* "4G" */
    } else if (info->type == PM_OPTION_TEXT && info->repeats) {
        printf("Union[str, int, Sequence[Union[str, int]]]");
    } else {
        printf("%s", types[info->type]);
    }
    printf("]");
}

static void write_function(size_t function) {
    write_class(native_function_name(function));
    printf("    \"\"\"Keywords of ``%s``.\n\n    Attributes\n    ----------\n",
           native_function_name(function));
    for (size_t i = 0; i < pm_option_count(); i++)
        if (native_function_takes(function, i)) {
            const pm_option_info *info = pm_option_get_info(i);
            printf("    ");
            write_name(info->name, strlen(info->name));
            printf("\n");
            write_help(info->help);
        }
    printf("    \"\"\"\n\n");
    for (size_t i = 0; i < pm_option_count(); i++)
        if (native_function_takes(function, i)) {
            const pm_option_info *info = pm_option_get_info(i);
            printf("    ");
            write_name(info->name, strlen(info->name));
            printf(": ");
            write_type(i);
            printf("\n");
        }
}

int main(void) {
    fputs(head, stdout);
    for (size_t i = 0; i < native_function_count(); i++)
        write_function(i);
    return fflush(stdout) != 0;
}
