-- title: What should be fixed first?
-- unit: saves = ms
select key, level, ms(gain) saves, gain_bound from findings
where gain > 0.05 * (select value from metrics where id = 'iteration.time.mean')
order by gain desc, key
