import os
import sys
from pathlib import Path

import pytest

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # small matrices: threads would only wait for each other
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))
GOLDEN = ROOT / "tests" / "golden"


@pytest.fixture(scope="session")
def golden():
    return GOLDEN
