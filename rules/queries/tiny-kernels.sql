-- title: Which operators launch tiny kernels?
-- param: shorter_than = 5000
select op, count(*) n, ms(sum(duration)) ms from device_events
where kind = 'kernel' and duration < :shorter_than group by 1 order by 2 desc, 1 limit 10
