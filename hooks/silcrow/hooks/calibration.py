"""Calibration: from what is counted here to what the provider counts, for one model."""

SMOOTHING = 0.3
LEAST_FACTOR, LARGEST_FACTOR = 0.5, 2.0

Calibration = tuple[float, float]
"""The offset in tokens and the factor: provider's count ≈ offset + factor × our count."""


def calibrate(
    known: Calibration | None,
    *,
    counted: int,
    answered: int,
    counts_head: bool,
    first_factor: float,
) -> Calibration | None:
    """What one answer teaches: `counted` tokens here were `answered` tokens to the provider.

    `counts_head` false: system prompt or tools were sent that are not in `counted`; what the first
    answer of a model has above the estimate is theirs, and stays the offset. `first_factor` is
    what the estimate was made with while nothing was known. Counts of zero teach nothing. Pure.
    """
    if counted <= 0 or answered <= 0:
        return known
    if counts_head:
        offset = 0.0
    elif known is not None:
        offset = known[0]
    else:
        offset = max(0.0, round(answered - first_factor * counted, 3))
    factor = _clamp((answered - offset) / counted)
    if known is not None:
        factor = known[1] + SMOOTHING * (factor - known[1])
    return offset, round(_clamp(factor), 6)


def _clamp(factor: float) -> float:
    return max(LEAST_FACTOR, min(LARGEST_FACTOR, factor))
