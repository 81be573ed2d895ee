# SPDX-License-Identifier: MIT
# test_bench.py: subwave-bench's lines against the schema in its manual, its judgement of wrong results, and the report.
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

PYTHON_TYPES = {"integer": int, "number": (int, float), "string": str, "boolean": bool,
                "null": type(None)}


def documented_fields():
    """name: the types it may have, from the table in docs/bench.md."""
    with open(os.path.join(options.source, "docs", "bench.md"), encoding="utf-8") as file:
        text = file.read().split("## JSON")[1].split("\n## ")[0]
    fields = {}
    for names, types in re.findall(r"^\| (`[^|]*) \| ([^|]*) \|", text, re.M):
        names = re.findall(r"`(\w+)`", names)
        types = [part.strip() for part in types.split(",")]
        for i, name in enumerate(names):
            fields[name] = re.split(r" or ", types[min(i, len(types) - 1)])
    assert len(fields) > 30, fields
    return fields


def bench(*arguments, **environment):
    return subprocess.run([options.bench, *arguments], capture_output=True, text=True, timeout=100,
                          env={**os.environ, **environment})


def report(python, *arguments):
    return subprocess.run([python, "-B", os.path.join(options.source, "perf", "report.py"), *arguments],
                          capture_output=True, text=True, timeout=100)


def python_that_draws(test):
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import matplotlib"], capture_output=True).returncode == 0:
            return python
    test.skipTest("no Python here has matplotlib (Debian: python3-matplotlib)")


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_bench(self, name, *arguments):
        done = bench("--device", options.device, "--time", "0", "--json", self.path(name), *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return lines_of(self.path(name))


class Lines(Case):
    def check(self, rows):
        fields = documented_fields()
        for row in rows:
            self.assertEqual(set(row), set(fields))
            for name, value in row.items():
                allowed = tuple(PYTHON_TYPES[kind] for kind in fields[name])
                self.assertIsInstance(value, allowed, (name, row))
                if bool not in allowed:
                    self.assertNotIsInstance(value, bool, (name, row))
            self.assertEqual(row["schema"], 1)
            if row["failure"] is None:
                self.assertIs(row["ok"], True, row)
                self.assertLessEqual(row["error"], row["bound"])
                self.assertLessEqual(row["time_min"], row["time_lower"])
                self.assertLessEqual(row["time_lower"], row["time"])
                self.assertLessEqual(row["time"], row["time_upper"])
                self.assertLessEqual(row["time_upper"], row["time_max"])
                amount = row["bytes"] if row["unit"] == "GB/s" else row["operations"]
                self.assertAlmostEqual(row["rate"] / (amount / row["time"] * 1e-9), 1, places=4)
            else: # not offered by this device or build
                self.assertIsNone(row["ok"], row)
                self.assertIsNone(row["time"], row)

    def test_products_and_copies(self):
        rows = self.run_bench("a.json", "copy", "matmul", "--size", "20", "--size", "1x1x1", "--size",
                              "7x5x3", "--size", "33x64x130", "--dtype", "all", "--cache-bytes", "100000")
        self.check(rows)
        self.assertEqual({row["operation"] for row in rows}, {"copy", "matmul"})
        self.assertIn("auto", {row["variant"] for row in rows})
        self.assertGreater(len({row["by"] for row in rows}), 2, "no peer took part")

    def test_sweeps(self):
        rows = self.run_bench("a.json", "matmul", "--tune", "--size", "20", "--size", "3x70x300", "--size",
                              "70x1x300", "--dtype", "all", "--cache", "warm")
        self.check(rows)
        problems = {}
        for row in rows:
            problems.setdefault((row["dtype"], row["m"], row["n"]), []).append(row)
        self.assertEqual(len(problems), 3 * len({row["dtype"] for row in rows}))
        for group in problems.values():
            chosen = [row for row in group if row["automatic"]]
            self.assertEqual(len(chosen), 1, group)
            self.assertTrue(chosen[0]["planned"])
            for variant in {row["variant"] for row in group}:
                names = [row["candidate"] for row in group if row["variant"] == variant]
                self.assertEqual(len(names), len(set(names)), names)
                planned = [row for row in group if row["variant"] == variant and row["planned"]]
                self.assertEqual(len(planned), 1, names)
                self.assertIn(planned[0]["predicted_time"], (None, 1))
        for variant in "broadcast", "skinny":
            self.assertGreater(max(sum(row["variant"] == variant for row in group)
                                   for group in problems.values()), 1)
        if not options.device.startswith("gpu"):
            self.assertGreater(max(row["parts"] for row in rows if row["variant"] == "matrix"), 1)
        self.assertGreater(max(row["parts"] for row in rows if row["variant"] == "skinny"), 1)

    def test_sweeps_say_what_plans_lose(self):
        done = bench("--device", options.device, "--time", "0", "--tune", "--size", "9", "--dtype", "f32",
                     "--variant", "broadcast", "--cache", "warm")
        self.assertEqual(done.returncode, 0, done.stderr)
        rates = {}
        for name, rate in re.findall(r"^  broadcast (\d.*?) +[\d.]+ [num]?s .*?([\d.]+) GFLOP/s", done.stdout, re.M):
            rates[name] = float(rate)
        self.assertGreater(len(rates), 1, done.stdout)
        (planned, fastest, loss), = re.findall(
            r"^  broadcast  (\d.*?)  +(\d.*?)  +([\d.]+) %$", done.stdout, re.M)
        self.assertEqual(rates[fastest], max(rates.values()))
        self.assertAlmostEqual(float(loss), 100 * (1 - rates[planned] / rates[fastest]), delta=1)

    def test_sweeps_of_batches(self):
        rows = self.run_bench("a.json", "matmul_batched", "--tune", "--size", "5", "--size", "3x20x7", "--size",
                              "50", "--batch", "9", "--dtype", "all", "--cache", "warm")
        self.check(rows)
        problems = {}
        for row in rows:
            problems.setdefault((row["dtype"], row["n"]), []).append(row)
        self.assertEqual(len(problems), 3 * 4)
        for (_, n), group in problems.items():
            names = [row["candidate"] for row in group]
            self.assertEqual(len(names), len(set(names)), names)
            self.assertGreater(len(names), 2)
            self.assertEqual({row["variant"] for row in group}, {"strided"})
            chosen = [row for row in group if row["planned"]]
            self.assertEqual(len(chosen), 1, names)
            self.assertTrue(chosen[0]["automatic"])
            self.assertEqual(any(name.endswith(" CELLS") for name in names), n != 50, names)

    def test_sweeps_of_batches_say_what_plans_lose(self):
        done = bench("--device", options.device, "--time", "0", "--tune", "matmul_batched", "--size", "5", "--dtype",
                     "f32", "--batch", "9", "--cache", "warm")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(re.findall(r"^  strided  +5x5 by 3x3 CELLS  +\S.*  +[\d.]+ %$", done.stdout, re.M)), 1,
                         done.stdout)
        self.assertNotRegex(done.stdout, r"(?m)^  auto ") # which has nothing to choose from

    def test_batched_products(self):
        rows = self.run_bench("a.json", "matmul_batched", "--size", "4", "--size", "3x5x7", "--batch", "9",
                              "--dtype", "all")
        self.check(rows)
        self.assertEqual({row["batch"] for row in rows}, {9})
        self.assertEqual({row["variant"] for row in rows if row["by"] == "subwave"}, {"strided", "pointers"})

    def test_stacks(self):
        rows = self.run_bench("a.json", "matmul_stacked", "--size", "4", "--size", "3x5x7", "--batch", "50", "--dtype", "all",
                              "--cache", "warm")
        self.check(rows)
        self.assertEqual({row["batch"] for row in rows}, {50})
        kinds = {"one after the other", "scattered", "a C each"}
        self.assertEqual({(row["kind"], row["dtype"]) for row in rows if row["by"] == "subwave"},
                         {(kind, dtype) for kind in kinds for dtype in ("f32", "f64", "c32", "c64")})

    def test_problems_of_any_sizes(self):
        rows = self.run_bench("a.json", "matmul_grouped", "--size", "4", "--size", "3x5x7", "--batch", "9", "--dtype", "all",
                              "--cache", "warm")
        self.check(rows)
        self.assertEqual({row["batch"] for row in rows}, {9})
        self.assertEqual({(row["variant"], row["dtype"]) for row in rows if row["by"] == "subwave"},
                         {(way, dtype) for way in ("grouped", "one by one") for dtype in ("f32", "f64", "c32", "c64")})

    def test_tensors(self):
        rows = self.run_bench("a.json", "tensor", "--size", "4", "--size", "3x5x2", "--batch", "20", "--dtype", "all",
                              "--cache", "warm")
        self.check(rows)
        self.assertEqual({(row["kind"], row["dtype"], row["variant"]) for row in rows},
                         {(kind, dtype, variant) for kind in ("apply", "gradient") for dtype in ("f32", "f64")
                          for variant in ("fused", "batched")})

    def test_cold_rotates(self):
        rows = self.run_bench("a.json", "copy", "--size", "1024", "--cache", "cold", "--cache-bytes", "10240")
        self.check(rows)
        for row in rows: # on a GPU also the runtime's copy
            self.assertEqual((row["cache"], row["cache_bytes"]), ("cold", 10240))
            self.assertEqual(row["calls"] % 11, 0) # 1 + 2 * 10240 / 2048 sets in turn

    def test_groups(self):
        names = ["group_" + name for name in ("reduce", "scan", "broadcast", "shift", "permute", "select",
                                              "vote", "info")]
        rows = self.run_bench("a.json", *names, "--size", "512", "--cache", "warm", "--dtype", "all")
        self.check(rows)
        self.assertEqual({row["operation"] for row in rows}, set(names))
        for kind in ("sub_group", "ballot", "fixed_size 8", "tangle", "opportunistic"):
            self.assertIn(kind, {row["kind"] for row in rows})
        rows = self.run_bench("b.json", "group_reduce", "--size", "256", "--dtype", "i16", "--op", "all",
                              "--kind", "fixed_size", "--cache", "warm")
        self.check(rows)
        self.assertEqual(len({row["op"] for row in rows}), 9)
        self.assertEqual({row["kind"] for row in rows} & {"fixed_size 2", "fixed_size 16", "ballot"},
                         {"fixed_size 2", "fixed_size 16"})

    def test_arrays(self):
        names = ["dot", "norm2", "minmax_index"]
        selections = ["compact", "compact_if", "partition", "partition_if", "unique", "append"]
        on_cpu = options.device.startswith("cpu")
        if on_cpu:  # a GPU may be emulated, where no peer's kernels run
            names += ["reduce", "scan", *selections]
            names += ["reduce", "scan", "segmented_reduce", "segmented_scan"]
        rows = self.run_bench("a.json", *names, "--size", "5000", "--cache", "warm")
        self.check(rows)
        self.assertEqual({row["operation"] for row in rows}, set(names))
        for name in names:
            variants = {row["variant"] for row in rows if row["operation"] == name and row["by"] == "subwave"}
            self.assertEqual(len(variants), 2 if name in ("reduce", "dot", "norm2") else 1, name)
        for name in "segmented_reduce", "segmented_scan":
            self.assertEqual(len({row["kind"] for row in rows if row["operation"] == name}), 5 if on_cpu else 0)
        if not on_cpu:
            return
        rows = self.run_bench("b.json", "dot", "minmax_index", "--size", "300", "--dtype", "all", "--op", "all",
                              "--cache", "warm")
        self.check(rows)
        self.assertEqual({row["dtype"] for row in rows if row["operation"] == "dot"},
                         {"f16", "bf16", "f32", "f64", "c32", "c64"})
        self.assertEqual({row["op"] for row in rows if row["operation"] == "minmax_index"}, {"minimum", "maximum"})
        rows = self.run_bench("c.json", *selections, "--size", "5000", "--dtype", "all", "--cache", "warm")
        self.check(rows)
        self.assertEqual(len({row["dtype"] for row in rows if row["operation"] == "unique"}), 14)

    def test_rows(self):
        if not options.device.startswith("cpu"):
            return  # a GPU may be emulated, where no peer's kernels run
        rows = self.run_bench("a.json", "row_reduce", "--size", "70x9x1", "--size", "33x2000x1", "--dtype", "all", "--op", "all",
                              "--cache", "warm")
        self.check(rows)
        self.assertEqual(len({(row["dtype"], row["op"]) for row in rows}), 8 * 9 + 4 * 6)
        self.assertEqual({(row["m"], row["n"]) for row in rows}, {(70, 9), (33, 2000)})
        rows = self.run_bench("b.json", "row_scan", "--size", "70x9x1", "--size", "3x5000x1", "--dtype", "all", "--op", "all",
                              "--cache", "warm")
        self.check(rows)
        self.assertEqual(len({(row["dtype"], row["op"], row["kind"]) for row in rows}), 2 * (8 * 9 + 4 * 6))
        rows = self.run_bench("b.json", "row_minmax_index", "--size", "70x9x1", "--dtype", "all", "--op", "all", "--cache", "warm")
        self.check(rows)
        self.assertEqual(len({(row["dtype"], row["op"]) for row in rows}), 12 * 2)

    def test_transpositions(self):
        rows = self.run_bench("a.json", "transpose", "--size", "70", "--dtype", "all", "--cache", "warm")
        self.check(rows)
        self.assertEqual(len({row["dtype"] for row in rows}), 14)
        self.check(self.run_bench("b.json", "transpose", "--size", "20", "--batch", "30", "--cache", "warm"))

    def test_lists_of_transpositions(self):
        rows = self.run_bench("a.json", "transpose_stacked", "--size", "5", "--size", "3x4x1", "--batch", "30", "--dtype", "all",
                              "--cache", "warm")
        self.check(rows)
        self.assertEqual(len({(row["dtype"], row["variant"], row["m"]) for row in rows}), 14 * 3)

    def test_histograms(self):
        rows = self.run_bench("a.json", "histogram", "--size", "5000", "--dtype", "all", "--kind", "all", "--cache", "warm",
                              "--variant", "subwave")  # a GPU may be emulated, where no peer's kernels run
        self.check(rows)
        self.assertEqual(len({(row["dtype"], row["kind"]) for row in rows}), 12 * 6 + 6 * 3)

    def test_sums_in_cells(self):
        rows = self.run_bench("a.json", "scatter_add", "--size", "5000", "--dtype", "all", "--kind", "all", "--cache", "warm",
                              "--variant", "subwave")  # a GPU may be emulated, where no peer's kernels run
        self.check(rows)
        self.assertEqual(len({(row["dtype"], row["kind"], row["variant"]) for row in rows}), 6 * 6 * 2)

    def test_registers(self):
        rows = self.run_bench("a.json", "register_reduce", "register_scan", "--size", "256")
        self.check(rows)
        self.assertEqual({row["unit"] for row in rows}, {"waves/ns"})

    def test_standard_output(self):
        done = bench("--device", options.device, "copy", "--size", "100", "--time", "0", "--json", "-")
        self.check([json.loads(line) for line in done.stdout.splitlines()])


class Refusals(Case):
    def test_command_line(self):
        for arguments in (["--nonsense"], ["nonsense"], ["--size"], ["--size", "0"], ["--size", "3x"],
                          ["--size", "2x3"], ["--dtype", "f31"], ["--kind", "x"], ["--op", "x"],
                          ["--cache", "hot"], ["--time", "-1"], ["--noise", "x"], ["--list=1"],
                          ["--variant", "nobody"], ["--tune", "copy"]):
            done = bench(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertTrue(done.stderr.startswith("subwave-bench: "), done.stderr)
        self.assertEqual(bench("--device", "gpu:99", "--list").returncode, 1)
        self.assertEqual(bench("--json", self.path("no/such/folder"), "copy").returncode, 1)

    def test_list_times_nothing(self):
        done = bench("--list", "--json", self.path("none.json"))
        self.assertEqual(done.returncode, 0)
        self.assertGreater(len(done.stdout.splitlines()), 100)
        self.assertFalse(os.path.exists(self.path("none.json")))

    def test_wrong_results_are_found(self):
        if not options.broken:
            self.skipTest("the library is static: no wrong one can take its place")
        for how, failure in (("zero", None), ("nothing", None), ("fail", "error")):
            done = bench("matmul", "--device", "cpu:16", "--size", "9", "--time", "0", "--dtype", "f32",
                         "--cache", "warm", "--json", self.path("a.json"), LD_PRELOAD=options.broken,
                         SUBWAVE_BROKEN=how)
            self.assertEqual(done.returncode, 1, how)
            for row in lines_of(self.path("a.json")):
                self.assertIs(row["ok"], row["by"] != "subwave", row)
                self.assertEqual(row["failure"] is not None, how == "fail" and row["by"] == "subwave")


class Plot(Case):
    def plot(self, python, table, *arguments):
        return subprocess.run([python, "-B", os.path.join(options.source, "perf", "plot_histogram.py"), *arguments],
                              input=table, capture_output=True, text=True, timeout=100)

    def test_picture(self):
        python = python_that_draws(self)
        table = "-1 0 5\n0 0.5 12\n0.5 7 0\n"
        for rest, arguments in ("x.npy: histogram of 17 elements, f32; cpu:8; 2 us\n", []), ("", ["--log", "--title", "seventeen"]):
            done = self.plot(python, table + rest, "-o", self.path("picture.svg"), *arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(self.path("picture.svg"), encoding="utf-8") as file:
                picture = file.read()
            self.assertIn(rest.strip() or "seventeen", picture)
        done = self.plot(python, table, "-o", self.path("picture.png"))
        with open(self.path("picture.png"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        done = self.plot(python, table, "-o", self.path("no/picture.png"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("no/picture.png", done.stderr)

    def test_other_tables_are_refused(self):
        for table, message in (("", "nothing to draw"), ("1 2\n", "line 1: "), ("0 1 2\n2 3 4\n", "line 2: "),
                               ("0 1 2\nend\n1 2 3\n", "line 3: something follows")):
            done = self.plot(sys.executable, table, "-o", self.path("picture.png"))
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)
            self.assertFalse(os.path.exists(self.path("picture.png")))


class Report(Case):
    def setUp(self):
        super().setUp()
        self.rows = self.run_bench("old.json", "matmul", "copy", "--size", "8", "--size", "16", "--size",
                                   "24", "--size", "5x6x7", "--dtype", "f32", "--variant", "naive",
                                   "--variant", "auto", "--variant", "plain loop", "--variant", "runtime") \
            if not Report.measured else Report.measured
        Report.measured = self.rows
        for row in self.rows:
            row["spread"] = 0.005 # what the machine's other work does is not the subject
        self.write("old.json", self.rows)
    measured = None

    def write(self, name, rows):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)

    def compare(self, change):
        rows = [dict(row) for row in self.rows]
        change(rows)
        self.write("new.json", rows)
        return report(sys.executable, "compare", self.path("old.json"), self.path("new.json"))

    def slow_down(self, rows, factor, by):
        row = next(row for row in rows if row["by"] == by and row["m"] == 16)
        row["rate"] /= factor
        for name in ("time", "time_lower", "time_upper", "time_min", "time_max"):
            row[name] *= factor

    def test_same_run(self):
        done = self.compare(lambda rows: None)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("slower: none\nfaster: none\n", done.stdout)

    def test_a_slower_run_is_flagged(self):
        done = self.compare(lambda rows: self.slow_down(rows, 1.3, "subwave"))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("slower: 1\n", done.stdout)
        self.assertIn("matmul f32 16 warm subwave", done.stdout)
        self.assertIn("+30.0 %", done.stdout)

    def test_faster_peers_and_noise_are_no_failure(self):
        done = self.compare(lambda rows: self.slow_down(rows, 1 / 1.3, "subwave"))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("faster: 1\n", done.stdout)
        done = self.compare(lambda rows: self.slow_down(rows, 1.01, "subwave"))
        self.assertIn("slower: none\nfaster: none\n", done.stdout)
        done = self.compare(lambda rows: self.slow_down(rows, 2, "plain loop"))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("measurements of peers changed as well", done.stdout)

    def test_a_wrong_result_is_flagged(self):
        done = self.compare(lambda rows: rows[0].update(ok=False))
        self.assertEqual(done.returncode, 1)
        self.assertIn("broken: 1\n", done.stdout)

    def test_nothing_in_common(self):
        done = self.compare(lambda rows: [row.update(device_name="another") for row in rows])
        self.assertEqual(done.returncode, 2)

    def test_other_files_are_refused(self):
        for text in ("no json\n", "{}\n", '{"schema": 2}\n'):
            with open(self.path("bad.json"), "w", encoding="utf-8") as file:
                file.write(text)
            done = report(sys.executable, "compare", self.path("old.json"), self.path("bad.json"))
            self.assertEqual(done.returncode, 1)
            self.assertIn("bad.json:1: no measurement", done.stderr)

    def test_page(self):
        done = report(python_that_draws(self), self.path("old.json"), "--output", self.path("page"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        pictures = [name for name in os.listdir(self.path("page")) if name.endswith(".png")]
        self.assertTrue({"matmul-f32", "roofline-f32", "beside-the-best-peer"} <=
                        {name for name in ("matmul-f32", "roofline-f32", "beside-the-best-peer")
                         if any(name in picture for picture in pictures)}, pictures)
        with open(os.path.join(self.path("page"), "index.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertEqual(page.count("<img"), len(pictures))
        self.assertEqual(page.count("<tr>"), len(self.rows) + 1)

    def test_losses(self):
        sys.path.insert(0, os.path.join(options.source, "perf"))
        import report as page
        rows = []
        for variant, candidate, planned, automatic, rate in (
                ("matrix", "a", True, True, 6), ("matrix", "b", False, False, 8),
                ("skinny", "a", True, False, 10), ("skinny", "c", False, False, 4),
                ("broadcast", "a", False, False, None), ("broadcast", "b", True, False, 3)):
            rows.append({**self.rows[0], "operation": "matmul", "variant": variant, "by": "subwave",
                         "candidate": candidate, "planned": planned, "automatic": automatic,
                         "rate": rate, "time": rate and 1 / rate, "m": 16, "n": 16, "k": 16,
                         "kind": None, "op": None, "failure": None if rate else "no memory",
                         "predicted_share": 0.5, "predicted_time": 1.25})
        found = {loss.chooser: loss for loss in page.losses(rows)}
        self.assertEqual({name: (loss.planned["rate"], loss.fastest["rate"]) for name, loss in found.items()},
                         {"matrix": (6, 8), "skinny": (10, 10), "broadcast": (3, 3), "auto": (6, 10)})
        self.assertAlmostEqual(found["auto"].value, 0.4)
        table = page.loss_table(rows)
        self.assertEqual(table.count("<tr>"), 5)
        self.assertEqual(table.count(" bad"), 2)
        self.assertIn(">1.25<", table)
        self.assertIn(">0.75<", table) # the time of the fastest beside the planned one's
        self.assertTrue(any("AUTO loses 40 %" in line for line in page.summary(rows)))
        self.write("swept.json", self.rows + rows)
        self.assertEqual(len(page.read([self.path("swept.json")])), len(self.rows) + len(rows))

    def test_pictures_say_the_same_of_parts(self):
        sys.path.insert(0, os.path.join(options.source, "perf"))
        import report as page
        few = [{"by": "subwave", "variant": "matrix"}, {"by": "openblas", "variant": None}]
        all_of_them = few + [{"by": "subwave", "variant": "auto"}, {"by": "plain loop", "variant": None}]
        colours = page.colours_of(all_of_them)
        self.assertEqual(len(set(colours.values())), 4)
        for name, colour in page.colours_of(few).items():
            self.assertEqual(colour, colours[name])
        self.assertEqual([page.ratio_text(value) for value in (1.234, 0.1, 0.0041)], ["1.23", "0.10", "0.004"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bench", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--device", default="cpu:16")
    parser.add_argument("--broken")
    options, rest = parser.parse_known_args()
    if options.device.startswith("gpu") and bench("--device", options.device, "--list").returncode:
        print("skipped: there is no", options.device)
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])
