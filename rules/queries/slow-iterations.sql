-- title: Why are the slowest iterations slow?
-- unit: over = ms
-- unit: loader = ms
-- unit: host = ms
-- unit: kernels = ms
select iteration, ms(duration - typical) over, ms(dataloader) loader, ms(runtime + cpu) host,
       ms(tensor_core_kernel + other_kernel) kernels
from iterations order by duration desc, iteration limit 3
