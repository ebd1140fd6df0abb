"""More than 200 tables as people make them by mistake: each is refused in one clear line, or read with
every row and column accounted for in words.

usage: malformed_tables.py SPODNET
"""

import gzip
import pathlib
import re
import subprocess
import sys
import tempfile

ROWS, COLUMNS = 20, 4


def value(i, j):
    """Numbers without a pattern, always with a decimal point."""
    return round(((i * 7919 + j * 104729 + i * j * 613) % 9973) / 100 + 0.01, 2)


def cells(rows=ROWS, columns=COLUMNS):
    return [[f"{value(i, j):.2f}" for j in range(columns)] for i in range(rows)]


def text(lines, header=("a", "b", "c", "d"), separator=",", end="\n"):
    head = [separator.join(header)] if header else []
    return end.join(head + [separator.join(line) for line in lines]) + end


class Case:
    """A table, its true content, and the result that must follow: refused, read, or either."""

    def __init__(self, name, content, columns=COLUMNS, rows=ROWS, must=None, says=(), file="x.csv", options=()):
        self.name, self.content, self.columns, self.rows = name, content, columns, rows
        self.must, self.says, self.file, self.options = must, says, file, options


def with_cell(i, j, word, **kwargs):
    lines = cells()
    lines[i][j] = word
    return text(lines, **kwargs)


def cells_that_are_no_numbers():
    for word in ["", "NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "None", ".", "-", "?", " ", "#N/A"]:
        yield Case(f"missing {word!r}", with_cell(5, 2, word), must="read", says=["1 of 80 values are missing"])
    for word in ["missing", "#DIV/0!", "#REF!"]:
        yield Case(f"missing {word!r}", with_cell(5, 2, word), must="read", says=["1 of 80 values are missing", f"'{word}' (1 cell) was taken for missing"])
    for word in ["n.d.", "unknown", "n.a", "--", "*", "x", "<0.1", ">5", "5%", "$5", "12 kg", "0x10", "1_000", "1e", "1.2.3",
                 "2020-01-01", "12:30", "٣", "½", "1d5", "O.5", "l.5", "yes", "=A1", "NaN?", "\\N"]:
        for i in (0, 9, ROWS - 1):
            yield Case(f"{word!r} in row {i}", with_cell(i, 2, word), must="read", says=["'c' is left out: 1 of its 20 cells is no number", f"(--na {word})" if " " not in word else ""])
    for word in ["1,234.5", "1 234.5", "24,996.07", "1'234"]:
        yield Case(f"{word!r} quoted", with_cell(9, 2, f'"{word}"'), must="refused", says=["line 11", "has a thousands separator; remove it"])
    for point, decimal in ((".", ","), (",", ".")):
        lines = [[str(int(float(cell) * 7)) for cell in line] for line in cells()]
        lines[3][1], lines[4][1] = f"1{point}234", "890"
        body = text(lines, separator=";")
        yield Case(f"1{point}234 beside 890", body, must="refused", says=["line 5", f"'1{point}234' beside", "--decimal"])
        yield Case(f"1{point}234 beside 890, said to be a fraction", body, must="read", options=["--decimal", point])
        yield Case(f"--decimal {decimal} and a number with the other", body, must="refused", options=["--decimal", decimal], says=[f"1{point}234"])
    yield Case("--decimal , and points", text(cells(), separator=";"), must="refused", options=["--decimal", ","], says=["decimal sign was said to be ','"])
    for word in ["inf", "-inf", "Infinity", "1e400", "-1e999", "1e200"]:
        yield Case(f"{word!r}", with_cell(9, 2, word), must="refused", says=["x.csv"])
    for word in ["+5.5", ".5", "5.", "1e1", "1E-2", " 7.5 ", "-0", "TRUE", "false"]:
        yield Case(f"good {word!r}", with_cell(9, 2, word), must="read")


def lines_of_other_lengths():
    for i in (0, 1, 9, ROWS - 1):
        for change, words in (("shorter", lambda line: line[:-1]), ("longer", lambda line: line + ["1.5"])):
            lines = cells()
            lines[i] = words(lines[i])
            yield Case(f"row {i} is {change}", text(lines), must="refused", says=["x.csv"])
    yield Case("a separator behind every line", text([line + [""] for line in cells()]))
    yield Case("a separator behind every line and the header", text([line + [""] for line in cells()], header=("a", "b", "c", "d", "")), columns=5)
    yield Case("a line of totals", text(cells()) + "Total,1,2,3\n", must="read", says=["line 22 ('Total', '1', ...) was taken for a summary"])
    yield Case("totals and means, quoted", text(cells()) + '"Sum",1,2,3\n"Mean:",1,2,3\n', must="read", says=["line 22 ('Sum'", "line 23 ('Mean:'"])
    yield Case("the row of a variable called total", text([["r" + str(i)] + line[1:] for i, line in enumerate(cells())] + [["total", "1", "2", "3.5"]], header=("", "a", "b", "total")), columns=3, rows=ROWS + 1, must="read")
    yield Case("a line of words", text(cells()) + "made by a program\n", must="refused")
    yield Case("a title above", "My table\n" + text(cells()), must="read", says=["line 1 ('My table') was taken for a title"])
    yield Case("a title in a spreadsheet", "My table,,,\n" + text(cells()), must="read", says=["line 1 ('My table') was taken for a title"])
    yield Case("two titles", '"My table, all of it"\nof 2020\n\n' + text(cells()), must="read", says=["line 1 (", "line 2 ("])
    yield Case("a comment above", "# made by a program\n" + text(cells()), must="read", says=["line 1 starts with # and was taken for a comment"])
    yield Case("comments everywhere", '# it\'s "made", by\n#\n' + text(cells()[:9]) + "# more\n" + text(cells()[9:], header=None) + "#end\n", must="read", says=["lines 1 to 2 start", "2 lines from line 13 on"])
    yield Case("the header is a comment", "# " + text(cells()), must="read", says=["line 1 starts with # and was taken for the header"])
    yield Case("row names like #1", ",a,b,c,d\n" + "".join(f"#{i}," + ",".join(line) + "\n" for i, line in enumerate(cells())), must="read", says=["names the rows"])
    yield Case("units below the header", "a,b,c,d\nkg,m,s,K\n" + text(cells(), header=None), must="read", says=["line 2 ('kg', 'K', ...) was taken for units"])
    yield Case("some units", "a,b,c,d\n,(m),(1/s),\n" + text(cells(), header=None), must="read", says=["was taken for units"])
    yield Case("sep=;", "sep=;\n" + text(cells(), separator=";"), must="read", says=["line 1 (sep=) names the separator"])
    yield Case("sep=, quoted", '"sep=,"\n' + text(cells()), must="read", says=["line 1 (sep=) names the separator"])
    yield Case("all of it", "sep=;\n# comment\nMy table\na;b;c;d\nkg;m;s;K\n" + text(cells(), header=None, separator=";") + "Total;1;2;3\n", must="read", says=["sep=", "# and", "a title", "units", "a summary"])


def separators():
    names = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "blank"}
    for separator, name in names.items():
        yield Case(f"{name}", text(cells(), separator=separator), must="read")
        commas = [[cell.replace(".", ",") for cell in line] for line in cells()]
        if separator != ",":
            yield Case(f"{name}, decimal comma", text(commas, separator=separator), must="read")
        yield Case(f"{name}, no header", text(cells(), header=None, separator=separator), must="read", says=["x1"])
        yield Case(f"{name}, quoted", text([[f'"{cell}"' for cell in line] for line in cells()], header=['"a"', '"b"', '"c"', '"d"'], separator=separator), must="read")
    yield Case("decimal commas between commas", text([[cell.replace(".", ",") for cell in line] for line in cells()]))
    yield Case("two separators", "a;b;c;d\n" + text(cells(), header=None))
    yield Case("both decimal signs", text([[cell.replace(".", ",") if i % 2 else cell for cell in line] for i, line in enumerate(cells())], separator=";"), must="refused")
    yield Case("colons", text(cells(), separator=":"))
    yield Case("slashes", text(cells(), separator="/"))
    yield Case("two blanks", text(cells(), separator="  "), must="read")
    yield Case("tabs and blanks", text(cells(), separator=" \t"))


def headers():
    body = text(cells(), header=None)
    whole = text([[str(int(float(cell)) % 7) for cell in line] for line in cells()], header=None)
    for first in ("0,1,2,3", "1,2,3,4", "2001,2002,2003,2004"):
        yield Case(f"header {first}", first + "\n" + body, rows=(ROWS, ROWS + 1), says=["line 1"])
        yield Case(f"header {first} above integers", first + "\n" + whole, must="refused", says=["--header"])
        yield Case(f"header {first}, said yes", first + "\n" + whole, must="read", options=["--header", "yes"])
        yield Case(f"header {first}, said no", first + "\n" + whole, rows=ROWS + 1, must="read", options=["--header", "no"])
    for first, says in (("a,a,b,b", ["'a'"]),  ("a,,c,d", []), (" a , b ,c,d", []), ('"a","b","c","d"', []), ('"a,1",b,c,d', []),
                        ("a b,c d,e f,g h", []), ("1a,2b,3c,4d", []), ("-,b,c,d", []), ("NA,b,c,d", []), ("a,b,c,NA", [])):
        yield Case(f"header {first!r}", first + "\n" + body, says=says)
    yield Case("an empty header", ",,,\n" + body, rows=ROWS + 1, must="read", says=["without any value"])
    yield Case("byte order mark", b"\xef\xbb\xbf" + text(cells()).encode(), must="read")
    yield Case("Latin-1", "größe,b,c,d\n".encode("latin-1") + body.encode(), must="read")
    yield Case("UTF-16", text(cells()).encode("utf-16"), must="refused", says=["UTF-16"])
    yield Case("UTF-16, no mark", text(cells()).encode("utf-16-le"), must="refused")
    yield Case("a zero byte", text(cells()).encode().replace(b"a,", b"a\0,", 1))
    yield Case("a header only", "a,b,c,d\n", must="refused")
    yield Case("two headers", "a,b,c,d\na,b,c,d\n" + body, rows=ROWS)
    yield Case("a header in the middle", text(cells()[:9]) + text(cells()[9:]), rows=ROWS + 1)
    names = [f"r{i}," + ",".join(line) for i, line in enumerate(cells())]
    yield Case("row names", ",a,b,c,d\n" + "\n".join(names) + "\n", must="read", says=["names the rows"])
    yield Case("row names, header shorter", "a,b,c,d\n" + "\n".join(names) + "\n", must="read", says=["names the rows"])
    yield Case("row names, no header", "\n".join(names) + "\n", must="read", says=["row"])
    yield Case("row numbers", "n,a,b,c,d\n" + "\n".join(f"{i + 1}," + ",".join(line) for i, line in enumerate(cells())) + "\n", columns=5, says=["'n' counts the rows"])
    yield Case("pandas' index", ",a,b,c,d\n" + "\n".join(f"{i}," + ",".join(line) for i, line in enumerate(cells())) + "\n", must="read")


def line_ends():
    for name, end in (("CRLF", "\r\n"), ("CR", "\r")):
        yield Case(name, text(cells(), end=end))
    yield Case("CRLF and LF", text(cells()[:9], end="\r\n") + text(cells()[9:], header=None), must="read")
    yield Case("no last line end", text(cells()).rstrip("\n"), must="read")
    yield Case("blank lines", text(cells()).replace("\n", "\n\n"), must="read")
    yield Case("blank lines at the end", text(cells()) + "\n\n\n", must="read")
    yield Case("lines of blanks", text(cells()) + "   \n")
    yield Case("a quote that does not close", text(cells()).replace("b,", '"b,', 1), must="refused")
    yield Case("a quote inside a cell", with_cell(9, 2, '1"5'))
    yield Case("a line break in quotes", text(cells(), header=('"a\nb"', "b", "c", "d")), must="read")


def sizes():
    yield Case("nothing", "", must="refused")
    yield Case("blanks alone", "  \n \n", must="refused")
    yield Case("one number", "5\n", must="refused")
    yield Case("one row", text(cells(1)), must="refused")
    yield Case("one column", "a\n" + "\n".join(line[0] for line in cells()) + "\n", must="refused")
    yield Case("two rows", text(cells(2)), rows=2)
    yield Case("words alone", "a,b\nx,y\nz,w\n", must="refused")
    for i in (0, 9, ROWS - 1):
        lines = cells()
        lines[i] = [""] * COLUMNS
        yield Case(f"row {i} is empty", text(lines), must="read", says=["1 row without any value"])
    for j in range(COLUMNS):
        lines = cells()
        for line in lines:
            line[j] = ""
        yield Case(f"column {j} is empty", text(lines), says=["no value"])
        for line in lines:
            line[j] = "3"
        yield Case(f"column {j} is constant", text(lines), must="read", says=["constant"])
        for i, line in enumerate(lines):
            line[j] = cells()[i][(j + 1) % COLUMNS]
        yield Case(f"column {j} stands twice", text(lines), must="read", says=["left out"])
        for i, line in enumerate(lines):
            line[j] = "NA" if i % 2 else cells()[i][j]
        yield Case(f"column {j} is half missing", text(lines), must="read", says=["missing"])
    total = [line + [f"{sum(map(float, line)):.2f}"] for line in cells()]
    yield Case("a sum beside its items", text(total, header=("a", "b", "c", "d", "sum")), columns=5, must="read", says=["left out"])
    yield Case("a covariance without a word", "a,b\n2,1\n1,2\n", must="refused", says=["--input"])
    yield Case("all rows equal", text([cells()[0]] * ROWS), must="refused")
    yield Case("gzip", gzip.compress(text(cells()).encode()), must="read", file="x.csv.gz")
    yield Case("gzip, cut short", gzip.compress(text(cells()).encode())[:-9], must="refused", file="x.csv.gz")
    yield Case("gzip that is none", text(cells()), file="x.csv.gz")
    yield Case("gzip without its name", gzip.compress(text(cells()).encode()), file="x.csv")
    yield Case("a spreadsheet", b"PK\x03\x04" + bytes(range(256)) * 8, must="refused", file="x.xlsx")
    yield Case("bytes", bytes(range(256)) * 20, must="refused")
    yield Case("no ending", text(cells()), must="refused", file="x")
    yield Case("an unknown column", text(cells()), must="refused", options=["--columns", "a,z"])


def fault(case, result):
    """What is wrong with how the table was taken; nothing when it was taken well."""
    words = result.stdout + result.stderr
    for part in case.says:
        if part not in words:
            return f"does not say {part!r}"
    if result.returncode == 2:
        if case.must == "read":
            return "was refused"
        if result.stderr.count("\n") != 1 or not result.stderr.startswith("spodnet: "):
            return "is not refused in one line"
        return "" if case.file in result.stderr or "--" in result.stderr else "the line does not name the file"
    if result.returncode != 0:
        return f"ended with {result.returncode}"
    if case.must == "refused":
        return "was not refused"
    return lost(case, result.stdout)


def lost(case, words):
    head = re.search(r"(\d+) of (\d+) columns? would be used, (\d+) rows?", words)
    if not head:
        return "gives no account"
    used, seen, rows = map(int, head.groups())
    named = len(re.findall(r"^  .* left out", words, re.MULTILINE))
    if seen != case.columns or used + named != seen:
        return f"{case.columns} columns, {seen} seen, {used} used, {named} left out by name"
    gone = sum(int(count) for count in re.findall(r"(\d+) rows? without any value: left out", words))
    expected = case.rows if isinstance(case.rows, tuple) else (case.rows,)
    if rows + gone not in expected:
        return f"{case.rows} rows, {rows} used, {gone} left out in words"
    if named and "careful" not in words and "left out as asked" not in words:
        return "a column is left out without a reason"
    return ""


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    makers = (cells_that_are_no_numbers, lines_of_other_lengths, separators, headers, line_ends, sizes)
    cases = [case for maker in makers for case in maker()]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            content = case.content.encode() if isinstance(case.content, str) else case.content
            (pathlib.Path(folder) / case.file).write_bytes(content)
            result = subprocess.run([program, "graph", case.file, "--dry-run", *case.options], cwd=folder, capture_output=True, text=True, errors="replace", timeout=600)
            problem = fault(case, result)
            if problem:
                bad += 1
                print(f"{case.name}: {problem}\n    " + (result.stderr or result.stdout).replace("\n", "\n    "))
    print(f"{len(cases)} tables, {bad} taken badly")
    assert len(cases) >= 200
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
