create table db_version (current_version text);
insert into db_version values ('1.8.0');
create table dictionary (id integer, string text);
insert into dictionary values (1, 'linear'), (2, 'fprop'), (3, 'float16'), (4, 'h884gemm'),
  (5, 'ns::h884gemm(float)'), (6, 'cudaMemcpyAsync_v3020'), (7, '[[32,64],[16,64]]'),
  (8, 'cudaDeviceSynchronize_v3020'), (9, '');
create table read_only_ops (id integer, op_id text, op_name text, op_type_id integer,
  direction_id integer, data_type_id integer, stack_trace text, tc_support_status integer);
insert into read_only_ops values (1, 'LINEAR_1', '/module/linear', 1, 2, 3,
  'a.py:1' || char(10) || 'b.py:2', 0),
  (2, 'CUDADEVICESYNCHRONIZE_V3020_1', 'unassociated_cudaDeviceSynchronize_v3020', 8, 9, 9,
  '', 2);
create table read_only_op_instances (read_only_ops_id integer, cpu_start integer,
  cpu_stop integer, process_id integer, thread_id integer, input_shapes_id integer);
insert into read_only_op_instances values (1, 100, 200, 7, 7, 7), (1, 1100, 1220, 7, 7, 7),
  (2, 300, 320, 7, 7, 9);
create table read_only_grid_block (id integer, x integer, y integer, z integer);
insert into read_only_grid_block values (1, 4, 2, 1), (2, 256, 1, 1);
create table read_only_kernels (read_only_ops_id integer, op_instance integer,
  name_id integer, long_name_id integer, api_start integer, api_stop integer,
  gpu_start integer, gpu_stop integer, grid_id integer, block_id integer,
  device_id integer, process_id integer, thread_id integer);
insert into read_only_kernels values
  (1, 0, 4, 5, 110, 120, 150, 190, 1, 2, 0, 7, 7),
  (1, 1, 4, 5, 1110, 1120, 1150, 1200, 1, 2, 0, 7, 7);
create table read_only_memcpys (read_only_ops_id integer, op_instance integer,
  name_id integer, api_start integer, api_stop integer, gpu_start integer,
  gpu_stop integer, num_bytes integer, copy_kind integer, device_id integer,
  process_id integer, thread_id integer);
insert into read_only_memcpys values (1, 0, 6, 130, 140, 195, 205, 64, 1, 0, 7, 7);
create table read_only_cuda_syncs (read_only_ops_id integer, op_instance integer,
  name_id integer, api_start integer, api_stop integer, process_id integer,
  thread_id integer);
insert into read_only_cuda_syncs values (2, 0, 8, 300, 320, 7, 7);
create table read_only_gpu_infos (device_id integer, gpu_name text,
  compute_capability_major integer, compute_capability_minor integer, sm_count integer);
insert into read_only_gpu_infos values (0, 'Tesla V100', 7, 0, 80);
create table gpu_memories (total integer, used integer);
insert into gpu_memories values (0, 0);
create table read_only_model_config (num_workers integer, pin_memory integer,
  emit_nvtx integer);
insert into read_only_model_config values (4, 1, 0);
create table read_only_system_config (framework text, original_command text);
insert into read_only_system_config values ('PyTorch 1.10', 'dlprof --secret');
create table aggregations (id integer, server_user_name text);
insert into aggregations values (1, 'secret'), (2, 'secret');
create table iteration_list (aggr_id integer, iter_value integer, start_time integer,
  stop_time integer);
insert into iteration_list values (1, 0, 50, 1050), (1, 1, 1050, 1250), (2, 0, 50, 1050),
  (2, 1, 1050, 1250);
create table model_summary (aggr_id integer, wall_time integer, gpu_utilization real,
  tc_utilization real, tc_duration_pct real, cpu_duration_pct real, other_duration_pct real,
  io_duration_pct real, iter_start integer, iter_stop integer, iter_aggregated integer);
insert into model_summary values (1, 1200, 7.5, 100.0, 7.5, 15.0, 70.0, 1.0, 0, 1, 2),
  (2, 200, 25.0, 100.0, 25.0, 35.0, 40.0, 0.0, 1, 1, 1);
create table metric (id integer, sum integer);
insert into metric values (1, 220), (2, 100), (3, 20), (4, 0), (5, 90), (11, 120), (12, 50),
  (15, 50);
create table node_time_metrics (id integer, cpu_time_metric_id integer,
  gpu_time_metric_id integer);
insert into node_time_metrics values (1, 1, 2), (2, 3, 4), (11, 11, 12);
create table op_nodes (aggr_id integer, read_only_ops_id integer,
  node_time_metrics_id integer);
insert into op_nodes values (1, 1, 1), (1, 2, 2), (2, 1, 11);
create table kernel_summaries (aggr_id integer, read_only_ops_id integer,
  kernel_name_id integer, gpu_time_metric_id integer);
insert into kernel_summaries values (1, 1, 4, 5), (2, 1, 4, 15);
-- Tests of the reader begin with what stands above.
create table group_ops (aggr_id integer, group_op_full_name_id integer, num_op_instances integer,
  num_supported_leaf_ops integer, num_tc_leaf_ops integer, group_op_time_metrics_id integer);
insert into dictionary values (20, '/'), (21, '/module/<script>alert(1)</script>/');
insert into group_ops values (1, 20, 2, 1, 1, 1), (1, 21, 2, 1, 1, 7), (2, 20, 1, 1, 1, 11);
create table expert_systems_feedback (aggr_id integer, exp_sys_id text, problem text,
  recommendation text);
insert into expert_systems_feedback values (1, 'x', '1 op was <b>eligible</b>', 'Try AMP'),
  (2, 'x', 'of the other', 'Nothing');
create table op_type_metrics (aggr_id integer, op_node_type_id integer, num_nodes integer,
  num_calls integer, op_type_metrics_id integer);
insert into op_type_metrics values (1, 1, 1, 2, 1), (1, 8, 1, 1, 2), (2, 1, 1, 1, 11);
-- As much work in the second iteration as in the first.
insert into read_only_memcpys values (1, 1, 6, 1130, 1140, 1201, 1206, 64, 1, 0, 7, 7);
update metric set sum = 105 where id = 2;
update metric set sum = 55 where id = 12;
