# SPDX-License-Identifier: MIT
"""The manual pages as they are shown: every word that a program and its commands print for --help is there, as often at
least; options are set in bold; and the formatter has nothing to say about the page."""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys


def words(text):
    return collections.Counter(re.findall(r"[^\s]+", text))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    if not shutil.which("groff"):
        print("skipped: groff is missing")
        return 77
    failures = 0
    for program in options.programs:
        name = os.path.basename(program)
        with open(os.path.join(options.folder, name + ".1"), encoding="ascii") as file:
            source = file.read()
        # As wide as that no line is broken, and without hyphens at ends of lines.
        shown = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-rLL=1000n", "-P-c", "-P-b", "-P-o", "-P-u"], text=True,
                               input=source.replace(".SH NAME", ".nh\n.ad l\n.SH NAME"), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, check=True)
        if shown.stderr:
            print(shown.stderr)
            failures += 1
        has = words(shown.stdout)

        def helps(*command):
            text = subprocess.run([program, *command, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout
            yield " ".join(command), text
            if not command:
                named = re.findall(r"^  %s ([a-z]\w*) " % re.escape(name), text, re.M)
            else:
                named = [word for line in re.findall(r"^operations:\n((?:  .*\n)+)", text, re.M) for word in line.split()]
            for word in named:
                yield from helps(*command, word)

        count, texts = 0, list(helps())
        for command, text in texts:
            for option in re.findall(r"^  (-\S+(?: \S+)*)", text, re.M):
                count += 1
                if not re.search(r"^\.B " + re.escape(option.replace("-", "\\-")) + "$", source, re.M):
                    print("%s.1: option %s of \"%s\" is not in bold" % (name, option, command))
                    failures += 1
        wants = collections.Counter()
        for _, text in texts:
            # Headings are capitals or have lost their colon.
            wants += words(re.sub(r"^(usage|environment|exit status|options|operations[^:\n]*|peers of this build):", "", text, flags=re.M))
        for word in wants - has:
            print("%s.1 has \"%s\" %d times, the helps have it %d times" % (name, word, has[word], wants[word]))
            failures += 1
        print("%s: %d helps, %d options" % (name, len(texts), count))
        if count < 10:
            failures += 1
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
