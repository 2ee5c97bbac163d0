-- title: How long are the idle gaps of each rank, by the main cause of each gap?
select rank, cause, count(*) n, ms(sum(duration)) ms
from gap_events group by 1, 2 order by 4 desc, 1, 2
