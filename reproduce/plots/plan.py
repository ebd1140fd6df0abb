"""The plan of a run (plan.json): its settings as facts and as tables."""

from .facts import duration, one_line, spoken
from .numbers import Numbers
from .style import method, setting_name

APART = ("settings", "figures", "learning_rates", "presets", "command")  # have a table, or a place


def took(plan):
    """The time of all parts, whether this run or an earlier one that it continued made them."""
    if plan.get("parts_reused"):
        return f"{duration(plan.get('part_seconds'))} (all parts, over several runs)"
    return duration(plan.get("seconds"))


def machine(plan):
    """“AMD EPYC 7B13, 2 cores”."""
    value = plan.get("machine", "")
    if not isinstance(value, dict):
        return str(value)
    return f"{value.get('processor', 'unknown')}, {value.get('cores', '?')} cores"


def plan_facts(plan):
    """The settings that are single values, the nested ones of `settings` among them."""
    flat = {name: value for name, value in plan.items() if name not in APART}
    flat |= {name: value for name, value in plan.get("settings", {}).items() if name != "sizes"}
    return flat


def plan_tables(plan):
    """Matrices, epochs and seeds for each p; learning rates; presets."""
    return [table for table in (_sizes(plan.get("settings", {}).get("sizes")),
                                _rates(plan.get("learning_rates"),
                                       plan.get("learning_rates_considered", [])),
                                _presets(plan.get("presets"))) if table]


def _sizes(sizes):
    if not sizes:
        return None
    names = list(sizes[0])
    rows = [[one_line(size.get(name, "")) for name in names] for size in sizes]
    return Numbers("Matrices, epochs and seeds", names, rows, [None] * len(rows))


def _rates(rates, considered):
    """A row for each setting, a column for each method; what is not the paper's is marked."""
    if not rates:
        return None
    methods = list(dict.fromkeys(rate["method"] for rate in rates))
    settings = list(dict.fromkeys((rate["p"], rate["n"], rate["alpha"]) for rate in rates))
    known = {(rate["p"], rate["n"], rate["alpha"], rate["method"]): rate for rate in rates}
    rows = [[_setting(*setting), *(_rate(known.get((*setting, name))) for name in methods)]
            for setting in settings]
    title = ("Learning rates: the paper's, or a preset's, or chosen on a validation split among "
             + one_line(considered))
    return Numbers(title, ["setting", *(method(name).label for name in methods)], rows,
                   [None] * len(rows))


def _setting(p, n, alpha):
    try:
        return setting_name(p, n, float(alpha))
    except ValueError:
        return f"p = {p}, n = {n}, α in {alpha}"


def _rate(rate):
    if rate is None:
        return "–"
    origin = rate["origin"].removesuffix(" on validation")
    return f"{rate['lr']:g}" + ("" if origin == "paper" else f" ({origin})")


def _presets(presets):
    """A row for each setting, a column for each preset."""
    if not presets:
        return None
    names = list(dict.fromkeys(name for preset in presets.values() for name in preset))
    rows = [[spoken(name), *(one_line(preset.get(name, "")) for preset in presets.values())]
            for name in names]
    return Numbers("Presets beyond the paper", ["", *presets], rows, [None] * len(rows))
