-- title: How long is each rank busy? Overlapping work counts once.
-- unit: summed = ms
-- unit: busy = ms
select rank, ms(sum(duration)) summed, ms(union_time(start, duration)) busy
from device_events group by 1 order by 1
