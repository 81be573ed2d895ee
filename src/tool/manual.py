# SPDX-License-Identifier: MIT
"""manual.py: writes a manual page from what a program and its commands print for --help, so that nothing is said twice.

A help text is paragraphs; lists, whose entries are indented by two blanks and have two before their description; and
headings, which end in a colon and stand alone.
"""
import argparse
import re
import subprocess


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return re.sub(r"^\.", r"\\&.", text)


def entries(lines):
    """(what, description) of a list. Descriptions stand in one column, the most common one; what is as long as to reach
    it has one blank before it. A description may begin, and does go on, in the next lines."""
    columns = [match.end() for match in (re.match(r"  \S.*?  +(?=\S)", line) for line in lines) if match]
    column = max(columns, key=columns.count, default=None)
    found = []
    for line in lines:
        if line.startswith("   "):
            found[-1][1].append(line.strip())
            continue
        what, _, description = line[2:].partition("  ")
        if not description and column and line[column - 1:column] == " ":
            what, description = line[2:column], line[column:]
        found.append((what.strip(), [description.strip()] if description.strip() else []))
    return [(what, " ".join(description)) for what, description in found]


def body(lines, headings):
    """The text of a help, without its usage. Headings become sections, or bold lines in a part of the page."""
    text, block = [], []

    def flush():
        if not block:
            return
        if all(line.startswith("  ") for line in block):
            listed = entries(block)
            for what, description in listed:
                if description:
                    text.extend([".TP", ".B " + escaped(what), escaped(description)])
            bare = [what for what, description in listed if not description]
            if bare:
                text.extend([".PP", escaped(" ".join(bare))])
        else:
            text.extend([".PP"] + [escaped(line.strip()) for line in block])
        block.clear()

    for line in lines + [""]:
        heading = re.match(r"^([a-z][^:]*):$", line)
        alone = headings and not block and re.match(r"^([a-z][a-z ]*): +(.+)", line)
        if alone:
            text.extend([".SH " + escaped(alone[1].upper()), escaped(alone[2])])
        elif heading:
            flush()
            text.extend([".SH " + escaped(heading[1].upper())] if headings else [".PP", ".I " + escaped(heading[1]) + ":"])
        elif not line.strip():
            flush()
        else:
            if block and block[0].startswith("  ") != line.startswith("  "):
                flush()
            block.append(line)
    flush()
    return text


def usage_of(lines):
    """The lines of a usage, and what comes after them."""
    at = next(i for i, line in enumerate(lines) if line.startswith("usage:"))
    end = next((i for i in range(at, len(lines)) if not lines[i].strip()), len(lines))
    usage = [line.removeprefix("usage:").strip() for line in lines[at:end]]
    return [line for line in usage if line], lines[:at], lines[end:]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("program", "name", "version", "summary", "output"):
        parser.add_argument("--" + option, required=True)
    options = parser.parse_args()

    def help_of(*words):
        ran = subprocess.run([options.program, *words, "--help"], check=True, stdout=subprocess.PIPE, text=True)
        return ran.stdout.splitlines()

    usage, before, after = usage_of(help_of())
    page = ['.TH %s 1 "" "subwave %s"' % (options.name.upper(), options.version), ".SH NAME",
            "%s \\- %s" % (escaped(options.name), escaped(options.summary)), ".SH SYNOPSIS"]
    forms = entries(["  " + line for line in usage])
    for form in forms:
        page += ([] if form is forms[0] else [".br"]) + [".B " + escaped(form[0])]
    page += [".SH DESCRIPTION"] + body(before, True)
    described = [form for form in forms if form[1]]
    for form in described:
        page += [".TP", ".B " + escaped(form[0]), escaped(form[1])]
    page += body(after, True)
    commands = []
    for form in forms:
        word = form[0].split()[1:2]
        if word and re.fullmatch(r"[a-z]\w*", word[0]) and word[0] not in commands:
            commands.append(word[0])
    if commands:
        page.append(".SH COMMANDS")
    for command in commands:
        lines = help_of(command)
        usage, before, after = usage_of(lines)
        page += [".SS " + escaped("%s %s" % (options.name, command)), ".B " + escaped(usage[0])]
        for line in usage[1:]:
            page += [".br", ".B " + escaped(line)]
        page += body(before + after, False)
        listed = re.search(r"^operations:\n((?:  .*\n)+)", "\n".join(lines) + "\n", re.M)
        for operation in listed[1].split() if listed else []:
            usage, before, after = usage_of(help_of(command, operation))
            page += [".SS " + escaped("%s %s %s" % (options.name, command, operation)), ".B " + escaped(usage[0])]
            page += body(before + after, False)
    # A paragraph begins after a heading by itself.
    page = [line for i, line in enumerate(page) if line != ".PP" or not page[i - 1].startswith((".SH", ".SS"))]
    with open(options.output, "w", encoding="ascii") as file:
        file.write("\n".join(page) + "\n")


if __name__ == "__main__":
    main()
