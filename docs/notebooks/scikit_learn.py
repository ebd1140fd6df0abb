# %% [markdown]
# # scikit-learn and nilearn
# `SpodPrecision` is an estimator like any other.
# %%
import numpy as np
import spodnet
from sklearn.covariance import GraphicalLassoCV, LedoitWolf
from sklearn.model_selection import GridSearchCV

data = spodnet.generate(p=20, n=100, alpha=0.9, count=1, seed=5, samples=True)
X, truth = data["X"][0], data["Theta_true"][0]
fit = spodnet.SpodPrecision().fit(X)
fit.precision_.shape, (fit.precision_ == 0).mean(), fit.status_
# %% [markdown]
# Error of the precision matrix, relative to the truth that only synthetic data have:
# %%
import warnings


def nmse(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Theta = estimator.fit(X).get_precision()
    return round(float(np.sum((Theta - truth) ** 2) / np.sum(truth**2)), 3)


{"SpodPrecision": nmse(spodnet.SpodPrecision()),
 "SpodPrecision, in the data's units": nmse(spodnet.SpodPrecision(standardize=False)),
 "spodnet.GraphicalLassoCV": nmse(spodnet.GraphicalLassoCV()),
 "spodnet.GraphicalLassoEBIC": nmse(spodnet.GraphicalLassoEBIC()),
 "sklearn GraphicalLassoCV": nmse(GraphicalLassoCV()),
 "sklearn LedoitWolf": nmse(LedoitWolf())}
# %% [markdown]
# A search over the dial of sparsity, by held-out likelihood:
# %%
search = GridSearchCV(spodnet.SpodPrecision(), {"sparsity": [0.5, 1.0, 1.5, 2.0]}, cv=5).fit(X)
search.best_params_, round(search.best_score_, 3)
# %% [markdown]
# nilearn takes it as `cov_estimator`. It inverts covariances itself, so exact zeros are better taken from
# `partial_correlation_`.
# %%
from nilearn.connectome import ConnectivityMeasure

series = list(spodnet.generate(p=12, n=120, alpha=0.8, count=3, seed=1, samples=True)["X"])
measure = ConnectivityMeasure(cov_estimator=spodnet.SpodPrecision(), kind="partial correlation")
theirs = measure.fit_transform(series)[0]
ours = spodnet.SpodPrecision().fit(series[0]).partial_correlation_
theirs.shape, (np.abs(theirs) < 1e-12).mean(), (ours == 0).mean()
