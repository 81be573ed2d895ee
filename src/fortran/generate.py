# SPDX-License-Identifier: MIT
# generate.py: writes the Fortran modules from the C header.
#
#   subwave_c.f90  module subwave_c: every constant, struct and function of the header as it is there
#   subwave.f90    module subwave: the same calls in Fortran's ways
#
# The C compiler expands the header's lists, so that what is read here are plain declarations. A declaration that this
# script does not understand is an error. Whether a pointer is to host or to device memory the functions' comments tell:
# `name  [out, host]`. The tables below have what the header does not tell.
import argparse
import os
import re
import subprocess
import sys
from collections import namedtuple

# Of the functions, those that support.f90 has by hand in module subwave.
BY_HAND = {"subwave_context_create", "subwave_context_destroy", "subwave_last_error"}

# C types by value.
KINDS = {
    "int": "integer(c_int)", "size_t": "integer(c_size_t)", "float": "real(c_float)", "double": "real(c_double)",
    "int8_t": "integer(c_int8_t)", "int16_t": "integer(c_int16_t)", "int32_t": "integer(c_int32_t)",
    "int64_t": "integer(c_int64_t)", "uint8_t": "integer(c_int8_t)", "uint16_t": "integer(c_int16_t)",
    "uint32_t": "integer(c_int32_t)", "uint64_t": "integer(c_int64_t)", "char": "character(kind=c_char)",
    "_Bool": "logical(c_bool)", # what `bool` is a macro for
}
ZERO = {"real": "0", "integer": "0", "character": "c_null_char", "logical": ".false."}

# The Fortran types that overloads are for: name, declaration, dtype, bytes.
Type = namedtuple("Type", "name declaration dtype bytes")
TYPES = [
    Type("int8", "integer(c_int8_t)", "I8", 1), Type("int16", "integer(c_int16_t)", "I16", 2),
    Type("int32", "integer(c_int32_t)", "I32", 4), Type("int64", "integer(c_int64_t)", "I64", 8),
    Type("real32", "real(c_float)", "F32", 4), Type("real64", "real(c_double)", "F64", 8),
    Type("complex32", "complex(c_float_complex)", "C32", 8), Type("complex64", "complex(c_double_complex)", "C64", 16),
]
RANKS = range(8)

# Overloads by the type of a scalar on the host, which gives the dtype.
#   into, out  scalars that are read, and written; `optional` ones of them may be left out
#   types      by name
#   left_out   arguments that may be left out, with what they are then
#   fixed      arguments that the overload does not have, with what they are
Overload = namedtuple("Overload", "into out optional types left_out fixed")
REALS = ("real32", "real64")
NUMBERS = ("int8", "int16", "int32", "int64") + REALS
FIELDS = REALS + ("complex32", "complex64")
COLUMNS = {"layout": "SUBWAVE_LAYOUT_COLUMN_MAJOR", "transpose_a": "SUBWAVE_TRANSPOSE_NONE",
           "transpose_b": "SUBWAVE_TRANSPOSE_NONE"}
ORDER = {"order": "SUBWAVE_ORDER_FIXED"}
TO_HOST = {"place": "SUBWAVE_PLACE_HOST"}
OVERLOADS = {
    # Here the dtype may differ from the scalars' type; they are converted to what it needs.
    "subwave_matmul": Overload(("alpha", "beta"), (), (), ("int32",) + FIELDS,
                               dict(COLUMNS, variant="SUBWAVE_VARIANT_AUTO", dtype=None), {}),
    "subwave_matmul_strided_batched": Overload(("alpha", "beta"), (), (), FIELDS, COLUMNS, {}),
    "subwave_matmul_batched": Overload(("alpha", "beta"), (), (), FIELDS, COLUMNS, {}),
    "subwave_matmul_stacked": Overload(("alpha", "beta"), (), (), FIELDS,
                                       dict(COLUMNS, base="1_c_int32_t"), {}),
    "subwave_matmul_grouped": Overload(("alpha", "beta"), (), (), FIELDS, COLUMNS, {}),
    "subwave_tensor_apply": Overload(("alpha", "beta"), (), (), REALS, {"transpose": "SUBWAVE_TRANSPOSE_NONE"}, {}),
    "subwave_tensor_gradient": Overload(("alpha", "beta"), (), (), REALS, {"transpose": "SUBWAVE_TRANSPOSE_NONE"}, {}),
    "subwave_reduce": Overload(("init",), ("result",), ("init",), NUMBERS, ORDER, TO_HOST),
    "subwave_scan": Overload(("init",), (), (), NUMBERS, ORDER, {}),
    "subwave_dot": Overload((), ("result",), (), FIELDS, dict(ORDER, conjugation="SUBWAVE_CONJUGATION_FIRST"), TO_HOST),
    "subwave_norm2": Overload((), ("result",), (), REALS, ORDER, TO_HOST),
    "subwave_minmax_index": Overload((), ("value", "index"), (), NUMBERS, {}, TO_HOST),
    "subwave_compact_if": Overload(("scalar",), (), (), NUMBERS, {}, {}),
    "subwave_partition_if": Overload(("scalar",), (), (), NUMBERS, {}, {}),
    "subwave_append_if": Overload(("scalar",), (), (), NUMBERS, {}, {}),
    "subwave_fill": Overload(("value",), (), (), tuple(t.name for t in TYPES), {}, {}),
}
# The types of scalars that a dtype needs, where it is not the dtype of the scalars' own type.
SCALARS = [("SUBWAVE_DTYPE_F64", "f64", "real(c_double)", "real(%s, c_double)"),
           ("SUBWAVE_DTYPE_I8", "i32", "integer(c_int32_t)", "int(%s, c_int32_t)"),
           ("SUBWAVE_DTYPE_C32", "c32", "complex(c_float_complex)", "cmplx(%s, kind=c_float_complex)"),
           ("SUBWAVE_DTYPE_C64", "c64", "complex(c_double_complex)", "cmplx(%s, kind=c_double_complex)"),
           (None, "f32", "real(c_float)", "real(%s, c_float)")]

Parameter = namedtuple("Parameter", "type name")
Function = namedtuple("Function", "type name parameters")


def fail(text):
    sys.exit("generate.py: " + text)


# --- the header ------------------------------------------------------------------------------------------------------

class Header:
    """What subwave.h declares: enums {name: [(constant, value)]}, structs {name: [(type, field, length or None)]},
    opaque types, functions; and from the comments {(function, parameter): "out, host"}."""
    def __init__(self, text):
        self.enums, self.structs, self.opaque, self.functions, self.places, self.files = {}, {}, set(), [], {}, set()
        for statement in self.statements(text):
            self.read(statement)
        names = [name.lower() for values in self.enums.values() for name, _ in values]
        names += [name.lower() for name in list(self.structs) + [f.name for f in self.functions]]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            fail("Fortran does not tell capitals from small letters: %s" % ", ".join(twice))
        for path in sorted(self.files):
            with open(path, encoding="utf-8") as file:
                self.comments(file.read())
        for name in sorted(BY_HAND | set(OVERLOADS)):
            if not any(f.name == name for f in self.functions):
                fail("the header has no %s" % name)

    def comments(self, text):
        """Reads the lines ` *   names  [direction, place] ...` of a comment before a function."""
        for comment, function in re.findall(r"/\*((?:[^*]|\*(?!/))*)\*/\s*SUBWAVE_API [\w ]*[ *](\w+)\(", text):
            for names, place in re.findall(r"^ \*   (\w+(?:, \w+)*) +\[([^\]]*)\]", comment, re.M):
                for name in names.split(", "):
                    self.places[function, name] = place

    def statements(self, text):
        """The declarations of the project's own headers, without #line's and with single blanks."""
        own, lines = False, []
        for line in text.splitlines():
            marker = re.match(r'# \d+ "(.*?)"', line)
            if marker:
                own = re.search(r"(^|/)subwave/[^/]*\.h$", marker[1]) is not None
                if own:
                    self.files.add(marker[1])
            elif own and not line.startswith("#"):
                lines.append(line)
        depth, statement = 0, ""
        for character in " ".join(lines):
            depth += {"{": 1, "}": -1}.get(character, 0)
            if character == ";" and depth == 0:
                yield " ".join(statement.split())
                statement = ""
            else:
                statement += character
        if statement.strip():
            fail("what is this: %s" % statement.strip())

    def read(self, statement):
        enum = re.fullmatch(r"typedef enum \w* ?\{(.*)\} ?(\w+)", statement)
        struct = re.fullmatch(r"typedef struct \w* ?\{(.*)\} ?(\w+)", statement)
        opaque = re.fullmatch(r"typedef struct (\w+) (\w+)", statement)
        function = re.fullmatch(r"((?:const )?\w+ ?\*?) ?(\w+) ?\((.*)\)", statement)
        if enum:
            self.enums[enum[2]] = self.constants(enum[1])
        elif struct:
            lines = [line for line in struct[1].split(";") if line.strip()]
            self.structs[struct[2]] = [field for line in lines for field in self.fields(line)]
        elif opaque:
            self.opaque.add(opaque[2])
        elif function:
            parameters = self.parameters(function[2], function[3])
            self.functions.append(Function(self.type(function[1]), function[2], parameters))
        else:
            fail("this declaration is of no kind that it knows: %s" % statement)

    @staticmethod
    def constants(text):
        values, last = [], -1
        for item in text.split(","):
            if item.strip():
                name, _, value = (part.strip() for part in item.partition("="))
                number = re.fullmatch(r"(-?\d+)(?: ?<< ?(\d+))?", value) if value else None
                if not re.fullmatch(r"\w+", name) or value and not number:
                    fail("this enumerator is of no form that it knows: %s" % item.strip())
                last = int(number[1]) << int(number[2] or 0) if value else last + 1
                values.append((name, last))
        return values

    def fields(self, text):
        found = re.fullmatch(r"((?:const )?\w+ ?\*?) ?(\w+(?:\[\d+\])?(?: ?, ?\w+)*)", text.strip())
        if not found:
            fail("this field is of no form that it knows: %s" % text.strip())
        for name in found[2].split(","):
            name, _, length = name.strip().rstrip("]").partition("[")
            yield self.type(found[1]), name, int(length) if length else None

    @staticmethod
    def type(text):
        return re.sub(r" ?\* ?", " *", text).strip().replace("* *", "**")

    def parameters(self, function, text):
        parameters = []
        for item in [] if text.strip() == "void" else re.split(r",(?![^()]*\))", text):
            pointer = re.fullmatch(r".*\( ?\* ?(\w+) ?\)\(.*\)", item.strip())
            found = re.fullmatch(r"(.*?[ *])(\w+)(\[\d*\])?", item.strip())
            if pointer:
                parameters.append(Parameter("function *", pointer[1]))
            elif found:
                parameters.append(Parameter(self.type(found[1] + ("*" if found[3] else "")), found[2]))
            else:
                fail("%s has a parameter of no form that it knows: %s" % (function, item.strip()))
        return parameters

    def value(self, type):
        """The Fortran type of one that is passed by value, or None."""
        return "integer(c_int)" if type in self.enums else KINDS.get(type)


# --- Fortran ---------------------------------------------------------------------------------------------------------

class Writer:
    """Lines of at most 120 columns, the longer ones broken at commas."""
    def __init__(self):
        self.text = ""

    def __call__(self, line=""):
        indent = re.match(" *", line)[0]
        while len(line) > 120:
            cut = line.rindex(", ", 0, 117) + 1
            self.text += line[:cut] + " &\n"
            line = indent + "  " + line[cut:].lstrip()
        self.text += line + "\n"


BINDING = ["c_bool", "c_char", "c_double", "c_double_complex", "c_float", "c_float_complex", "c_funptr", "c_int",
           "c_int8_t", "c_int16_t", "c_int32_t", "c_int64_t", "c_loc", "c_null_char", "c_null_funptr", "c_null_ptr",
           "c_ptr", "c_size_t"]


def used(text, but=()):
    """Those names of iso_c_binding that the text has."""
    return [name for name in BINDING if name not in but and re.search(r"\b%s\b" % name, text)]


def beginning(write, name, file, sentence, body, more=()):
    write("! SPDX-License-Identifier: MIT")
    write("! %s: %s Made by generate.py from the C header: do not edit." % (file, sentence))
    write("module " + name)
    write("  use, intrinsic :: iso_c_binding, only: " + ", ".join(used(body)))
    for line in more:
        write("  " + line)
    write("  implicit none")
    write("  private")


def c_module(header):
    """Module subwave_c. All is passed by value; pointers, of whatever type, are type(c_ptr)."""
    write = Writer()
    for name, values in header.enums.items():
        write()
        write("  ! " + name)
        for constant, value in values:
            write("  integer(c_int), parameter, public :: %s = %d" % (constant, value))
    for name, fields in header.structs.items():
        write()
        write("  type, bind(c), public :: " + name)
        for type, field, length in fields:
            declaration = header.value(type)
            if not declaration and not type.endswith("*"):
                fail("field %s of %s is of type %s, which it does not know" % (field, name, type))
            zero = ZERO[declaration.split("(")[0]] if declaration else "c_null_ptr"
            shape = "(%d)" % length if length else ""
            write("    %s :: %s%s = %s" % (declaration or "type(c_ptr)", field, shape, zero))
        write("  end type")
    for f in header.functions:
        result = "type(c_ptr)" if f.type.endswith("*") else header.value(f.type)
        if not result and f.type != "void":
            fail("%s returns a %s, which it does not know" % (f.name, f.type))
        body = Writer()
        for p in f.parameters:
            declaration = header.value(p.type) or ("type(c_funptr)" if p.type == "function *" else
                                                   "type(c_ptr)" if p.type.endswith("*") else None)
            if not declaration:
                fail("parameter %s of %s is of type %s, which it does not know" % (p.name, f.name, p.type))
            body("      %s, value :: %s" % (declaration, p.name))
        what = "function" if result else "subroutine"
        returned = "subwave_result" if result else ""
        if result:
            body("      %s :: %s" % (result, returned))
        write()
        write("  public :: " + f.name)
        write("  interface")
        write("    %s %s(%s) %sbind(c, name=\"%s\")" % (what, f.name, ", ".join(p.name for p in f.parameters),
                                                     "result(%s) " % returned if returned else "", f.name))
        if body.text:
            write("      import :: " + ", ".join(used(body.text)))
        write.text += body.text
        write("    end " + what)
        write("  end interface")
    whole = Writer()
    beginning(whole, "subwave_c", "subwave_c.f90", "the C interface as it is.", write.text)
    return whole.text + write.text + "\nend module subwave_c\n"


class Call:
    """A procedure of module subwave that calls a function: its dummy arguments, and what it passes on."""
    def __init__(self, function, name):
        self.function, self.name = function, name
        self.mandatory, self.optional, self.declarations, self.locals, self.before, self.after, self.actual = (
            [] for _ in range(7))
        self.handle = "c_null_ptr"

    def dummy(self, name, declaration, optional=False):
        (self.optional if optional else self.mandatory).append(name)
        self.declarations.append("%s%s :: %s" % (declaration, ", optional" if optional else "", name))

    def write(self, write, result):
        call = "c_%s(%s)" % (self.function.name, ", ".join(self.actual))
        returns_status = result == "status"
        if returns_status:
            if "status" in self.mandatory:
                fail("%s has a parameter `status`, as its Fortran form has for what it returns" % self.function.name)
            self.dummy("status", "integer(c_int), intent(out)", True)
        dummies = ", ".join(self.mandatory + self.optional)
        write()
        what = "subroutine" if returns_status or not result else "function"
        write("  %s %s(%s)%s" % (what, self.name, dummies, " result(subwave_result)" if what == "function" else ""))
        for line in self.declarations:
            write("    " + line)
        if what == "function":
            write("    %s :: subwave_result" % result)
        if returns_status:
            write("    integer(c_int) :: subwave_code")
        for line in self.locals:
            write("    " + line)
        for line in self.before:
            write("    " + line)
        if returns_status:
            write("    subwave_code = " + call)
        elif not result:
            write("    call " + call)
        elif result.startswith("character"):
            write("    subwave_result = fortran_string(%s)" % call)
        else:
            write("    subwave_result = " + call)
        for line in self.after:
            write("    " + line)
        if returns_status:
            write("    call conclude(\"%s\", subwave_code, %s, status)" % (self.function.name, self.handle))
        write("  end " + what)


def pass_on(header, call, p, integer, optional=None):
    """Gives the call a dummy argument for the parameter and the function an actual one. `integer` is the kind of
    64-bit sizes, `optional` what the argument is if it is left out."""
    place = header.places.get((call.function.name, p.name), "")
    target = p.type.replace("const ", "").rstrip("*").strip()
    value = header.value(p.type)
    if target == "subwave_context" and p.type.count("*") == 1:
        call.dummy(p.name, "type(subwave_context), intent(in)")
        call.actual.append(p.name + "%handle")
        call.handle = p.name + "%handle"
    elif optional:
        call.dummy(p.name, value + ", intent(in)", True)
        call.locals.append("%s :: %s_used" % (value, p.name))
        call.before += ["%s_used = %s" % (p.name, optional), "if (present(%s)) %s_used = %s" % (p.name, p.name, p.name)]
        call.actual.append(p.name + "_used")
    elif p.type == "int64_t":
        call.dummy(p.name, "integer(%s), intent(in)" % integer)
        call.actual.append(p.name if integer == "c_int64_t" else "int(%s, c_int64_t)" % p.name)
    elif value:
        call.dummy(p.name, value + ", intent(in)")
        call.actual.append(p.name)
    elif p.type == "function *":
        call.dummy(p.name, "type(c_funptr), intent(in)")
        call.actual.append(p.name)
    elif p.type == "const char *":
        call.dummy(p.name, "character(len=*), intent(in)")
        call.locals.append("character(kind=c_char), allocatable, target :: %s_c(:)" % p.name)
        call.before.append("%s_c = c_string(%s)" % (p.name, p.name))
        call.actual.append("c_loc(%s_c)" % p.name)
    elif p.type in ("void **",) + tuple(name + " **" for name in header.opaque):
        call.dummy(p.name, "type(c_ptr), intent(inout)")
        call.locals.append("type(c_ptr), target :: %s_c" % p.name)
        call.before.append("%s_c = %s" % (p.name, p.name))
        call.after.append("%s = %s_c" % (p.name, p.name))
        call.actual.append("c_loc(%s_c)" % p.name)
    elif target in header.structs and "device" not in place:
        call.dummy(p.name, "type(%s), intent(%s), target" % (target, "in" if "const" in p.type else "inout"))
        call.actual.append("c_loc(%s)" % p.name)
    elif header.value(target) and p.type == target + " *" and place == "out, host":
        call.dummy(p.name, header.value(target) + ", intent(inout), target")
        call.actual.append("c_loc(%s)" % p.name)
    else:
        call.dummy(p.name, "type(c_ptr), intent(in)")
        call.actual.append(p.name)


def general(header, f, write):
    """The function with its arguments as in C, and an optional status: for sizes of 32 and of 64 bits. Returns the
    names of the procedures. None has the function's own, which gfortran would take for the C function's."""
    result = {"subwave_status": "status", "const char *": "character(len=:), allocatable", "void": None}.get(
        f.type, header.value(f.type))
    if f.type.endswith("*") and f.type != "const char *":
        result = "type(c_ptr)"
    names = []
    for suffix, integer in (("_i32", "c_int32_t"), ("_i64", "c_int64_t")):
        call = Call(f, f.name + suffix)
        for p in f.parameters:
            pass_on(header, call, p, integer)
        if not any(p.type == "int64_t" for p in f.parameters):
            if suffix == "_i64":
                break
            call.name = f.name + "_f"
        call.write(write, result)
        names.append(call.name)
    return names


def overload(header, f, way, write):
    """The forms of a function for each type of its scalars. Returns the names of the procedures."""
    named = {p.name for p in f.parameters}
    for name in list(way.into) + list(way.out) + list(way.left_out) + list(way.fixed):
        if name not in named:
            fail("OVERLOADS has %s of %s, which the header has not" % (name, f.name))
    names = []
    for type in [t for t in TYPES if t.name in way.types]:
        for suffix, integer in (("_i32", "c_int32_t"), ("_i64", "c_int64_t")):
            call = Call(f, "%s_%s%s" % (f.name, type.name, suffix))
            for p in f.parameters:
                if p.name == "dtype" and p.name in way.left_out:
                    own = "SUBWAVE_DTYPE_I8" if type.name == "int32" else "SUBWAVE_DTYPE_" + type.dtype
                    pass_on(header, call, p, integer, own)
                elif p.name == "dtype":
                    call.actual.append("SUBWAVE_DTYPE_" + type.dtype)
                elif p.name in way.fixed:
                    call.actual.append(way.fixed[p.name])
                elif p.name in way.left_out:
                    pass_on(header, call, p, integer, way.left_out[p.name])
                elif p.name in way.into and "dtype" in way.left_out:
                    call.dummy(p.name, type.declaration + ", intent(in)")
                    call.locals.append("type(c_ptr) :: %s_c" % p.name)
                    for _, short, declaration, _ in SCALARS:
                        call.locals.append("%s, target :: %s_%s" % (declaration, p.name, short))
                    call.actual.append(p.name + "_c")
                elif p.name in way.into and p.name in way.optional:
                    call.dummy(p.name, type.declaration + ", intent(in), target", True)
                    call.locals.append("type(c_ptr) :: %s_c" % p.name)
                    call.before += ["%s_c = c_null_ptr" % p.name, "if (present(%s)) %s_c = c_loc(%s)" % ((p.name,) * 3)]
                    call.actual.append(p.name + "_c")
                elif p.name in way.into:
                    call.dummy(p.name, type.declaration + ", intent(in), target")
                    call.actual.append("c_loc(%s)" % p.name)
                elif p.name in way.out:
                    declaration = type.declaration if p.type == "void *" else header.value(p.type.rstrip("* "))
                    call.dummy(p.name, declaration + ", intent(inout), target")
                    call.actual.append("c_loc(%s)" % p.name)
                else:
                    pass_on(header, call, p, integer)
            if "dtype" in way.left_out:
                call.before.append("select case (dtype_used)")
                for dtype, short, _, conversion in SCALARS:
                    call.before.append("case (%s)" % dtype if dtype else "case default")
                    for name in way.into:
                        call.before += ["  %s_%s = %s" % (name, short, conversion % name),
                                        "  %s_c = c_loc(%s_%s)" % (name, name, short)]
                call.before.append("end select")
            call.write(write, "status")
            names.append(call.name)
    return names


def copies(write, direction):
    """subwave_copy_to_device, or _from_device, for arrays of every type and rank. Returns the names."""
    names = []
    to = direction == "to"
    for type in TYPES:
        for rank in RANKS:
            name = "subwave_copy_%s_device_%s_%d" % (direction, type.name, rank)
            contiguous = ", contiguous" if rank else ""
            write()
            write("  subroutine %s(context, %s, status)" % (name, "device, array" if to else "array, device"))
            write("    type(subwave_context), intent(in) :: context")
            write("    type(c_ptr), intent(in) :: device")
            write("    %s, intent(%s)%s, target :: array%s" % (
                type.declaration, "in" if to else "inout", contiguous,
                "(%s)" % ",".join(":" * rank) if rank else ""))
            write("    integer(c_int), intent(out), optional :: status")
            write("    type(c_ptr) :: host")
            write("    integer(c_int) :: subwave_code")
            if rank: # c_loc() takes no array without elements
                write("    host = c_null_ptr")
                write("    if (size(array) > 0) host = c_loc(array)")
            else:
                write("    host = c_loc(array)")
            write("    subwave_code = c_subwave_copy(context%%handle, %s, %s)" % (
                "device, host" if to else "host, device",
                "%d_c_int64_t * size(array, kind=c_int64_t)" % type.bytes if rank else "%d_c_int64_t" % type.bytes))
            write("    call conclude(\"subwave_copy_%s_device\", subwave_code, context%%handle, status)" % direction)
            write("  end subroutine")
            names.append(name)
    return names


def f_module(header):
    """Module subwave."""
    write, generics = Writer(), {}
    for f in header.functions:
        if f.name not in BY_HAND:
            generics[f.name] = general(header, f, write)
            if f.name in OVERLOADS:
                generics[f.name] += overload(header, f, OVERLOADS[f.name], write)
    for direction in ("to", "from"):
        generics["subwave_copy_%s_device" % direction] = copies(write, direction)
    head = Writer()
    beginning(head, "subwave", "subwave.f90", "the C interface in Fortran's ways.", write.text, [
        "use subwave_c, " + ", ".join("c_%s => %s" % (f.name, f.name) for f in header.functions),
        "use subwave_support"])
    head()
    constants = [name for values in header.enums.values() for name, _ in values]
    for name in ["subwave_context", "subwave_context_create", "subwave_context_destroy", "subwave_error_text",
                 "subwave_string"] + constants + list(header.structs):
        head("  public :: " + name)
    for name, procedures in generics.items():
        head("  public :: " + name)
        head("  interface " + name)
        for procedure in procedures:
            head("    module procedure " + procedure)
        head("  end interface")
    return head.text + "\ncontains\n" + write.text + "\nend module subwave\n"


def main(options):
    command = [options.cc, "-std=c11", "-E", "-DSUBWAVE_STATIC", "-I" + options.include]
    if options.depfile:
        command += ["-MD", "-MF", options.depfile, "-MT", os.path.join(options.folder, "subwave_c.f90")]
    header = os.path.join(options.include, "subwave", "subwave.h")
    done = subprocess.run(command + ["-x", "c", header], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    header = Header(done.stdout)
    for name, text in (("subwave_c.f90", c_module(header)), ("subwave.f90", f_module(header))):
        with open(os.path.join(options.folder, name), "w", encoding="ascii") as file:
            file.write(text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("cc", "include", "folder"):
        parser.add_argument("--" + option, required=True)
    parser.add_argument("--depfile")
    main(parser.parse_args())
