-- title: Which calls block the host?
select iteration, name, op, count(*) n, ms(sum(duration)) ms
from call_events where kind = 'sync' group by 1, 2, 3 order by 5 desc, 1, 2, 3 limit 20
