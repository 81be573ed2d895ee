#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# counts.py: whether rocPRIM executes more vector instructions in every cell of perf/isa/arrays.md, as docs/amd.md says:
# counts.py PAGE
import re
import sys


def main(page):
    architecture, found, failures = None, {}, 0
    with open(page, encoding="utf-8") as file:
        for line in file:
            heading = re.match(r"## (\w+),", line)
            if heading:
                architecture = heading.group(1)
            row = re.match(r"\| (.+?) \| (subwave|rocPRIM) \| ([0-9.]+) \|", line)
            if row:
                found[architecture, row.group(1), row.group(2)] = float(row.group(3))
    cells = [(where, what) for where, what, by in found if by == "rocPRIM"]
    for where, what in cells:
        ours, theirs = found[where, what, "subwave"], found[where, what, "rocPRIM"]
        if ours >= theirs:
            failures += 1
            print("%s: %s: %.1f per KiB, by rocPRIM %.1f" % (where, what, ours, theirs))
    print("%d cells of %d architectures, %d failures" % (len(cells), len({where for where, _ in cells}), failures))
    return failures > 0 or not cells


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
