-- title: Which Python functions run in the longest idle gap?
select p.name, count(*) n,
       ms(sum(min(p.start + p.duration, g.start + g.duration) - max(p.start, g.start))) ms
from gap_events g
join python_events p on p.rank = g.rank and p.start < g.start + g.duration
                        and p.start + p.duration > g.start
where g.id = (select id from gap_events order by duration desc, id limit 1)
  and p.duration < g.duration
group by 1 order by 3 desc, 1 limit 10
