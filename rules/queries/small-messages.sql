-- title: Which message sizes are frequent, and how fast are they?
select process_group, name, from_size, calls, us(median) us,
       round(bus_bandwidth / 1e9, 1) gb_per_s
from message_sizes order by calls desc, process_group, name, from_size
