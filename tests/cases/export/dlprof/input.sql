-- A Tensor Core part, two steps of one network: DLProf's markers around a linear layer and a relu.
create table StringIds (id integer, value text);
insert into StringIds values (1, 'void ns::h884gemm_fp16<float, 2>(float const*)'),
  (2, 'relu_kernel(float*)'), (3, 'cudaLaunchKernel_v7000'), (4, 'cudaMemcpyAsync_v3020'),
  (5, 'cudaDeviceSynchronize_v3020');
create table TARGET_INFO_GPU (id integer, name text, cuDevice integer, smCount integer,
  computeMajor integer, computeMinor integer);
insert into TARGET_INFO_GPU values (0, 'Tesla V100', 0, 80, 7, 0);
create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, deviceId integer,
  streamId integer, correlationId integer, globalPid integer, demangledName integer,
  gridX integer, gridY integer, gridZ integer, blockX integer, blockY integer, blockZ integer);
insert into CUPTI_ACTIVITY_KIND_KERNEL values
  (1300, 1500, 0, 7, 1, 117440512, 1, 4, 2, 1, 256, 1, 1),
  (1520, 1560, 0, 7, 2, 117440512, 2, 1, 1, 1, 64, 1, 1),
  (2300, 2600, 0, 7, 4, 117440512, 1, 4, 2, 1, 256, 1, 1),
  (2620, 2660, 0, 7, 5, 117440512, 2, 1, 1, 1, 64, 1, 1);
create table CUPTI_ACTIVITY_KIND_MEMCPY (start integer, end integer, deviceId integer,
  streamId integer, correlationId integer, globalPid integer, bytes integer, copyKind integer,
  srcKind integer, dstKind integer);
insert into CUPTI_ACTIVITY_KIND_MEMCPY values (1200, 1250, 0, 7, 3, 117440512, 64, 1, 0, 2);
create table CUPTI_ACTIVITY_KIND_RUNTIME (start integer, end integer, globalTid integer,
  correlationId integer, nameId integer, returnValue integer);
insert into CUPTI_ACTIVITY_KIND_RUNTIME values
  (1120, 1140, 117440513, 3, 4, 0), (1150, 1160, 117440513, 1, 3, 0),
  (1420, 1430, 117440513, 2, 3, 0), (1580, 1600, 117440513, 6, 5, 0),
  (2150, 2160, 117440513, 4, 3, 0), (2420, 2430, 117440513, 5, 3, 0),
  (2680, 2700, 117440513, 7, 5, 0);
create table NVTX_EVENTS (start integer, end integer, eventType integer, text text,
  globalTid integer, endGlobalTid integer, domainId integer);
insert into NVTX_EVENTS values
  (900, 910, 59, '{"model_config": {"emit_nvtx": true, "num_workers": 4}}', 117440513, null, 0),
  (1000, 1610, 59, 'step 0', 117440513, null, 0),
  (1090, 1210, 59, '{''traceMarker'': [''train.py:9'', ''net.py:3''], ''funcStack'': ''/<module>/Net::forward/linear''}', 117440513, null, 0),
  (1100, 1200, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''linear'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (32, 64), ''dtype'': ''float16''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (16, 64), ''dtype'': ''float16''}]}', 117440513, null, 0),
  (1395, 1455, 59, '{''traceMarker'': [''train.py:9''], ''funcStack'': ''/<module>/Net::forward/relu''}', 117440513, null, 0),
  (1400, 1450, 59, '{''mod'': ''torch'', ''op'': ''relu'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (32, 16), ''dtype'': ''float16''}]}', 117440513, null, 0),
  (2000, 2710, 59, 'step 1', 117440513, null, 0),
  (2090, 2230, 59, '{''traceMarker'': [''train.py:9'', ''net.py:3''], ''funcStack'': ''/<module>/Net::forward/linear''}', 117440513, null, 0),
  (2100, 2220, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''linear'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (32, 64), ''dtype'': ''float16''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (16, 64), ''dtype'': ''float16''}]}', 117440513, null, 0),
  (2395, 2455, 59, '{''traceMarker'': [''train.py:9''], ''funcStack'': ''/<module>/Net::forward/relu''}', 117440513, null, 0),
  (2400, 2450, 59, '{''mod'': ''torch'', ''op'': ''relu'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (32, 16), ''dtype'': ''float16''}]}', 117440513, null, 0);
