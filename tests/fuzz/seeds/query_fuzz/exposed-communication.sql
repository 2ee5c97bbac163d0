-- title: How much communication is exposed, by rank and iteration?
select rank, iteration,
       ms(union_time(start, duration)
          - union_time(start, duration) filter (where collective is null)) ms
from device_events where iteration is not null group by 1, 2 order by 1, 2
