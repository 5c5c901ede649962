"""Statistics for methods that were compared over data sets.

`compare` does it all; the tests alone are here too.
"""

from __future__ import annotations

from svmosaic.stats.adjust import bonferroni, hochberg, holm, shaffer
from svmosaic.stats.comparison import Comparison, compare
from svmosaic.stats.comparison_record import PairComparison
from svmosaic.stats.groups import indistinct_groups
from svmosaic.stats.omnibus import FriedmanTest, friedman
from svmosaic.stats.rank_difference import (
    bonferroni_dunn_critical_value,
    critical_difference,
    nemenyi_critical_value,
)
from svmosaic.stats.ranks import average_ranks, meta_ranks, rank_scores
from svmosaic.stats.reading import read_scores
from svmosaic.stats.signed_rank import WilcoxonTest, wilcoxon
from svmosaic.stats.table import ScoreTable, score_table, table_of_records

__all__ = [
    "Comparison",
    "FriedmanTest",
    "PairComparison",
    "ScoreTable",
    "WilcoxonTest",
    "average_ranks",
    "bonferroni",
    "bonferroni_dunn_critical_value",
    "compare",
    "critical_difference",
    "friedman",
    "hochberg",
    "holm",
    "indistinct_groups",
    "meta_ranks",
    "nemenyi_critical_value",
    "rank_scores",
    "read_scores",
    "score_table",
    "shaffer",
    "table_of_records",
    "wilcoxon",
]
