"""Makes the files beside it, once: the same 60 edges as each library writes them by its defaults, and with codecs and
encodings of others.  Needs pandas, pyarrow, polars, duckdb and fastparquet; run in this folder."""

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet

SRC = [i * i % 23 for i in range(60)]
DST = [i * 7 % 31 for i in range(60)]
WEIGHT = [i / 8 for i in range(60)]

frame = pandas.DataFrame({"src": SRC, "dst": DST, "weight": WEIGHT})
frame.to_parquet("pandas.parquet")
frame[frame.src >= 0].sort_values("dst", kind="stable").sort_index().to_parquet("pandas-index.parquet")
frame.to_parquet("fastparquet.parquet", engine="fastparquet")
polars.DataFrame(frame).write_parquet("polars.parquet")
duckdb.sql("copy (from frame) to 'duckdb.parquet'")
duckdb.sql("copy (from frame) to 'duckdb-v2.parquet' (parquet_version v2, compression gzip)")

narrow = pyarrow.table({"src": pyarrow.array(SRC, "uint32"), "dst": pyarrow.array(DST, "uint64"),
                        "weight": pyarrow.array(WEIGHT, "float32")})
for name, options in (("pyarrow", {}), ("pyarrow-gzip", {"compression": "gzip"}), ("pyarrow-zstd", {"compression": "zstd"}),
                      ("pyarrow-v2", {"data_page_version": "2.0", "row_group_size": 25}),
                      ("pyarrow-plain", {"use_dictionary": False, "compression": "none", "data_page_version": "2.0"})):
    pyarrow.parquet.write_table(narrow, name + ".parquet", **options)

# More columns than an edge has, one of them nested; and what is refused.
pyarrow.parquet.write_table(pyarrow.table({"id": list(range(60)), "to": DST, "tags": [[i, i] for i in range(60)],
                                           "cost": WEIGHT, "from": SRC}), "columns.parquet")
for name, column in (("missing", [0, None, 2]), ("floats", [0.0, None, 2.0]), ("strings", ["a", "b", "c"]),
                     ("nested", [[0], [1], [2]]), ("dates", pyarrow.array([0, 1, 2], "date32"))):
    pyarrow.parquet.write_table(pyarrow.table({"src": [0, 1, 2], "dst": column}), f"bad-{name}.parquet")
pyarrow.parquet.write_table(pyarrow.table({"src": [0], "dst": [1]}), "bad-codec.parquet", compression="brotli")
