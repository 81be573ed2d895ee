# SPDX-License-Identifier: MIT
"""filter.py FILE: FILE as Doxygen wants it, on standard output. The sources stay as people read them: comments before a
declaration or behind it document it, lists of parameters become @param, and links between documents and to headings are
GitHub's.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# ` *   a, b  [in, device] text` or ` *   a  text`, whose text goes on in lines that are indented further
PARAMETER = re.compile(r"^(\w+(?:, \w+)*)  *(?:\[(in, out|in|out)([^\]]*)\]| (?=\S)) *(.*)")


def plain(text):
    """Without what Doxygen takes for a command, a tag or a link, unless it is between backquotes."""
    def escaped(part):
        part = re.sub(r"([\\@<>#&])", r"\\\1", part)
        part = re.sub(r"::(?=\w+\()", "::%", part) # a member of no class that is named
        return re.sub(r"(?<!\w)\*+(?=\w)|(?<=\w)\*+", lambda found: found[0].replace("*", "\\*"), part)
    return "".join(part if part.startswith("`") else escaped(part) for part in re.split(r"(`[^`]*`)", text))


def parameters_of(text, end):
    """The names in the declaration that begins at `end`."""
    found = re.match(r"\s*[^;{}]*?\(([^;{}]*)\)", text[end:])
    return re.findall(r"(\w+)\s*(?=,|$)", found[1]) if found else []


def comment(body, known):
    """A comment's lines, without asterisks, as documentation."""
    lines, in_parameter = [], False
    for line in body:
        stripped = line[3:] if line.startswith(" * ") else line.lstrip(" *") if line.strip(" *") == "" else line
        found = PARAMETER.match(stripped.strip()) if stripped.startswith("  ") else None
        # With a direction it is one for certain: Doxygen says so if the function has no such parameter.
        if found and (found[2] or all(name in known for name in found[1].split(", "))):
            place = (found[3] or "").strip(", ")
            in_parameter = True
            lines.append("@param%s %s %s%s" % ("[%s]" % found[2].replace(" ", "") if found[2] else "", found[1].replace(", ", ","),
                                               "(%s) " % place if place else "", plain(found[4])))
        elif in_parameter and stripped.startswith("    "):
            lines.append("    " + plain(stripped.strip()))
        else:
            if in_parameter or stripped.startswith("Errors:"):
                lines.append("")
            in_parameter = False
            lines.append(plain(stripped))
    return lines


def header(text, name):
    """Comments that begin a line document what follows, comments behind a declaration what is before them."""
    def before(found):
        body = found[1].split("\n")
        if re.match(r" *-{3}", body[0]):
            return found[0] # a heading in the file
        first = body[0].strip()
        if "SPDX-License-Identifier" in first:
            body = body[1:]
            body[0] = re.sub(r"^ \* %s: *" % re.escape(name), " * @file\n", body[0])
            lines = [line for part in body for line in part.split("\n")]
            head, rest = lines[0], lines[1:]
            # What is a table or a list there is shown as it stands.
            return "/** @file\n" + "\n".join(shown(rest)) + "*/"
        return "/** " + "\n".join(comment([first] + body[1:], parameters_of(text, found.end()))) + "*/"

    def shown(lines):
        shows = False
        for line in lines:
            line = re.sub(r"^ \* ?", "", line).rstrip()
            listed = line.startswith("  ")
            if listed != shows and line:
                yield "@verbatim" if listed else "@endverbatim"
                shows = listed
            yield line if shows else plain(line)
        if shows:
            yield "@endverbatim"

    text = re.sub(r"(?<=[,;{] )/\*(?!\*)(.*?)\*/", lambda found: "/**< " + plain(found[1]).replace("\n", "\n ") + "*/", text, flags=re.S)
    return re.sub(r"^/\*(?!\*)(.*?)\*/", before, text, flags=re.M | re.S)


def anchor(heading):
    """GitHub's name of a heading."""
    heading = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def label(path, name=""):
    """A name that is one page's alone."""
    return re.sub(r"\W", "_", os.path.relpath(path, ROOT)) + ("__" + name if name else "")


def document(text, path):
    def link(found):
        picture, words, target = found[1], found[2], found[3]
        if picture:
            return "![%s](%s)" % (words, os.path.basename(target))
        if re.match(r"[a-z]+:", target):
            return found[0]
        file, _, heading = target.partition("#")
        there = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if not re.fullmatch(r"(README|CONTRIBUTING|CHANGELOG|docs/[\w-]+)\.md", os.path.relpath(there, ROOT)):
            return words # a file of the sources, which the manual does not have
        return "[%s](@ref %s)" % (words, label(there, heading))

    lines, in_code, in_span, seen, first = [], False, False, {}, True
    for line in text.split("\n"):
        if line.startswith(("```", "~~~")):
            in_code = not in_code
            line = re.sub(r"^(```|~~~)(\w+)", lambda found: found[1] + {"sh": "{.sh}", "cmake": "{.cmake}", "cpp": "{.cpp}",
                          "c": "{.c}", "fortran": "{.f90}"}.get(found[2], ""), line)
        elif not in_code and not line.startswith("    "):
            heading = re.match(r"^(#+) +(.*?) *$", line)
            if heading:
                name = anchor(heading[2])
                seen[name] = seen.get(name, -1) + 1
                name += "-%d" % seen[name] if seen[name] else ""
                line = "%s %s {#%s}" % (heading[1], re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading[2]).replace("`", ""),
                                        label(path) if first else label(path, name))
                first = False
            else:
                # What is between backquotes may go on in the next line of a paragraph.
                parts, in_span = line.split("`"), in_span and line.strip() != ""
                for i, part in enumerate(parts):
                    if not in_span:
                        parts[i] = re.sub(r"([@\\])(?!ref)|<(?=\w)", lambda c: "\\" + c[0], part)
                    in_span = in_span != (i < len(parts) - 1)
                line = "`".join(parts)
            line = line if heading else re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", link, line)
        lines.append(line)
    return "\n".join(lines)


def main():
    path = os.path.abspath(sys.argv[1])
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".md"):
        text = re.sub(r"\A<!--.*?-->\s*", "", text, flags=re.S) # a page begins with its heading
        # A link may go over the end of a line.
        text = re.sub(r"\[([^\]\n]*)\n([^\]\n]*)\]\(", lambda found: "[%s %s](" % found.groups(), text)
        text = document(text, path)
    else:
        text = header(text, os.path.basename(path))
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
