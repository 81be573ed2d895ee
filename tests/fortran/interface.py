# SPDX-License-Identifier: MIT
# interface.py: the Fortran modules against the C header, as the compilers of both understand them.
#
# - Every enumerator of the header has a constant of its value: C compares them, and misses none in a switch.
# - Every function that the library exports has a binding whose arguments and result are of the same size and kind, and
#   every struct the same fields in the same places: gfortran writes what it took the module for as C prototypes, which
#   C++ compares with the header.
# - The test itself: it finds planted differences. The generator takes a header with new declarations, and says which
#   one it does not understand.
import argparse
import os
import re
import shutil
import subprocess
import sys

TRAITS = """
#include <cstddef>
#include <type_traits>
#include <subwave/subwave.h>
// A type as a call passes it: its size, and whether it is an address, a floating-point number, or an integer.
enum class passed_as { nothing, address, floating, integer };
template <class T> constexpr passed_as kind =
    std::is_void_v<T> ? passed_as::nothing : std::is_pointer_v<T> ? passed_as::address :
    std::is_floating_point_v<T> ? passed_as::floating : passed_as::integer;
template <class T> constexpr std::size_t size = sizeof(T);
template <> constexpr std::size_t size<void> = 0;
template <class T, class U> constexpr bool alike = kind<T> == kind<U> && size<T> == size<U>;
template <class F, class G> struct same_call { static constexpr bool value = false; };
template <class R, class... A, class S, class... B> struct same_call<R(A...), S(B...)> {
    static constexpr bool value = [] {
        if constexpr (sizeof...(A) == sizeof...(B))
            return alike<R, S> && (alike<A, B> && ...);
        else
            return false;
    }();
};
"""


class Failed(Exception):
    pass


class Comparison:
    def __init__(self, options, folder):
        self.o, self.folder = options, folder
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)

    def run(self, *command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise Failed("%s\n%s" % (" ".join(command), done.stdout))
        return done.stdout

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def enums(self, module):
        """Each group of constants is behind a comment with its enum's name."""
        text, count = '#include <subwave/subwave.h>\n', 0
        group = r"^  ! (\w+)\n((?:  integer\(c_int\), parameter, public :: .*\n)+)"
        for name, lines in re.findall(group, module, re.M):
            constants = re.findall(r":: (\w+) = (-?\d+)$", lines, re.M)
            text += "int all_of_%s(%s value);\nint all_of_%s(%s value)\n{\n    switch (value) {\n" % ((name,) * 4)
            for constant, value in constants:
                text += "    case %s: return %s;\n" % (constant, value)
            text += "    }\n    return 0;\n}\n"
            for constant, value in constants:
                text += "_Static_assert(%s == %s, \"%s\");\n" % (constant, value, constant)
            count += 1
        headers = "".join(open(os.path.join(self.o.include, "subwave", name)).read()
                          for name in ("types.h", "subwave.h"))
        expected = len(re.findall(r"^typedef enum ", headers, re.M))
        if count != expected:
            raise Failed("the header has %d enums, the module %d" % (expected, count))
        self.run(self.o.cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wswitch-enum", "-I" + self.o.include,
                 "-fsyntax-only", self.write("enums.c", text))
        return count

    def calls(self, module):
        """Counts the functions and structs."""
        prototypes = self.run(self.o.fc, "-std=f2008", "-fc-prototypes", "-fsyntax-only", "-J" + self.folder,
                              self.write("module.f90", module))
        functions = re.findall(r"^[\w ]+?[ *]+(subwave_\w+) \(", prototypes, re.M)
        exported = open(self.o.abi).read().split()
        if sorted(functions) != sorted(exported):
            raise Failed("not in both the module and subwave.abi: %s" % sorted(set(functions) ^ set(exported)))
        body = re.sub(r"^#.*\n|^extern \"C\" \{|^\}$", "", prototypes, flags=re.M)
        text = TRAITS + "namespace fortran {\n%s}\n" % re.sub(r"\b(subwave_\w+) \(", r"f_\1 (", body)
        for name in functions:
            text += "static_assert(same_call<decltype(%s), decltype(fortran::f_%s)>::value, \"%s\");\n" % ((name,) * 3)
        structs = re.findall(r"^typedef struct (\w+) \{\n(.*?)\n\}", prototypes, re.M | re.S)
        for name, fields in structs:
            text += "static_assert(sizeof(%s) == sizeof(fortran::%s), \"%s\");\n" % ((name,) * 3)
            names = re.findall(r"(\w+)(?:\[\d+\])*;", fields)
            # As many names as there are fields, or it does not compile.
            text += "void fields_of(const %s &x) { [[maybe_unused]] const auto &[%s] = x; }\n" % (
                name, ", ".join(names))
            for field in names:
                text += "static_assert(offsetof(%s, %s) == offsetof(fortran::%s, %s), \"%s\");\n" % (
                    name, field, name, field, field)
                text += "static_assert(sizeof(%s::%s) == sizeof(fortran::%s::%s), \"%s\");\n" % (
                    name, field, name, field, field)
        for name in set(re.findall(r"^typedef struct (\w+) \{", open(os.path.join(
                self.o.include, "subwave", "types.h")).read(), re.M)) ^ {name for name, _ in structs}:
            raise Failed("not in both the module and types.h: struct %s" % name)
        self.run(self.o.cxx, "-std=c++20", "-I" + self.o.include, "-fsyntax-only", self.write("calls.cpp", text))
        return len(functions), len(structs)

    def all(self, module):
        return (self.enums(module),) + self.calls(module)


def planted(options, module):
    """Each change of the module is one that the comparison has to find."""
    changes = {
        "a lost enumerator": ("  integer(c_int), parameter, public :: SUBWAVE_OP_BIT_XOR = 7\n", ""),
        "another value": ("SUBWAVE_OP_BIT_XOR = 7", "SUBWAVE_OP_BIT_XOR = 17"),
        "a lost enum": ("  ! subwave_vote\n", "  ! \n"),
        "an argument of another size": ("      integer(c_int64_t), value :: bytes\n",
            "      integer(c_int), value :: bytes\n"),
        "an argument of another kind": ("      real(c_double), value :: lower\n",
            "      integer(c_int64_t), value :: lower\n"),
        "a lost argument": ("subwave_histogram(context, dtype, bins, lower, upper, n, x, counts)",
                            "subwave_histogram(context, dtype, bins, lower, upper, n, counts)"),
        "a function of another name": ("name=\"subwave_free\"", "name=\"subwave_fre\""),
        "a result of another size": ("      integer(c_size_t) :: subwave_result\n",
            "      integer(c_int) :: subwave_result\n"),
        "a lost field": ("    integer(c_int32_t) :: branches = 0\n", ""),
        "a field of another size": ("    integer(c_int64_t) :: memory_bytes = 0\n",
            "    integer(c_int32_t) :: memory_bytes = 0\n"),
    }
    for what, (old, new) in changes.items():
        if old not in module:
            raise Failed("%s: the module has no %s" % (what, old))
        changed = module.replace(old, new, 1)
        if what == "a lost argument":
            start = changed.index("function subwave_histogram(")
            changed = changed[:start] + changed[start:].replace("      type(c_ptr), value :: x\n", "", 1)
        if "import" not in new and what.startswith(("an argument", "a result")):
            start = changed.index(new)
            start = changed.rindex("      import ::", 0, start)
            changed = changed[:start] + "      import\n" + changed[changed.index("\n", start) + 1:]
        try:
            Comparison(options, os.path.join(options.folder, "planted")).all(changed)
        except Failed:
            continue
        raise Failed("%s is not found" % what)
    return len(changes)


def generator(options):
    """New declarations become Fortran; of what the generator does not know it names the first."""
    end = "#ifdef __cplusplus\n}\n#endif\n"

    def generate(name, declarations, succeeds):
        folder = os.path.join(options.folder, name)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(options.include, os.path.join(folder, "include"))
        path = os.path.join(folder, "include", "subwave", "subwave.h")
        with open(path) as file:
            text = file.read()
        before, _, after = text.rpartition(end)
        with open(path, "w") as file:
            file.write(before + declarations + end + after)
        done = subprocess.run([sys.executable, "-B", options.generator, "--cc", options.cc, "--include",
                               os.path.join(folder, "include"), "--folder", folder], stderr=subprocess.PIPE, text=True)
        if (done.returncode == 0) != succeeds:
            raise Failed("the generator ended with %d: %s" % (done.returncode, done.stderr))
        return folder, done.stderr

    folder, _ = generate("new", """
typedef struct subwave_ticket subwave_ticket;
typedef enum subwave_flag { SUBWAVE_FLAG_NEW = 1 << 3 } subwave_flag;
SUBWAVE_API subwave_status subwave_ticket_create(subwave_context *context, subwave_ticket **ticket, subwave_flag flag);
SUBWAVE_API subwave_status subwave_ticket_wait(subwave_ticket *ticket, int64_t time, const char *name);
/* What it does.
 *   reached, known  [out, host] for the host.
 *   number  [out, device] not for it. */
SUBWAVE_API subwave_status subwave_ticket_query(subwave_ticket *ticket, bool *reached, int64_t *known, int64_t *number);
SUBWAVE_API subwave_status subwave_call_back(subwave_context *context, void (*function)(void *), void *data);
SUBWAVE_API void subwave_nothing(void);
SUBWAVE_API void *subwave_address(int64_t bytes);
""", True)
    user = os.path.join(folder, "user.f90")
    with open(user, "w") as file:
        file.write("""
program user
  use, intrinsic :: iso_c_binding
  use subwave
  implicit none
  type(subwave_context) :: context
  type(c_ptr) :: ticket
  integer :: status
  logical(c_bool) :: reached
  integer(c_int64_t) :: known
  call subwave_ticket_query(ticket, reached, known, c_null_ptr)
  call subwave_ticket_create(context, ticket, SUBWAVE_FLAG_NEW, status)
  call subwave_ticket_wait(ticket, 1, "name")
  call subwave_ticket_wait(ticket, 1_c_int64_t, "name", status)
  call subwave_call_back(context, c_null_funptr, ticket)
  call subwave_nothing()
  ticket = subwave_address(8)
end program
""")
    Comparison(options, os.path.join(folder, "objects")).run(
        options.fc, "-std=f2008", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-J" + folder,
        os.path.join(folder, "subwave_c.f90"), options.support, os.path.join(folder, "subwave.f90"), user)
    for declaration, named in (("SUBWAVE_API subwave_status subwave_new(long double x);", "long double"),
                               ("SUBWAVE_API subwave_status subwave_new(int64_t status);", "`status`"),
                               ("SUBWAVE_API subwave_status SubWave_Free(int x);", "subwave_free"),
                               ("typedef union subwave_both { int x; float y; } subwave_both;", "subwave_both"),
                               ("typedef enum subwave_new { SUBWAVE_NEW = 2 * 3 } subwave_new;", "SUBWAVE_NEW")):
        _, text = generate("unknown", declaration + "\n", False)
        if named not in text:
            raise Failed("of %s the generator says: %s" % (declaration, text))


def main(options):
    with open(options.module) as file:
        module = file.read()
    try:
        counts = Comparison(options, os.path.join(options.folder, "module")).all(module)
        changes = planted(options, module)
        generator(options)
    except Failed as error:
        sys.exit(str(error))
    print("%d enums, %d functions, %d structs; %d planted differences found" % (counts + (changes,)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in "cc cxx fc include module support abi generator folder".split():
        parser.add_argument("--" + option, required=True)
    main(parser.parse_args())
