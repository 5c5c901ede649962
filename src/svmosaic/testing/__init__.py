"""Checks of estimators, for ours and for those of others."""

from __future__ import annotations

from svmosaic.testing.bag_classifiers import bag_classifier_checks, check_bag_classifier

__all__ = ["bag_classifier_checks", "check_bag_classifier"]
