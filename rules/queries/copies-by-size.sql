-- title: How fast are large and small copies?
-- unit: bytes = B
select copy, bytes < 1 << 20 small, count(*) n, sum(bytes) bytes,
       round(sum(bytes) * 1.0 / sum(duration), 2) gb_per_s
from device_events where kind = 'memcpy' group by 1, 2 order by 1, 2
