-- title: Which operators hold the memory at its peak?
-- unit: bytes = B
with peak as (select rank, device, time t from allocator_events
              where device like 'GPU%' order by allocated desc, id limit 1)
select op, count(*) n, sum(bytes) bytes
from memory_events join peak using (rank, device)
where allocated_at <= t and coalesce(released_at, t + 1) > t
group by 1 order by 3 desc, 1
