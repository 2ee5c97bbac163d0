-- title: How long does work wait from its launch to its start, by rank?
-- unit: p50 = us
-- unit: p95 = us
select rank, us(percentile(delay, 50)) p50, us(percentile(delay, 95)) p95
from device_events where kind = 'kernel' group by 1 order by 1
