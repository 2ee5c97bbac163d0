// The spellings of every version since 2020, and that neither they, nor the number of workers, nor
// compression change the result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/parallel.h"
#include "kineto_text.h"

namespace profgauge::readers {
namespace {

// However many cores there are.
ReadOptions OnThreads(unsigned threads) {
  LimitThreads(threads);
  ReadOptions options;
  options.threads = threads;
  return options;
}

using ::testing::ElementsAre;

struct Spelling {
  std::string_view year;
  std::string_view op, runtime, kernel, copy;
  std::string_view id;
  std::string_view tid;     ///< Thread of the host, as JSON.
  std::string_view stream;  ///< Stream of the device, as JSON.
};

constexpr Spelling kSpellings[] = {
    {"2020", "Operator", "Runtime", "Kernel", "Memcpy", "external id", R"json("10")json",
     R"json("stream 7")json"},
    {"2022", "cpu_op", "cuda_runtime", "kernel", "gpu_memcpy", "External id", "10", "7"},
    {"2023 driver", "cpu_op", "cuda_driver", "kernel", "gpu_memcpy", "External id", "10", "7"},
    {"2024 xpu", "cpu_op", "xpu_runtime", "kernel", "gpu_memcpy", "External id", "10", "7"},
    {"2025 mtia", "cpu_op", "mtia_runtime", "kernel", "gpu_memcpy", "External id", "10.0", "7.0"},
    {"2025 other", "cpu_op", "privateuse1_driver", "kernel", "gpu_memcpy", "External id",
     R"json("10")json", R"json("7")json"},
};

TEST(KinetoDialects, EverySpellingMeansTheSame) {
  for (const auto& s : kSpellings) {
    const auto text = Trace(fmt::format(
        R"json({{"ph":"X","cat":"{0}","name":"op","pid":10,"tid":{5},"ts":100,"dur":50,"args":{{"External id":3}}}},
           {{"ph":"X","cat":"{1}","name":"cuLaunchKernel","pid":10,"tid":{5},"ts":110,"dur":5,"args":{{"{4}":3,"correlation":8}}}},
           {{"ph":"X","cat":"{2}","name":"k","pid":0,"tid":{6},"ts":120,"dur":9,"args":{{"{4}":3,"correlation":8,"device":0}}}},
           {{"ph":"X","cat":"{3}","name":"Memcpy HtoD (Pageable -> Device)","pid":0,"tid":{6},"ts":130,"dur":9,"args":{{"correlation":8,"bytes":64}}}})json",
        s.op, s.runtime, s.kernel, s.copy, s.id, s.tid, s.stream));
    const auto profile = ReadText(text);
    ASSERT_TRUE(profile) << s.year << ": " << Outcome(profile);
    EXPECT_THAT(profile->device.kind, ElementsAre(DeviceKind::kKernel, DeviceKind::kMemcpy))
        << s.year;
    EXPECT_THAT(profile->device.stream, ElementsAre(7, 7)) << s.year;
    EXPECT_THAT(profile->device.gpu, ElementsAre(0, 0)) << s.year;
    EXPECT_THAT(profile->device.op, ElementsAre(HostId{0}, HostId{0})) << s.year;
    EXPECT_THAT(profile->device.copy.values(),
                ElementsAre(CopyKind::kNone, CopyKind::kHostToDevice))
        << s.year;
    EXPECT_EQ(profile->device.host_memory[1], HostMemory::kPageable) << s.year;
    EXPECT_EQ(profile->device.bytes[1], 64) << s.year;
    EXPECT_EQ(profile->api.kind[0], ApiKind::kLaunch) << s.year;
    EXPECT_EQ(profile->threads.size(), 1u) << s.year;
  }
}

// The queue represents the stream; a driver call inside the runtime call has the same correlation.
TEST(KinetoDialects, IntelXpu) {
  const std::string host = R"json(
      {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":10,"tid":10,"ts":100,"dur":50,
       "args":{"External id":3}},
      {"ph":"X","cat":"xpu_driver","name":"zeCommandListAppendLaunchKernel","pid":10,"tid":10,
       "ts":112,"dur":2,"args":{"External id":3,"correlation":8,"l0 call":"zeX"}},
      {"ph":"X","cat":"xpu_runtime","name":"urEnqueueKernelLaunch","pid":10,"tid":10,"ts":110,
       "dur":5,"args":{"External id":3,"correlation":8}})json";
  const auto profile = ReadText(Trace(host + R"json(,
      {"ph":"X","cat":"kernel","name":"gemm_kernel","pid":0,"tid":0,"ts":120,"dur":9,"args":{
       "External id":3,"correlation":8,"device":0,"sycl queue":64,"l0 queue":"0x5"}},
      {"ph":"X","cat":"gpu_memcpy","name":"Memcpy M2D(Memory -> Device)","pid":0,"tid":0,
       "ts":130,"dur":9,"args":{"correlation":9,"device":0,"sycl queue":65,"bytes":64}})json"));
  ASSERT_TRUE(profile) << Outcome(profile);
  EXPECT_THAT(profile->device.stream, ElementsAre(64, 65));
  EXPECT_EQ(profile->device.copy[1], CopyKind::kHostToDevice);
  EXPECT_EQ(profile->Name(profile->api.name[profile->device.launch[0].value]),
            "urEnqueueKernelLaunch");
  EXPECT_EQ(profile->device.op[0], HostId{0});
  // Some drivers deliver no activity at all.
  const auto without = ReadText(Trace(host));
  ASSERT_TRUE(without) << Outcome(without);
  EXPECT_THAT(CapabilityGap(Capability::kDeviceEvents, without->hints),
              ::testing::HasSubstr("no device activity"));
}

// Events of accelerators that came after us: device work by their shape, else named as not read.
TEST(KinetoDialects, OtherAcceleratorsByEventShape) {
  const std::string host = R"json(
      {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":4100,"tid":1,"ts":100,"dur":50,
       "args":{"External id":3}},
      {"ph":"X","cat":"lab_runtime","name":"labLaunchKernel","pid":4100,"tid":1,"ts":110,"dur":5,
       "args":{"External id":3,"correlation":8}})json";
  struct Row {
    std::string_view cat, pid, args;
  };
  constexpr Row kWork[] = {
      {"mtia_ccp_events", "0", R"json("correlation":8)json"},
      {"privateuse1_kernel", "0", R"json("correlation":8)json"},
      {"lab_activity", "0", R"json("correlation":8)json"},
      {"lab_activity", "4100", R"json("correlation":8,"device":0,"stream":7)json"},
      {"hpu_op", "0", R"json("correlation":8,"stream":7)json"},
  };
  for (const Row& row : kWork) {
    const auto profile = ReadText(Trace(
        host + fmt::format(R"json(,{{"ph":"X","cat":"{}","name":"k","pid":{},"tid":7,"ts":120,)json"
                           R"json("dur":9,"args":{{{}}}}})json",
                           row.cat, row.pid, row.args)));
    ASSERT_TRUE(profile) << row.cat << ": " << Outcome(profile);
    ASSERT_EQ(profile->device.size(), 1u) << row.cat << row.args;
    EXPECT_EQ(profile->device.kind[0], DeviceKind::kKernel) << row.cat;
    EXPECT_EQ(profile->device.gpu[0], 0) << row.cat;
    EXPECT_EQ(profile->device.stream[0], 7) << row.cat;
    EXPECT_EQ(profile->device.op[0], HostId{0}) << row.cat;
  }
  const auto profile = ReadText(Trace(host + R"json(,
      {"ph":"X","cat":"mtia_insight","name":"i","pid":4100,"tid":7,"ts":120,"dur":9,"args":{}},
      {"ph":"X","cat":"mtia_insight","name":"i","pid":4100,"tid":7,"ts":130,"dur":9,"args":{}},
      {"ph":"X","cat":"lab_notes","name":"i","pid":4100,"tid":7,"ts":130,"dur":9,"args":{}})json"));
  ASSERT_TRUE(profile) << Outcome(profile);
  EXPECT_EQ(profile->device.size(), 0u);
  EXPECT_EQ(profile->log[Counter::events_ignored_kind], 3u);
  EXPECT_THAT(
      profile->log.Examples(Counter::events_ignored_kind),
      ElementsAre("kind `mtia_insight`: 2 events not read", "kind `lab_notes`: 1 events not read"));
  EXPECT_THAT(CapabilityGap(Capability::kDeviceEvents, profile->hints),
              ::testing::HasSubstr("events of unknown kinds"));
}

// Shapes were asked for: what is missing is the operators that have them.
TEST(KinetoDialects, ADeviceAloneNeedsTheHost) {
  const auto profile = ReadText(Trace(R"json(
      {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":120,"dur":9,"args":{"device":0,"stream":7}})json"));
  ASSERT_TRUE(profile) << Outcome(profile);
  EXPECT_THAT(CapabilityGap(Capability::kShapes, profile->hints),
              ::testing::HasSubstr("the CPU among the profiler's activities"));
}

// One GPU is listed by the number that it has for the process, and used by that of the machine.
TEST(KinetoDialects, SingleListedDeviceIsUsed) {
  const auto profile = ReadText(R"json({
      "deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X", "numSms": 304}],
      "traceEvents": [
        {"ph":"X","cat":"kernel","name":"k","pid":9,"tid":7,"ts":20,"dur":9,
         "args":{"correlation":8,"device":9,"stream":7}},
        {"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":5,
         "args":{"Bytes":512,"Device Type":1,"Device Id":0}}]})json");
  ASSERT_TRUE(profile) << Outcome(profile);
  ASSERT_EQ(profile->gpus.size(), 1u);
  EXPECT_EQ(profile->gpus[0].id, 9);
  EXPECT_EQ(profile->gpus[0].name, "AMD Instinct MI300X");
  EXPECT_THAT(profile->memory.device, ElementsAre(9));
}

TEST(KinetoDialects, MemoryEventsWithAndWithoutCategory) {
  for (const std::string_view cat : {R"json("cat":"cpu_instant_event",)json", ""}) {
    const auto profile = ReadText(Trace(fmt::format(
        R"json({{"ph":"i",{}"s":"t","name":"[memory]","pid":1,"tid":1,"ts":5,)json"
        R"json("args":{{"Bytes":-512,"Addr":140000000000000,"Device Type":1,"Device Id":2,)json"
        R"json("Total Allocated":1024,"Total Reserved":4096}}}})json",
        cat)));
    ASSERT_TRUE(profile) << Outcome(profile);
    EXPECT_THAT(profile->memory.bytes, ElementsAre(-512));
    EXPECT_THAT(profile->memory.device, ElementsAre(2));
    EXPECT_THAT(profile->memory.address, ElementsAre(140'000'000'000'000u));
    EXPECT_THAT(profile->memory.total_allocated, ElementsAre(1024));
  }
}

TEST(KinetoDialects, BaseTimeBeforeOrAfterEvents) {
  const std::string event =
      R"json({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5.25,"dur":2})json";
  for (const auto& text :
       {R"json({"baseTimeNanoseconds": 1000, "traceEvents": [)json" + event + "]}",
        R"json({"traceEvents": [)json" + event + R"json(], "baseTimeNanoseconds": 1000})json"}) {
    const auto profile = ReadText(text);
    ASSERT_TRUE(profile);
    EXPECT_EQ(profile->origin_ns, 6'250);
    EXPECT_EQ(profile->source.dialect, "microseconds since a base time");
  }
}

TEST(KinetoDialects, BaseTimeBeyondDatesIsNone) {
  for (const std::string time : {"9223372036854775807", "9223372036854775808",
                                 "18446744073709551615", "-9223372036854775808", "1.5"}) {
    const auto profile = ReadText("{\"baseTimeNanoseconds\": " + time + R"json(, "traceEvents": [
        {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5.25,"dur":2}]})json");
    ASSERT_TRUE(profile) << time;
    EXPECT_EQ(profile->origin_ns, 5'250) << time;
  }
}

TEST(KinetoDialects, TextAroundEvents) {
  const auto profile = ReadText(R"json({"schemaVersion": 1, "user": "someone", "record_shapes": 1,
      "deviceProperties": [{"id": 1, "name": "GPU", "totalGlobalMem": 64, "computeMajor": 9,
        "computeMinor": 0, "numSms": 132, "maxThreadsPerMultiprocessor": 2048, "warpSize": 32}],
      "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "nccl_version": "2.20"},
      "traceEvents": [{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5,"dur":2},
        {"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"x","ts":1,"dur":9},
        {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}}],
      "traceName": "/home/someone/x.json"
})json");
  ASSERT_TRUE(profile) << Outcome(profile);
  using Fact = std::pair<std::string, std::string>;
  EXPECT_THAT(profile->facts, ElementsAre(Fact("schemaVersion", "1"), Fact("record_shapes", "1"),
                                          Fact("nccl_version", "2.20"),
                                          Fact("device use", "backend nccl, rank 3 of 8")));
  ASSERT_EQ(profile->gpus.size(), 1u);
  EXPECT_EQ(profile->gpus[0].sms, 132);
  EXPECT_EQ(profile->distributed.rank, 3);
  EXPECT_EQ(profile->distributed.world_size, 8);
  EXPECT_EQ(profile->span_start, 0);
  EXPECT_EQ(profile->span_end, 9'000);
  EXPECT_EQ(profile->first, 4'000);
  EXPECT_EQ(profile->threads[0].name, "main");
}

// Numbers may be texts, and members of a group the text of a list; a truncated list names no
// member.
TEST(KinetoDialects, GroupNumbersMayBeTexts) {
  const auto profile = ReadText(R"json({"distributedInfo": {"rank": "3", "world_size": "x",
      "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "pg_size": 4, "ranks": [0, 1, 2, 3]},
        {"pg_name": "1", "pg_size": "2", "ranks": "[1, 3]"},
        {"pg_name": "2", "pg_size": 512, "ranks": "[0, 1, ..., 511]"},
        {"pg_name": "", "ranks": [0]}, {"pg_name": "3", "ranks": 7}, 5]},
      "deviceProperties": [{"id": 0, "name": "GPU", "totalGlobalMem": "85899345920"}],
      "traceEvents": [{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5,"dur":2}]
})json");
  ASSERT_TRUE(profile) << Outcome(profile);
  EXPECT_EQ(profile->distributed.rank, 3);
  EXPECT_EQ(profile->distributed.world_size, -1);
  ASSERT_EQ(profile->gpus.size(), 1u);
  EXPECT_EQ(profile->gpus[0].memory, 85'899'345'920);
  const std::vector<ProcessGroup>& groups = profile->distributed.groups;
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_THAT(groups[0].ranks, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(groups[0].description, "default_pg");
  EXPECT_EQ(groups[1].size, 2);
  EXPECT_THAT(groups[1].ranks, ElementsAre(1, 3));
  EXPECT_EQ(groups[2].size, 512);
  EXPECT_THAT(groups[2].ranks, ElementsAre());
  EXPECT_EQ(groups[3].size, -1);
  EXPECT_THAT(groups[3].ranks, ElementsAre());
}

TEST(KinetoDialects, TextAroundEventsMayBeUnreadable) {
  const auto profile =
      ReadText(R"json({"schemaVersion": 1, "deviceProperties": {"id" 1}, "traceEvents": [
      {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5,"dur":2}]})json");
  ASSERT_TRUE(profile) << Outcome(profile);
  EXPECT_EQ(profile->log[Counter::metadata_unreadable], 1u);
}

TEST(KinetoDialects, CollectivesOfOpsAndKernels) {
  const auto profile = ReadText(Trace(
      R"json({"ph":"X","cat":"kernel","name":"ncclKernel","pid":0,"tid":7,"ts":5,"dur":2,"args":{
          "Collective name":"allreduce","dtype":"Float","In msg nelems":10,"Out msg nelems":20,
          "Group size":8,"Process Group Name":"0","Process Group Description":"default_pg"}})json"));
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->collectives.size(), 1u);
  const auto& collective = profile->collectives[0];
  EXPECT_EQ(profile->Name(collective.name), "allreduce");
  EXPECT_EQ(profile->Name(collective.group), "0");
  EXPECT_EQ(profile->Name(collective.description), "default_pg");
  EXPECT_EQ(collective.out_elements, 20);
  EXPECT_EQ(collective.group_size, 8);
}

// No profiler of PyTorch writes them, tools that convert traces do. An end says neither name nor
// category; the last begin on its thread ends, whatever the order in the file.
TEST(KinetoDialects, JoinsSeparateBeginsAndEnds) {
  const auto profile = ReadText(Trace(
      R"json({"ph":"E","pid":1,"tid":1,"ts":50},
         {"ph":"B","cat":"cpu_op","name":"outer","pid":1,"tid":1,"ts":10,"args":{"External id":3}},
         {"ph":"B","cat":"async","name":"of no kind","pid":1,"tid":1,"ts":15},
         {"ph":"B","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":20,"args":{"correlation":8}},
         {"ph":"E","pid":1,"tid":1,"ts":24},
         {"ph":"E","pid":1,"tid":1,"ts":30},
         {"ph":"B","cat":"kernel","name":"k","pid":0,"tid":7,"ts":26,"args":{"correlation":8,"device":0,"stream":7}},
         {"ph":"E","pid":0,"tid":7,"ts":40},
         {"ph":"B","cat":"user_annotation","name":"ProfilerStep#3","pid":1,"tid":1,"ts":5},
         {"ph":"E","pid":1,"tid":1,"ts":60})json"));
  ASSERT_TRUE(profile) << Outcome(profile);
  EXPECT_EQ(Outcome(profile), "read, events_ignored_kind 2");
  EXPECT_THAT(profile->host.kind, ElementsAre(HostKind::kIterationMarker, HostKind::kOp));
  EXPECT_THAT(profile->host.duration, ElementsAre(55'000, 40'000));
  EXPECT_THAT(profile->api.duration, ElementsAre(4'000));
  EXPECT_THAT(profile->device.duration, ElementsAre(14'000));
  EXPECT_THAT(profile->device.op, ElementsAre(HostId{1}));
}

// The length of a range with only one end is unknown.
TEST(KinetoDialects, EventsOfOneEndAreMissing) {
  std::string events;
  for (int i = 0; i < 4; ++i) {
    events += fmt::format(R"({{"ph":"B","cat":"cpu_op","name":"b","pid":1,"tid":{},"ts":3}},)", i);
    events += fmt::format(R"({{"ph":"E","pid":2,"tid":{},"ts":3}},)", i);
  }
  EXPECT_EQ(Outcome(ReadText(Trace(events + Op("a")))),
            "read, events_unreadable 8 (`b` begins but does not end) (`b` begins but does not end) "
            "(`b` begins but does not end), rows_unusable 1 (8 of 9 events)");
}

TEST(KinetoDialects, IterationMarkersOfTheHostOnly) {
  const auto profile = ReadText(Trace(
      R"json({"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":1,"tid":1,"ts":5,"dur":20},
         {"ph":"X","cat":"gpu_user_annotation","name":"ProfilerStep#3","pid":0,"tid":7,"ts":6,"dur":20})json"));
  EXPECT_EQ(Outcome(profile), "read, gpu_step_markers_ignored 1");
  EXPECT_THAT(profile->host.kind, ElementsAre(HostKind::kIterationMarker));
  EXPECT_EQ(profile->device_ranges.size(), 1u);
}

/// Some megabytes of events, so that there are several chunks; one in a hundred is broken, some
/// hold lists whose elements look like events.
std::string LargeTrace(bool broken) {
  std::string events;
  for (int i = 0; i < 9'000; ++i) {
    if (i > 0) events += ",\n";
    const bool bad = broken && i % 100 == 7;
    events += fmt::format(
        R"json({{"ph": "X", "cat": "cpu_op", "name": "op {}{}", "pid": 1, "tid": {}, "ts": {}, "dur": 3,)json"
        R"json( "args": {{"External id": {}, "list": [{{"name": 1}}, {{"name": 2}}], "pad": "{}"}}}})json",
        i % 97, bad ? "\" quoted\"" : "", i % 3, i * 10, i, std::string(120, 'x'));
  }
  return Trace(events);
}

TEST(KinetoDialects, TheNumberOfWorkersChangesNothing) {
  for (const bool broken : {false, true}) {
    const auto text = LargeTrace(broken);
    ASSERT_GT(text.size(), std::size_t{2} << 20);
    const auto one = ReadText(text, OnThreads(1));
    ASSERT_TRUE(one) << Outcome(one);
    EXPECT_EQ(one->host.size(), 9'000u);
    for (const unsigned threads : {2u, 3u, 7u}) {
      const auto many = ReadText(text, OnThreads(threads));
      ASSERT_TRUE(many);
      EXPECT_EQ(Outcome(many), Outcome(one));
      EXPECT_EQ(many->host.start, one->host.start);
      EXPECT_EQ(many->host.name, one->host.name);
      EXPECT_EQ(many->host.thread, one->host.thread);
      EXPECT_EQ(many->source.hash, one->source.hash);
      ASSERT_EQ(many->strings.size(), one->strings.size());
      for (std::uint32_t i = 0; i < one->strings.size(); ++i) {
        EXPECT_EQ(many->strings[StringId{i}], one->strings[StringId{i}]);
      }
    }
  }
}

TEST(KinetoDialects, AnEventLongerThanAChunk) {
  std::string list;
  for (int i = 0; i < 150'000; ++i)
    list += (i > 0 ? ", " : "") + fmt::format("{{\"name\": {}}}", i);
  const auto text = Trace(
      R"json({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5,"dur":2,"args":{"list":[)json" +
      list + R"json(]}}, {"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,"ts":9,"dur":2})json");
  ASSERT_GT(text.size(), std::size_t{2} << 20);
  for (const unsigned threads : {1u, 3u}) {
    const auto profile = ReadText(text, OnThreads(threads));
    EXPECT_EQ(Outcome(profile), "read");
    EXPECT_EQ(profile->host.size(), 2u);
  }
}

}  // namespace
}  // namespace profgauge::readers
