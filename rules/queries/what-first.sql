-- title: What should be fixed first?
-- unit: saves = ms
select step, key, level, ms(coalesce(step_saves, gain)) saves, gain_basis from findings
where step is not null or (explained_by is null
  and gain > 0.05 * (select value from metrics where id = 'iteration.time.mean'))
order by step is null, step, gain desc, key
