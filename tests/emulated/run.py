# SPDX-License-Identifier: MIT
# run.py: executes kernels of a library, or of a code object, without a GPU: run.py SUBJECT FILE ARCHITECTURE
import re
import sys
import time

import device
import emulation
import group
import matmul
import matmul_batched
import matmul_skinny

# Their cases, and the mangled names of the kernels that they are for.
SUBJECTS = {"matmul": (matmul.cases, matmul.is_kernel),
            "matmul_skinny": (matmul_skinny.cases, lambda name: "13matmul_skinny" in name),
            "matmul_batched": (matmul_batched.cases, lambda name: re.search(r"\d\dmatmul_batched", name)),
            "group": (group.cases, lambda name: re.search(r"\d\dgroup_(reduce|scan|move|vote)", name)),
            "device": (device.cases, lambda name: True)}


def main(subject, path, architecture):
    start = time.monotonic()
    cases, is_kernel = SUBJECTS[subject]
    launches = instructions = failed = 0
    for data in emulation.code_objects(path, architecture):
        machine = emulation.Device(data)
        if not all(map(is_kernel, machine.kernels)):
            continue
        for case in cases(machine):
            try:
                case()
            except machine.wrong as problem:
                failed += 1
                print(": FAILED, %s: %s" % (type(problem).__name__, problem), flush=True)
        launches += machine.launches
        instructions += machine.instructions
    print("emulated %s: %s: %d launches right, %d failed, %d wave instructions, %.1f s" % (
        architecture, subject, launches, failed, instructions, time.monotonic() - start))
    return 1 if failed or not launches else 0


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in SUBJECTS:
        sys.exit("usage: run.py %s FILE ARCHITECTURE" % "|".join(SUBJECTS))
    sys.exit(main(*sys.argv[1:]))
