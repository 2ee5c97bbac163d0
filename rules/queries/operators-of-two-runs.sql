-- title: Which operators differ between two runs? Give --run a=A --run b=B.
-- param: a = a
-- param: b = b
-- unit: a = ms
-- unit: b = ms
select name, ms(sum(device_self - outside) filter (where run = :a)) a,
       ms(sum(device_self - outside) filter (where run = :b)) b
from ops group by 1
order by abs(coalesce(sum(device_self - outside) filter (where run = :a), 0)
             - coalesce(sum(device_self - outside) filter (where run = :b), 0)) desc, 1
limit 10
