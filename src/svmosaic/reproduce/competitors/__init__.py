"""Methods that the papers compare with and scikit-learn lacks."""

from __future__ import annotations

from svmosaic.reproduce.competitors.naive_bayes import NumericNaiveBayes
from svmosaic.reproduce.competitors.ripper import RipperClassifier

__all__ = ["NumericNaiveBayes", "RipperClassifier"]
