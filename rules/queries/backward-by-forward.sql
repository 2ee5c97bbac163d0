-- title: How long does the backward pass take, by forward operator?
select forward_op, count(*) n, ms(sum(duration)) ms from device_events
where forward_op is not null group by 1 order by 3 desc, 1
