-- The rows of a lake as a table of ClickHouse: clickhouse-client --multiquery < clickhouse.sql, then
--   cat runs/*/*/*.jsonl | clickhouse-client --query 'insert into runs format JSONEachRow'
-- Columns of metrics are added as they are asked for; `profgauge schema row` lists all. Not tested with a server.
set input_format_skip_unknown_fields = 1;
create table if not exists runs (
  row_schema UInt8,
  run Nullable(String),
  time DateTime64(0, 'UTC'),
  captured Nullable(String),
  branch Nullable(String),
  commit Nullable(String),
  job LowCardinality(Nullable(String)),
  gpu LowCardinality(Nullable(String)),
  ranks Nullable(UInt32),
  world_size Nullable(UInt32),
  verdict LowCardinality(Nullable(String)),
  exit_code Nullable(UInt8),
  reasons Array(String),
  findings Array(String),
  change Nullable(Float64),
  movement Nullable(String),
  iteration_time_median Nullable(Float64),
  step_time_median Nullable(Float64),
  gpu_idle_mean Nullable(Float64),
  memory_peak_allocated Nullable(Float64)
) engine = ReplacingMergeTree order by (time, ifNull(run, ''))
settings date_time_input_format = 'best_effort';
