# SPDX-License-Identifier: MIT
# run.py: executes an AMD code object's kernels on an emulated GPU: run.py matmul|matmul_skinny|matmul_batched|device|groups FILE.co
import sys
import time

import device
import emulation
import groups
import matmul
import matmul_batched
import matmul_skinny

SKIPPED = 77  # CTest's SKIP_RETURN_CODE
SUBJECTS = {"matmul": matmul.cases, "matmul_skinny": matmul_skinny.cases, "matmul_batched": matmul_batched.cases,
            "device": device.cases, "groups": groups.cases}


def main(subject, code_object):
    start = time.monotonic()
    try:
        machine = emulation.Device(code_object)
    except emulation.Missing as reason:
        print("emulated: skipped, %s" % reason)
        return SKIPPED
    wrong = (emulation.Failure, machine.emulator.Unsupported, machine.emulator.Deadlock)
    failed = 0
    for case in SUBJECTS[subject](machine):
        try:
            case()
        except wrong as problem:
            failed += 1
            print(": FAILED, %s: %s" % (type(problem).__name__, problem), flush=True)
    print("%s: %s: %d launches right, %d failed, %d wave instructions, %.1f s" % (
        machine.name, subject, machine.launches, failed, machine.instructions,
        time.monotonic() - start))
    return 1 if failed or not machine.launches else 0


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in SUBJECTS:
        sys.exit("usage: run.py %s FILE.co" % "|".join(SUBJECTS))
    sys.exit(main(*sys.argv[1:]))
