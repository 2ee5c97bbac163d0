-- Process 7, thread 1: 7 << 24 | 1 = 117440513. A kernel of 200 us and a graph of 800 us.
create table StringIds (id integer primary key, value text);
insert into StringIds values (1, 'ampere_bf16_s16816gemm_bf16_128x128_tn'),
  (2, 'cudaLaunchKernel_v7000'), (3, 'cudaGraphLaunch_v10000');
create table TARGET_INFO_GPU (id integer, cuDevice integer, name text, smCount integer,
  computeMajor integer, computeMinor integer);
insert into TARGET_INFO_GPU values (0, 0, 'NVIDIA A100-SXM4-80GB', 108, 8, 0);
create table ANALYSIS_DETAILS (globalVid integer, duration integer, startTime integer,
  stopTime integer);
insert into ANALYSIS_DETAILS values (0, 1010000, 0, 1010000);
create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, deviceId integer,
  streamId integer, correlationId integer, globalPid integer, demangledName integer,
  shortName integer, gridX integer, gridY integer, gridZ integer, blockX integer, blockY integer,
  blockZ integer, registersPerThread integer, graphNodeId integer);
insert into CUPTI_ACTIVITY_KIND_KERNEL values
  (10000, 210000, 0, 7, 11, 117440512, 1, 1, 432, 1, 1, 256, 1, 1, 64, null);
create table CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start integer, end integer, deviceId integer,
  graphId integer, graphExecId integer, contextId integer, streamId integer,
  correlationId integer, globalPid integer);
insert into CUPTI_ACTIVITY_KIND_GRAPH_TRACE values
  (210000, 1010000, 0, 3, 4, 1, 7, 12, 117440512);
create table CUPTI_ACTIVITY_KIND_RUNTIME (start integer, end integer, globalTid integer,
  correlationId integer, nameId integer, returnValue integer);
insert into CUPTI_ACTIVITY_KIND_RUNTIME values
  (4000, 9000, 117440513, 11, 2, 0), (9500, 20000, 117440513, 12, 3, 0);
