"""Settings, whatever their shape, in words and as HTML."""

from html import escape


def facts(record):
    """HTML: the names and values of an object that came from JSON; empty for an empty one."""
    items = "".join(f"<dt>{escape(spoken(name))}</dt><dd>{escape(worded(name, value))}</dd>"
                    for name, value in record.items())
    return f"<dl class=\"settings\">{items}</dl>" if items else ""


def spoken(name):
    return name.removesuffix("_bytes").replace("_", " ")


def worded(name, value):
    """A value in words, in the unit of its name."""
    if name.endswith("seconds") and isinstance(value, (int, float)):
        return duration(value)
    if name.endswith("_bytes") and isinstance(value, (int, float)):
        return f"{value / 2**30:.1f} GiB"
    return one_line(value)


def one_line(value):
    """A value that came from JSON, on one line."""
    if isinstance(value, dict):
        return ", ".join(f"{spoken(name)} {worded(name, item)}" for name, item in value.items())
    if isinstance(value, list):
        between = "; " if any(isinstance(item, dict) for item in value) else ", "
        return between.join(map(one_line, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def duration(seconds):
    """“1 h 32 min”, “7 min 11 s”, “3.2 s”; empty for None."""
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{seconds:.3g} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
