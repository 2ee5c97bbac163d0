-- Process 7, thread 1: 7 << 24 | 1 = 117440513.
create table StringIds (id integer primary key, value text);
insert into StringIds values (1, 'gemm'), (2, 'cudaLaunchKernel_v7000'), (3, 'cudaEventQuery_v3020'),
  (4, 'poll'), (5, 'pthread_cond_wait'), (6, 'cudaGraphLaunch_v10000'), (7, 'trainer'),
  (8, 'cudaMalloc_v3020');
create table META_DATA_EXPORT (name text, value text);
insert into META_DATA_EXPORT values ('EXPORT_PRODUCT_VERSION', '2026.1.3.1'),
  ('EXPORT_SCHEMA_VERSION', '3.24.18');
create table ANALYSIS_DETAILS (globalVid integer, duration integer, startTime integer,
  stopTime integer);
insert into ANALYSIS_DETAILS values (0, 10000, 0, 10000);
create table ThreadNames (nameId integer, priority integer, globalTid integer);
insert into ThreadNames values (7, 0, 117440513);
create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, deviceId integer,
  contextId integer, greenContextId integer, streamId integer, correlationId integer,
  globalPid integer, demangledName integer, shortName integer, gridX integer, gridY integer,
  gridZ integer, blockX integer, blockY integer, blockZ integer, registersPerThread integer,
  graphId integer, clusterX integer, tensorSizeMinusOneElements text);
insert into CUPTI_ACTIVITY_KIND_KERNEL values
  (1000, 4000, 0, 1, null, 7, 11, 117440512, 1, 1, 8, 1, 1, 256, 1, 1, 32, null, 1, '');
create table CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start integer, end integer, deviceId integer,
  graphId integer, graphExecId integer, contextId integer, streamId integer,
  correlationId integer, globalPid integer);
insert into CUPTI_ACTIVITY_KIND_GRAPH_TRACE values (5000, 6000, 0, 3, 4, 1, 7, 13, 117440512);
create table CUPTI_ACTIVITY_KIND_RUNTIME (start integer, end integer, eventClass integer,
  globalTid integer, correlationId integer, nameId integer, returnValue integer,
  callchainId integer);
insert into CUPTI_ACTIVITY_KIND_RUNTIME values
  (500, 600, 0, 117440513, 11, 2, 0, null),
  (700, 710, 0, 117440513, 12, 3, 600, null),
  (4500, 4600, 0, 117440513, 13, 6, 0, null),
  (6100, 6200, 0, 117440513, 14, 8, 2, null);
create table OSRT_API (start integer, end integer, globalTid integer, nameId integer,
  returnValue integer, nestingLevel integer, callchainId integer, argumentsId integer);
insert into OSRT_API values (0, 100, 117440513, 4, 0, 0, null, null),
  (7000, 7300, 117440513, 4, 0, 0, null, null), (9000, null, 117440513, 5, null, 0, null, null);
create table SCHED_EVENTS (start integer, cpu integer, isSchedIn integer, globalTid integer,
  threadState integer, threadBlock integer);
insert into SCHED_EVENTS values (0, 2, 1, 117440513, null, null), (6500, 2, 0, 117440513, 1, 1),
  (100, 3, 1, 999999999, null, null), (200, 3, 0, 999999999, null, null);
create table TARGET_INFO_GPU_METRICS (typeId integer, typeName text, metricId integer,
  metricName text);
insert into TARGET_INFO_GPU_METRICS values (1, 'GPU', 1, 'Tensor Active [Throughput %]'),
  (1, 'GPU', 2, 'SMs Active [Throughput %]');
create table GPU_METRICS (typeId integer, timestamp integer, metricId integer, value integer);
insert into GPU_METRICS values (1, 1500, 1, 40), (1, 2500, 1, 20), (1, 1500, 2, 90);
