# SPDX-License-Identifier: MIT
"""The manual is made without a warning, and has what it is for: each function of the library with its comment and its
parameters, each document, and a search that finds them."""
import argparse
import glob
import html
import os
import re
import shutil
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    for option in ("doxygen", "doxyfile", "folder", "source"):
        parser.add_argument("--" + option, required=True)
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    os.makedirs(options.folder)
    made = subprocess.run([options.doxygen, options.doxyfile], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode or "warning:" in made.stdout:
        print(made.stdout)
        return 1

    def read(*path):
        with open(os.path.join(*path), encoding="utf-8") as file:
            return file.read()

    pages = os.path.join(options.folder, "html")
    failures = []
    search = "".join(read(path) for path in glob.glob(os.path.join(pages, "search", "*.js")))
    reference = read(pages, "subwave_8h.html")
    functions = read(options.source, "tests", "package", "subwave.abi").split()
    # A function's part of the page: from its title to the next one's.
    parts = {}
    for part in re.split(r'<h2 class="memtitle">', reference)[1:]:
        name = re.search(r"</span>(\w+)\(\)", part)
        parts[name[1] if name else ""] = html.unescape(re.sub(r"<[^>]*>", "", part))
    header = read(options.source, "include", "subwave", "subwave.h")
    listed = 0
    for name in functions:
        if "['%s_" % name not in search and "'%s'" % name not in search:
            failures.append("the search does not find %s" % name)
        if name not in parts:
            failures.append("%s has no part of its own in the reference" % name)
            continue
        comment = re.search(r"/\*((?:[^*]|\*(?!/))*)\*/\s*SUBWAVE_API [\w ]*[ *]%s\(" % name, header)
        for names in re.findall(r"^ \*   (\w+(?:, \w+)*) +\[", comment[1] if comment else "", re.M):
            for parameter in names.split(", "):
                listed += 1
                if not re.search(r"Parameters.*\b%s\b" % parameter, parts[name], re.S):
                    failures.append("parameter %s of %s is not among those described" % (parameter, name))
    for path in glob.glob(os.path.join(options.source, "docs", "*.md")):
        title = re.search(r"^# (.*)", read(path), re.M)[1].replace("`", "")
        page = re.sub(r"\W", "_", os.path.relpath(path, options.source)) + ".html"
        if not os.path.exists(os.path.join(pages, page)):
            failures.append("%s has no page %s" % (path, page))
        elif title not in html.unescape(read(pages, page)):
            failures.append("page %s has not the title \"%s\"" % (page, title))
    # What the filter puts in for Doxygen is not to be read by people.
    for path in glob.glob(os.path.join(pages, "*.html")):
        text = html.unescape(re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", "", read(path), flags=re.S))
        for found in re.finditer(r"(\\[<@#>*]|\{#|@ref|@param|@(end)?verbatim).{0,20}", text):
            failures.append("%s shows \"%s\"" % (os.path.basename(path), found[0]))
    print("\n".join(failures) or "%d functions, %d parameters" % (len(functions), listed))
    return len(failures) > 0 or listed < 80


if __name__ == "__main__":
    sys.exit(main())
