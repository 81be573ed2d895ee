# SPDX-License-Identifier: MIT
"""The commands of a shell block, and whether what they name is there: scripts, programs, presets, options, targets, labels,
packages. Nothing is executed. Words with a variable of the shell in them, and loops' lists, are not looked up."""
import glob
import json
import os
import re
import shlex

# Programs of others, whose options are their own.
OTHERS = ("cc", "compute-sanitizer", "cpack", "cuobjdump", "dpkg", "gcc", "gfortran", "hipcc", "mpiexec", "nvcc", "octave")
# What is no command of its own.
SYNTAX = ("for", "do", "done", "export")


def commands(text):
    """The commands as lists of words, split at the ends of lines, && and |."""
    text = re.sub(r"\\\n", " ", text)
    for line in text.splitlines():
        # The forms in the documents have brackets around what may be left out.
        lexer = shlex.shlex(line, posix=True, punctuation_chars="&|;")
        lexer.wordchars += "[]{}$,:%+@"
        words = []
        for word in list(lexer) + [";"]:
            if set(word) <= set("&|;"):
                if words and words[0] not in SYNTAX:
                    yield words
                words = []
            elif word != "do":
                words.append(word)


class Names:
    """What the sources have by name."""
    def __init__(self, source):
        self.source = source
        lists = [path for folder in ("cmake", "src", "hip", "tests", "perf", "examples")
                 for path in glob.glob(os.path.join(source, folder, "**", "*"), recursive=True)
                 if path.endswith(("CMakeLists.txt", ".cmake"))]
        self.cmake = "\n".join(self.read(path) for path in lists + ["CMakeLists.txt"])
        presets = json.loads(self.read("CMakePresets.json"))
        self.presets = {kind: {entry["name"] for entry in presets[kind + "Presets"] if not entry.get("hidden")}
                        for kind in ("configure", "build", "test")}
        self.packages = set(re.findall(r"[\w.+-]+", " ".join(
            re.findall(r"install_packages (.*)", self.read("scripts/test")))))
        self.options = {"subwave": self.all_of("src/tool/*.c"), "subwave-bench": self.all_of("perf/*.cpp")}

    def read(self, path):
        with open(os.path.join(self.source, path), encoding="utf-8") as file:
            return file.read()

    def all_of(self, pattern):
        return "\n".join(self.read(path) for path in sorted(glob.glob(os.path.join(self.source, pattern))))

    def need(self, there, what):
        if not there:
            raise ValueError("there is no %s" % what)

    def check(self, words):
        while re.match(r"\w+=", words[0]):
            self.variable(words.pop(0).split("=")[0])
        words = [word.strip("[]") for word in words if "$" not in word.split("=")[0]]
        program, arguments = words[0], words[1:]
        for word in words:
            if re.match(r"build/[\w-]+/bin/", word):
                self.executable(os.path.basename(word))
        if program == "scripts/rocm7":
            self.check(arguments)
        elif program.startswith(("scripts/", "perf/")):
            self.need(os.access(os.path.join(self.source, program), os.X_OK), "program " + program)
            self.flags(program, self.read(program), arguments)
        elif os.path.basename(program) in self.options:
            name = os.path.basename(program)
            self.flags(name, self.options[name], arguments)
            if name == "subwave":
                self.need('"%s"' % arguments[0] in self.options[name], "command subwave " + arguments[0])
        elif program == "cmake":
            self.cmake_command(arguments)
        elif program == "ctest":
            self.ctest_command(arguments)
        elif program == "apt-get":
            for package in arguments[1:]:
                self.need(package in self.packages, "package %s among those that scripts/test installs" % package)
        else:
            self.need(program in OTHERS, "command %s that this test knows" % program)

    def flags(self, program, text, arguments):
        for option in arguments:
            if option == "--":
                return # what follows is another program's
            if option.startswith("--"):
                self.need(re.search(r"(?<![\w-])%s(?![\w-])" % re.escape(option), text), "%s %s" % (program, option))

    def variable(self, name):
        if name.startswith("SUBWAVE_"):
            self.need(re.search(r"\b(option|set|find_program|find_path)\(%s\b" % name, self.cmake)
                      or re.search(r"\b%s\b" % name, self.all_of("src/*.c") + self.all_of("src/blas/*.c") + self.all_of("tests/rocm/*.c")),
                      "variable " + name)

    def executable(self, name):
        named = re.findall(r"(?:add_executable\(|OUTPUT_NAME )([\w-]+)", self.cmake)
        self.need(name in named, "program " + name)

    def cmake_command(self, arguments):
        kind = "build" if "--build" in arguments else "configure"
        for option, value in zip(arguments, arguments[1:] + [""]):
            if option == "--preset":
                self.need(value in self.presets[kind], "%s preset %s" % (kind, value))
            elif option == "--target":
                self.need(re.search(r"add_(executable|library|custom_target)\(%s\b" % value, self.cmake), "target " + value)
            elif option.startswith("-D"):
                name = option[2:].split("=")[0]
                if not name.startswith("CMAKE_"):
                    self.variable(name)
            elif option.startswith("-"):
                self.need(option in ("-B", "--build", "--install", "--prefix"), "option %s that this test knows" % option)

    def ctest_command(self, arguments):
        for option, value in zip(arguments, arguments[1:] + [""]):
            if option == "--preset":
                self.need(value in self.presets["test"], "test preset " + value)
            elif option == "-L":
                for label in value.split("|"):
                    self.need(re.search(r"""LABELS "[\w;$}{-]*\b%s\b""" % label, self.cmake), "label " + label)
            elif option.startswith("-"):
                self.need(False, "option %s that this test knows" % option)
