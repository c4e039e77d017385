"""Whether two programs train the same model: the band that the first losses must stay in.

Every value that a step rounds to a format is off by up to its unit roundoff u, relatively. R such
errors, independent of each other, add up as sqrt(R) of them. What that does to a loss depends on the
model, so it is measured: ampc trains in f32 from weights that are each off by up to u sqrt(R) times
themselves, a few times over (as test/train/PrecisionTest.cpp does). The band at step i is the widest
distance up to i between such a run and the exact one, since what has drifted may drift again, and the
rounding of the loss itself, which in f32 is a sum that is rounded at each term.

The exact run is one in f32: it errs by the band of f32, a peer by the band of its precision. Their sum is
how far a loss may be from that of the exact run. R is the number of operations of the step that give
the format, as `ampc explain` counts them; f32 is also what sums are kept in, so there each counts as many
times as the longest sum has terms.
"""
import math

UNIT = {"f32": 2.0 ** -24, "bf16": 2.0 ** -9, "f16": 2.0 ** -12}


def roundings(explanation, precision, longest_sum):
    """R of a step by the JSON of `ampc explain`."""
    count = sum(op["type"].startswith(precision + "[") for op in explanation["ops"])
    return max(1, count * (longest_sum if precision == "f32" else 1))


def perturbation(precision, count):
    """How far each weight of a probe is off, relatively."""
    return UNIT[precision] * math.sqrt(count)


def band(exact, probes, precision, longest_sum):
    """The band of a precision at each step; `probes` are the losses of the runs from other weights."""
    own = UNIT[precision] * (math.sqrt(longest_sum) if precision == "f32" else 1)
    widths, widest = [], 0.0
    for step, loss in enumerate(exact):
        for probe in probes:
            distance = abs(probe[step] - loss)
            widest = max(widest, distance if math.isfinite(distance) else 0.0)
        widths.append(widest + own * abs(loss))
    return widths


def refusal(losses, exact, bands):
    """Why a run is not one of the same model: None where every loss is in the sum of `bands`."""
    if len(losses) < len(exact):
        return f"{len(losses)} losses, expected {len(exact)}"
    for step, expected in enumerate(exact):
        allowed = sum(widths[step] for widths in bands)
        loss = losses[step]
        if loss is None or not abs(loss - expected) <= allowed:
            return (f"loss {'not finite' if loss is None else format(loss, '.7g')} at step {step + 1}, "
                    f"expected {expected:.7g} within {allowed:.2g}")
    return None
