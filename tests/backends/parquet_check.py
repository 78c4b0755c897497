"""What Arrow and DuckDB read in a Parquet file, as JSON: parquet_check.py FILE"""
import json
import sys

import duckdb
import pyarrow.parquet as parquet

file = parquet.ParquetFile(sys.argv[1])
table = file.read()
table.validate(full=True)
connection = duckdb.connect()
connection.execute("SET threads = 1")
by_version = connection.execute(
    "SELECT library, version, count(*), count(vector), count(DISTINCT id), max(len(vector)) FROM read_parquet(?) GROUP BY ALL ORDER BY ALL",
    [sys.argv[1]],
).fetchall()
nearest = connection.execute(
    "WITH one AS (SELECT vector AS v FROM read_parquet($1) WHERE vector IS NOT NULL LIMIT 1) "
    "SELECT id, list_cosine_similarity(vector, v) AS c FROM read_parquet($1), one WHERE vector IS NOT NULL ORDER BY c DESC, id LIMIT 5",
    [sys.argv[1]],
).fetchall()
said = {
    "rows": table.to_pylist(),
    "types": {field.name: str(field.type) for field in table.schema},
    "nullable": [field.name for field in table.schema if field.nullable],
    "groups": file.metadata.num_row_groups,
    "sheaf": json.loads(file.metadata.metadata[b"sheaf"]),
    "by_version": by_version,
    "nearest": nearest,
}
print(json.dumps(said))
