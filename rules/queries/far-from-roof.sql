-- title: Which operators are far from the roofline, and long enough to matter?
-- unit: roof = %
select name, input_shapes, bound, pct(roof_share) roof, ms(time) ms from roofline
where roof_share < 0.3 and time > 0.01 * (select sum(time - outside) from kernels)
order by time desc, name
