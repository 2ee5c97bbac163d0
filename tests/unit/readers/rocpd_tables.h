// A rocpd database in a few lines of SQL: the run of tests/cases/rocprofv3/steps, by the
// tables and columns of schema 3. SUFFIX represents a process' suffix, as tables of several may be
// in a file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace profgauge::readers::rocpd_tables {

inline constexpr std::string_view kSchema3 = R"(
create table rocpd_metadataSUFFIX (id integer primary key autoincrement, tag text, value text);
create table rocpd_stringSUFFIX (id integer primary key autoincrement, guid text, string text);
create table rocpd_info_nodeSUFFIX (id integer primary key autoincrement, guid text, hash bigint,
  machine_id text, hostname text);
create table rocpd_info_processSUFFIX (id integer primary key autoincrement, guid text,
  nid integer, ppid integer, pid integer, command text, environment text, extdata text);
create table rocpd_info_threadSUFFIX (id integer primary key autoincrement, guid text, nid integer,
  ppid integer, pid integer, tid integer, name text);
create table rocpd_info_agentSUFFIX (id integer primary key autoincrement, guid text, nid integer,
  pid integer, type text, absolute_index integer, logical_index integer, type_index integer,
  name text, product_name text, extdata text);
create table rocpd_info_kernel_symbolSUFFIX (id integer primary key autoincrement, guid text,
  nid integer, pid integer, kernel_name text, display_name text, arch_vgpr_count integer,
  extdata text);
create table rocpd_trackSUFFIX (id integer primary key autoincrement, guid text, nid integer,
  pid integer, tid integer, name_id integer);
create table rocpd_eventSUFFIX (id integer primary key autoincrement, guid text,
  category_id integer, stack_id integer, parent_stack_id integer, correlation_id integer,
  extdata text);
create table rocpd_regionSUFFIX (id integer primary key autoincrement, guid text, nid integer,
  pid integer, tid integer, start bigint, end bigint, name_id integer, event_id integer);
create table rocpd_sampleSUFFIX (id integer primary key autoincrement, guid text,
  track_id integer, timestamp bigint, event_id integer);
create table rocpd_kernel_dispatchSUFFIX (id integer primary key autoincrement, guid text,
  nid integer, pid integer, tid integer, agent_id integer, kernel_id integer, dispatch_id integer,
  queue_id integer, stream_id integer, start bigint, end bigint, private_segment_size integer,
  group_segment_size integer, workgroup_size_x integer, workgroup_size_y integer,
  workgroup_size_z integer, grid_size_x integer, grid_size_y integer, grid_size_z integer,
  event_id integer);
create table rocpd_memory_copySUFFIX (id integer primary key autoincrement, guid text,
  nid integer, pid integer, tid integer, start bigint, end bigint, name_id integer,
  dst_agent_id integer, src_agent_id integer, size integer, stream_id integer, event_id integer);
create table rocpd_memory_allocateSUFFIX (id integer primary key autoincrement, guid text,
  start bigint, end bigint, size integer);
)";

inline constexpr std::string_view kRows = R"(
insert into rocpd_metadataSUFFIX (tag, value) values ('schema_version', '3'), ('uuid', 'SUFFIX');
insert into rocpd_stringSUFFIX (id, string) values (1, 'HIP_RUNTIME_API_EXT'),
  (2, 'MARKER_CORE_RANGE_API'), (3, 'RCCL_API'), (4, 'KERNEL_DISPATCH'), (5, 'MEMORY_COPY'),
  (6, 'hipLaunchKernel'), (7, 'hipMemcpyAsync'), (8, 'hipStreamSynchronize'),
  (9, 'roctxThreadRangeA'), (10, 'ncclAllReduce'), (11, 'MEMORY_COPY_HOST_TO_DEVICE'),
  (12, 'KFD_PAGE_FAULT'), (13, 'roctxMarkA');
insert into rocpd_info_nodeSUFFIX (id, hostname) values (9, 'not-to-be-told');
insert into rocpd_info_processSUFFIX (id, nid, pid, command, environment) values
  (41, 9, 41, 'python3 not-to-be-told.py', '{"LOCAL_RANK": "0", "RANK": "1", "WORLD_SIZE": "2",
   "HF_TOKEN": "not-to-be-told", "ROCPROF_KERNEL_TRACE": "1", "ROCPROF_MEMORY_COPY_TRACE": "1"}');
insert into rocpd_info_threadSUFFIX (id, pid, tid) values (5, 41, 5);
insert into rocpd_info_agentSUFFIX (id, pid, type, absolute_index, type_index, name, product_name,
  extdata) values
  (70, 41, 'CPU', 0, 0, 'cpu', 'some CPU', '{"type": 1, "logical_node_type_id": 0}'),
  (71, 41, 'GPU', 1, 0, 'gfx942', 'AMD Instinct MI300X', '{"id": {"handle": 71}, "type": 2,
   "product_name": "AMD Instinct MI300X", "name": "gfx942", "logical_node_type_id": 0,
   "cu_count": 304, "wave_front_size": 64, "max_waves_per_cu": 32, "gfx_target_version": 90402,
   "mem_banks": [{"size_in_bytes": 1000}]}'),
  (72, 41, 'GPU', 2, 1, 'gfx942', 'AMD Instinct MI300X', '{}');
insert into rocpd_info_kernel_symbolSUFFIX (id, display_name, kernel_name, arch_vgpr_count) values
  (9, 'gemm<float>(int)', '_Z4gemm.kd', 32);
insert into rocpd_trackSUFFIX (id, pid, tid, name_id) values (1, 41, 5, 2), (2, 41, 5, 1);
insert into rocpd_eventSUFFIX (id, category_id, stack_id, correlation_id, extdata) values
  (1, 2, 1, 0, '{"message": "step 3"}'),
  (2, 2, 2, 0, '{"message": "aten::mm, seq = 4, sizes = [[8, 8], [8, 8]]"}'),
  (3, 1, 3, 0, '{}'), (4, 1, 4, 0, '{}'), (5, 1, 5, 0, '{}'), (6, 3, 6, 0, '{}'),
  (7, 4, 3, 0, '{}'), (8, 5, 4, 0, '{}'), (9, 4, 8, 0, '{}'), (10, 12, 0, 0, '{}'),
  (11, 2, 11, 0, '{"message": "a \"mark\""}'), (12, 1, 12, 0, '{}'),
  (13, 2, 13, 0, '{"message": "roctxGetThreadId"}');
insert into rocpd_regionSUFFIX (id, pid, tid, start, end, name_id, event_id) values
  (1, 41, 5, 1000, 1900, 9, 1), (2, 41, 5, 1050, 1190, 9, 2), (3, 41, 5, 1100, 1150, 6, 3),
  (4, 41, 5, 1160, 1180, 7, 4), (5, 41, 5, 1700, 1800, 8, 5), (6, 41, 5, 1600, 1650, 10, 6),
  (7, 41, 5, 1000, 1001, 12, 10);
insert into rocpd_sampleSUFFIX (track_id, timestamp, event_id) values (1, 1850, 11), (2, 1860, 12),
  (1, 1870, 13);
insert into rocpd_kernel_dispatchSUFFIX (id, pid, tid, agent_id, kernel_id, queue_id, stream_id,
  start, end, group_segment_size, workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x,
  grid_size_y, grid_size_z, event_id) values
  (1, 41, 5, 71, 9, 2, 6, 1200, 1500, 128, 64, 2, 1, 640, 4, 1, 7),
  (2, 41, 5, 71, 77, 2, 6, 1560, 1550, 0, 64, 1, 1, 64, 1, 1, 9),
  (3, 41, 5, 71, 9, 2, 6, 0, 0, 0, 64, 1, 1, 64, 1, 1, 99);
insert into rocpd_memory_copySUFFIX (id, pid, tid, start, end, name_id, dst_agent_id, src_agent_id,
  size, stream_id, event_id) values (1, 41, 5, 1510, 1540, 11, 71, 70, 4096, 6, 8);
insert into rocpd_memory_allocateSUFFIX (start, end, size) values (900, 901, 64);
)";

/// `sql` for the process of that suffix.
inline std::string Of(std::string_view sql, std::string_view suffix) {
  std::string text(sql);
  constexpr std::string_view kMark = "SUFFIX";
  for (std::size_t at = 0; (at = text.find(kMark, at)) != text.npos; at += suffix.size()) {
    text.replace(at, kMark.size(), suffix);
  }
  return text;
}

}  // namespace profgauge::readers::rocpd_tables
