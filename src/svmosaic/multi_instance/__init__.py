"""Multi-instance learning: classifiers of bags."""

from __future__ import annotations

from svmosaic.bags import Bags, check_bags
from svmosaic.multi_instance.bag_classifier import BagClassifier

__all__ = ["BagClassifier", "Bags", "check_bags"]
