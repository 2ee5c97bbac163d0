-- title: Is one GPU slow? Time of its kernels compared with the median rank.
-- unit: slow = times the median
with k as (select name, rank, count(*) n, sum(duration) t from device_events
           where kind = 'kernel' and collective is null group by 1, 2),
     m as (select name, n, median(t) t from k group by 1, 2
           having count(*) = (select count(distinct rank) from k))
select k.rank, round(sum(k.t) * 1.0 / sum(m.t), 3) slow
from k join m using (name, n) group by 1 order by 1
