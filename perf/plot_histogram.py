#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# plot_histogram.py: draws what `subwave histogram` prints.
"""usage: subwave histogram X.npy | plot_histogram.py -o OUT.png [--title TEXT] [--log]"""
import argparse
import sys


def read(lines):
    """(edges, counts, the line that follows them) of a table with a line per bin: lower, upper, count."""
    edges, counts, rest = [], [], ""
    for number, line in enumerate(lines, 1):
        try:
            if rest:
                raise ValueError("something follows the table")
            lower, upper, count = line.split()
            if edges and float(lower) != edges[-1]:
                raise ValueError("a bin does not begin where the one before it ends")
            edges += [float(upper)] if edges else [float(lower), float(upper)]
            counts.append(int(count))
        except ValueError as error:
            is_table = len(line.split()) == 3 and line.split()[2].isdigit()
            if not counts or rest or is_table:
                sys.exit(f"plot_histogram.py: line {number}: {error}; it takes what `subwave histogram` prints")
            rest = line.strip()
    if not counts:
        sys.exit("plot_histogram.py: there is nothing to draw; it takes what `subwave histogram` prints")
    return edges, counts, rest


def main():
    parser = argparse.ArgumentParser(usage=__doc__[7:])
    parser.add_argument("-o", "--output", required=True, help="the picture: .png, .svg or .pdf")
    parser.add_argument("--title", help="in place of the line that follows the bins")
    parser.add_argument("--log", action="store_true", help="numbers of elements by their logarithm")
    options = parser.parse_args()
    edges, counts, rest = read(sys.stdin)
    try:
        import matplotlib
    except ImportError:
        sys.exit("plot_histogram.py: Python's matplotlib is missing (python3-matplotlib)")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5), constrained_layout=True)
    axes.stairs(counts, edges, fill=True, color="#3b6ea5")
    axes.set_xlabel("element")
    axes.set_ylabel("elements per bin")
    axes.set_title(options.title or rest, fontsize=10)
    axes.set_xlim(edges[0], edges[-1])
    if options.log:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    try:
        figure.savefig(options.output, dpi=120)
    except (OSError, ValueError) as error:
        sys.exit(f"plot_histogram.py: {options.output}: {error}")


if __name__ == "__main__":
    main()
