"""The worked example of Demsar (JMLR 7, 2006), table 6: AUC of four C4.5 variants."""

from __future__ import annotations

METHODS = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")

# On voting the printed scores of the last two tie (0.975), but the paper ranks them 2 and 3: its
# unrounded scores differed.
SCORES = {
    "adult": (0.763, 0.768, 0.771, 0.798),
    "breast cancer": (0.599, 0.591, 0.590, 0.569),
    "breast cancer wisconsin": (0.954, 0.971, 0.968, 0.967),
    "cmc": (0.628, 0.661, 0.654, 0.657),
    "ionosphere": (0.882, 0.888, 0.886, 0.898),
    "iris": (0.936, 0.931, 0.916, 0.931),
    "liver disorders": (0.661, 0.668, 0.609, 0.685),
    "lung cancer": (0.583, 0.583, 0.563, 0.625),
    "lymphography": (0.775, 0.838, 0.866, 0.875),
    "mushroom": (1.000, 1.000, 1.000, 1.000),
    "primary tumor": (0.940, 0.962, 0.965, 0.962),
    "rheum": (0.619, 0.666, 0.614, 0.669),
    "voting": (0.972, 0.981, 0.9751, 0.975),
    "wine": (0.957, 0.978, 0.946, 0.970),
}
