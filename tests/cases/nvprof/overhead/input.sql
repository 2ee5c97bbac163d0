-- Two steps of 6 ms. Between them CUPTI flushes its buffers for 4 ms on the thread that launches.
create table StringTable (_id_ integer primary key, value text);
insert into StringTable values (1, 'volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_tn'), (2, 'Tesla V100-SXM2-16GB'),
  (3, 'step 1'), (4, 'step 2');
create table Version (version integer);
insert into Version values (12);
create table CUPTI_ACTIVITY_KIND_DEVICE (id int, name int, globalMemorySize int,
  numMultiprocessors int, computeCapabilityMajor int, computeCapabilityMinor int,
  numThreadsPerWarp int, maxWarpsPerMultiprocessor int);
insert into CUPTI_ACTIVITY_KIND_DEVICE values (0, 2, 16914055168, 80, 7, 0, 32, 64);
create table CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start int, end int, deviceId int, streamId int,
  correlationId int, name int, gridX int, gridY int, gridZ int, blockX int, blockY int, blockZ int,
  registersPerThread int, staticSharedMemory int, dynamicSharedMemory int);
insert into CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL values
  (1583978810000050000, 1583978810006000000, 0, 7, 11, 1, 8, 1, 1, 128, 1, 1, 122, 1024, 0),
  (1583978810010050000, 1583978810016000000, 0, 7, 12, 1, 8, 1, 1, 128, 1, 1, 122, 1024, 0);
create table CUPTI_ACTIVITY_KIND_RUNTIME (cbid int, start int, end int, processId int, threadId int,
  correlationId int, returnValue int);
insert into CUPTI_ACTIVITY_KIND_RUNTIME values
  (211, 1583978810000030000, 1583978810000036000, 7, -1071173632, 11, 0),
  (211, 1583978810010030000, 1583978810010036000, 7, -1071173632, 12, 0);
create table CUPTI_ACTIVITY_KIND_OVERHEAD (overheadKind int, objectKind int, objectId blob, start int, end int);
insert into CUPTI_ACTIVITY_KIND_OVERHEAD values
  (131072, 2, x'07000000003027c000000000', 1583978810006000000, 1583978810010000001);
create table CUPTI_ACTIVITY_KIND_MARKER (flags int, timestamp int, id int, objectKind int,
  objectId blob, name int, domain int);
insert into CUPTI_ACTIVITY_KIND_MARKER values
  (2, 1583978810000000001, 1, 2, x'07000000003027c000000000', 3, 0),
  (4, 1583978810006000000, 1, 2, x'07000000003027c000000000', 0, 0),
  (2, 1583978810010000001, 2, 2, x'07000000003027c000000000', 4, 0),
  (4, 1583978810016000000, 2, 2, x'07000000003027c000000000', 0, 0);
