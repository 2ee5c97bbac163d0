create table db_version (current_version text);
insert into db_version values ('1.8.0');
create table dictionary (id integer, string text);
insert into dictionary values (1, 'linear'), (2, 'fprop'), (3, 'float16'),
  (4, '[[32,64],[16,64]]'), (5, 'cudaDeviceSynchronize_v3020'), (6, '');
create table read_only_ops (id integer, op_id text, op_name text, op_type_id integer,
  direction_id integer, data_type_id integer, stack_trace text, tc_support_status integer);
insert into read_only_ops values (1, 'LINEAR_1', '/module/linear', 1, 2, 3, '', 0);
create table read_only_op_instances (read_only_ops_id integer, cpu_start integer,
  cpu_stop integer, process_id integer, thread_id integer, input_shapes_id integer);
insert into read_only_op_instances values (1, 100, 200, 7, 7, 4), (1, 1100, 1220, 7, 7, 4);
create table read_only_kernels (read_only_ops_id integer, op_instance integer,
  name_id integer, long_name_id integer, api_start integer, api_stop integer,
  gpu_start integer, gpu_stop integer, grid_id integer, block_id integer,
  device_id integer, process_id integer, thread_id integer);
create table read_only_cuda_syncs (read_only_ops_id integer, op_instance integer,
  name_id integer, api_start integer, api_stop integer, process_id integer,
  thread_id integer);
insert into read_only_cuda_syncs values (1, 0, 5, 120, 180, 7, 7);
create table read_only_gpu_infos (device_id integer, gpu_name text,
  compute_capability_major integer, compute_capability_minor integer, sm_count integer);
insert into read_only_gpu_infos values (0, 'Tesla V100', 7, 0, 80);
create table aggregations (id integer, server_user_name text);
insert into aggregations values (1, 'user');
create table iteration_list (aggr_id integer, iter_value integer, start_time integer,
  stop_time integer);
insert into iteration_list values (1, 0, 50, 1050), (1, 1, 1050, 1250);
create table model_summary (aggr_id integer, wall_time integer, gpu_utilization real,
  tc_utilization real, tc_duration_pct real, non_tc_duration_pct real,
  memory_duration_pct real, dataloader_duration_pct real, cpu_duration_pct real,
  other_duration_pct real, io_duration_pct real, iter_start integer, iter_stop integer,
  iter_aggregated integer);
insert into model_summary values (1, 1200, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 75.0, 25.0, 0.0, 0, 1, 2);
