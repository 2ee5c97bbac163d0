-- title: Which kernels match a pattern on a rank, by iteration?
-- param: pattern = .
-- param: rank = 0
select iteration, count(*) n, ms(sum(duration)) ms
from device_events where rank = :rank and name regexp :pattern group by 1 order by 1
