"""The shape of a match once more, slowly and from the words of its definitions: the oracle for `sim.stats.shape`.

A match is a list of standings after each dispatch: (points of A, points of B, dollars of A, dollars of B).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

Standing = tuple[int, int, int, int]


def leader(standing: Standing) -> str | None:
    """Who leads: on points, else on cash, else nobody."""
    points_a, points_b, dollars_a, dollars_b = standing
    for a, b in ((points_a, points_b), (dollars_a, dollars_b)):
        if a > b:
            return "A"
        if b > a:
            return "B"
    return None


def lead_changes(match: Sequence[Standing]) -> int:
    """From A to B or back."""
    heads = [leader(standing) for standing in match if leader(standing) is not None]
    return sum(one != other for one, other in pairwise(heads))


def drama(match: Sequence[Standing]) -> float:
    """Mean over the dispatches of the points that the eventual winner is behind; 0 if shared."""
    winner = leader(match[-1])
    if winner is None:
        return 0.0
    total = 0
    for points_a, points_b, _, _ in match:
        own, rival = (points_a, points_b) if winner == "A" else (points_b, points_a)
        if rival > own:
            total += rival - own
    return total / len(match)


def came_back(match: Sequence[Standing]) -> bool:
    """Whether the winner was behind in points after some dispatch."""
    return drama(match) > 0


def comeback(matches: Sequence[Sequence[Standing]]) -> dict[tuple[int, int], tuple[float, int]]:
    """(dispatch, points behind) to the mean score of the sides that were, and how many there were."""
    scores: dict[tuple[int, int], list[float]] = {}
    for match in matches:
        winner = leader(match[-1])
        for dispatch, (points_a, points_b, _, _) in enumerate(match, 1):
            if points_a != points_b:
                behind = "A" if points_a < points_b else "B"
                score = 0.5 if winner is None else float(winner == behind)
                scores.setdefault((dispatch, abs(points_a - points_b)), []).append(score)
    return {key: (sum(found) / len(found), len(found)) for key, found in scores.items()}


def expected(curve: dict[tuple[int, int], tuple[float, int]], dispatch: int, behind: int, fewest: int) -> float:
    """Score to be expected: rare deficits are taken together with the next smaller, from the largest down."""
    if behind == 0:
        return 0.5
    deficits = sorted((k for d, k in curve if d == dispatch), reverse=True)
    group: list[int] = []
    for k in deficits:
        group.append(k)
        n = sum(curve[dispatch, one][1] for one in group)
        if n >= fewest or k == deficits[-1]:
            if behind in group:
                return sum(curve[dispatch, one][0] * curve[dispatch, one][1] for one in group) / n
            group = []
    raise KeyError((dispatch, behind))


def decided_at(
    match: Sequence[Standing], curve: dict[tuple[int, int], tuple[float, int]], fewest: int, sure: float
) -> int | None:
    """First dispatch after which the leader's expected score stays above `sure`; None if shared."""
    winner = leader(match[-1])
    if winner is None:
        return None
    first = len(match)
    for dispatch in range(len(match), 0, -1):
        points_a, points_b, _, _ = match[dispatch - 1]
        ahead = points_a - points_b if winner == "A" else points_b - points_a
        if ahead <= 0 or 1 - expected(curve, dispatch, ahead, fewest) <= sure:
            break
        first = dispatch
    return first
