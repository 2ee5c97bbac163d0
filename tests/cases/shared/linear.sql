-- One iteration on one GPU: a linear layer with its backward, marked as PyProf does.
create table StringTable (_id_ integer primary key, value text);
insert into StringTable values
  (1, 'volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_tn'),
  (2, 'Tesla V100-SXM2-16GB'),
  (3, 'step 1'),
  (4, '{''traceMarker'': [''train.py:40'', ''/lib/torch/nn/modules/module.py:532'', ''net.py:12'']}'),
  (5, '{''mod'': ''torch.nn.functional'', ''op'': ''linear'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (64, 512), ''dtype'': ''float16''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (1024, 512), ''dtype'': ''float16''}]}'),
  (6, 'linear, seq = 7'),
  (7, 'torch::autograd::LinearBackward, seq = 7'),
  (8, 'layer:encoder');
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
  (1583978810000050000, 1583978810000080000, 0, 7, 11, 1, 8, 1, 1, 128, 1, 1, 122, 1024, 0),
  (1583978810000100000, 1583978810000125000, 0, 7, 12, 1, 8, 1, 1, 128, 1, 1, 122, 1024, 0),
  (1583978810000130000, 1583978810000160000, 0, 7, 13, 1, 8, 1, 1, 128, 1, 1, 122, 1024, 0);
create table CUPTI_ACTIVITY_KIND_RUNTIME (cbid int, start int, end int, processId int, threadId int,
  correlationId int, returnValue int);
insert into CUPTI_ACTIVITY_KIND_RUNTIME values
  (211, 1583978810000030000, 1583978810000036000, 7, 1, 11, 0),
  (211, 1583978810000090000, 1583978810000095000, 7, 1, 12, 0),
  (211, 1583978810000096000, 1583978810000099000, 7, 1, 13, 0),
  (165, 1583978810000100000, 1583978810000161000, 7, 1, 14, 0);
create table CUPTI_ACTIVITY_KIND_MARKER (flags int, timestamp int, id int, objectKind int,
  objectId blob, name int, domain int);
insert into CUPTI_ACTIVITY_KIND_MARKER values
  (2, 1583978810000010000, 1, 2, x'070000000100000000000000', 3, 0),
  (2, 1583978810000012000, 2, 2, x'070000000100000000000000', 8, 0),
  (2, 1583978810000014000, 3, 2, x'070000000100000000000000', 4, 0),
  (2, 1583978810000016000, 4, 2, x'070000000100000000000000', 5, 0),
  (2, 1583978810000018000, 5, 2, x'070000000100000000000000', 6, 0),
  (4, 1583978810000040000, 5, 2, x'070000000100000000000000', 0, 0),
  (4, 1583978810000042000, 4, 2, x'070000000100000000000000', 0, 0),
  (4, 1583978810000044000, 3, 2, x'070000000100000000000000', 0, 0),
  (4, 1583978810000046000, 2, 2, x'070000000100000000000000', 0, 0),
  (2, 1583978810000088000, 6, 2, x'070000000100000000000000', 7, 0),
  (4, 1583978810000099500, 6, 2, x'070000000100000000000000', 0, 0),
  (4, 1583978810000170000, 1, 2, x'070000000100000000000000', 0, 0);
