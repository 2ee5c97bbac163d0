-- Ranges of all kinds: pushed, started, in a domain, registered, across threads, not closed.
create table StringIds (id integer, value text);
insert into StringIds values (1, 'gemm'), (2, 'cudaLaunchKernel_v7000'), (3, 'layer one'),
  (4, 'read'), (5, 'pthread_cond_wait');
create table ANALYSIS_DETAILS (globalVid integer, duration integer, startTime integer, stopTime integer);
insert into ANALYSIS_DETAILS values (0, 2000, 0, 2000);
create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, deviceId integer,
  streamId integer, correlationId integer, globalPid integer, demangledName integer);
insert into CUPTI_ACTIVITY_KIND_KERNEL values
  (300, 400, 0, 7, 1, 117440512, 1), (500, 700, 0, 7, 2, 117440512, 1),
  (1300, 1450, 0, 7, 3, 117440512, 1);
create table CUPTI_ACTIVITY_KIND_RUNTIME (start integer, end integer, globalTid integer,
  correlationId integer, nameId integer, returnValue integer);
insert into CUPTI_ACTIVITY_KIND_RUNTIME values
  (210, 220, 117440513, 1, 2, 0), (310, 320, 117440513, 2, 2, 0), (1210, 1220, 117440513, 3, 2, 0);
create table NVTX_EVENTS (start integer, end integer, eventType integer, text text, textId integer,
  globalTid integer, endGlobalTid integer, domainId integer, int64Value integer);
insert into NVTX_EVENTS values
  (-1, null, 75, 'TensorRT', null, 117440513, null, 3, null),
  (100, 900, 59, 'step 0', null, 117440513, null, 0, null),
  (200, 260, 59, 'aten::mm, seq = 3, op_id = 8', null, 117440513, null, 0, null),
  (300, 380, 59, 'aten::mm, seq = 4, op_id = 9', null, 117440513, null, 0, 42),
  (1100, 1900, 59, 'step 1', null, 117440513, null, 0, null),
  (1200, 1260, 60, null, 3, 117440513, 117440513, 3, null),
  (150, 950, 60, 'fetch', null, 117440513, 117440514, 0, null),
  (1500, null, 59, 'save', null, 117440513, null, 0, null),
  (10, 11, 34, 'a mark', null, 117440513, null, 0, null);
create table OSRT_API (start integer, end integer, globalTid integer, nameId integer);
insert into OSRT_API values (920, 980, 117440513, 4), (990, 1000, 117440513, 4),
  (1600, null, 117440514, 5);
create table SCHED_EVENTS (start integer, cpu integer, isSchedIn integer, globalTid integer);
insert into SCHED_EVENTS values (0, 1, 1, 117440513), (900, 1, 0, 117440513), (1000, 2, 1, 117440513);
