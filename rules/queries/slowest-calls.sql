-- title: Which collective calls wait most, and for which rank?
-- unit: waits = ms
select call, name, ms(max(waiting)) waits,
       (select rank from collective_events l where l.call = c.call order by start desc limit 1) for_rank
from collective_events c where call is not null group by call order by 3 desc, 1 limit 5
