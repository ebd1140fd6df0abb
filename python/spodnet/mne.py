"""A fit as MNE's own type: MNE has no place for estimators of other packages."""
from __future__ import annotations


def mne_covariance(fit, info):
    """The mne.Covariance of a fitted estimator whose X had the channels of `info` as columns, in its order.

    info: an mne.Info, or the channels' names. The number of samples is what the fit saw.
    """
    import mne

    given = hasattr(info, "ch_names")
    names = list(info.ch_names if given else info)
    if len(names) != len(fit.covariance_):
        raise ValueError(f"mne_covariance: {len(names)} channels for a covariance of {len(fit.covariance_)}")
    bads, projs = (list(info["bads"]), list(info["projs"])) if given else ([], [])
    return mne.Covariance(fit.covariance_.copy(), names, bads, projs, nfree=int(fit.n_samples_), method=type(fit).__name__)
