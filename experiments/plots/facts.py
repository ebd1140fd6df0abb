"""Settings, whatever their shape, as HTML: objects as lists of names and values, lists of objects as
tables."""

from html import escape


def facts(value):
    """HTML of a value that came from JSON; empty for what is empty."""
    if isinstance(value, dict):
        return _names_and_values(value)
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return _table(value)
    if isinstance(value, list):
        return ", ".join(facts(item) for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return "" if value is None else escape(str(value))


def _names_and_values(record):
    items = "".join(f"<dt>{_name(name)}</dt><dd>{_value(name, value)}</dd>"
                    for name, value in record.items())
    return f"<dl class=\"settings\">{items}</dl>" if items else ""


def _value(name, value):
    return duration(value) if name == "seconds" else facts(value)


def _name(name):
    return escape(name.replace("_", " "))


def _table(records):
    names = list(dict.fromkeys(name for record in records for name in record))
    head = "".join(f"<th scope=\"col\">{_name(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{facts(record.get(name))}</td>" for name in names) + "</tr>"
                   for record in records)
    return (f"<div class=\"scroll\"><table class=\"numbers\"><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table></div>")


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
