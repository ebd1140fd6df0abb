"""Python's estimators for bench/compare_peers: a line `peer file rows columns penalty tolerance timed` is answered by processor seconds."""
import os
import sys
import time
import warnings

import numpy as np
from gglasso.solver.single_admm_solver import ADMM_SGL
from skglm.covariance import AdaptiveGraphicalLasso, GraphicalLasso
from sklearn.covariance import graphical_lasso

warnings.filterwarnings("ignore")


def reweighted(S, penalty, tolerance):
    return AdaptiveGraphicalLasso(alpha=penalty, n_reweights=5, tol=tolerance, max_iter=200).fit(S, mode="precomputed").precision_


PEERS = {
    "scikit-learn": lambda S, penalty, tolerance: graphical_lasso(S, penalty, tol=tolerance, max_iter=200)[1],
    "skglm": lambda S, penalty, tolerance: GraphicalLasso(alpha=penalty, tol=tolerance, inner_tol=tolerance, max_iter=1000).fit(S, mode="precomputed").precision_,
    "GGLasso": lambda S, penalty, tolerance: ADMM_SGL(S, penalty, np.eye(len(S)), tol=tolerance, rtol=tolerance, max_iter=5000)[0]["Theta"],
    "reweighted": reweighted,
}


def timed(work, often):
    """Processor seconds of a call: the mean of as many as take 0.2 s, at most 20."""
    start, calls = time.process_time(), 0
    while calls == 0 or (often and calls < 20 and time.process_time() - start < 0.2):
        result = work()
        calls += 1
    return (time.process_time() - start) / calls, result


def main():
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what the packages print is no answer
    seen = set()
    for line in sys.stdin:
        peer, rest = line.split(" /", 1)
        path, rows, columns, penalty, tolerance, often = ("/" + rest).split()
        S = np.fromfile(path).reshape(int(rows), int(columns))
        work = lambda: PEERS[peer](S, float(penalty), float(tolerance))  # noqa: E731
        try:
            if peer not in seen:  # numba compiles
                PEERS[peer](np.eye(3) + 0.1, 0.05, 1e-3)
                seen.add(peer)
            seconds, Theta = timed(work, int(often))
            np.ascontiguousarray(Theta, float).tofile(f"{path}.out")
            print("seconds", seconds, file=answers)
        except Exception as error:  # a peer's failure is a result
            print("failed", repr(error).replace("\n", " ")[:200], file=sys.stderr)
            print("failed", file=answers)


main()
