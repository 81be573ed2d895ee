# SPDX-License-Identifier: MIT
# netlib.py: netlib's tests of the level-3 BLAS, as Debian has them compiled (libblas-test), with libsubwave_blas preloaded.
"""Usage: netlib.py --library LIBRARY --type s|d|c|z [--large] [--next]

Runs the program for Fortran and the one for C on the device that the environment names. Both must report that gemm has passed
its tests of error exits and of results, and the library's log must have a product for every call that had something to
compute. --large: larger matrices than those of netlib's input, and of gemm alone. --next: the library leaves all products to the next
BLAS, netlib's, and its log has none."""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile


def data(path, large):
    with open(path, encoding="ascii") as file:
        text = file.read()
    if large:
        count, = re.findall(r"^(\d+) +NUMBER OF VALUES OF N *$", text, re.M)
        text = re.sub(r"^[\d ]+?(?= +VALUES OF N *$)", " ".join("0 1 2 31 33 65 17 8 9".split()[:int(count)]), text, flags=re.M)
        text = re.sub(r"^(\w+ +)T(?= PUT F)", lambda row: row[1] + ("T" if "gemm" in row[1].lower() else "F"), text, flags=re.M)
    return text


def values(text, name):
    """The numbers in a row of the input: N, ALPHA or BETA."""
    row, = re.findall(r"^([-\d.,() ]+?) +VALUES OF %s *$" % name, text, re.M)
    return [tuple(float(part) for part in word.strip("()").split(",")) for word in row.split()]


def calls(text):
    """How many calls of gemm the input makes, and of how many something is to be computed."""
    n, alpha, beta = values(text, "N"), values(text, "ALPHA"), values(text, "BETA")
    all_calls = computed = 0
    for m_ in n:
        for n_ in n:
            for k_ in n:
                for a in alpha:
                    for b in beta:
                        all_calls += 9 # transposes
                        idle = (not any(a) or k_[0] == 0) and b[0] == 1 and not any(b[1:])
                        computed += 9 * (m_[0] > 0 and n_[0] > 0 and not idle)
    return all_calls, computed


def run(options, folder, program, source, lines, layouts, scratch):
    text = data(os.path.join(folder, source), options.large)
    each, computed = calls(text)
    log = os.path.join(scratch, program + ".log")
    environment = dict(os.environ, LD_PRELOAD=options.library, LD_LIBRARY_PATH=folder, SUBWAVE_LOG="1", SUBWAVE_LOG_FILE=log)
    if options.next:
        environment["SUBWAVE_BLAS_MIN"] = str(10 ** 9)
        computed = 0
    done = subprocess.run([os.path.join(folder, program)], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          cwd=scratch, env=environment, timeout=280)
    printed = done.stdout
    summary = re.search(r"^'(.*?)' +NAME OF SUMMARY OUTPUT FILE", text, re.M)
    if summary:
        with open(os.path.join(scratch, summary[1]), encoding="ascii") as file:
            printed += file.read()
    printed = re.sub(r"[ ]+", " ", printed)
    wrong = ["%s: no line '%s'" % (program, line % each if "%d" in line else line) for line in lines
             if (line % each if "%d" in line else line) not in printed]
    if done.returncode or done.stderr:
        wrong.append("%s ended with %d: %s" % (program, done.returncode, done.stderr))
    served = 0
    if os.path.exists(log):
        with open(log, encoding="ascii") as file:
            served = len(re.findall(r"^subwave\[.*?\]: subwave_matmul(?:_strided_batched)?\(", file.read(), re.M))
    if served != computed * layouts:
        wrong.append("%s: the library computed %d products, not %d" % (program, served, computed * layouts))
    if wrong:
        sys.exit("\n".join([printed] + wrong))
    print("%s: %d calls passed, %d products by the library" % (program, each * layouts, served))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--type", required=True, choices="sdcz")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--next", action="store_true")
    options = parser.parse_args()
    machine = os.uname().machine
    found = glob.glob("/usr/lib/%s-*/blas/xblat3%s" % (machine, options.type))
    if not found:
        print("skipped: netlib's tests are missing (Debian: libblas-test)")
        return
    folder = os.path.dirname(found[0])
    if not os.path.exists(os.path.join(folder, "libblas.so.3")):
        print("skipped: netlib's own BLAS, which its tests of CBLAS need, is missing (Debian: libblas3)")
        return
    with tempfile.TemporaryDirectory() as scratch:
        name = options.type.upper() + "GEMM"
        run(options, folder, "xblat3" + options.type, options.type + "blat3.in",
            [name + " PASSED THE TESTS OF ERROR-EXITS", name + " PASSED THE COMPUTATIONAL TESTS ( %d CALLS)"], 1, scratch)
        name = "cblas_%sgemm" % options.type
        run(options, folder, "x%scblat3" % options.type, options.type + "in3",
            [name + " PASSED THE TESTS OF ERROR-EXITS", name + " PASSED THE COLUMN-MAJOR COMPUTATIONAL TESTS ( %d CALLS)",
             name + " PASSED THE ROW-MAJOR COMPUTATIONAL TESTS ( %d CALLS)"], 2, scratch)


if __name__ == "__main__":
    main()
