#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# plot_scaling.py: draws what subwave-mpi-bench prints with several numbers of ranks, as times the rate of one device.
"""usage: plot_scaling.py -o OUT.svg OUTPUT-OF-SUBWAVE-MPI-BENCH..."""
import argparse
import re
import sys

LINE = re.compile(r"(\S.*?) +(\d+)  (\d+) x (\d+) ranks  \S+ +([0-9.]+) ms")


def read(paths):
    """{(operation, n): {ranks: the least milliseconds}}"""
    times = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for operation, n, rows, columns, time in LINE.findall(file.read()):
                of_case, ranks = times.setdefault((operation, int(n)), {}), int(rows) * int(columns)
                of_case[ranks] = min(float(time), of_case.get(ranks, float("inf")))
    return times


def main():
    parser = argparse.ArgumentParser(usage=__doc__[7:])
    parser.add_argument("-o", "--output", required=True, help="the picture: .png, .svg or .pdf")
    parser.add_argument("outputs", nargs="+")
    options = parser.parse_args()
    times = read(options.outputs)
    try:
        import matplotlib
    except ImportError:
        sys.exit("plot_scaling.py: Python's matplotlib is missing (python3-matplotlib)")
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "subwave"  # the same file for the same numbers
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5), constrained_layout=True)
    most = 1
    for (operation, n), of_case in sorted(times.items()):
        alone = of_case.get(1) or times.get((operation.split(",")[0], n), {}).get(1)
        if not alone or max(of_case) == 1:
            continue
        points = sorted({1: alone, **of_case}.items())
        most = max(most, points[-1][0])
        axes.plot([ranks for ranks, _ in points], [alone / time for _, time in points],
                  "o--" if "," in operation else "o-", label=f"{operation}, {n}")
    if most == 1:
        sys.exit("plot_scaling.py: no case has a time of one device (--alone) and one of several")
    axes.plot([1, most], [1, most], color="#999999", linewidth=0.8)
    axes.set_xlabel("devices")
    axes.set_ylabel("times the rate of one device")
    axes.set_xticks(range(1, most + 1))
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8)
    figure.savefig(options.output, metadata={"Date": None} if options.output.endswith(".svg") else None)


if __name__ == "__main__":
    main()
