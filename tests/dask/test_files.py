"""Files as partitions that workers read, and predictions for files of any length."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
import scipy.sparse as sp
from same_state import state_of
from small_cluster import two_workers
from sklearn.preprocessing import MinMaxScaler
