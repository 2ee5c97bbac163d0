-- Three ranges with a kernel each; one name is French, one has a tab.
create table StringIds (id integer, value text);
insert into StringIds values (1, 'gemm'), (2, 'cudaLaunchKernel_v7000');
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
  (200, 260, 59, 'étape', null, 117440513, null, 0, null),
  (300, 380, 59, 'forward' || char(9) || 'pass', null, 117440513, null, 0, null),
  (1200, 1260, 59, 'step 1', null, 117440513, null, 0, null);
