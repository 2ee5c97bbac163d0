-- Three kernels of TensorFlow: a matmul of 600 us, an addition of 300 us, a reduction of 100 us.
-- Process 7, thread 1: 7 << 24 | 1 = 117440513. The step is a cluster that XLA compiled.
create table StringIds (id integer primary key, value text);
insert into StringIds values (1, 'volta_sgemm_128x64_nn'),
  (2, 'cudaLaunchKernel_v7000'),
  (3, 'AddV2_GPU_DT_FLOAT_DT_FLOAT_kernel'),
  (4, 'void tensorflow::functor::RowReduceKernel<float>'),
  (5, 'tensorflow');
create table TARGET_INFO_GPU (id integer, cuDevice integer, name text, smCount integer,
  computeMajor integer, computeMinor integer);
insert into TARGET_INFO_GPU values (0, 0, 'Tesla V100-SXM2-16GB', 80, 7, 0);
create table ANALYSIS_DETAILS (globalVid integer, duration integer, startTime integer,
  stopTime integer);
insert into ANALYSIS_DETAILS values (0, 1100000, 0, 1100000);
create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, deviceId integer,
  streamId integer, correlationId integer, globalPid integer, demangledName integer,
  shortName integer, gridX integer, gridY integer, gridZ integer, blockX integer, blockY integer,
  blockZ integer, registersPerThread integer);
insert into CUPTI_ACTIVITY_KIND_KERNEL values
  (20000, 620000, 0, 7, 11, 117440512, 1, 1, 432, 1, 1, 256, 1, 1, 64),
  (620000, 920000, 0, 7, 12, 117440512, 3, 3, 432, 1, 1, 256, 1, 1, 64),
  (920000, 1020000, 0, 7, 13, 117440512, 4, 4, 432, 1, 1, 256, 1, 1, 64);
create table CUPTI_ACTIVITY_KIND_RUNTIME (start integer, end integer, globalTid integer,
  correlationId integer, nameId integer, returnValue integer);
insert into CUPTI_ACTIVITY_KIND_RUNTIME values
  (4000, 9000, 117440513, 11, 2, 0), (9500, 10000, 117440513, 12, 2, 0),
  (10500, 11000, 117440513, 13, 2, 0);
create table NVTX_EVENTS (start integer, end integer, eventType integer, text text,
  globalTid integer);
insert into NVTX_EVENTS values (3000, 12000, 59, 'cluster_0_1/xla_run: XlaRun', 117440513);
