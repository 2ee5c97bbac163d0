-- Six questions to the rows of a lake, for DuckDB in its folder: duckdb < queries.sql
-- Many files are read once a day into one: copy runs to 'runs.parquet' (format parquet).
create or replace view runs as
  select * from read_json('runs/*/*/*.jsonl', hive_partitioning = true, union_by_name = true, sample_size = -1,
                          maximum_sample_files = 1000);

-- 1. How long an iteration takes, by job and day.
select job, date, count(*) as runs, median(iteration_time_median) / 1e6 as ms
from runs where verdict is not null group by all order by job, date;

-- 2. The first bad commit of each job.
select job, min_by(commit, time) as commit, min(time) as time
from runs where verdict = 'fail' group by job order by job;

-- 3. Verdicts a day.
select date, verdict, count(*) as runs from runs group by all order by date, verdict;

-- 4. The slowest devices of a job.
select job, gpu, count(*) as runs, median(iteration_time_median) / 1e6 as ms
from runs where iteration_time_median is not null group by all order by job, ms desc;

-- 5. Why runs have no verdict.
select reason, count(*) as runs
from (select unnest(reasons) as reason from runs where verdict = 'no_verdict') group by all order by runs desc, reason;

-- 6. The most memory that a job took.
select job, max(memory_peak_allocated) / 1e9 as gigabytes
from runs group by job order by gigabytes desc nulls last;
