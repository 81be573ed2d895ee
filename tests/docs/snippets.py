# SPDX-License-Identifier: MIT
# snippets.py: compiles, runs or looks up every code block of README.md, of docs/*.md and of the headers' comments,
# and follows the documents' links. frames.py has what a block presupposes, shell.py what a command may name.
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
from collections import Counter, namedtuple
from concurrent.futures import ThreadPoolExecutor

import shell
from frames import FRAMES, Frame

Block = namedtuple("Block", "document line language text")


def blocks_of_document(document, text):
    """Those between ``` and ```, with their language, and those that are indented by four columns, without."""
    lines, start = text.splitlines() + [""], None
    for number, line in enumerate(lines):
        if start is None and line.startswith("```"):
            start, language, end = number + 1, line[3:].strip(), "```"
        elif start is None and line.startswith("    ") and (number == 0 or not lines[number - 1].strip()):
            start, language, end = number, "", None
        elif start is not None and (line.startswith("```") if end else line.strip() and not line.startswith("    ")
                                    or number == len(lines) - 1):
            text = "\n".join(line if end else line[4:] for line in lines[start:number])
            yield Block(document, start + 1, language, text.rstrip())
            start = None
    if start is not None:
        sys.exit("%s:%d: the block has no end" % (document, start))


def blocks_of_header(document, text):
    """Lines of a comment that are indented by three columns, if all end as statements do."""
    for found in re.finditer(r"(?:^ \* {3}\S.*\n)+", text, re.M):
        lines = [line[5:] for line in found.group().splitlines()]
        if len(lines) > 1 and all(line.endswith((";", "{", "}")) for line in lines):
            yield Block(document, text.count("\n", 0, found.start()) + 1, "cpp", "\n".join(lines))


def frame_of(block):
    return next((FRAMES[key] for key in FRAMES if key[0] == block.document and block.text.startswith(key[1])), None)


class Tester:
    def __init__(self, options):
        self.o = options
        self.names = shell.Names(options.source)

    def run(self, command, **more):
        """Returns what the command wrote, and fails with it where the command does."""
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, **more)
        if done.returncode:
            raise ValueError("%s ended with %d:\n%s" % (" ".join(command), done.returncode, done.stdout))
        return done.stdout

    def program(self, block, frame, folder):
        """Compiles the block in its frame, and runs it."""
        text = block.text
        for comment, code in frame.stand_in.items():
            if comment not in text:
                raise ValueError("the block has no %s, for which frames.py has a stand-in" % comment)
            text = text.replace(comment, code.strip().replace("\n", "; " if block.language == "fortran" else " "))
        # Includes stand at the top of the file, the rest where the frame says; the compiler names the document's lines.
        includes = "".join(re.findall(r"^#include.*\n", text, re.M))
        text = re.sub(r"^#include.*", "", text, flags=re.M)
        text = includes + frame.around.replace("@", '#line %d "%s"\n%s\n#line 1 "the frame"' % (
            block.line, block.document, text))
        o, include = self.o, "-I" + os.path.join(self.o.source, "include")
        c, fortran = block.language == "c", block.language == "fortran"
        source = os.path.join(folder, "snippet." + ("c" if c else "F90" if fortran else "cpp"))
        with open(source, "w") as file:
            file.write(text)
        if c:
            command = [o.cc, "-std=c11", include, source, o.subwave, "-Wl,-rpath," + os.path.dirname(o.subwave)]
        elif fortran:
            command = [o.fc, "-std=f2008", "-cpp", "-ffree-line-length-none", "-I" + o.modules, "-J" + folder, source,
                       o.fortran, o.subwave, "-Wl,-rpath," + os.path.dirname(o.subwave)]
        else:
            command = [o.cxx, "-std=c++20", "-DSUBWAVE_CPU_DEVICE", "-I" + os.path.join(o.source, "src", "cpu"), include,
                       source, o.cpu, "-lpthread", "-ldl"]
        name = os.path.join(folder, "snippet")
        warnings = ["-Wall", "-Wextra", "-Werror"] + (["-Wno-" + frame.allow] if frame.allow else [])
        self.run(command + warnings + ["-o", name])
        printed = self.run([name], env=dict(os.environ, SUBWAVE_DEVICE="cpu", SUBWAVE_CPU_WAVE=str(frame.wave)))
        if printed != frame.prints:
            raise ValueError('it printed "%s", not "%s"' % (printed, frame.prints))
        return "run"

    def cmake(self, block, frame, folder):
        """Configures a project of the block and the files that it names, with the installed package."""
        text = "cmake_minimum_required(VERSION 3.25)" + frame.around.replace("@", block.text)
        with open(os.path.join(folder, "CMakeLists.txt"), "w") as file:
            file.write(text)
        for name in set(re.findall(r"\b\w+\.(?:c|cpp|hip|f90)\b", text)):
            open(os.path.join(folder, name), "w").close()
        language = re.search(r"LANGUAGES (\w+)\)", text)[1]
        compiler = {"C": self.o.cc, "CXX": self.o.cxx, "Fortran": self.o.fc}[language]
        self.run([self.o.cmake, "-S", folder, "-B", os.path.join(folder, "build"), "-G", self.o.generator,
                  "-DCMAKE_PREFIX_PATH=" + self.o.prefix, "-DCMAKE_%s_COMPILER=%s" % (language, compiler)])
        return "configured"

    def sh(self, block, frame, folder):
        """Looks up what the commands name. A session is commands behind "$ ", and what they print."""
        text = block.text
        if text.startswith("$ "):
            text = "\n".join(re.findall(r"^\$ (.*)", text, re.M))
        text = re.sub(r"\n +\[", " [", text) # a command's form goes on in the next line
        self.run(["bash", "-n", "-c", text])
        for command in shell.commands(text):
            self.names.check(command)
        return "looked up"

    def test(self, job):
        """(what was done with the block, or what is wrong with it)"""
        number, block = job
        frame = frame_of(block)
        if isinstance(frame, str):
            return "excused", frame
        if not self.o.fc and (block.language == "fortran" or frame and "LANGUAGES Fortran)" in frame.around):
            return "excused", "this build has no Fortran"
        methods = {"c": self.program, "cpp": self.program, "fortran": self.program, "cmake": self.cmake, "sh": self.sh, "": self.sh}
        # An indented block in a frame is C++ or, without one, commands.
        language = block.language or ("cpp" if frame else "")
        folder = os.path.join(self.o.folder, str(number))
        os.makedirs(folder)
        try:
            if language not in methods or language in ("c", "cpp", "fortran", "cmake") and not frame:
                raise ValueError("frames.py has neither a frame for this block nor a reason why it is not tested")
            return methods[language](block._replace(language=language), frame, folder), None
        except (ValueError, subprocess.SubprocessError) as error:
            return "failed", str(error)


def anchors(text):
    """The names that a page of the document gives its headings."""
    found = Counter()
    for heading in re.findall(r"^#+ +(.*?) *$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M):
        name = re.sub(r"[^\w\- ]", "", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading).lower()).replace(" ", "-")
        yield name + ("-%d" % found[name] if found[name] else "")
        found[name] += 1


def wrong_links(source, documents):
    """Counts the relative links, and yields what is wrong with one."""
    for document, text in documents.items():
        for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(document), path)) if path else document
            there = os.path.join(source, target)
            if not os.path.exists(there):
                yield document, link, "there is no %s" % target
            elif anchor:
                with open(there) as file:
                    known = anchor in anchors(file.read())
                yield document, link, None if known else "%s has no such heading" % target
            else:
                yield document, link, None


def main(options):
    def read(pattern):
        paths = sorted(glob.glob(os.path.join(options.source, pattern), recursive=True))
        return {os.path.relpath(path, options.source): open(path, encoding="utf-8").read() for path in paths}

    documents = read("README.md") | read("docs/*.md")
    headers = read("include/**/*.h*") | read("src/cpu/**/*.h*")
    blocks = [block for item in documents.items() for block in blocks_of_document(*item)]
    blocks += [block for item in headers.items() for block in blocks_of_header(*item)]
    shutil.rmtree(options.folder, ignore_errors=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(Tester(options).test, enumerate(blocks)))
    failed = 0
    for block, (outcome, text) in zip(blocks, outcomes):
        print("%-11s%s:%d: %s" % (outcome, block.document, block.line, block.text.split("\n")[0]))
        if text:
            print("    " + text)
        failed += outcome == "failed"
    for document, start in FRAMES:
        if not any(block.document == document and block.text.startswith(start) for block in blocks):
            print("failed     frames.py has a block of %s that begins with %s, and there is none" % (document, start))
            failed += 1
    links = list(wrong_links(options.source, documents))
    for document, link, text in links:
        if text:
            print("failed     %s: the link to %s: %s" % (document, link, text))
            failed += 1
    count = Counter(outcome for outcome, _ in outcomes)
    print("%d blocks: %d compiled and run, %d configured, %d of commands looked up, %d excused; %d links; %d failures" % (
        len(blocks), count["run"], count["configured"], count["looked up"], count["excused"], len(links), failed))
    return bool(failed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in "source folder cc cxx cmake generator subwave cpu prefix".split():
        parser.add_argument("--" + option, required=True)
    for option in "fc modules fortran".split(): # of a build with the Fortran module
        parser.add_argument("--" + option)
    sys.exit(main(parser.parse_args()))
