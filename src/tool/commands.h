/* SPDX-License-Identifier: MIT
 * commands.h: the commands behind `subwave COMMAND`. Each returns the process's exit status.
 */
#ifndef SUBWAVE_TOOL_COMMANDS_H
#define SUBWAVE_TOOL_COMMANDS_H

/* argv[0] is the command's name. */
int info_main(int argc, char **argv);
int matmul_main(int argc, char **argv);
int array_main(int argc, char **argv); /* of the calls on whole arrays; argv[0] says which */
int bench_main(int argc, char **argv);

#endif
