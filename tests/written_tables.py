"""One small table, written as spreadsheets and statistics programs of several countries do."""

from __future__ import annotations

import numpy as np

N_ROWS = 48


def make_rows(seed: int = 0) -> list[tuple[float, float, str, str]]:
    """Return length, weight, colour and class of some rows; length and weight decide."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(N_ROWS):
        yes = i % 2 == 0
        length = 1500.0 + 800.0 * yes + rng.normal(0.0, 80.0)
        weight = 1.25 + 0.5 * yes + rng.normal(0.0, 0.05)
        rows.append((length, weight, ("rouge", "grün", "blau")[i % 3], "ja" if yes else "nein"))
    return rows


def point(value: float, digits: int = 3) -> str:
    """Return a number with a decimal point."""
    return f"{value:.{digits}f}"


def comma(value: float, digits: int = 3) -> str:
    """Return a number with a decimal comma."""
    return point(value, digits).replace(".", ",")


def grouped(value: float, decimal: str, mark: str) -> str:
    """Return a number with marks between groups of three digits."""
    text = f"{value:,.2f}"
    return text.replace(",", "\0").replace(".", decimal).replace("\0", mark)


def write(path, lines, encoding="utf-8", end="\n"):
    """Write lines of text in an encoding."""
    path.write_bytes((end.join(lines) + end).encode(encoding))
    return path


def excel_german(path, rows):
    """Excel with German settings, "CSV UTF-8": semicolons, decimal commas, a byte-order mark."""
    lines = ["Länge;Gewicht;Farbe;Klasse"]
    lines += [f"{comma(a)};{comma(b)};{c};{y}" for a, b, c, y in rows]
    return write(path, lines, "utf-8-sig", "\r\n")


def excel_german_ansi(path, rows):
    """Excel with German settings, "CSV": Windows-1252."""
    lines = ["Länge;Gewicht;Farbe;Klasse"]
    lines += [f"{comma(a)};{comma(b)};{c};{y}" for a, b, c, y in rows]
    return write(path, lines, "cp1252", "\r\n")


def excel_unicode_text(path, rows):
    """Excel, "Unicode text": UTF-16 with tabs."""
    lines = ["Länge\tGewicht\tFarbe\tKlasse"]
    lines += [f"{comma(a)}\t{comma(b)}\t{c}\t{y}" for a, b, c, y in rows]
    return write(path, lines, "utf-16", "\r\n")


def excel_with_separator(path, rows):
    """Excel's own first line, which names the delimiter."""
    lines = ["sep=;", "length;weight;colour;class"]
    lines += [f"{point(a)};{point(b)};{c};{y}" for a, b, c, y in rows]
    return write(path, lines, "utf-8-sig", "\r\n")


def german_thousands(path, rows):
    """Numbers as they are displayed: 1.500,25."""
    lines = ["Länge;Gewicht;Farbe;Klasse"]
    lines += [f"{grouped(a, ',', '.')};{comma(b)};{c};{y}" for a, b, c, y in rows]
    return write(path, lines)


def french_thousands(path, rows):
    """Fixed blanks between groups, decimal commas, quoted text, Latin-1."""
    lines = ['"longueur";"poids";"couleur";"classe"']
    lines += [f'{grouped(a, ",", chr(0xA0))};{comma(b)};"{c}";"{y}"' for a, b, c, y in rows]
    return write(path, lines, "latin-1")


def american_thousands(path, rows):
    """Excel with American settings: "1,500.25" in quotes."""
    lines = ["length,weight,colour,class"]
    lines += [f'"{grouped(a, ".", ",")}",{point(b)},{c},{y}' for a, b, c, y in rows]
    return write(path, lines, "utf-8", "\r\n")


def pandas_index(path, rows):
    """``DataFrame.to_csv()``: the index is a first column without a name."""
    lines = [",length,weight,colour,class"]
    lines += [f"{i},{a!r},{b!r},{c},{y}" for i, (a, b, c, y) in enumerate(map(_plain, rows))]
    return write(path, lines)


def r_write_csv(path, rows):
    """``write.csv``: everything in quotes, row names, NA for missing values."""
    lines = ['"","length","weight","colour","class"']
    for i, (a, b, c, y) in enumerate(rows, 1):
        weight = "NA" if i == 7 else point(b)
        lines.append(f'"{i}",{point(a)},{weight},"{c}","{y}"')
    return write(path, lines)


def r_write_table(path, rows):
    """``write.table``: blanks, and a heading that is one short."""
    lines = ['"length" "weight" "colour" "class"']
    lines += [f'"{i}" {point(a)} {point(b)} "{c}" "{y}"' for i, (a, b, c, y) in enumerate(rows, 1)]
    return write(path, lines)


def r_write_csv2(path, rows):
    """``write.csv2``: semicolons and decimal commas."""
    lines = ['"length";"weight";"colour";"class"']
    lines += [f'{comma(a)};{comma(b)};"{c}";"{y}"' for a, b, c, y in rows]
    return write(path, lines)


def database_export(path, rows):
    """A database: no header, pipes, NULL."""
    lines = [
        f"{point(a)}|{'NULL' if i == 4 else point(b)}|{c}|{y}"
        for i, (a, b, c, y) in enumerate(rows)
    ]
    return write(path, lines)


def _plain(row):
    return float(row[0]), float(row[1]), row[2], row[3]


# Each with the options that it needs, at most one.
DIALECTS = {
    "excel German, UTF-8": (excel_german, ()),
    "excel German, ANSI": (excel_german_ansi, ("--encoding", "cp1252")),
    "excel Unicode text": (excel_unicode_text, ()),
    "excel sep=": (excel_with_separator, ()),
    "German thousands": (german_thousands, ()),
    "French thousands": (french_thousands, ("--encoding", "latin-1")),
    "American thousands": (american_thousands, ("--thousands", ",")),
    "pandas index": (pandas_index, ()),
    "R write.csv": (r_write_csv, ("--impute", "mean")),
    "R write.table": (r_write_table, ()),
    "R write.csv2": (r_write_csv2, ()),
    "database": (database_export, ("--impute", "median")),
}
