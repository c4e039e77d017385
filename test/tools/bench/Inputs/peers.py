"""Checks the parts of tools/bench/peers that need no other framework."""
import copy
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tools/bench/peers"))

import chart  # noqa: E402
import losses  # noqa: E402
import processes  # noqa: E402
import report  # noqa: E402
from workloads import WORKLOADS  # noqa: E402

EXACT = [2.0, 1.5, 1.25]
PROBES = [[2.001, 1.5, 1.25], [2.0, 1.504, 1.2505]]

ROW = {"peer": "ampc", "best_ms": 10.0, "median_ms": 12.0, "cold_s": 1.5, "warm_s": 0.25, "peak_bytes": 64 << 20,
       "planned_bytes": 32 << 20, "refused": None}
CASE = {"workload": "mlp", "precision": "bf16", "threads": 2,
        "calibration": [{"stream_gbs": 20.0, "fma_gflops": 100.0}, {"stream_gbs": 40.0, "fma_gflops": 200.0}],
        "rows": [ROW,
                 {"peer": "PyTorch", "best_ms": 15.0, "median_ms": 24.0, "cold_s": 0.5, "warm_s": 0.5,
                  "peak_bytes": 512 << 20, "refused": None},
                 {"peer": "torch.compile", "best_ms": 1.0, "median_ms": 1.0, "cold_s": 9.0, "warm_s": 2.0,
                  "peak_bytes": 1 << 30, "refused": "loss 3 at step 1, expected 2 within 0.01"},
                 {"peer": "JAX", "failed": "no <module> a|b"}]}
RESULTS = {"command": "tools/bench/peers.sh --quick", "machine": "a processor", "date": "2026-01-02",
           "versions": {"JAX": "1.0"}, "titles": {"mlp": "MLP"}, "cases": [CASE]}


class Losses(unittest.TestCase):
    def test_a_band_is_the_widest_drift_so_far_and_the_rounding_of_the_loss(self):
        widths = losses.band(EXACT, PROBES, "bf16", 100)
        for width, drift, loss in zip(widths, (0.001, 0.004, 0.004), EXACT):
            self.assertAlmostEqual(width, drift + loss / 512)

    def test_a_probe_that_is_not_finite_widens_nothing(self):
        self.assertEqual(losses.band([1.0], [[float("nan")], [float("inf")]], "f32", 16), [2.0 ** -22])

    def test_losses_at_the_edge_stay_and_beyond_it_are_refused(self):
        bands = [[0.25, 0.25, 0.25], [0.25, 0.25, 0.5]]
        self.assertIsNone(losses.refusal([2.5, 1.0, 2.0], EXACT, bands))
        self.assertEqual(losses.refusal([2.0, 2.015625, 1.25], EXACT, bands),
                         "loss 2.015625 at step 2, expected 1.5 within 0.5")

    def test_what_is_not_a_loss_is_refused(self):
        bands = [[1.0] * 3]
        self.assertIn("not finite at step 2", losses.refusal([2.0, None, 1.25], EXACT, bands))
        self.assertIn("nan at step 1", losses.refusal([float("nan"), 1.5, 1.25], EXACT, bands))
        self.assertEqual(losses.refusal([2.0], EXACT, bands), "1 losses, expected 3")

    def test_roundings_are_the_operations_of_a_format(self):
        step = {"ops": [{"type": kind} for kind in ("f32[2]", "f32[]", "bf16[2]", "i64[]")]}
        self.assertEqual(losses.roundings(step, "bf16", 100), 1)
        self.assertEqual(losses.roundings(step, "f32", 100), 200)
        self.assertEqual(losses.perturbation("bf16", 4), 2.0 ** -8)


class Report(unittest.TestCase):
    def test_ratios_are_to_ampc_of_the_same_case(self):
        text = report.text(RESULTS)
        self.assertIn("| PyTorch | 15 | 24 | 1.50 | 2.00 | 512 |  | 0.50 / 0.50 |", text)
        self.assertIn("| ampc | 10 | 12 | 1.00 | 1.00 | 64 | 32 | 1.50 / 0.25 |", text)
        self.assertIn("**MLP**, bf16, 2 threads; calibration: 30.0 GB/s, 150 GFLOP/s", text)

    def test_a_peer_that_failed_or_was_refused_has_a_reason_and_no_times(self):
        text = report.text(RESULTS)
        self.assertIn("| torch.compile | refused: loss 3 at step 1, expected 2 within 0.01 | | | | | | |", text)
        self.assertIn("| JAX | no <module> a/b | | | | | | |", text)

    def test_rows_have_the_columns_of_the_head(self):
        lines = [line for line in report.text(RESULTS).splitlines() if line.startswith("|")]
        self.assertEqual({line.count("|") for line in lines}, {9})

    def test_without_times_of_ampc_there_are_no_ratios(self):
        case = copy.deepcopy(CASE)
        case["rows"][0] = {"peer": "ampc", "failed": "it ended"}
        self.assertIn("| PyTorch | 15 | 24 |  |  | 512 |", report.case_table(case, "MLP"))

    def test_only_what_is_between_the_marks_is_replaced(self):
        page = f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n"
        once = report.replaced(page, "new")
        self.assertEqual(once, f"before\n{report.BEGIN}\n\nnew\n{report.END}\nafter\n")
        self.assertEqual(report.replaced(once, "new"), once)
        for wrong in ("nothing", f"{report.END}{report.BEGIN}"):
            with self.assertRaises(ValueError):
                report.replaced(wrong, "new")

    def test_the_document_has_the_marks(self):
        report.replaced((ROOT / "docs/performance.md").read_text(), "new")


class Chart(unittest.TestCase):
    def test_bars_are_as_long_as_the_ratios(self):
        tree = xml.etree.ElementTree.fromstring(chart.svg(RESULTS))
        space = "{http://www.w3.org/2000/svg}"
        widths = [float(rect.get("width")) for rect in tree.iter(space + "rect") if rect.get("x") == str(chart.LEFT)]
        self.assertEqual(len(widths), 4)
        self.assertAlmostEqual(widths[1], 2 * widths[0], delta=0.2)
        self.assertEqual(widths[1], chart.WIDTH)
        self.assertEqual(widths[2:], [0.0, 0.0])
        texts = [text.text for text in tree.iter(space + "text")]
        self.assertIn("2.00x  24 ms", texts)
        self.assertIn("refused", texts)
        self.assertIn("not run", texts)


class Processes(unittest.TestCase):
    """With a program of two lines in a peer's place."""

    def start(self, program):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        process = processes.Process("fake", [sys.executable, "-c", program], 1, folder.name, folder.name + "/log")
        self.addCleanup(process.stop)
        return process

    def test_each_line_is_answered(self):
        process = self.start("while True: print('{\"said\": \"%s\"}' % input(), flush=True)")
        self.assertEqual(process.ask("step 1"), {"said": "step 1"})
        self.assertEqual(process.ask("step 2"), {"said": "step 2"})
        self.assertGreater(process.peak_bytes(), 1 << 20)

    def test_a_peer_that_ends_gives_its_last_line_as_the_reason(self):
        process = self.start("import sys; print('first', file=sys.stderr); raise SystemExit('no such thing')")
        with self.assertRaisesRegex(processes.PeerError, "^no such thing$"):
            process.read(60)

    def test_a_peer_that_says_nothing_is_ended(self):
        process = self.start("input()")
        with self.assertRaisesRegex(processes.PeerError, "no answer in 0 s"):
            process.read(0.01)
        self.assertIsNotNone(process.process.returncode)

    def test_threads_are_what_is_asked_for(self):
        process = self.start("import os; print('[%s, %d]' % (os.environ['OMP_NUM_THREADS'], "
                             "len(os.sched_getaffinity(0))), flush=True)")
        self.assertEqual(process.read(60), [1, 1])


class Workloads(unittest.TestCase):
    def test_every_model_is_a_file_with_the_inputs(self):
        for workload in WORKLOADS.values():
            text = workload.model.read_text()
            for name in workload.input_names:
                self.assertRegex(text, rf"(input|target)\s+{name}\b", workload.name)


if __name__ == "__main__":
    unittest.main()
