-- title: How long does each iteration run before its first kernel?
select s.rank, s.name, ms(min(d.start) - s.start) ms
from host_events s join device_events d on d.rank = s.rank and d.iteration = s.iteration
where s.kind = 'marker' group by s.id order by 3 desc, 1, 2
