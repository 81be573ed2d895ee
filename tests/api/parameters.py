# SPDX-License-Identifier: MIT
"""The list of parameters that the library has from the header (src/parameters.cmake), against the header as the
preprocessor and the Fortran modules' generator read it; and what src/argument.c takes for granted of functions."""
import argparse
import os
import re
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    for option in ("cc", "source", "list"):
        parser.add_argument("--" + option, required=True)
    options = parser.parse_args()
    sys.path.insert(0, os.path.join(options.source, "src", "fortran"))
    import generate
    include = os.path.join(options.source, "include")
    text = subprocess.run([options.cc, "-std=c11", "-E", "-DSUBWAVE_STATIC", "-I" + include, "-x", "c",
                           os.path.join(include, "subwave", "subwave.h")], check=True, stdout=subprocess.PIPE, text=True)
    header = generate.Header(text.stdout)
    with open(options.list, encoding="ascii") as file:
        listed = {name: names.split() for name, names in re.findall(r'X\((\w+), "([^"]*)"\)', file.read())}
    declared = {f.name: [p.name for p in f.parameters] for f in header.functions}
    failures = ["%s: the list has %s, the header %s" % (name, listed.get(name), declared.get(name))
                for name in sorted(set(listed) | set(declared)) if listed.get(name) != declared.get(name)]
    with open(os.path.join(options.source, "src", "argument.c"), encoding="ascii") as file:
        without = re.findall(r'"(subwave_\w+)"', re.search(r"without_context\[\] = \{([^}]*)\}", file.read())[1])
    positions = {}
    for f in header.functions:
        if f.type != "subwave_status":
            continue
        has_context = f.parameters[0].type == "subwave_context *"
        if has_context == (f.name in without) and f.name != "subwave_context_destroy": # which finds nothing wrong
            failures.append("%s: argument.c is wrong about its context" % f.name)
        for i, p in enumerate(f.parameters if f.name in without else []):
            if positions.setdefault(p.name, i) != i:
                failures.append("%s: another function without a context has %s elsewhere" % (f.name, p.name))
    print("\n".join(failures) or "%d functions" % len(declared))
    return len(failures) > 0 or len(declared) < 80


if __name__ == "__main__":
    sys.exit(main())
