# SPDX-License-Identifier: MIT
# generator.py: random kernels that use groups, as device code and as plain C++ that says what they compute.
"""A kernel is a tree of nodes. Each node writes itself twice: `device` as HIP, for one work-item, and `plain` as C++
for the lanes of a wave together, of which a mask says which take part. In expressions, "@v" is v of a lane.

What a kernel may do with a group follows docs/groups.md: all of its members come, together. So every condition is
drawn either at random, and then no group that was made before may be used behind it, or so that it is the same in
all members of a group, which then may; Scope.groups are those that may be used."""
import random

FLOATS = {"float16", "bfloat16", "float", "double"}
TYPES = ["i32", "u32", "i64", "u64", "float16", "bfloat16", "float", "double"] * 2 + ["float", "double", "i8", "u16"]
OPS = ["plus", "multiplies", "minimum", "maximum", "logical_and", "logical_or", "bit_and", "bit_or", "bit_xor"]
WIDER = {"i8": ["i32"], "u16": ["u32", "float"], "i32": ["i64", "double"], "u32": ["u64"],
         "float16": ["float", "double"], "bfloat16": ["float"], "float": ["double"], "double": ["double"], "i64": ["i64"], "u64": ["u64"]}
SECTIONS = ["u32", "i64", "float", "double", "float16"]  # arrays behind the rows of input, of SECTION words each
SECTION = 256
ELEMENTS = 40  # of a range, at most
SPACES = "    "


def device(text):
    return text.replace("@", "")


def plain(text):
    """"@v" as "v[l]"."""
    parts = text.split("@")
    result = parts[0]
    for part in parts[1:]:
        n = next((i for i, c in enumerate(part) if not (c.isalnum() or c == "_")), len(part))
        result += part[:n] + "[l]" + part[n:]
    return result


class Group:
    """`uniform` are expressions that are the same in all members, each with the name that it needs, or ""; `size` is
    that of fixed-size groups."""

    def __init__(self, kind, name, size=0):
        self.kind, self.name, self.size, self.uniform = kind, name, size, []
        self.any = False  # of class any_group, which the C library's calls are made of

    def keeps(self, other):
        """Whether what is the same in all members is so in those of `other`."""
        return other is self or self.kind == "whole" or (self.size and 0 < other.size <= self.size)


class Scope:
    """A place in a kernel: what may be used there."""

    def __init__(self, parent=None, groups=(), loop=None, switch=False):
        self.parent, self.groups = parent, list(groups)
        self.entered = list(groups)  # those that all who come here bring along
        self.names = list(parent.names) if parent else []
        self.depth = parent.depth + 1 if parent else 0
        self.loop = loop or (parent.loop if parent else None)  # the scope of the innermost loop's body
        self.is_loop = loop is not None
        self.switch = switch or (parent.switch and not self.is_loop if parent else False)
        self.loops = (parent.loops if parent else 0) + self.is_loop
        self.indices = list(parent.indices) if parent else []


# --- nodes --------------------------------------------------------------------------------------------------


class Node:
    bodies = ()


class Assign(Node):
    def __init__(self, name, text):
        self.name, self.text = name, text

    def device(self, out, pad):
        out.append("%s%s = %s;" % (pad, self.name, device(self.text)))

    def plain(self, out, pad, m):
        out.append("%sEACH(%s) %s[l] = %s;" % (pad, m, self.name, plain(self.text)))


class Constant(Node):
    def __init__(self, kernel, name, kind, text):
        self.name, self.kind, self.text = name, kind, text
        kernel.arrays.append((kind, name))

    def device(self, out, pad):
        out.append("%sconst %s %s = %s;" % (pad, self.kind, self.name, device(self.text)))

    def plain(self, out, pad, m):
        out.append("%sEACH(%s) %s[l] = %s;" % (pad, m, self.name, plain(self.text)))


class Store(Node):
    def __init__(self, column, text):
        self.column, self.text = column, text

    def device(self, out, pad):
        out.append("%srow[%d] = static_cast<u32>(%s);" % (pad, self.column, device(self.text)))

    def plain(self, out, pad, m):
        out.append("%sEACH(%s) row(l, %d) = static_cast<u32>(%s);" % (pad, m, self.column, plain(self.text)))


class MakeGroup(Node):
    def __init__(self, kernel, group, predicate=None):
        self.group, self.predicate = group, predicate
        kernel.arrays.append(("mask", group.name))

    def device(self, out, pad):
        call = {"ballot": "get_ballot_group(sg, %s)" % (device(self.predicate or "")),
                "fixed": "get_fixed_size_group<%d>(sg)" % self.group.size,
                "tangle": "get_tangle_group(sg)"}[self.group.kind]
        name = "const any_group %s(%s);" if self.group.any else "const auto %s = %s;"
        out.append(pad + name % (self.group.name, call))

    def plain(self, out, pad, m):
        name, size = self.group.name, self.group.size
        if self.group.kind == "ballot":
            out.append("%s{ mask yes = 0; EACH(%s) yes |= mask(%s) << l;" % (pad, m, plain(self.predicate)))
            out.append("%s  EACH(%s) %s[l] = yes >> l & 1 ? yes : %s & ~yes; }" % (pad, m, name, m))
        elif self.group.kind == "fixed":
            out.append("%sEACH(%s) %s[l] = low_bits(%d) << (l & -%d);" % (pad, m, name, size, size))
        else:
            out.append("%sEACH(%s) %s[l] = %s;" % (pad, m, name, m))


class Barrier(Node):
    def __init__(self, group):
        self.group = group

    def device(self, out, pad):
        out.append("%sgroup_barrier(%s);" % (pad, self.group.name))

    def plain(self, out, pad, m):
        pass


class Collective(Node):
    """r = call(group, x of type T); c = digest(r). `fill` is plain C++ that makes y of x."""

    def __init__(self, kernel, group, site, T, value, call, fill, R=None, column=0, chance=0):
        self.group, self.site, self.T, self.value, self.call, self.fill = group, site, T, value, call, fill
        self.R, self.column, self.chance = R or T, column, chance
        kernel.arrays.append(("u32", "c%d" % site))
        if chance:
            kernel.arrays.append(("mask", group.name))

    def device(self, out, pad):
        if self.chance:
            out.append("%sconst auto %s = this_kernel::get_opportunistic_group();" % (pad, self.group.name))
            out.append("%srow[%s] = %s.lanes();" % (pad, self.chance, self.group.name))
        if self.value:
            out.append("%sconst %s x%d = %s;" % (pad, self.T, self.site, device(self.value)))
        result = "digest(%s)" % self.call
        if self.chance:
            out.append("%srow[%s + 1] = %s;" % (pad, self.chance, result))
            return
        out.append("%sconst u32 c%d = %s;" % (pad, self.site, result))
        if self.column:
            out.append("%srow[%d] = c%d;" % (pad, self.column, self.site))

    def plain(self, out, pad, m):
        g, s = self.group.name, self.site
        if self.chance:
            out.append("%sopportunity(%s, %s, %s);" % (pad, m, g, self.chance))
        out.append("%scheck(%s, %s, %d);" % (pad, m, g, s))
        out.append("%s{ %s x[64] = {}; %s y[64];" % (pad, self.T, self.R))
        if self.value:
            out.append("%s  EACH(%s) x[l] = %s;" % (pad, m, plain(self.value)))
        out.append("%s  %s" % (pad, self.fill.replace("$m", m).replace("$g", g)))
        if self.chance:
            out.append("%s  EACH(%s) row(l, %s + 1) = digest(y[l]); }" % (pad, m, self.chance))
            return
        out.append("%s  EACH(%s) c%d[l] = digest(y[l]); }" % (pad, m, s))
        if self.column:
            out.append("%sEACH(%s) row(l, %d) = c%d[l];" % (pad, m, self.column, s))


class Helper:
    """A function that makes a tangle of those who call it together."""

    def __init__(self, name, T, op, inclusive):
        self.name, self.T, self.op = name, T, op
        self.call, self.how = (("inclusive_scan_over_group", "inclusive") if inclusive else
                               ("reduce_over_group", "reduce"))

    def device_text(self):
        return "\n".join((
            "__device__ __attribute__((noinline)) u32 %s(sub_group sg, int x)" % self.name, "{",
            "    const auto g = get_tangle_group(sg);",
            "    return digest(%s(g, number<%s>(x), %s<>()));" % (self.call, self.T, self.op), "}")) + "\n"


class HelperCall(Node):
    def __init__(self, kernel, helper, site, text):
        self.helper, self.site, self.text = helper, site, text
        kernel.arrays.append(("u32", "c%d" % site))

    def device(self, out, pad):
        out.append("%sconst u32 c%d = SUBWAVE_CALL(%s(sg, %s));" % (
            pad, self.site, self.helper.name, device(self.text)))

    def plain(self, out, pad, m):
        h = self.helper
        out.append("%s{ %s x[64], y[64]; mask g[64];" % (pad, h.T))
        out.append("%s  EACH(%s) x[l] = number<%s>(%s), g[l] = %s;" % (pad, m, h.T, plain(self.text), m))
        out.append("%s  %s(%s, g, x, y, %s()); EACH(%s) c%d[l] = digest(y[l]); }" % (pad, h.how, m, h.op, m, self.site))


class JointScan(Node):
    """out = scan of a range; c = digests of two elements of out. Areas are told apart by site and leader."""

    def __init__(self, kernel, group, site, T, first, count, call, scan):
        self.group, self.site, self.T, self.first, self.count = group, site, T, first, count
        self.call, self.scan, self.area, self.kernel = call, scan, kernel.areas, kernel
        kernel.areas += 1
        kernel.arrays.append(("u32", "c%d" % site))

    def device(self, out, pad):
        g, s = self.group.name, self.site
        out += [pad + line for line in (
            "u32 c%d;" % s,
            "{",
            "    u64 *area = out + (item - lane + %s.lane_of(0)) * %d + %d;" % (
                g, self.kernel.stride, self.kernel.columns + self.area * ELEMENTS),
            "    %s *to = reinterpret_cast<%s *>(area);" % (self.T, self.T),
            "    const auto from = elements<%s>(%s);" % (self.T, device(self.first)),
            "    const int count = static_cast<int>(%s);" % device(self.count),
            "    const bool right = %s == to + count;" % self.call,
            "    group_barrier(%s);" % g,
            "    c%d = digest(to[count - 1]) * 3 + digest(to[lane %% count]) + right;" % s,
            "    group_barrier(%s);" % g,
            "}")]

    def plain(self, out, pad, m):
        out += [pad + line for line in (
            "check(%s, %s, %d);" % (m, self.group.name, self.site),
            "EACH(%s)" % m,
            "{",
            "    const auto from = elements<%s>(%s);" % (self.T, plain(self.first)),
            "    const int count = static_cast<int>(%s);" % plain(self.count),
            "    %s to[%d];" % (self.T, ELEMENTS),
            "    " + self.scan,
            "    c%d[l] = digest(to[count - 1]) * 3 + digest(to[lane[l] %% count]) + 1;" % self.site,
            "}")]


class If(Node):
    def __init__(self, site, condition, then, other):
        self.site, self.condition, self.bodies = site, condition, [then, other]

    def device(self, out, pad):
        out.append("%sif (%s) {" % (pad, device(self.condition)))
        emit_device(self.bodies[0], out, pad + SPACES)
        if self.bodies[1]:
            out.append(pad + "} else {")
            emit_device(self.bodies[1], out, pad + SPACES)
        out.append(pad + "}")

    def plain(self, out, pad, m):
        yes, no = "yes%d" % self.site, "no%d" % self.site
        out.append("%s{ mask %s = 0; EACH(%s) %s |= mask(static_cast<bool>(%s)) << l;" % (
            pad, yes, m, yes, plain(self.condition)))
        out.append("%s  mask %s = %s & ~%s; (void)%s;" % (pad, no, m, yes, no))
        emit_plain(self.bodies[0], out, pad + SPACES, yes)
        emit_plain(self.bodies[1], out, pad + SPACES, no)
        out.append("%s} %s &= ~off;" % (pad, m))


class Switch(Node):
    def __init__(self, site, text, cases, falls):
        self.site, self.text, self.bodies, self.falls = site, text, cases, falls

    def device(self, out, pad):
        out.append("%sswitch (%s) {" % (pad, device(self.text)))
        for i, body in enumerate(self.bodies):
            last = i == len(self.bodies) - 1
            out.append("%s%s: {" % (pad, "default" if last else "case %d" % i))
            emit_device(body, out, pad + SPACES)
            out.append(pad + "}" + ("" if last else " [[fallthrough]];" if self.falls[i] else " break;"))
        out.append(pad + "}")

    def plain(self, out, pad, m):
        at, fall = "case%d" % self.site, "fall%d" % self.site
        out.append("%s{ mask %s[%d] = {}; EACH(%s) %s[(%s)] |= mask(1) << l;" % (
            pad, at, len(self.bodies), m, at, plain(self.text)))
        out.append("%s  mask %s = 0; (void)%s;" % (pad, fall, fall))
        for i, body in enumerate(self.bodies):
            out.append("%s  %s[%d] |= %s;" % (pad, at, i, fall))
            emit_plain(body, out, pad + SPACES, "%s[%d]" % (at, i))
            out.append("%s  %s = %s;" % (pad, fall, "%s[%d] & ~off" % (at, i) if self.falls[i] else "0"))
        out.append("%s} %s &= ~off;" % (pad, m))


class Loop(Node):
    def __init__(self, site, trips, body, at_least_once):
        self.site, self.trips, self.bodies, self.at_least_once = site, trips, [body], at_least_once

    def device(self, out, pad):
        i, n = "t%d" % self.site, "trips%d" % self.site
        out.append("%sconst u32 %s = %s;" % (pad, n, device(self.trips)))
        if self.at_least_once:
            out += [pad + "u32 %s = 0;" % i, pad + "SUBWAVE_LOOP do {"]
        else:
            out.append("%sSUBWAVE_LOOP for (u32 %s = 0; %s < %s; ++%s) {" % (pad, i, i, n, i))
        out.append(pad + SPACES + "SUBWAVE_ITER;")
        emit_device(self.bodies[0], out, pad + SPACES)
        out.append(pad + ("} while (++%s < %s);" % (i, n) if self.at_least_once else "}"))

    def plain(self, out, pad, m):
        s = self.site
        out += [pad + line for line in (
            "{ u32 trips%d[64]; EACH(%s) trips%d[l] = %s;" % (s, m, s, plain(self.trips)),
            "  mask left%d = %s, broke%d = 0, again%d = 0;" % (s, m, s, s),
            "  for (u32 t%d = 0;; ++t%d) {" % (s, s),
            "    mask on%d = 0; EACH(left%d & ~off) on%d |= mask(%s) << l;" % (
                s, s, s, "t%d == 0 || t%d < trips%d[l]" % (s, s, s) if self.at_least_once else
                "t%d < trips%d[l]" % (s, s)),
            "    left%d = on%d; if (!on%d) break;" % (s, s, s))]
        emit_plain(self.bodies[0], out, pad + SPACES, "on%d" % s)
        out += [pad + line for line in (
            "    off &= ~again%d; again%d = 0;" % (s, s),
            "  }",
            "  off &= ~broke%d;" % s,
            "} %s &= ~off;" % m)]


class Exit(Node):
    """break, continue or return, after a few assignments."""

    def __init__(self, kernel, how, site, loop_site, condition, body):
        self.kernel, self.how, self.site, self.loop, self.condition, self.bodies = (
            kernel, how, site, loop_site, condition, [body])

    def device(self, out, pad):
        out.append("%sif (%s) {" % (pad, device(self.condition)))
        emit_device(self.bodies[0], out, pad + SPACES)
        if self.how == "return":
            out.append("%srow[0] = %s;" % (pad + SPACES, device(self.kernel.finish())))
        out.append(pad + SPACES + self.how + ";")
        out.append(pad + "}")

    def plain(self, out, pad, m):
        yes = "yes%d" % self.site
        out.append("%s{ mask %s = 0; EACH(%s) %s |= mask(static_cast<bool>(%s)) << l;" % (
            pad, yes, m, yes, plain(self.condition)))
        emit_plain(self.bodies[0], out, pad + SPACES, yes)
        out.append(pad + SPACES + {"return": "finish(%s);" % yes, "break": "broke%d |= %s;" % (self.loop, yes),
                                   "continue": "again%d |= %s;" % (self.loop, yes)}[self.how])
        out.append("%s  off |= %s; } %s &= ~off;" % (pad, yes, m))


def emit_device(nodes, out, pad):
    for node in nodes:
        node.device(out, pad)


def emit_plain(nodes, out, pad, m):
    for node in nodes:
        node.plain(out, pad, m)


# --- a kernel -------------------------------------------------------------------------------------------------


class Kernel:
    def __init__(self, name, seed, wave):
        self.name, self.wave = name, wave
        self.seed, self.random = seed, random.Random(seed)
        self.arrays, self.helpers, self.sites, self.columns, self.areas = [], [], 0, 1, 0
        self.has_group_of = 1  # the largest fixed size
        r = self.random
        self.variables = ["v%d" % i for i in range(r.randint(2, 4))]
        self.kept = r.choice([0, 0, 0, 2, 8, 24, 40])
        self.inputs = len(self.variables) + self.kept
        self.traced = r.random() < 0.4
        self.uses_lane = r.random() < 0.8
        # Compilers merge what is alike: half of the kernels do one thing again and again.
        self.theme = (r.choice(TYPES), r.choice(["reduce", "inclusive", "inclusive", "exclusive"]),
                      r.choice(["plus"] * 3 + OPS[1:6])) if r.random() < 0.5 else None
        self.whole = Group("whole", "sg")
        scope = Scope(groups=[self.whole])
        scope.names = ["@" + v for v in self.variables]
        self.budget = r.randint(3, 14)
        self.nodes = []
        while self.budget > 0:
            self.nodes += self.statement(scope)

    # What a reducer may look at: every list of nodes.
    def lists(self, nodes=None):
        nodes = self.nodes if nodes is None else nodes
        yield nodes
        for node in nodes:
            for body in node.bodies:
                yield from self.lists(body)

    def site(self):
        self.sites += 1
        return self.sites

    def column(self, n=1):
        self.columns += n
        return self.columns - n

    def blocks(self, wave):
        """Some (blocks, (x, y, z)) to launch with: whole waves or not, every sub-group of whole groups."""
        r, unit = random.Random("%s blocks" % self.seed), self.has_group_of
        shapes = [(1, (wave * r.randint(1, 2), 1, 1))]
        while len(shapes) < 3:
            shape = [r.choice([r.randint(1, 2 * wave + 3), r.randint(1, wave)]), 1, 1]
            if r.random() < 0.4:
                shape = [r.randint(1, 9), r.randint(1, 7), r.choice([1, 1, 2, 3])]
            shape[0] = max(1, shape[0])
            while shape[0] * shape[1] * shape[2] % unit:
                shape[0] += 1
            if shape[0] * shape[1] * shape[2] > 256:
                shape = [unit, 1, 1]
            shapes.append((r.randint(1, 2), tuple(shape)))
        return shapes

    # --- expressions, all of u32 or int --------------------------------------------------------------------

    def atom(self, scope):
        r = self.random
        if self.uses_lane and r.random() < 0.3:
            return r.choice(["@lane", "@lane", "(@lane * %d)" % r.randint(2, 9), "(63 - @lane)", "@item"])
        if scope.indices and r.random() < 0.15:
            return r.choice(scope.indices)
        if r.random() < 0.1:
            return str(r.randint(0, 99)) + "u"
        if r.random() < 0.15:  # read where it is needed
            return "u32(@mine[%d])" % r.randrange(self.inputs)
        return r.choice(scope.names)

    def expression(self, scope, depth=2):
        r = self.random
        if depth == 0 or r.random() < 0.25:
            return self.atom(scope)
        a = self.expression(scope, depth - 1)
        how = r.randrange(5)
        if how == 0:
            return "(%s >> %d)" % ("u32(%s)" % a, r.randint(1, 20))
        if how == 1:
            return "(%s * %du)" % (a, r.choice([3, 5, 77, 0x01000193]))
        return "(%s %s %s)" % (a, r.choice("+^+-&|"), "u32(%s)" % self.expression(scope, depth - 1))

    def random_condition(self, scope):
        r = self.random
        how = r.randrange(6)
        if how == 0 and self.uses_lane:
            return r.choice(["@lane & 1", "@lane %% 3 == %d" % r.randrange(3), "@lane < %d" % r.randint(1, 40),
                             "@lane >> %d & 1" % r.randint(1, 5), "@lane == %d" % r.randint(0, 31)])
        return "u32(%s) >> %d & 1" % (self.expression(scope, 1), r.randint(0, 9))

    def condition(self, scope):
        """(an expression, the groups that it keeps together): a bool, or a number of a few values."""
        r = self.random
        target = r.choice([None, None] + scope.groups + [g for g in scope.groups if g.kind == "ballot"])
        if target is None:
            return self.random_condition(scope), "u32(%s)" % self.expression(scope, 1), [
                g for g in scope.groups if g.size == 1]
        known = [u for u in target.uniform if u[0] in scope.names or u[0] == ""]
        kept = [g for g in scope.groups if target.keeps(g)]
        if not known or (target.kind != "ballot" and r.random() < 0.15):
            bit = "(static_cast<u32>(argument) >> %d)" % r.randint(0, 24)
            return bit + " & 1", bit, list(scope.groups)
        name, text = r.choice(known)
        if text.startswith("@p"):  # a ballot's own question
            return r.choice([text, "!" + text]), "u32(%s)" % text, kept
        bit = "(%s >> %d)" % (text, r.randint(0, 3))
        return bit + " & 1", bit, kept

    # --- values --------------------------------------------------------------------------------------------

    def value(self, scope, T, op, elements=1):
        """An expression of T; sums and products of as many as a group has are exact."""
        r, e = self.random, "u32(%s)" % self.expression(scope, 1)
        if T == "affine":
            return "number<affine>(int(%s & 0xffffff))" % e
        if op == "multiplies" and (T in FLOATS or r.random() < 0.5) and T[0] != "u":
            return "number<%s>(%s & 1 ? 1 : -1)" % (T, e)
        if T in FLOATS and op in ("plus", None) and T != "bfloat16" and self.uses_lane and r.random() < 0.4:
            return "number<%s>(%s)" % (T, r.choice(["@lane", "@lane", "63 - @lane", "@lane / 2", "31 - @lane"]))
        if T in FLOATS and op == "plus":
            size = {"float16": 32, "bfloat16": 4, "float": 1 << 15, "double": 1 << 20}[T]
            shift = r.choice([0, 0, size // 2])
            return "number<%s>(int(%s %% %du) - %d)" % (T, e, size, shift)
        if T not in FLOATS and r.random() < 0.5:
            return "spread<%s>(%s)" % (T, e)
        if op in ("logical_and", "logical_or"):
            return "number<%s>(int(%s %% 7u) %s)" % (T, e, r.choice(["!= 0", "== 0", "+ 1", "* 0"]))
        ranges = ["- 50", "+ 5", "- 106"] if T[0] != "u" else ["+ 5", ""]
        return "number<%s>(int(%s %% 101u) %s)" % (T, e, r.choice(ranges))

    # --- collectives ---------------------------------------------------------------------------------------

    def collective(self, scope, group, chance=None):
        """Nodes; and what is the same in all members becomes known of the group."""
        r, s, g = self.random, self.site(), group.name
        column = self.column() if self.traced and not chance else 0
        T = r.choice(TYPES)
        op = r.choice(OPS if T not in FLOATS else OPS[:6])
        if r.random() < 0.35:
            op = "plus"
        themed = self.theme and r.random() < 0.75
        if themed:
            T, _, op = self.theme
        of_user = not group.any and r.random() < 0.12
        if of_user:
            T, op = r.choice([("affine", "compose"), (r.choice(["i32", "float", "double", "float16"]), "latest")])
        f = op + "()" if of_user else op + r.choice(["<>()", "<%s>()" % T])
        h = op + "()"
        x = "x%d" % s
        same = False
        R = T
        how = r.choice(["reduce"] * 5 + ["inclusive"] * 5 + ["exclusive"] * 3 + ["move"] * 5 + ["vote"] * 2 +
                       (["joint"] * 2 if not chance and not group.any else []) +
                       (["publish"] if not group.any else []))
        if themed:
            how = self.theme[1]
        if how == "joint":
            return self.joint(scope, group, s, column)
        if how in ("reduce", "inclusive", "exclusive"):
            value = self.value(scope, T, op)
            with_init = (how == "exclusive" and (of_user or r.random() < 0.5)) or r.random() < 0.2
            if (with_init and not of_user and op in ("plus", "minimum", "maximum") and r.random() < 0.6 and
                    not group.any):
                R = r.choice(WIDER[T])
                f = "%s<>()" % op
            number = r.randint(1, 3) if op == "plus" else r.choice([1, 5]) if op != "multiplies" else 1
            init = "number<%s>(%d)" % (R, number)
            source = "x"
            fill = ""
            if R != T:
                fill = "%s w[64]; EACH($m) w[l] = converted<%s>(x[l]); " % (R, R)
                source = "w"
            if how == "reduce":
                same = True
                call = "reduce_over_group(%s, %s, %s)" % (g, x, "%s, %s" % (init, f) if with_init else f)
                fill += "reduce($m, $g, %s, y, %s());" % (source, op)
            elif how == "inclusive":
                call = "inclusive_scan_over_group(%s, %s, %s)" % (g, x, "%s, %s" % (f, init) if with_init else f)
                fill += "inclusive($m, $g, %s, y, %s());" % (source, op)
            else:
                call = "exclusive_scan_over_group(%s, %s, %s)" % (g, x, "%s, %s" % (init, f) if with_init else f)
                first = init if with_init else "%s::identity<%s>()" % (op, R)
                fill += "exclusive($m, $g, %s, y, %s, %s());" % (source, first, op)
            if with_init and how != "exclusive":
                fill += " EACH($m) y[l] = %s(%s, y[l]);" % (h, init)
            elif with_init:
                fill += " EACH($m) if (l != leader_of($g[l])) y[l] = %s(%s, y[l]);" % (h, init)
        elif how == "vote":
            vote = r.choice(["any_of", "all_of", "none_of"])
            T, R, same = "u32", "bool", True
            value = "static_cast<u32>(%s)" % self.random_condition(scope)
            call = "%s_group(%s, (%s & 1) != 0)" % (vote, g, x)
            fill = ("EACH($m) { mask yes = 0, mine = $g[l]; { EACH(mine) yes |= mask(x[l] & 1) << l; } y[l] = %s; }" %
                    {"any_of": "yes != 0", "all_of": "yes == mine", "none_of": "yes == 0"}[vote])
        else:
            value = self.value(scope, T, None)
            size = "%s.get_local_linear_range()" % g
            number = r.choice([0, 1, 1, 2, 3, 5, 7, 15, 16, 17, 32])
            if how == "publish":
                same = True
                call, rank = "publish(%s, %s)[%d %% %s]" % (g, x, number, size), "%d %% size" % number
            else:
                what = r.randrange(8)
                if what == 0:
                    same, call, rank = True, "group_broadcast(%s, %s)" % (g, x), "0"
                elif what == 1:
                    same, rank = True, "%d %% size" % number
                    call = "group_broadcast(%s, %s, %d %% %s)" % (g, x, number, size)
                elif what == 2:
                    same, call, rank = True, "group_broadcast(%s, %s, id<1>(%s - 1))" % (g, x, size), "size - 1"
                elif what == 3:
                    pick = "u32(%s) %% 70u" % self.expression(scope, 1)
                    call, rank = "select_from_group(%s, %s, id<1>(%s))" % (g, x, device(pick)), "int(%s)" % plain(pick)
                elif what == 4:
                    call, rank = "shift_group_left(%s, %s, %d)" % (g, x, number), "rank + %d" % number
                elif what == 5:
                    call, rank = "shift_group_right(%s, %s, %d)" % (g, x, number), "rank - %d" % number
                elif what == 6:
                    call, rank = "permute_group_by_xor(%s, %s, %d)" % (g, x, number), "rank ^ %d" % number
                else:
                    by = "1" if r.random() < 0.5 else "static_cast<u32>(argument >> %d & 7)" % r.randint(0, 40)
                    call, rank = "shift_group_right(%s, %s, %s)" % (g, x, by), "rank - int(%s)" % by
            fill = ("EACH($m) { const int rank = rank_in($g[l], l), size = size_of($g[l]), from = %s; (void)rank; "
                    "y[l] = x[from >= 0 && from < size ? lane_of($g[l], from) : l]; }" % rank)
        node = Collective(self, group, s, T, value, call, fill, R, column, chance)
        return [node] if chance else self.with_result(scope, group, s, same, node)

    def joint(self, scope, group, s, column):
        r, g = self.random, group.name
        T = r.choice(SECTIONS)
        op = r.choice(["plus", "plus", "minimum", "maximum"] +
                      ([] if T in FLOATS else ["bit_xor", "bit_and", "multiplies"]))
        start, count = r.randint(0, 9), str(r.randint(1, ELEMENTS - 10))
        known = [u for u in group.uniform if u[0] in scope.names and not u[1].startswith("@p")]
        if known and r.random() < 0.6:
            count = "(1u + %s %% %du)" % (r.choice(known)[1], ELEMENTS - 10)
        first = "data + %d" % (SECTION * SECTIONS.index(T) + start)
        if r.random() < 0.4:
            if r.random() < 0.3:
                count = "0"
            number = "elements<%s>(%s), elements<%s>(%s) + (%s)" % (T, first, T, first, device(count))
            call = "joint_reduce(%s, %s, %s<>())" % (g, number, op)
            fill = ("EACH($m) { const auto from = elements<%s>(%s); y[l] = %s::identity<%s>(); "
                    "for (int i = 0; i < static_cast<int>(%s); ++i) y[l] = %s()(y[l], from[i]); }" % (
                        T, first, op, T, plain(count), op))
            node = Collective(self, group, s, T, None, call, fill, T, column)
            return self.with_result(scope, group, s, True, node)
        f, identity = op + "<>()", "%s::identity<%s>()" % (op, T)
        with_init = r.random() < 0.4
        init = "number<%s>(%d)" % (T, 1 if op == "multiplies" else r.randint(1, 3)) if with_init else None
        if r.random() < 0.5:
            call = "joint_inclusive_scan(%s, from, from + count, to, %s%s)" % (g, f, ", " + init if init else "")
            scan = "%s sum = %s; for (int i = 0; i < count; ++i) to[i] = sum = %s()(sum, from[i]);" % (
                T, init or identity, op)
        else:
            call = "joint_exclusive_scan(%s, from, from + count, to, %s%s)" % (g, init + ", " if init else "", f)
            scan = "%s sum = %s; for (int i = 0; i < count; ++i) to[i] = sum, sum = %s()(sum, from[i]);" % (
                T, init or identity, op)
        node = JointScan(self, group, s, T, first, count, call, scan)
        return self.with_result(scope, group, s, False, node)

    def with_result(self, scope, group, s, same, node):
        """The node, and what makes its result count in what the kernel leaves."""
        r, c = self.random, "@c%d" % s
        scope.names.append(c)
        if same:
            group.uniform.append((c, c))
        name = r.choice(self.all_kept())
        return [node, Assign(name, "@%s %s %s" % (name, r.choice("+^-"), c))]

    # --- statements ----------------------------------------------------------------------------------------

    def statement(self, scope):
        r = self.random
        self.budget -= 1
        can_nest = scope.depth < 4 and self.budget > 0
        choices = ["collective"] * 14 + ["assign"] * 6 + ["group"] * 4 + ["help"] * (3 if self.helpers else 1)
        if self.kept:
            choices += ["keep"] * 2
        if can_nest:
            choices += ["if"] * 10 + ["loop"] * 4 + ["switch"] * 2
            choices += ["sides"] * (8 if self.whole in scope.groups else 0)
        if scope.loops <= 1:
            choices += ["chance"] * 2
        choices += ["exit"] * 2 if scope.depth else []
        if self.traced or r.random() < 0.3:
            choices += ["store"] * 2
        how = r.choice(choices)
        return getattr(self, "make_" + how)(scope)

    def make_assign(self, scope):
        return [Assign(self.random.choice(self.variables), self.expression(scope))]

    def make_keep(self, scope):
        r = self.random
        name = "k%d" % r.randrange(self.kept)
        return [Assign(name, "@%s %s u32(%s)" % (name, r.choice("+^"), self.expression(scope, 1)))]

    def make_store(self, scope):
        return [Store(self.column(), self.expression(scope, 1))]

    def make_group(self, scope):
        r = self.random
        s = self.site()
        whole = self.whole in scope.groups
        kind = r.choice(["ballot", "ballot", "fixed", "fixed", "tangle"]) if whole else "tangle"
        group = Group(kind, "g%d" % s)
        group.any = r.random() < 0.15
        if kind == "ballot":
            p = "p%d" % s
            nodes = [Constant(self, p, "bool", "(%s) != 0" % self.random_condition(scope))]
            scope.names.append("@" + p)
            group.uniform.append(("@" + p, "@" + p))
            nodes.append(MakeGroup(self, group, "@" + p))
        else:
            if kind == "fixed":
                group.size = min(1 << r.randint(0, 6), self.wave)
                self.has_group_of = max(self.has_group_of, group.size)
                group.uniform.append(("", "static_cast<u32>(@lane / %d)" % group.size))
            nodes = [MakeGroup(self, group)]
        scope.groups.append(group)
        return nodes + self.collective(scope, group)

    def make_sides(self, scope):
        """The two sides of a ballot, in branches of their own."""
        s, p = self.site(), "p%d" % self.sites
        group = Group("ballot", "g%d" % s)
        group.uniform.append(("@" + p, "@" + p))
        nodes = [Constant(self, p, "bool", "(%s) != 0" % self.random_condition(scope)), MakeGroup(self, group, "@" + p)]
        scope.names.append("@" + p)
        scope.groups.append(group)
        then = self.body(scope, [g for g in scope.groups if group.keeps(g)], begin=group)
        other = self.body(scope, [g for g in scope.groups if group.keeps(g)], begin=group)
        return nodes + [If(self.site(), "@" + p, then, other)]

    def make_collective(self, scope):
        r = self.random
        if not scope.groups:
            return self.make_group(scope)
        group = r.choice(scope.groups)
        if r.random() < 0.05:
            return [Barrier(group)]
        return self.collective(scope, group)

    def make_help(self, scope):
        r, s = self.random, self.site()
        if len(self.helpers) < 2 and r.random() < 0.4 or not self.helpers:
            T = r.choice(["i32", "u32", "float", "double", "float16"])
            name = "%s_help%d" % (self.name, len(self.helpers))
            self.helpers.append(Helper(name, T, r.choice(["plus", "minimum", "maximum"]), r.random() < 0.5))
        name = r.choice(self.all_kept())
        call = HelperCall(self, r.choice(self.helpers), s, "int(u32(%s) %% 32u)" % self.expression(scope, 1))
        scope.names.append("@c%d" % s)
        return [call, Assign(name, "@%s + @c%d" % (name, s))]

    def make_chance(self, scope):
        group = Group("opportunistic", "g%d" % self.site())
        if scope.loops:  # a row's columns are for one iteration each
            column = "%d + 2 * %s" % (self.column(2 * 6), scope.indices[-1])
        else:
            column = str(self.column(2))
        return self.collective(scope, group, column)

    def make_if(self, scope):
        condition, _number, kept = self.condition(scope)
        s = self.site()
        then = self.body(scope, kept)
        other = self.body(scope, kept) if self.random.random() < 0.6 else []
        return [If(s, condition, then, other)]

    def make_switch(self, scope):
        r = self.random
        _condition, number, kept = self.condition(scope)
        n, s = r.randint(2, 4), self.site()
        cases = [self.body(scope, kept, switch=True) for _ in range(n)]
        falls = [r.random() < 0.3 for i in range(n - 1)] + [False]
        return [Switch(s, "%s %% %du" % (number, n), cases, falls)]

    def make_loop(self, scope):
        r = self.random
        _condition, number, kept = self.condition(scope)
        s = self.site()
        body = self.body(scope, kept, loop=s)
        return [Loop(s, "%s %% %du" % (number, r.randint(2, 6)), body, r.random() < 0.25)]

    def body(self, scope, groups, loop=None, switch=False, begin=None):
        inner = Scope(scope, [g for g in scope.groups if g in groups], loop, switch)
        if loop:
            inner.indices.append("t%d" % loop)
            inner.loop = inner
            inner.number = loop
        nodes = self.collective(inner, begin) if begin in inner.groups else []
        for _ in range(self.random.randint(0 if nodes else 1, 3)):
            nodes += self.statement(inner)
            if self.budget <= 0:
                break
        return nodes

    def make_exit(self, scope):
        """Who leaves is missing from groups that the condition divides: here, in the next iteration, and with a
        return in all that follows."""
        r = self.random
        hows = ["return"]
        if scope.loop:
            hows += ["continue", "continue"] + ([] if scope.switch else ["break", "break"])
        how = r.choice(hows)
        condition, _number, kept = self.condition(scope)
        # Walk outwards with the groups that stay whole if these lanes leave.
        whole, at, changes = list(kept), scope, []
        while at:
            lost = [g for g in at.groups if g not in whole]
            changes.append((at, lost))
            if at.is_loop:
                if any(g not in whole for g in at.entered):
                    return self.make_assign(scope)
                if how != "return":
                    break
            # What all of the scope's conditions keep together: the groups with which it was entered.
            whole = [g for g in whole if g in at.entered]
            at = at.parent
        for place, lost in changes:
            place.groups = [g for g in place.groups if g not in lost]
        body = [Assign(r.choice(self.variables), self.expression(scope, 1))] if r.random() < 0.7 else []
        loop_site = scope.loop.number if scope.loop else 0
        return [Exit(self, how, self.site(), loop_site, condition, body)]

    # --- text ----------------------------------------------------------------------------------------------

    def all_kept(self):
        return self.variables + ["k%d" % i for i in range(self.kept)]

    def finish(self):
        text = "0x811c9dc5u"
        for name in self.all_kept():
            text = "((%s ^ @%s) * 0x01000193u)" % (text, name)
        return text

    def device_text(self):
        out = [helper.device_text() for helper in self.helpers]
        out += ["extern \"C\" SUBWAVE_KERNEL(256) %s(const u64 *in, u64 *out, i64 argument)" % self.name, "{"]
        out += [SPACES + line for line in (
            "const sub_group sg = this_work_item::get_sub_group();",
            "const int lane = static_cast<int>(sg.get_local_linear_id()), item = item_in_grid();",
            "const int items = static_cast<int>(gridDim.x * blockDim.x * blockDim.y * blockDim.z);",
            "u64 *const row = out + item * %d;" % self.stride,
            "const u64 *const mine = in + item * %d, *const data = in + items * %d;" % (self.inputs, self.inputs),
            "(void)sg, (void)lane, (void)data, (void)argument;")]
        for i, name in enumerate(self.all_kept()):
            out.append("%su32 %s = static_cast<u32>(mine[%d]);" % (SPACES, name, i))
        emit_device(self.nodes, out, SPACES)
        out += ["%srow[0] = %s;" % (SPACES, device(self.finish())), "}"]
        return "\n".join(out) + "\n"

    def plain_text(self):
        out = ["struct %s : wave_state {" % self.name, SPACES + "using wave_state::wave_state;"]
        for kind, name in self.arrays:
            out.append("%s%s %s[64];" % (SPACES, kind, name))
        for name in self.all_kept():
            out.append("%su32 %s[64];" % (SPACES, name))
        out.append(SPACES + "mask *const sg = whole; const i64 argument = of.argument;")
        out.append("%sconst u64 *const data = of.in + items * %d;" % (SPACES, self.inputs))
        out.append("%svoid finish(mask m) { EACH(m) row(l, 0) = %s; }" % (SPACES, plain(self.finish())))
        out += [SPACES + "void body()", SPACES + "{", SPACES * 2 + "mask m = all;",
                "%sconst u64 *mine[64]; EACH(m) mine[l] = of.in + (first + l) * %d;" % (SPACES * 2, self.inputs)]
        for i, name in enumerate(self.all_kept()):
            out.append("%sEACH(m) %s[l] = static_cast<u32>(mine[l][%d]);" % (SPACES * 2, name, i))
        emit_plain(self.nodes, out, SPACES * 2, "m")
        out += [SPACES * 2 + "finish(m);", SPACES + "}", "};"]
        out.append("extern \"C\" int expect_%s(const generated_launch &l) { return run<%s>(l); }" % (
            self.name, self.name))
        return "\n".join(out) + "\n"

    @property
    def stride(self):
        return self.columns + self.areas * ELEMENTS


def device_file(kernels):
    return ("#include \"device.hpp\"\n\nnamespace kernels {\n\nusing namespace generated;\n\n" +
            "\n".join(k.device_text() for k in kernels) + "\n} // namespace kernels\n")


def program_file(kernels, waves):
    """The kernels and a program that launches them, for devices with any of these waves."""
    entries, shapes = [], []
    for i, k in enumerate(kernels):
        entries.append("{\"%s\", kernels::%s, expect_%s, %d, %d, %d}" % (
            k.name, k.name, k.name, k.inputs, k.columns, k.stride))
        shapes += ["{%d, %d, %d, %d, %d, %d}" % (i, wave, blocks, *block)
                   for wave in waves if wave >= k.has_group_of for blocks, block in k.blocks(wave)]
    expect = "".join("extern \"C\" int expect_%s(const generated_launch &);\n" % k.name for k in kernels)
    table = "static const %s %s[] = {\n    %s};\n"
    return "\n".join(("#include \"program.hpp\"", device_file(kernels), expect, "using namespace generated;",
                      table % ("entry", "entries", ",\n    ".join(entries)),
                      table % ("shape", "launch_shapes", ",\n    ".join(shapes)),
                      "int main() { return run_all(entries, launch_shapes); }")) + "\n"


def plain_file(kernels):
    return "#include \"reference.hpp\"\n\n" + "\n".join(k.plain_text() for k in kernels)
