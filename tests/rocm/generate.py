# SPDX-License-Identifier: MIT
"""Writes what the stand-in takes from the real libamdhip64 and its header: symbol versions, answers for functions that
it lacks, and the errors with their names.

    generate.py LIBRARY HEADER FOLDER
"""
import os
import re
import subprocess
import sys

library, header, folder = sys.argv[1:]
lines = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", library], capture_output=True,
                       text=True, check=True).stdout
versions, functions = {}, []
for kind, name, version in re.findall(r"^[0-9a-f]+ ([TW]) (\w+)@@?([\w.]+)$", lines, re.M):
    if not name.startswith("__gnu_"):           # of the compiler's library, not HIP's
        versions.setdefault(version, []).append(name)
        functions.append(name)
if len(functions) < 100:
    sys.exit("%s: no HIP functions in it" % library)


def write(name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(text)


older = ""
text = ""
for version in sorted(versions, key=lambda v: [int(n) for n in v.split("_")[1].split(".")]):
    text += "%s {\nglobal:\n    %s;\n%s}%s;\n" % (
        version, ";\n    ".join(versions[version]), "" if older else "local: *;\n", older)
    older = " " + version
write("hip.map", text)
# Weak: a function of the same name in the stand-in's own files takes its place.
write("lacks.c", "int rocm_runner_lacks(const char *function);\n" + "".join(
    '__attribute__((weak)) int %s(void) { return rocm_runner_lacks("%s"); }\n' % (n, n) for n in functions))
with open(header, encoding="utf-8") as f:
    body = re.search(r"typedef enum [^{;]*\{([^}]*)\} hipError_t;", f.read())
errors, seen = [], set()
for name, value in re.findall(r"^\s*(hip(?:Error|Success)\w*) = (\d+)", body.group(1), re.M):
    if value not in seen:
        seen.add(value)
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name[3:].removeprefix("Error")).lower()
        errors.append('{%s, "%s", "%s"},\n' % (name, name, words))
write("errors.inc", "".join(errors))
