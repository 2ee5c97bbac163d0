-- title: Why are the GPUs idle, by rank?
select rank, cause, count(*) n, ms(sum(duration)) ms
from gap_events group by 1, 2 order by 4 desc, 1, 2
