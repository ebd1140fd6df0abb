"""Whether this torch can exchange arrays with this NumPy."""
import warnings

import numpy as np
import torch


def check_numpy() -> None:
    """A torch built for NumPy 1 (before 2.3, Debian 12's 1.13 among them) refuses every array of NumPy 2."""
    try:
        torch.from_numpy(np.zeros(1))
    except (RuntimeError, TypeError) as error:
        warnings.warn(f"torch {torch.__version__} was built for NumPy 1 and cannot read arrays of NumPy {np.__version__} "
                      f"({error}): pip install 'numpy<2'", RuntimeWarning, stacklevel=3)
