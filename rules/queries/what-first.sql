-- title: What should be fixed first?
-- unit: saves = ms
-- unit: time = ms
select step, keys, ms(saves) saves, ms(time) time, change from plan order by step
