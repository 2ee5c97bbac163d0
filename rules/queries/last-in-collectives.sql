-- title: Which rank joins collectives last, and what does it cost?
-- unit: late = ms
-- unit: waits = ms
select rank, count(*) filter (where late > 0) last_in, ms(sum(late)) late, ms(sum(waiting)) waits
from collective_events group by 1 order by 3 desc, 1
