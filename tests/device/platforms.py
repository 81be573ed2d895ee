#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""platforms.py: every platform defines each primitive that include/subwave/device/wave.hpp describes, in the order of
that description, so that one finds a primitive at the same place in each. A platform may split its primitives over
several headers; the order holds in each of them."""
import os
import re
import sys

DEVICE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include", "subwave", "device")
# the headers of each platform, which include one another
HEADERS = {"amd": ("amd/wave", "amd/moves", "gpu/wave"), "nvidia": ("nvidia/wave", "gpu/wave"), "cpu": ("cpu/wave",)}


def described():
    """The primitives, in order. Each stands first in its line, after " *   "."""
    with open(os.path.join(DEVICE, "wave.hpp"), encoding="utf-8") as file:
        text = file.read().split("#ifndef")[0]
    names = []
    for line in re.findall(r"^ \*   (\w.*)", text, re.M):
        for name in re.findall(r"(?:^|\), )(\w+)", line):
            if name not in names:
                names.append(name)
    return names


def defined(header, names):
    """Where the header defines each of them first."""
    with open(os.path.join(DEVICE, "platform", header + ".hpp"), encoding="utf-8") as file:
        code = re.sub(r"/\*.*?\*/", lambda comment: " " * len(comment[0]), file.read(), flags=re.S)
    places = {}
    for name in names:
        found = re.search(r"^(?:template .*\n?)?.*\b(?:SUBWAVE_DEVICE|constexpr|struct)\b[^;{}()=]*\b%s\b" % name, code, re.M)
        if found:
            places[name] = found.end()
    return places


def main():
    names, failures = described(), 0
    assert len(names) > 40, names
    for platform, headers in HEADERS.items():
        missing = set(names)
        for header in headers:
            places = defined(header, names)
            missing -= set(places)
            there = sorted(places, key=places.get)
            wanted = [name for name in names if name in places]
            for got, want in zip(there, wanted):
                if got != want:
                    print("platform/%s.hpp: %s stands where wave.hpp describes %s" % (header, got, want))
                    failures += 1
                    break
        if missing:
            print("platform %s lacks %s" % (platform, ", ".join(sorted(missing))))
            failures += 1
    print("%d primitives, %d failures" % (len(names), failures))
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
