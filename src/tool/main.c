/* SPDX-License-Identifier: MIT
 * main.c: the subwave command: finds the command named and runs it.
 */
#include "commands.h"
#include "options.h"
#include "text.h"

#include <subwave/subwave.h>

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *usage, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"info", "info", "show the devices, and which one is used", info_main},
    {"matmul", "matmul A.npy B.npy -o C.npy", "multiply two matrices in NumPy files", matmul_main},
    {"reduce", "reduce X.npy", "the sum, product, minimum and so on of an array", array_main},
    {"dot", "dot X.npy Y.npy", "the sum of the products of two arrays", array_main},
    {"norm2", "norm2 X.npy", "the square root of the sum of all squares", array_main},
    {"minmax_index", "minmax_index X.npy", "the least or greatest element, and where it is",
     array_main},
    {"row_minmax_index", "row_minmax_index X.npy -o Y.npy --at I.npy", "the same of each row",
     array_main},
    {"scan", "scan X.npy -o Y.npy", "the sums, and so on, up to each element", array_main},
    {"row_reduce", "row_reduce X.npy -o Y.npy", "the sum, and so on, of each row", array_main},
    {"row_scan", "row_scan X.npy -o Y.npy", "the sums, and so on, in each row", array_main},
    {"segmented_reduce", "segmented_reduce X.npy S.npy -o Y.npy",
     "the sum, and so on, of each segment of an array", array_main},
    {"segmented_scan", "segmented_scan X.npy S.npy -o Y.npy",
     "the sums, and so on, in each segment", array_main},
    {"compact", "compact X.npy -o Y.npy", "the elements that flags or a comparison select",
     array_main},
    {"partition", "partition X.npy -o Y.npy --rest Z.npy", "these elements, and the others",
     array_main},
    {"unique", "unique X.npy -o Y.npy", "the first of neighbours that are equal", array_main},
    {"histogram", "histogram X.npy", "how many elements are in each bin", array_main},
    {"transpose", "transpose A.npy -o B.npy", "the transpose of a matrix", array_main},
    {"bench", "bench OPERATION", "time a compute call, each result checked", bench_main},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static int print_help(void)
{
    puts("subwave " SUBWAVE_VERSION_STRING
         ": fast group operations on GPU wavefronts, and on the CPU device that simulates them\n\n"
         "usage:");
    for (int i = 0; i < COMMANDS; ++i)
        printf("  subwave %-43s%s\n", commands[i].usage, commands[i].summary);
    puts(
        "  subwave COMMAND --help                             show a command's options\n"
        "  subwave --version                                  show version, devices built for and compilers\n\n"
        "environment:\n"
        "  SUBWAVE_DEVICE=gpu:0                               the device to use when no option names one\n"
        "  SUBWAVE_LOG=1                                      print each call of the library on stderr\n\n"
        "exit status: 0 done; 1 failed; 2 the command line is wrong");
    return EXIT_SUCCESS;
}

static int run(int argc, char **argv)
{
    if (argc < 2)
        return usage_error("", "a command is missing: info, matmul, reduce and so on");
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "--version") == 0) {
        if (argc > 2)
            return usage_error("", "unexpected argument \"%s\"", argv[2]);
        if (strcmp(name, "--version") != 0)
            return print_help();
        puts(subwave_build_info());
        return EXIT_SUCCESS;
    }
    for (int i = 0; i < COMMANDS; ++i)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    if (name[0] == '-')
        return usage_error("", "unknown option \"%s\"", name);
    return usage_error("", "unknown command \"%s\"; there are info, matmul, reduce and so on",
                       name);
}

int main(int argc, char **argv)
{
    int code = run(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_SUCCESS) {
        perror("subwave: cannot write to standard output");
        code = EXIT_FAILURE;
    }
    return code;
}
