# SPDX-License-Identifier: MIT
# size.py: bytes and kernels of the AMD code in a library, and whether they keep their bounds: size.py LIBRARY
#
# A code object holds the kernels of one file of hip/; their names say which family of operations it serves.
import os
import re
import sys
from collections import defaultdict

tests = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
sys.path[:0] = [os.path.join(tests, "amdrun"), os.path.join(tests, "isa")]
import codeobj
import disassembly

# Bytes of an architecture, by family. Together they are a few megabytes: a library for eight architectures stays a
# download of a moment.
FAMILIES = {
    "products": (2700000, r"matmul_|real_form$"),
    "group calls": (350000, r"group_"),
    "arrays": (700000, r"reduce$|scan$|dot$|norm2$|minmax_index$|transpose$"),
    "rows": (250000, r"row_"),
    "selections": (80000, r"compact|partition|unique|select"),
    "segments": (300000, r"segmented_"),
    "histograms": (320000, r"histogram|scatter_add|append"),
    "memory": (10000, r"fill$"),
    "stacks": (50000, r"stack_|transpose_stacked"),
    "grouped": (15000, r"grouped_"),
    "tensors": (800000, r"tensor$"),
}
KERNELS = 700
HELPERS = ("clear_states",)  # of several families


def short(kernel):
    """The name of a function in a namespace of subwave: _ZN7subwave3amd6reduceI... is `reduce`."""
    match = re.match(r"_ZN7subwave\d+[a-z]+?(\d+)(\w+)", kernel)
    return match.group(2)[:int(match.group(1))] if match else kernel


def family(name):
    for title, (_, pattern) in FAMILIES.items():
        if re.match(pattern, name):
            return title
    sys.exit("FAILED: %s is a kernel of no family" % name)


def main(library):
    size, kernels = defaultdict(lambda: defaultdict(int)), defaultdict(int)
    for architecture, data in disassembly.bundled(library):
        names = codeobj.CodeObject(data).kernels
        kernels[architecture] += len(names)
        families = {family(name) for name in map(short, names) if name not in HELPERS}
        if len(families) > 1:
            sys.exit("FAILED: %s: a code object of several families" % ", ".join(sorted(families)))
        for title in families:
            size[architecture][title] += len(data)
    if not size:
        sys.exit("%s: no code objects" % library)
    failed = False
    for architecture in sorted(size):
        for title, (bound, _) in FAMILIES.items():
            right = size[architecture][title] <= bound
            failed |= not right
            print("%s%s: %s: %d bytes of at most %d" % (
                "" if right else "FAILED: ", architecture, title, size[architecture][title], bound))
        # A library without kernels would be small, and is a failure of this test's reader.
        right = 0 < kernels[architecture] <= KERNELS
        failed |= not right
        print("%s%s: %d bytes, %d kernels of at most %d" % (
            "" if right else "FAILED: ", architecture, sum(size[architecture].values()), kernels[architecture], KERNELS))
    return failed


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: size.py LIBRARY")
    sys.exit(main(sys.argv[1]))
