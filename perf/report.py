#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# report.py: from subwave-bench's JSON lines (docs/bench.md) a page with pictures, what changed
# between two runs, and docs/results.md.
"""usage: report.py FILE.json... [--output FOLDER]
       report.py compare OLD.json NEW.json [--drift PERCENT]
       report.py results [FILE.jsonl...] [--output FOLDER] [--command TEXT]"""
import argparse
import base64
import collections
import glob
import html
import json
import math
import os
import re
import sys

# --- reading ---------------------------------------------------------------------------------------

# What makes two lines measurements of the same thing.
IDENTITY = ("operation", "by", "variant", "candidate", "dtype", "kind", "op", "m", "n", "k", "batch", "cache",
            "device_name", "architecture", "wave")
PROBLEM = tuple(name for name in IDENTITY if name not in ("by", "variant", "candidate"))


# What a line without a measurement may say of all that follow it in its file.
METADATA = {"command", "date", "machine"}


def measurements(path):
    """The lines of a file, in order, each with what the file says of it in a line of metadata."""
    said = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                row = json.loads(line)
                if row and row.keys() <= METADATA:
                    said = row
                    continue
                if row["schema"] != 1:
                    raise ValueError(f"schema {row['schema']}; this program reads 1")
                row.setdefault("candidate", None)  # lines from before there were sweeps
                for name in IDENTITY:
                    row[name]
                yield {**said, **row}
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                sys.exit(f"report.py: {path}:{number}: no measurement of subwave-bench: {error}")


def read(paths):
    """The lines of all files; of equal measurements the last."""
    return {tuple(row[name] for name in IDENTITY): row
            for path in paths for row in measurements(path)}


def is_square(row):
    return row["m"] == row["n"] == row["k"]


def size_text(row):
    if not row["m"]:
        return str(row["n"])
    text = str(row["n"]) if is_square(row) else f"{row['m']}x{row['n']}x{row['k']}"
    return text + (f" *{row['batch']}" if row["batch"] > 1 else "")


def who(row):
    if row.get("candidate"):
        return f"{row['variant']} {row['candidate']}"
    return row["variant"] or row["by"]


def full_name(row):
    return " ".join(part for part in (row["by"], row["variant"], row["candidate"]) if part)


def problem_parts(row):
    return (row["operation"], row["dtype"], row["kind"], row["op"], size_text(row), row["cache"])


def problem_text(row):
    return " ".join(part for part in problem_parts(row)[1:-1] if part)


def differences(rows):
    """What tells the problems of rows apart, a text each, and what they share."""
    columns = list(zip(*map(problem_parts, rows)))
    vary = [len(set(column)) > 1 for column in columns]
    labels = [" ".join(part for part, varies in zip(problem_parts(row), vary) if varies and part)
              for row in rows]
    return labels, " ".join(column[0] for column, varies in zip(columns, vary) if not varies and column[0])


def rated(rows):
    return [row for row in rows if row["rate"]]


def problems(rows):
    """Rows by problem, in order."""
    groups = collections.OrderedDict()
    for row in rows:
        groups.setdefault(tuple(row[name] for name in PROBLEM), []).append(row)
    return groups.values()


def best(rows):
    return max(rows, key=lambda row: row["rate"], default=None)


Ratio = collections.namedtuple("Ratio", "ours peer value")


def chosen(rows):
    """What a caller gets of subwave: its own choice of variant, if that was timed."""
    ours = [row for row in rows if row["by"] == "subwave"]
    return best([row for row in ours if row["variant"] == "auto"] or ours)


def ratios(rows):
    """subwave over the best peer, for each problem that has both."""
    found = []
    for group in problems(rated(rows)):
        ours = chosen(group)
        peer = best([row for row in group if row["by"] != "subwave"])
        if ours and peer:
            found.append(Ratio(ours, peer, ours["rate"] / peer["rate"]))
    return found


Loss = collections.namedtuple("Loss", "chooser planned fastest value")


def losses(rows):
    """What plans lose by their choice among the candidates of a sweep (--tune): of each problem, each
    variant's plan, and AUTO's choice among the variants."""
    for group in problems(rated(rows)):
        choosers = dict.fromkeys(row["variant"] for row in group)
        for chooser in (*choosers, "auto"):
            among = [row for row in group if chooser in ("auto", row["variant"])]
            chose = "automatic" if chooser == "auto" else "planned"
            planned, fastest = best([row for row in among if row[chose]]), best(among)
            if planned:
                yield Loss(chooser, planned, fastest, 1 - planned["rate"] / fastest["rate"])


def copy_rate(rows):
    """The copy's best rate from memory, or from anywhere if it was timed warm alone."""
    copies = [row for row in rated(rows) if row["operation"] == "copy"]
    return max((row["rate"] for row in copies if row["cache"] == "cold"),
               default=max((row["rate"] for row in copies), default=None))


# --- pictures --------------------------------------------------------------------------------------

# A contender's colour, whoever else is in a picture. Peers of different vendors never meet.
COLOURS = {"auto": "#1f5fa8", "subwave": "#1f5fa8", "matrix": "#d1651a", "broadcast": "#3a8f4d", "local": "#a03b8c",
           "naive": "#7a6a2f", "tutorial": "#2a9d9d", "skinny": "#8c6bd1",
           "cublas": "#c23b3b", "rocblas": "#c23b3b", "openblas": "#c23b3b", "hipblas": "#e0a800", "plain loop": "#4f4f4f",
           "CUB": "#c23b3b", "rocPRIM": "#c23b3b", "hipCUB": "#e0a800", "cooperative groups": "#4f4f4f"}
OTHER = "#9aa83a"
NOISY = 0.3 # how opaque what the noise may have moved is
AHEAD, BEHIND = "#1f5fa8", "#d1651a"


def figure(width, height):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    pyplot.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False,
                            "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.6,
                            "axes.axisbelow": True, "svg.fonttype": "none"})
    return pyplot.subplots(figsize=(width, height), layout="constrained")


def colours_of(rows):
    """A colour for each contender, subwave's first, the same in all pictures of one set of rows."""
    names = sorted({(row["by"] != "subwave", who(row)) for row in rows})
    return {name: COLOURS.get(name, OTHER) for _, name in names}


def ratio_text(value):
    return f"{value:.2f}" if value >= 0.095 else f"{value:.1g}"


def speed_picture(title, rows):
    """Rate against size: a line a contender, dotted where the data was warm."""
    colours = colours_of(rows)
    fig, ax = figure(7.5, 4.4)
    series = collections.OrderedDict()
    for row in sorted(rows, key=lambda row: row["n"]):
        series.setdefault((who(row), row["by"], row["cache"]), []).append(row)
    both = len({row["cache"] for row in rows}) > 1
    for (name, by, cache), points in series.items():
        x = [row["n"] for row in points]
        y = [row["rate"] for row in points]
        # At least 0: quartiles that are equal may be rounded apart.
        below = [max(0, row["rate"] - row["rate"] * row["time"] / row["time_upper"]) for row in points]
        above = [max(0, row["rate"] * row["time"] / row["time_lower"] - row["rate"]) for row in points]
        warm = both and cache == "warm"
        if name == "auto": # one of the others, behind it
            ax.plot(x, y, color=colours[name], linewidth=6, alpha=0.25, solid_capstyle="round", zorder=1)
            continue
        ax.errorbar(x, y, (below, above), color=colours[name], capsize=2, linewidth=1 if warm else 1.8,
                    linestyle=":" if warm else "-")
        for noisy in False, True:
            points_of = [point for point, row in zip(zip(x, y), points) if bool(row["noisy"]) == noisy]
            ax.plot(*(zip(*points_of) if points_of else ((), ())), color=colours[name], linestyle="",
                    marker=("x" if noisy else "o" if by == "subwave" else "s"), markersize=6 if noisy else 4,
                    markerfacecolor="white" if warm else None)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    sizes = sorted({row["n"] for row in rows})
    if len(sizes) <= 12:
        ax.set_xticks(sizes, [size_label(size) for size in sizes])
        ax.xaxis.set_minor_locator(__import__("matplotlib").ticker.NullLocator())
    ax.yaxis.set_major_formatter(plain_numbers())
    ax.yaxis.set_minor_formatter(plain_numbers(minor=True))
    ax.set_xlabel("n" if rows[0]["m"] else "elements" if rows[0]["operation"] != "copy" else "bytes")
    ax.set_ylabel(rows[0]["unit"])
    ax.set_title(title, loc="left", fontweight="bold")
    from matplotlib.lines import Line2D
    handles = [Line2D([], [], color=colour, marker="o", markersize=4, label=name) if name != "auto" else
               Line2D([], [], color=colour, linewidth=6, alpha=0.25, label=name)
               for name, colour in colours.items()]
    if both:
        handles += [Line2D([], [], color="#666666", linestyle="-", label="cold"),
                    Line2D([], [], color="#666666", linestyle=":", label="warm")]
    if any(row["noisy"] for row in rows):
        handles.append(Line2D([], [], color="#666666", linestyle="", marker="x", label="noisy"))
    ax.legend(handles=handles, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return fig


def size_label(size):
    for unit, name in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if size >= unit and size % unit == 0 and size >= 16 * 1024:
            return f"{size // unit}{name}"
    return str(size)


def plain_numbers(minor=False):
    """1000 instead of 10^3; of the minor ticks only those at 2 and 5."""
    from matplotlib.ticker import FuncFormatter

    def text(value, _):
        lead = value / 10 ** math.floor(math.log10(value)) if value > 0 else 0
        return f"{value:g}" if not minor or round(lead, 3) in (2, 5) else ""
    return FuncFormatter(text)


def roofline_picture(title, rows, bandwidth):
    """Floating-point rate against intensity, under what copy and the fastest product reached."""
    rows = [{**row, "rate": row["operations"] / row["time"] * 1e-9} for row in rows]
    colours = colours_of(rows)
    fig, ax = figure(7.5, 4.4)
    peak = best(rows)
    ridge = peak["rate"] / bandwidth
    low = min(min(row["operations"] / row["bytes"] for row in rows), ridge / 4) / 2
    high = max(max(row["operations"] / row["bytes"] for row in rows), ridge) * 2
    ax.plot([low, ridge, high], [low * bandwidth, peak["rate"], peak["rate"]], color="#222222",
            linewidth=1.4)
    middle = math.sqrt(low * ridge)
    ax.annotate(f"copy: {bandwidth:.0f} GB/s", (middle, middle * bandwidth), xytext=(-6, 5), ha="right",
                textcoords="offset points", fontsize=8)
    ax.annotate(f"fastest here: {who(peak)}, {peak['rate']:.0f} GFLOP/s", (high, peak["rate"]),
                xytext=(0, 5), textcoords="offset points", ha="right", fontsize=8)
    for name, colour in colours.items():
        points = [row for row in rows if who(row) == name]
        behind = name == "auto" # one of the others
        ax.scatter([row["operations"] / row["bytes"] for row in points],
                   [row["rate"] for row in points], s=110 if behind else 22, color=colour, label=name,
                   alpha=[0.25 if behind else NOISY if row["noisy"] else 1 for row in points], linewidths=0, zorder=2 if behind else 3,
                   marker="o" if points[0]["by"] == "subwave" else "s")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.xaxis.set_major_formatter(plain_numbers())
    ax.yaxis.set_major_formatter(plain_numbers())
    ax.set_xlabel("floating-point operations a byte")
    ax.set_ylabel("GFLOP/s")
    ax.set_title(title, loc="left", fontweight="bold")
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return fig


def bar_picture(title, rows, values, notes, noisy, ratio):
    """Horizontal bars: ratios about 1 on a logarithmic axis, or shares of 1; pale where a rate is noisy."""
    labels, shared = differences(rows)
    fig, ax = figure(7.5, 1.2 + 0.24 * len(values))
    y = range(len(values))
    bars = ax.barh(y, [value - ratio for value in values], left=ratio, height=0.66,
                   color=[AHEAD if value >= ratio else BEHIND for value in values])
    for bar, pale in zip(bars, noisy):
        bar.set_alpha(NOISY if pale else 1)
    ax.axvline(1, color="#222222", linewidth=1)
    if ratio:
        ax.set_xscale("log")
        ends = min(0.5, min(values)) / 1.3, max(2, max(values)) * 1.3
        ax.set_xlim(*ends)
        ax.xaxis.set_major_formatter(plain_numbers())
        if ends[1] < 500 * ends[0]:
            ax.xaxis.set_minor_formatter(plain_numbers(minor=True))
        else:
            ax.xaxis.set_minor_formatter("")
    else:
        ax.set_xlim(0, max(1.05, max(values) * 1.05))
    ax.set_yticks(y, labels)
    ax.set_ylim(len(values) - 0.4, -0.6)
    ax.grid(axis="y", visible=False)
    for i, (value, note) in enumerate(zip(values, notes)):
        ax.annotate(f"{ratio_text(value)}  {note}", (1, i), xycoords=("axes fraction", "data"), xytext=(6, 0),
                    textcoords="offset points", va="center", fontsize=7.5, annotation_clip=False)
    ax.set_xlabel(("ratio of rates" if ratio else "rate / copy") + ("; pale: noisy" if any(noisy) else ""))
    ax.set_title(f"{title}\n", loc="left", fontweight="bold")
    ax.text(0, 1.01, shared, transform=ax.transAxes, fontsize=8, color="#666666")
    return fig


def pictures(rows):
    """(name, caption, figure) of everything that the rows of one device have to show."""
    groups = collections.OrderedDict()
    for row in rated(rows):
        if row["operation"] == "copy" or (row["m"] and is_square(row)):
            groups.setdefault((row["operation"], row["dtype"], row["kind"], row["op"]), []).append(row)
        elif not row["m"] and not row["operation"].startswith("register"):
            groups.setdefault((row["operation"], row["dtype"], row["kind"], row["op"]), []).append(row)
    for key, group in groups.items():
        if len({row["n"] for row in group}) > 1:
            title = " ".join(part for part in key if part)
            yield (title, "Rate against size; bars show quartiles.", speed_picture(title, group))

    bandwidth = copy_rate(rows)
    for dtype in sorted({row["dtype"] for row in rows}):
        products = [row for row in rated(rows) if row["m"] and row["dtype"] == dtype]
        if products and bandwidth:
            title = f"roofline {dtype}"
            yield (title, "The limits are what this run measured: the copy, and the fastest product.",
                   roofline_picture(title, products, bandwidth))

    for operation in dict.fromkeys(row["operation"] for row in rows):
        found = ratios([row for row in rows if row["operation"] == operation])
        for part, number in pages(found):
            title = f"{operation} beside the best peer{number}"
            yield (title, "subwave's rate over the best peer's; above 1 subwave is ahead.",
                   bar_picture(title, [r.ours for r in part], [r.value for r in part],
                               [r.peer["by"] for r in part],
                               [r.ours["noisy"] or r.peer["noisy"] for r in part], 1))

    if bandwidth and any(row["backend"] != "cpu" for row in rows):
        bound = [row for row in rated(rows) if row["unit"] == "GB/s" and row["by"] == "subwave"]
        for part, number in pages([row for row in bound if row["cache"] == "cold"] or bound):
            title = f"share of the copy's bandwidth{number}"
            yield (title, f"What memory-bound calls reach of {bandwidth:.0f} GB/s.",
                   bar_picture(title, part, [row["rate"] / bandwidth for row in part],
                               [row["variant"] or "" for row in part], [row["noisy"] for row in part], 0))


def pages(things, most=40):
    """Slices that a picture can hold, with a number if there are several."""
    count = math.ceil(len(things) / most)
    for i in range(count):
        yield (things[i * most:(i + 1) * most], f" {i + 1}/{count}" if count > 1 else "")


# --- the page --------------------------------------------------------------------------------------

STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:64em;margin:2em auto;padding:0 1em;color:#222}
h1,h2{line-height:1.2}h2{margin-top:2em;border-bottom:1px solid #ddd}img{max-width:100%}
figure{margin:1.5em 0}figcaption{color:#666;font-size:13px}table{border-collapse:collapse;font-size:13px}
td,th{padding:2px 10px 2px 0;text-align:left;border-bottom:1px solid #eee;white-space:nowrap}
td.n{text-align:right;font-variant-numeric:tabular-nums}.bad{color:#b00020;font-weight:600}"""


def si_time(seconds):
    for scale, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def table(rows):
    head = ("operation", "problem", "cache", "who", "time", "±", "rate", "", "result")
    lines = ["<tr>" + "".join(f"<th>{name}</th>" for name in head) + "</tr>"]
    for row in rows:
        cells = [row["operation"], problem_text(row), row["cache"], full_name(row)]
        if row["failure"]:
            cells = [f"<td>{html.escape(cell)}</td>" for cell in cells]
            kind = "bad" if row["ok"] is False else ""
            cells.append(f'<td colspan="5" class="{kind}">{html.escape(row["failure"])}</td>')
        else:
            result = {True: "right", False: "WRONG", None: "not checked"}[row["ok"]]
            cells = [f"<td>{html.escape(cell)}</td>" for cell in cells] + [
                f'<td class="n">{si_time(row["time"])}</td>',
                f'<td class="n">{100 * row["spread"]:.1f} %{" noisy" if row["noisy"] else ""}</td>',
                f'<td class="n">{row["rate"]:.4g}</td>', f'<td>{row["unit"]}</td>',
                f'<td class="{"bad" if row["ok"] is False else ""}">{result}</td>']
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return "<table>" + "\n".join(lines) + "</table>"


def loss_table(rows):
    """Beside what was measured stands what the plan expected: its share of the unit's peak, and the time
    of the fastest beside that of what it chose."""
    head = ("operation", "problem", "cache", "chosen by", "is planned", "rate", "share, predicted",
            "is fastest", "rate", "loss", "time / planned, predicted", "measured")
    lines = ["<tr>" + "".join(f"<th>{name}</th>" for name in head) + "</tr>"]
    for loss in losses(rows):
        planned, fastest = loss.planned, loss.fastest
        name = who if loss.chooser == "auto" else lambda row: row["candidate"]
        share, time = planned["predicted_share"], fastest["predicted_time"]
        is_comparable = time is not None and planned["variant"] == fastest["variant"]
        texts = [planned["operation"], problem_text(planned), planned["cache"], loss.chooser,
                 name(planned), f"{planned['rate']:.4g}", f"{share:.2f}" if share is not None else "",
                 name(fastest), f"{fastest['rate']:.4g}", f"{100 * loss.value:.1f} %",
                 f"{time:.2f}" if is_comparable else "", f"{fastest['time'] / planned['time']:.2f}"]
        numbers = {5, 6, 8, 9, 10, 11}
        lines.append("<tr>" + "".join(
            f'<td class="{"n" if i in numbers else ""}{" bad" if i == 9 and loss.value >= 0.05 else ""}">'
            f"{html.escape(text)}</td>" for i, text in enumerate(texts)) + "</tr>")
    return "<table>" + "\n".join(lines) + "</table>"


def slug(text):
    return "".join(letter if letter.isalnum() else "-" for letter in text.lower()).strip("-")


def summary(rows):
    """Lines of text about the rows of one device."""
    first = rows[0]
    wrong = [row for row in rows if row["ok"] is False]
    yield (f"{first['device_name']} ({first['architecture']}, waves of {first['wave']}): "
           f"{len(rows)} measurements, {sum(bool(row['noisy']) for row in rows)} noisy, "
           f"{len(wrong)} wrong or failed")
    for row in wrong:
        yield f"  WRONG: {row['operation']} {problem_text(row)} {who(row)}: {row['failure'] or row['error']}"
    swept = [row for row in rows if row["candidate"]]
    for loss in losses(swept):
        if loss.chooser == "auto" and loss.value >= 0.05:
            yield (f"  {loss.planned['operation']} {problem_text(loss.planned)} {loss.planned['cache']}: AUTO loses "
                   f"{100 * loss.value:.0f} % by {who(loss.planned)} beside {who(loss.fastest)}")
    rows = [row for row in rows if not row["candidate"]]
    if copy_rate(rows):
        yield f"  copy: {copy_rate(rows):.0f} GB/s"
    for operation in dict.fromkeys(row["operation"] for row in rows):
        found = sorted(ratios([row for row in rows if row["operation"] == operation]),
                       key=lambda ratio: ratio.value)
        for group in problems(rated([row for row in rows if row["operation"] == operation])):
            ours, fastest = chosen(group), best([row for row in group if row["by"] == "subwave"])
            if ours and ours["rate"] < 0.95 * fastest["rate"]:
                yield (f"  {operation} {problem_text(ours)} {ours['cache']}: auto reaches "
                       f"{ratio_text(ours['rate'] / fastest['rate'])} of {who(fastest)}")
        if found:
            middle = found[len(found) // 2]
            ends = "; ".join(f"{name} {ratio_text(r.value)} ({problem_text(r.ours)}, {who(r.ours)} / {who(r.peer)})"
                             for name, r in (("least", found[0]), ("most", found[-1])))
            yield f"  {operation}: {ratio_text(middle.value)} of the best peer in the middle; {ends}"


def write_page(paths, folder):
    rows = list(read(paths).values())
    if not rows:
        sys.exit("report.py: no measurements in " + ", ".join(paths))
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        sys.exit("report.py: the pictures need matplotlib (Debian: python3-matplotlib)")
    os.makedirs(folder, exist_ok=True)
    devices = collections.OrderedDict()
    for row in rows:
        devices.setdefault((row["device_name"], row["architecture"], row["wave"]), []).append(row)
    body, count = [], 0
    for (name, architecture, wave), group in devices.items():
        first = group[0]
        body.append(f"<h2>{html.escape(name)}</h2><p>{html.escape(architecture)}, waves of {wave}, "
                    f"{first['units']} units, {first['clock_mhz']} MHz; {html.escape(first['build'])}; "
                    f"{html.escape(first['date'])}; {html.escape(first['method'])}</p>")
        text = list(summary(group))
        print("\n".join(text))
        body.append("<pre>" + html.escape("\n".join(text[1:])) + "</pre>")
        swept = [row for row in group if row["candidate"]]
        if swept:
            body.append("<h3>What the plans lose</h3><p>Of the kernels that could be planned for a product, the one "
                        "that is planned and the one that is fastest; AUTO's choice is among all of them.</p>"
                        + loss_table(swept))
        for title, caption, fig in pictures([row for row in group if not row["candidate"]]):
            from matplotlib import pyplot
            fig.suptitle(f"{name} ({architecture}), waves of {wave}, {first['date'][:10]}", x=0.01, ha="left", fontsize=8,
                         color="#666666")
            path = os.path.join(folder, slug(f"{architecture} w{wave} {title}") + ".png")
            fig.savefig(path, dpi=130)
            pyplot.close(fig)
            count += 1
            with open(path, "rb") as file:
                data = base64.b64encode(file.read()).decode()
            body.append(f'<figure><img alt="{html.escape(title)}" src="data:image/png;base64,{data}">'
                        f"<figcaption>{html.escape(caption)}</figcaption></figure>")
        body.append(f"<details><summary>all {len(group)} measurements</summary>{table(group)}</details>")
    page = os.path.join(folder, "index.html")
    with open(page, "w", encoding="utf-8") as file:
        file.write('<!doctype html><html lang="en"><meta charset="utf-8"><title>subwave-bench</title>'
                   f"<style>{STYLE}</style><h1>subwave-bench</h1>" + "\n".join(body) + "</html>\n")
    print(f"{page}: {count} pictures, each also a PNG beside it")


# --- comparing -------------------------------------------------------------------------------------

def compare(old_path, new_path, drift):
    """Prints what changed by more than both spreads and the drift; 1 if subwave got slower or wrong."""
    old, new = read([old_path]), read([new_path])
    slower, faster, broken = [], [], []
    peers, peers_moved = 0, 0
    for key, now in new.items():
        before = old.get(key)
        if not before:
            continue
        name = f"{now['operation']} {problem_text(now)} {now['cache']} {full_name(now)}"
        if now["ok"] is False and before["ok"] is not False:
            broken.append(f"{name}: {now['failure'] or 'wrong result'}")
        if not (now["rate"] and before["rate"]):
            continue
        change = now["time"] / before["time"] - 1
        noise = math.hypot(now["spread"], before["spread"]) + drift
        moved = change > noise or 1 / (1 + change) - 1 > noise
        peers += now["by"] != "subwave"
        peers_moved += moved and now["by"] != "subwave"
        if moved:
            (slower if change > 0 else faster).append(
                (change, f"{name}: {si_time(before['time'])} -> {si_time(now['time'])}, "
                         f"{100 * change:+.1f} % (noise {100 * noise:.1f} %)", now["by"] == "subwave"))
    common = len(old.keys() & new.keys())
    print(f"{common} measurements in both, {len(old) - common} only in {old_path}, "
          f"{len(new) - common} only in {new_path}")
    if not common:
        print("nothing to compare: other cases or another device")
        return 2
    for heading, lines in (("slower", sorted(slower, reverse=True)), ("faster", sorted(faster))):
        print(f"{heading}: {len(lines) or 'none'}")
        for _, text, _ in lines:
            print("  " + text)
    if broken:
        print(f"broken: {len(broken)}")
        for text in broken:
            print("  " + text)
    if peers_moved:
        print(f"{peers_moved} of {peers} measurements of peers changed as well: "
              "the machine, or what else ran on it, may differ")
    return 1 if broken or any(ours for _, _, ours in slower) else 0


# --- results: docs/results.md and its pictures ----------------------------------------------------

FOLDER = os.path.dirname(os.path.abspath(__file__))
INTRODUCTION = """<!-- Generated by `perf/report.py results` from perf/data: do not edit. -->

# Results

`perf/report.py results` writes this page and its pictures from the measurements in
[perf/data](../perf/data), which `subwave-bench` printed; [bench.md](bench.md) says how it measures.
Measurements whose data were not kept, and what was tried without success, are in
[notes.md](notes.md).

- **subwave** is the rate of our call. Where the library chooses among variants, it is the rate of
  the library's choice if that was timed, and otherwise of our fastest variant; the variant's name
  stands behind the rate. In the tables of `copy` a copy by a kernel, or else by the runtime, has
  this place.
- **best peer** is the fastest other program for the same problem, measured in the same process, and
  **ratio** is our rate divided by its rate.
- **limit** is the highest rate that the device allows, as far as it is known: *copy* is the
  bandwidth of the fastest copy from memory, *peak* is the manufacturer's figure
  ([peaks.json](../perf/data/peaks.json)), and *peer* is the fastest product of that type that a
  peer reached at any size. Copies and peers are those of the same run, or else of the other runs
  whose measurements are in the same file. The column is empty where no limit is known.
  **share** is our rate divided by the limit.
- **~** marks a rate that is noisy: it did not come to rest within the time of the run.
- *cold* problems are read from memory, and *warm* ones may be in a cache.
"""
PARTS_OF_PROBLEMS = ("type", "group", "operation", "size", "cache")
REAL = {"c32": "f32", "c64": "f64"} # the type in which products of complex numbers are done
Limit = collections.namedtuple("Limit", "rate name text") # the text is a sentence
Row = collections.namedtuple("Row", "parts ours peer others limit") # of a table and its picture


def digits(value):
    """Three significant digits, or all before the point."""
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}" if value > 0 else "0"


def times_text(value):
    return digits(value) if value >= 10 else ratio_text(value)


def good(rows):
    return [row for row in rated(rows) if row["ok"] is not False]


def read_runs(paths, command):
    """All lines of all files, with their files; `command` is that of lines which have none."""
    for path in paths:
        for row in measurements(path):
            if row["candidate"]: # of a sweep, which is no result
                continue
            row.setdefault("command", command)
            for name in ("command", "date", "device"):
                if not row.get(name):
                    sys.exit(f"report.py: {path}: a line has no {name}; --command or a line of "
                             "metadata before it may give the command")
            yield {**row, "file": path}


def of_the_run(row, rows):
    """Those of the same run, or else those of the same file."""
    found = [other for other in rows if other["file"] == row["file"]]
    return [other for other in found if other["date"] == row["date"]] or found


class Limits:
    """What bounds the rates of one device."""

    def __init__(self, rows, peaks):
        self.peaks = peaks.get(rows[0]["device_name"], {})
        self.copies = [row for row in good(rows)
                       if row["operation"] == "copy" and row["cache"] == "cold"]
        self.peers = [row for row in good(rows) if row["m"] and row["by"] != "subwave"]

    def copied(self, row):
        """Yields the least seconds that the memory needs, and whose word that is."""
        fastest = best(of_the_run(row, self.copies))
        if fastest and row["cache"] == "cold" and row["bytes"]:
            yield (row["bytes"] / fastest["rate"] * 1e-9, "copy",
                   f"*copy* is {digits(fastest['rate'])} GB/s, by the {who(fastest)}, "
                   f"{size_label(fastest['n'])} bytes, {fastest['date'][:10]}.")

    def multiplied(self, row):
        """The same of the multiply-adds."""
        dtype = REAL.get(row["dtype"], row["dtype"])
        peers = of_the_run(row, [other for other in self.peers if other["dtype"] == row["dtype"]])
        if dtype in self.peaks:
            yield (row["operations"] / self.peaks[dtype] * 1e-9, "peak",
                   f"*peak* of {dtype} is {self.peaks[dtype]} GFLOP/s: {self.peaks['source']}.")
        elif peers:
            rate, fastest = max(((other["operations"] / other["time"], other) for other in peers),
                                key=lambda pair: pair[0])
            yield (row["operations"] / rate, "peer",
                   f"*peer* of {row['dtype']} is {digits(rate * 1e-9)} GFLOP/s, by "
                   f"{fastest['by']}, {fastest['operation']} {size_text(fastest)} "
                   f"{fastest['cache']}, {fastest['date'][:10]}.")

    def of(self, row):
        """The lowest of the limits that are known, or None."""
        found = list(self.multiplied(row)) if row["m"] and row["operations"] else []
        if row["operation"] == "copy":
            if row["cache"] == "cold" and "memory" in self.peaks:
                memory = self.peaks["memory"]
                found.append((row["bytes"] / memory * 1e-9, "peak",
                              f"*peak* is {memory} GB/s: {self.peaks['source']}."))
        elif found or row["unit"] == "GB/s":
            found += self.copied(row)
        if not found:
            return None
        seconds, name, text = max(found)
        return Limit(row["rate"] * row["time"] / seconds, name, text)


def own_name(rows):
    """Whose rates are set beside the others'."""
    names = {row["by"] for row in rows}
    return next((name for name in ("subwave", "kernel", "runtime") if name in names), "subwave")


def table_rows(rows, own, limits):
    """A Row for each problem that somebody solved."""
    rows = good(rows)
    first = {}
    for row in rows:
        first.setdefault(row["dtype"], len(first))
        first.setdefault((row["kind"], row["op"]), len(first))
    found = []
    for group in problems(rows):
        here = [row for row in group if row["by"] == own]
        ours = best([row for row in here if row["variant"] == "auto"] or here)
        peer = best([row for row in group if row["by"] != own])
        some = ours or peer
        size = some["m"] * some["n"] * some["k"] if some["m"] else some["n"]
        order = (first[some["dtype"]], first[some["kind"], some["op"]],
                 bool(some["m"]) and not is_square(some), size, some["m"], some["n"], some["cache"])
        parts = (some["dtype"], some["kind"], some["op"],
                 size_text(some) if some["m"] else size_label(some["n"]), some["cache"])
        others = [row for row in here if row is not ours]
        found.append((order, Row(parts, ours, peer, others, limits.of(some))))
    return [row for _, row in sorted(found, key=lambda pair: pair[0])]


def ratio_of(row):
    return row.ours["rate"] / row.peer["rate"] if row.ours and row.peer else None


def share_of(row):
    return row.ours["rate"] / row.limit.rate if row.ours and row.limit else None


def varying(rows):
    """Which parts of the problems tell them apart, and a text of those that all share."""
    columns = zip(*(row.parts for row in rows))
    vary = [i for i, column in enumerate(columns) if len(set(column)) > 1] or [3]
    return vary, ", ".join(part for i, part in enumerate(rows[0].parts) if i not in vary and part)


def markdown(lines):
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def results_table(rows, own):
    """What is the same in all rows has no column."""
    unit = (rows[0].ours or rows[0].peer)["unit"]
    vary, shared = varying(rows)

    def rate(row, name):
        text = ("~" if row["noisy"] else "") + digits(row["rate"]) if row else ""
        return f"{text} {row[name]}" if row and row[name] else text

    lines = [[PARTS_OF_PROBLEMS[i] for i in vary] +
             [f"{own}, {unit}", f"best peer, {unit}", "ratio", f"limit, {unit}", "share"],
             ["---"] * len(vary) + ["---:"] * 5]
    for row in rows:
        lines.append([row.parts[i] or "" for i in vary] + [
            rate(row.ours, "variant"), rate(row.peer, "by"),
            times_text(ratio_of(row)) if ratio_of(row) else "",
            f"{digits(row.limit.rate)} {row.limit.name}" if row.limit else "",
            times_text(share_of(row)) if share_of(row) else ""])
    return (f"Every row: {shared}.\n\n" if shared else "") + markdown(lines)


def ticks_of(low, high):
    """Marks of a logarithmic axis."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    leads = (1,) if len(decades) > 4 else (1, 2, 5)
    ticks = [lead * 10.0 ** decade for decade in decades for lead in leads]
    return [tick for tick in ticks if low <= tick <= high]


def svg_text(x, y, what, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{html.escape(what)}</text>'


def svg_mark(kind, x, y, pale=False):
    faint = f' opacity="{NOISY}"' if pale else ""
    if kind == "ours":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{AHEAD}"{faint}/>'
    if kind == "others":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="none" stroke="{AHEAD}"{faint}/>'
    if kind == "peer":
        return (f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" '
                f'fill="{COLOURS["cublas"]}"{faint}/>')
    return f'<path d="M{x:.1f} {y - 7:.1f}v14" stroke="#222" stroke-width="2.5"/>' # the limit


def results_picture(title, rows, own):
    """SVG: a line a problem, with a mark for each rate on a logarithmic axis."""
    vary, shared = varying(rows)
    labels = [" ".join(row.parts[i] for i in vary if row.parts[i]) for row in rows]
    unit = (rows[0].ours or rows[0].peer)["unit"]
    shown = [thing for row in rows for thing in (row.ours, row.peer, *row.others) if thing]
    rates = [thing["rate"] for thing in shown] + [row.limit.rate for row in rows if row.limit]
    low, high = min(rates) / 1.3, max(rates) * 1.3
    left, right, step, top = 24 + 6.6 * max(map(len, labels)), 190, 18, 84
    width = max(430, 760 - left - right)
    whole, end = left + width + right, top + step * len(rows)
    grey, at_end, centred = ' fill="#666"', ' text-anchor="end"', ' text-anchor="middle"'

    def across(rate):
        return left + width * math.log(rate / low) / math.log(high / low)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole:.0f}" height="{end + 44}" '
             f'viewBox="0 0 {whole:.0f} {end + 44}" role="img" font-family="sans-serif" '
             'font-size="11" fill="#222">', f"<title>{html.escape(title)}</title>",
             '<rect width="100%" height="100%" fill="#fff"/>',
             svg_text(12, 22, title, ' font-size="14" font-weight="bold"'),
             svg_text(12, 40, shared, grey)]
    x = 12
    for kind, name in (("ours", own), ("others", "other variants"), ("peer", "best peer"),
                       ("limit", "limit")):
        if any(getattr(row, kind) for row in rows):
            parts += [svg_mark(kind, x + 6, 56), svg_text(x + 16, 60, name)]
            x += 34 + 6.6 * len(name)
    if any(thing["noisy"] for thing in shown):
        parts.append(svg_text(x, 60, "pale: noisy", grey))
    for tick in ticks_of(low, high):
        parts += [f'<path d="M{across(tick):.1f} {top - 4}V{end}" stroke="#ddd"/>',
                  svg_text(across(tick), end + 14, f"{tick:g}", centred)]
    parts.append(svg_text(left + width / 2, end + 32, f"{unit}, logarithmic", centred + grey))
    for name, value_of, place in (("ratio", ratio_of, 60), ("share", share_of, 130)):
        if any(map(value_of, rows)):
            parts.append(svg_text(left + width + place, top - 8, name, at_end + grey))
        for i, row in enumerate(rows):
            if value_of(row):
                parts.append(svg_text(left + width + place, top + step * (i + 0.5) + 4,
                                      times_text(value_of(row)), at_end))
    for i, (row, label) in enumerate(zip(rows, labels)):
        y = top + step * (i + 0.5)
        if i and row.parts[0] != rows[i - 1].parts[0]: # another type
            parts.append(f'<path d="M12 {y - step / 2}H{whole - 12:.0f}" stroke="#bbb"/>')
        parts.append(svg_text(left - 8, y + 4, label, at_end))
        if row.ours and row.peer:
            ends = across(row.ours["rate"]), across(row.peer["rate"])
            parts.append(f'<path d="M{ends[0]:.1f} {y}H{ends[1]:.1f}" stroke="#999"/>')
        if row.limit:
            parts += [svg_mark("limit", across(row.limit.rate), y),
                      svg_text(left + width + 138, y + 4, row.limit.name, grey)]
        for kind, thing in ([("others", other) for other in row.others] +
                            [("peer", row.peer), ("ours", row.ours)]):
            if thing:
                parts.append(svg_mark(kind, across(thing["rate"]), y, thing["noisy"]))
    return "\n".join(parts) + "\n</svg>\n"


def days(rows):
    dates = sorted({row["date"][:10] for row in rows})
    return dates[0] + (f" to {dates[-1]}" if dates[1:] else "")


def device_title(row):
    """The device with its waves, and with a CPU device's threads."""
    parts = [row["device_name"]]
    if f"{row['wave']}-lane" not in row["device_name"]:
        parts.append(f"waves of {row['wave']}")
    if row["backend"] == "cpu":
        parts.append(f"{row['units']} thread" + ("s" if row["units"] > 1 else ""))
    return ", ".join(parts)


def device_text(rows):
    """The heading of a device and what is known of it, as the latest run has it."""
    row = max(rows, key=lambda row: row["date"])
    facts = [row["architecture"]]
    if row["backend"] != "cpu":
        facts.append(f"{row['units']} multiprocessors")
    if row["clock_mhz"]:
        facts.append(f"{row['clock_mhz']} MHz")
    facts.append(f"{row['cache_bytes'] / (1 << 20):.1f} MiB of last-level cache")
    machine = f"- Machine: {row['machine']}.\n" if row.get("machine") else ""
    return (f"\n## {device_title(row)}\n\n{machine}- Device: {', '.join(facts)}.\n"
            f"- Build: {row['build']}.\n- Method: {row['method']}.\n")


def operation_text(title, picture, rows, shown, own):
    """Markdown of an operation on a device: the commands, the picture and the table."""
    runs = sorted({(row["date"], row["command"]) for row in rows})
    commands = "".join(f"- {date[:10]}, {date[11:16]} UTC: `{command}`\n" for date, command in runs)
    text = f"\n### {title}\n\n{commands}\n![{title}]({picture})\n\n" + results_table(shown, own)
    bounds = dict.fromkeys(row.limit.text for row in shown if row.limit)
    if bounds:
        text += "\nLimits: " + " ".join(bounds) + "\n"
    wrong = [f"{problem_text(row)} {row['cache']} {who(row)}" for row in rows if row["ok"] is False]
    return text + ("\nWrong or failed: " + ", ".join(wrong) + ".\n" if wrong else "")


def range_text(values):
    values = sorted(value for value in values if value)
    if not values:
        return ""
    middle = (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
    return f"{times_text(values[0])} to {times_text(values[-1])}, median {times_text(middle)}"


def results(paths, command=None):
    """{path in the folder of the documents: text} of the page and its pictures."""
    with open(os.path.join(FOLDER, "data", "peaks.json"), encoding="utf-8") as file:
        peaks = json.load(file)
    devices = {}
    for row in read_runs(paths, command):
        threads = row["units"] if row["backend"] == "cpu" else None
        key = row["device_name"], row["architecture"], row["wave"], threads
        devices.setdefault(key, []).append(row)
    sections, pictures = [], {}
    overview = [["device", "operation", "problems", "ratio", "share"],
                ["---", "---", "---:", "---", "---"]]
    for everything in devices.values():
        limits = Limits(everything, peaks)
        sections.append(device_text(everything))
        latest = {} # of equal measurements
        for row in sorted(everything, key=lambda row: row["date"]):
            latest[tuple(row[name] for name in IDENTITY)] = row
        for operation in dict.fromkeys(row["operation"] for row in everything):
            rows = [row for row in latest.values() if row["operation"] == operation]
            own, device = own_name(rows), device_title(rows[0])
            shown = table_rows(rows, own, limits)
            if not shown:
                continue
            title = f"{operation}, {device}, {days(rows)}"
            picture = "results/" + re.sub("-+", "-", slug(f"{device} {operation}")) + ".svg"
            pictures[picture] = results_picture(title, shown, own)
            sections.append(operation_text(title, picture, rows, shown, own))
            overview.append([device, operation, str(len(shown)), range_text(map(ratio_of, shown)),
                             range_text(map(share_of, shown))])
    page = INTRODUCTION + "\n## Overview\n\n" + markdown(overview) + "".join(sections)
    return {"results.md": page, **pictures}


def write_results(paths, folder, command):
    files = results(paths, command)
    os.makedirs(os.path.join(folder, "results"), exist_ok=True)
    for path in glob.glob(os.path.join(folder, "results", "*.svg")):
        if os.path.join("results", os.path.basename(path)) not in files:
            os.remove(path)
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    page = os.path.relpath(os.path.join(folder, "results.md"))
    print(f"{page}: {len(files) - 1} tables, each with a picture")


def main(arguments):
    if arguments[:1] == ["compare"]:
        parser = argparse.ArgumentParser(
            prog="report.py compare",
            description="What changed between two runs of subwave-bench beyond noise: by more than the "
                        "95 %% intervals of both medians, and the drift. Exit status 1 if subwave got slower "
                        "or wrong, 2 if the runs have nothing in common.")
        parser.add_argument("old")
        parser.add_argument("new")
        parser.add_argument("--drift", type=float, default=2, metavar="PERCENT",
                            help="what two runs on one machine may differ by beside noise (2)")
        options = parser.parse_args(arguments[1:])
        return compare(options.old, options.new, options.drift / 100)
    if arguments[:1] == ["results"]:
        parser = argparse.ArgumentParser(
            prog="report.py results",
            description="Writes results.md and its pictures into the folder of the documents, from "
                        "measurements that are kept. Of equal measurements the latest is shown.")
        parser.add_argument("files", nargs="*", metavar="FILE.jsonl",
                            default=sorted(glob.glob(os.path.join(FOLDER, "data", "*.jsonl"))),
                            help="what subwave-bench --json wrote (perf/data/*.jsonl)")
        parser.add_argument("--output", default=os.path.join(FOLDER, os.pardir, "docs"),
                            metavar="FOLDER", help="where results.md goes (docs)")
        parser.add_argument("--command", metavar="TEXT",
                            help="the command of lines that do not say theirs")
        options = parser.parse_args(arguments[1:])
        write_results(options.files, options.output, options.command)
        return 0
    parser = argparse.ArgumentParser(prog="report.py", usage=__doc__[len("usage: "):],
                                     description="A page with pictures from subwave-bench's JSON lines.")
    parser.add_argument("files", nargs="+", metavar="FILE.json")
    parser.add_argument("--output", default="report", metavar="FOLDER", help="where the page goes (report)")
    options = parser.parse_args(arguments)
    write_page(options.files, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
