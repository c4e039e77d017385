"""What the comparison writes: text between two marks of docs/performance.md."""
import statistics

BEGIN, END = "<!-- peers: written by tools/bench/peers.sh --write -->", "<!-- peers: end -->"
MIB = 1 << 20


def ratio(row, own, key):
    """How many times as long as ampc in the same run; None where either has no number."""
    if not own or not row.get(key) or why_not(row):
        return None
    return row[key] / own[key]


def own_row(case):
    """ampc's row, if it has times."""
    return next((row for row in case["rows"] if row["peer"] == "ampc" and row.get("median_ms") and not why_not(row)), None)


def number(value, form):
    return "" if value is None else format(value, form)


def mib(row, key):
    return number(row[key] / MIB if row.get(key) else None, ".0f")


def why_not(row):
    """Why a row has no times; empty if it has."""
    reason = row.get("failed") or (f"refused: {row['refused']}" if row.get("refused") else "")
    return reason.replace("|", "/")


def table_row(case, row):
    head = f"| {row['peer']} "
    if why_not(row):
        return head + f"| {why_not(row)} | | | | | | |"
    own = own_row(case)
    times = [number(ratio(row, own, key), ".2f") for key in ("best_ms", "median_ms")]
    cells = [number(row["best_ms"], ".4g"), number(row["median_ms"], ".4g"), *times, mib(row, "peak_bytes"),
             mib(row, "planned_bytes"), f"{row['cold_s']:.2f} / {row['warm_s']:.2f}"]
    return head + "".join(f"| {cell} " for cell in cells) + "|"


def case_table(case, title):
    loads = case["calibration"]
    head = f"**{title}**, {case['precision']}, {case['threads']} thread{'s' if case['threads'] > 1 else ''}"
    if loads:
        head += (f"; calibration: {statistics.median(load['stream_gbs'] for load in loads):.1f} GB/s, "
                 f"{statistics.median(load['fma_gflops'] for load in loads):.0f} GFLOP/s")
    lines = [head, "",
             "| | best ms | median ms | of ampc, best | median | peak MiB | planned MiB | first step, s |",
             "|---|---|---|---|---|---|---|---|"]
    lines += [table_row(case, row) for row in case["rows"]]
    return "\n".join(lines) + "\n"


def text(results):
    """The whole part between the marks."""
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    lines = [f"`{results['command']}` on {results['machine']}, {results['date']}: {versions}.", "",
             "![Step time of each framework as a multiple of ampc's](peers.svg)", ""]
    return "\n".join(lines) + "\n" + "\n".join(case_table(case, results["titles"][case["workload"]])
                                             for case in results["cases"])


def replaced(document, body):
    """`document` with `body` between the marks."""
    begin, end = document.find(BEGIN), document.find(END)
    if begin < 0 or end < begin:
        raise ValueError(f"expected the marks '{BEGIN}' and '{END}', in that order")
    return document[:begin + len(BEGIN)] + "\n\n" + body + "\n" + document[end:]
