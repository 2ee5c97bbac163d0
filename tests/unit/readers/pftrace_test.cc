// PyTorch's traces in Perfetto's format: the parts of a packet, whatever its encoding, and the
// result for bytes that are none.
#include "readers/kineto/pftrace/pftrace_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <string>
#include <vector>

#include "pftrace_message.h"
#include "readers/kineto/pftrace/decoder.h"
#include "readers/kineto/pftrace/packets.h"
#include "readers/kineto/pftrace/pairing.h"

namespace profgauge::readers {
namespace {

using namespace pftrace_message;
using readers::pftrace::Pair;
using readers::pftrace::Paired;
using readers::pftrace::SliceMark;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Deflated(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  compress2(reinterpret_cast<Bytef*>(out.data()), &size,
            reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()), 6);
  out.resize(size);
  return out;
}

std::string Zstd(const std::string& bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

std::string Bundle(std::uint32_t field, const std::string& compressed) {
  return ProtoMessage().Sub(1, ProtoMessage().Bytes(field, compressed)).str();
}

std::string CodeOf(const std::string& bytes) {
  const auto profile = ReadPftrace(bytes);
  return profile ? "read" : profile.error().code;
}

TEST(PftracePackets, LengthsHave64Bits) {
  using readers::pftrace::PacketBuffer;
  const std::string begun = "\x0A" + std::string(9, '\x80');
  PacketBuffer short_of_one;
  short_of_one.Add(begun);
  EXPECT_EQ(short_of_one.Next(), PacketBuffer::State::kNeedsMore);
  // Without the bits that do not fit this would be an empty packet.
  PacketBuffer too_long;
  too_long.Add(begun + "\x02");
  EXPECT_EQ(too_long.Next(), PacketBuffer::State::kDamaged);
}

/// The place and length of each operator, in the order of the table.
std::vector<std::string> Ops(const Profile& profile) {
  std::vector<std::string> ops;
  for (std::size_t i = 0; i < profile.host.size(); ++i) {
    ops.push_back(fmt::format("{} {}+{}", profile.Name(profile.host.name[i]), profile.host.start[i],
                              profile.host.duration[i]));
  }
  return ops;
}

void ExpectOneKernel(const Result<Profile>& profile) {
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_THAT(Ops(*profile), ElementsAre("aten::mm 0+100"));
  EXPECT_EQ(profile->Name(profile->host.input_shapes[0]), "[[32, 3], []]");
  ASSERT_EQ(profile->api.size(), 1u);
  EXPECT_EQ(profile->api.kind[0], ApiKind::kLaunch);
  ASSERT_EQ(profile->device.size(), 1u);
  EXPECT_EQ(profile->Name(profile->device.name[0]), "gemm");
  EXPECT_EQ(profile->device.start[0], 50);
  EXPECT_EQ(profile->device.duration[0], 40);
  EXPECT_EQ(profile->device.stream[0], 7);
  EXPECT_TRUE(profile->device.launch[0].valid());
  EXPECT_TRUE(profile->device.op[0].valid());
  EXPECT_EQ(profile->origin_ns, static_cast<std::int64_t>(kBase) + 100);
  EXPECT_FALSE(profile->log.HasDataLoss());
}

TEST(Pftrace, ReadsOneKernel) {
  const auto profile = ReadPftrace(OneKernel().str());
  ExpectOneKernel(profile);
  const LaunchConfig& config = profile->launch_configs[profile->device.config[0].value];
  EXPECT_THAT(config.grid, ElementsAre(24, 1, 1));
  EXPECT_THAT(config.block, ElementsAre(128, 1, 1));
  EXPECT_EQ(config.registers, 32);
  EXPECT_EQ(config.shared_memory, -1) << "the dynamic part is not all of it";
  ASSERT_EQ(profile->gpus.size(), 1u);
  EXPECT_EQ(profile->gpus[0].compute_major, 9);
  EXPECT_EQ(profile->gpus[0].compute_minor, 0);
  ASSERT_EQ(profile->threads.size(), 1u) << "a track without events is no thread";
  EXPECT_EQ(profile->threads[0].pid, 7);
  EXPECT_EQ(profile->threads[0].tid, 7);
  EXPECT_EQ(profile->source.framework, "pytorch");
}

TEST(Pftrace, ReadsCompressedPackets) {
  const std::string bytes = OneKernel().str();
  ExpectOneKernel(ReadPftrace(Bundle(50, Deflated(bytes))));
  ExpectOneKernel(ReadPftrace(Bundle(133, Zstd(bytes))));
}

TEST(Pftrace, RefusesPackedGarbage) {
  EXPECT_EQ(CodeOf(Bundle(50, "no deflate")), "perfetto/damaged");
  EXPECT_EQ(CodeOf(Bundle(133, "no zstd")), "perfetto/damaged");
  EXPECT_EQ(CodeOf(Bundle(50, Deflated(Bundle(50, Deflated(OneKernel().str()))))),
            "perfetto/damaged");
  EXPECT_EQ(CodeOf(Bundle(50, Deflated(OneKernel().str()).substr(0, 100))), "perfetto/damaged");
  std::string empty(std::size_t{257} << 20, '\0');  // Packets of no bytes: 0A 00.
  for (std::size_t i = 0; i < empty.size(); i += 2) empty[i] = '\x0A';
  EXPECT_EQ(CodeOf(Bundle(133, Zstd(empty))), "perfetto/too-large");
}

// PyTorch's groups: two operators that overlap without nesting.
TEST(Pftrace, PairsGroupsInOrder) {
  TraceText text;
  text.Clock().Threads().Interned({"a", "b"}, {"cpu_op"});
  text.Packet(Event(0, kNeeds).Sub(11, Begin(kMain, 1, 1)));
  text.Packet(Event(10, kNeeds).Sub(11, Begin(kMain, 2, 1)));
  text.Packet(Event(50).Sub(11, End(kMain))).Packet(Event(40).Sub(11, End(kMain)));
  auto profile = ReadPftrace(text.str());
  ASSERT_TRUE(profile);
  EXPECT_THAT(Ops(*profile), ElementsAre("a 0+50", "b 10+30"));
  // In the order of time an end closes the last begin.
  TraceText other;
  other.Clock().Threads().Interned({"a", "b"}, {"cpu_op"});
  other.Packet(Event(0, kNeeds).Sub(11, Begin(kMain, 1, 1)));
  other.Packet(Event(10, kNeeds).Sub(11, Begin(kMain, 2, 1)));
  other.Packet(Event(40).Sub(11, End(kMain))).Packet(Event(50).Sub(11, End(kMain)));
  profile = ReadPftrace(other.str());
  ASSERT_TRUE(profile);
  EXPECT_THAT(Ops(*profile), ElementsAre("a 0+50", "b 10+30"));
}

TEST(PftracePairing, PairsByPlaceTrackAndTime) {
  const auto ends = [](const std::vector<SliceMark>& marks) { return Pair(marks).end_of; };
  constexpr std::uint32_t kNone = Paired::kNone;
  // A group whose slices overlap: begins at 0 and 1, ends at 5 and 6 in the order 5, 6 of b, a.
  EXPECT_THAT(ends({{0, 1, 1, true}, {7, 1, 1, true}, {5, 1, 1, false}, {9, 1, 1, false}}),
              ElementsAre(2, 3, kNone, kNone));
  // Another begin before the group has no end.
  const std::vector<SliceMark> more = {
      {0, 1, 1, true}, {0, 1, 1, true}, {7, 2, 1, true}, {5, 1, 1, false}, {9, 2, 1, false}};
  EXPECT_THAT(ends(more), ElementsAre(kNone, 3, 4, kNone, kNone));
  EXPECT_EQ(Pair(more).begins_alone, 1u);
  // Tracks apart, nested, as time goes by.
  EXPECT_THAT(ends({{0, 1, 1, true},
                    {1, 2, 1, true},
                    {2, 1, 1, true},
                    {3, 1, 1, false},
                    {4, 2, 1, false},
                    {5, 1, 1, false}}),
              ElementsAre(5, 4, 3, kNone, kNone, kNone));
  // Out of order on a track: sorted.
  const std::vector<SliceMark> backwards = {{5, 1, 1, true}, {4, 1, 1, false}};
  EXPECT_THAT(ends(backwards), ElementsAre(kNone, kNone));
  EXPECT_EQ(Pair(backwards).ends_alone, 1u);
  EXPECT_TRUE(ends({}).empty());
}

TEST(Pftrace, SequenceStateEndsWhenCleared) {
  TraceText text;
  text.Clock().Threads().Interned({"one"}, {"cpu_op"});
  const auto named = [](const std::string& name) {
    ProtoMessage data;
    data.Sub(2, ProtoMessage().Number(1, 1).Bytes(2, name));
    return data.Sub(1, ProtoMessage().Number(1, 1).Bytes(2, "cpu_op"));
  };
  text.Slice(Begin(kMain, 1, 1), 0, 5);
  // Cleared and interned in one packet, with the event that needs both.
  text.Packet(Event(10, kCleared | kNeeds).Sub(12, named("two")).Sub(11, Begin(kMain, 1, 1)));
  text.Packet(Event(15).Sub(11, End(kMain)));
  text.Packet(Event(20, kCleared | kNeeds, 2).Sub(12, named("three")).Sub(11, Begin(kOther, 1, 1)));
  text.Packet(Event(25, 0, 2).Sub(11, End(kOther)));
  // Many more writers leave the texts of the first where they are.
  for (std::uint64_t writer = 3; writer < 40; ++writer) {
    text.Packet(ProtoMessage().Number(10, writer).Number(13, kCleared).Sub(12, named("other")));
  }
  text.Slice(Begin(kMain, 1, 1), 30, 35);
  const auto profile = ReadPftrace(text.str());
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_THAT(Ops(*profile), ElementsAre("one 0+5", "two 10+5", "two 30+5", "three 20+5"));
}

// Clock 64 counts on from its snapshot; 65 is defined after its first use.
TEST(Pftrace, ClocksOfASequence) {
  TraceText text;
  text.Clock().Threads().Interned({"a"}, {"cpu_op"});
  const auto clock = [](std::uint64_t id, std::uint64_t at, bool counts_on, std::uint64_t unit) {
    ProtoMessage message;
    message.Number(1, id).Number(2, at).Number(3, counts_on ? 1 : 0);
    return unit > 0 ? message.Number(4, unit) : message;
  };
  const auto snapshot = [&](const ProtoMessage& own) {
    ProtoMessage message;
    message.Sub(1, clock(6, kBase, false, 0)).Sub(1, own);
    return ProtoMessage().Number(8, kBase).Number(10, 1).Sub(6, message);
  };
  const auto at = [](std::uint64_t time, std::uint64_t clock_id) {
    return ProtoMessage().Number(8, time).Number(58, clock_id).Number(10, 1);
  };
  text.Packet(snapshot(clock(64, 1000, true, 10)));
  text.Packet(at(1, 64).Sub(11, Begin(kMain, 1, 1))).Packet(at(2, 64).Sub(11, End(kMain)));
  text.Packet(at(500, 65).Sub(11, Begin(kMain, 1, 1))).Packet(at(600, 65).Sub(11, End(kMain)));
  text.Packet(at(1, 66).Sub(11, Begin(kMain, 1, 1)));
  text.Packet(snapshot(clock(65, 400, false, 0)));
  const auto profile = ReadPftrace(text.str());
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_THAT(Ops(*profile), ElementsAre("a 0+20", "a 90+100"));
  EXPECT_EQ(profile->origin_ns, static_cast<std::int64_t>(kBase) + 10);
  EXPECT_EQ(profile->log[Counter::events_bad_time], 1u) << "a clock that nothing explains";
}

TEST(Pftrace, TracksMayBeLateOrCircular) {
  TraceText text;
  text.Clock().Interned({"a", "b"}, {"cpu_op"});
  text.Slice(Begin(kMain, 1, 1), 0, 5).Slice(Begin(99, 2, 1), 6, 9, 99).Threads();
  text.Packet(ProtoMessage().Sub(60, ProtoMessage().Number(1, 99).Number(5, 98)));
  text.Packet(ProtoMessage().Sub(60, ProtoMessage().Number(1, 98).Number(5, 99)));
  const auto profile = ReadPftrace(text.str());
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->threads.size(), 2u);
  EXPECT_EQ(profile->threads[0].tid, 7);
  EXPECT_EQ(profile->threads[1].tid, 99);
}

// A packet that reports lost packets: packets that need them are skipped until the state is
// cleared.
TEST(Pftrace, LostPacketsAreDataLoss) {
  TraceText text;
  text.Clock().Threads().Interned({"a"}, {"cpu_op"});
  text.Slice(Begin(kMain, 1, 1), 0, 5);
  text.Packet(ProtoMessage().Number(10, 1).Number(42, 1));
  text.Packet(Event(10, kNeeds).Sub(11, Begin(kMain, 1, 1)));
  auto profile = ReadPftrace(text.str());
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_THAT(Ops(*profile), ElementsAre("a 0+5"));
  EXPECT_TRUE(profile->log.HasDataLoss());
  // On a sequence's first packet it means nothing.
  TraceText first;
  first.Packet(ProtoMessage().Number(10, 1).Number(42, 1));
  first.Clock().Threads().Interned({"a"}, {"cpu_op"}).Slice(Begin(kMain, 1, 1), 0, 5);
  profile = ReadPftrace(first.str());
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_FALSE(profile->log.HasDataLoss());
}

TEST(Pftrace, ShowsUninternedNamesByNumber) {
  TraceText text;
  text.Clock().Threads().Interned({"a"}, {"cpu_op"}).Slice(Begin(kMain, 5, 1), 0, 5);
  const auto profile = ReadPftrace(text.str());
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_THAT(Ops(*profile), ElementsAre("name#5 0+5"));
  EXPECT_EQ(profile->log[Counter::dependencies_unresolved], 1u);
}

TEST(Pftrace, ArgumentsOfAllKinds) {
  TraceText text;
  text.Clock().Threads().Interned({"a"}, {"cpu_op"});
  const auto argument = [](const std::string& name) { return ProtoMessage().Bytes(10, name); };
  ProtoMessage event = Begin(kMain, 1, 1);
  event.Sub(4, argument("Sequence number").Number(4, static_cast<std::uint64_t>(-5)));
  event.Sub(4, argument("Call stack").Bytes(6, "f.py(3): g"));
  event.Sub(4, argument("Input type")
                   .Sub(12, ProtoMessage().Bytes(6, "float"))
                   .Sub(12, ProtoMessage().Bytes(6, "")));
  event.Sub(4, argument("Concrete Inputs"));  // A list of nothing.
  ProtoMessage deep = ProtoMessage().Bytes(6, "x");
  for (int i = 0; i < 40; ++i) deep = ProtoMessage().Sub(12, deep);
  event.Sub(4, argument("Input Dims").Sub(12, deep));
  const auto profile = ReadPftrace(text.Slice(event, 0, 5).str());
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->host.sequence[0], -5);
  EXPECT_EQ(profile->Name(profile->host.call_stack[0]), "f.py(3): g");
  EXPECT_EQ(profile->Name(profile->host.input_dtypes[0]), "[float, ]");
  EXPECT_EQ(profile->Name(profile->host.concrete_inputs[0]), "[]");
  EXPECT_GT(profile->log[Counter::events_ignored_kind], 0u) << "too deep";
}

// The form of June 2026: no categories, and work of the device as slices.
TEST(Pftrace, ReadsTheSlicesOfUnreleasedVersions) {
  TraceText text;
  text.Threads().Interned({"aten::mm", "cudaLaunchKernel", "gemm", "ProfilerStep#3", "Memcpy"}, {});
  const auto number = [](const std::string& name, std::uint64_t value) {
    return ProtoMessage().Bytes(10, name).Number(4, value);
  };
  const auto on_device = [&](std::uint64_t name) {
    ProtoMessage event = Begin(kOther, name, 0);
    for (const auto& [key, value] : {std::pair("device", 0), std::pair("context", 1),
                                     std::pair("stream", 7), std::pair("correlation", 11)}) {
      event.Sub(4, number(key, static_cast<std::uint64_t>(value)));
    }
    return event;
  };
  ProtoMessage grid = ProtoMessage().Bytes(10, "grid");
  for (const std::uint64_t size : {4, 1, 1}) grid.Sub(12, ProtoMessage().Number(4, size));
  text.Slice(on_device(3).Sub(4, grid), 150, 190, kOther);
  text.Slice(on_device(5).Sub(4, number("bytes", 12)), 200, 205, kOther);
  text.Slice(Begin(kMain, 4, 0), 90, 300).Slice(Begin(kMain, 1, 0), 100, 200);
  text.Slice(Begin(kMain, 2, 0).Sub(4, number("cbid", 211)).Sub(4, number("correlation", 11)), 120,
             130);
  const auto profile = ReadPftrace(text.str());
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_THAT(Ops(*profile), ElementsAre("ProfilerStep#3 0+210", "aten::mm 10+100"));
  EXPECT_EQ(profile->host.kind[0], HostKind::kIterationMarker);
  ASSERT_EQ(profile->device.size(), 2u);
  EXPECT_EQ(profile->device.kind[0], DeviceKind::kKernel);
  EXPECT_EQ(profile->device.duration[0], 40);
  EXPECT_EQ(profile->device.kind[1], DeviceKind::kMemcpy);
  EXPECT_EQ(profile->device.bytes[1], 12);
  EXPECT_TRUE(profile->device.op[0].valid());
}

TEST(Pftrace, NamesUnreadableParts) {
  std::string bytes = OneKernel().str();
  EXPECT_EQ(CodeOf(bytes.substr(0, bytes.size() - 7)), "perfetto/truncated");
  EXPECT_EQ(CodeOf(bytes + std::string(8, '\0')), "perfetto/damaged");
  const auto rest = ReadPftrace(bytes + std::string(8, '\0'), true);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->log[Counter::truncated], 1u);
  EXPECT_EQ(rest->device.size(), 1u);
  const auto damaged = ReadPftrace(bytes + std::string(8, '\0'));
  EXPECT_EQ(damaged.error().where.offset, bytes.size());
  TraceText none;
  none.Clock().Threads().Interned({"a"}, {"cpu_op"});
  EXPECT_EQ(CodeOf(none.str()), "perfetto/no-events");
  // A packet that is broken inside: the length says where the next begins.
  const auto others = ReadPftrace(OneKernel().Packet(ProtoMessage().Bytes(11, "\xFF\xFF")).str());
  ExpectOneKernel(others);
  EXPECT_EQ(others->log[Counter::events_unreadable], 1u);
}

TEST(Pftrace, RefusesOtherWritersByContent) {
  const auto with_category = [](const std::string& category) {
    TraceText text;
    return text.Clock().Threads().Interned({"a"}, {category}).Slice(Begin(kMain, 1, 1), 0, 5).str();
  };
  const auto message = [](const std::string& bytes) {
    const auto profile = ReadPftrace(bytes);
    return profile ? "read" : profile.error().code + ": " + profile.error().message;
  };
  EXPECT_THAT(message(with_category("kernel_dispatch")),
              HasSubstr("input/perfetto: the file is a binary trace of Perfetto by rocprofv3,"));
  EXPECT_THAT(message(with_category("rocm_hip_api")), HasSubstr("by rocprof-sys,"));
  EXPECT_THAT(message(with_category("of others")), HasSubstr("by no known writer,"));
  TraceText system;
  system.Clock().Packet(ProtoMessage().Number(10, 3).Bytes(1, ""));
  EXPECT_THAT(message(system.str()), HasSubstr("of a system,"));
  TraceText neuron;
  neuron.Packet(ProtoMessage().Sub(60, ProtoMessage().Number(1, 1).Bytes(2, "NeuronCore 0")));
  EXPECT_THAT(message(neuron.str()), HasSubstr("by neuron-explorer,"));
}

// Whatever is cut off or flipped: an answer, or a refusal with a reason.
void ExpectAnAnswer(const std::string& bytes) {
  for (const bool allow_incomplete : {false, true}) {
    const auto profile = ReadPftrace(bytes, allow_incomplete);
    if (profile) continue;
    EXPECT_EQ(profile.error().kind, ErrorKind::kInput) << profile.error().message;
    EXPECT_FALSE(profile.error().code.empty());
  }
}

TEST(Pftrace, EveryDamageGivesAnAnswer) {
  const std::string bytes = OneKernel().str();
  for (std::size_t size = 0; size < bytes.size(); ++size) ExpectAnAnswer(bytes.substr(0, size));
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    ExpectAnAnswer(flipped);
  }
  const std::string bundle = Bundle(50, Deflated(bytes));
  for (std::size_t size = 0; size < bundle.size(); ++size) ExpectAnAnswer(bundle.substr(0, size));
  for (std::size_t at = 0; at < bundle.size(); ++at) {
    std::string flipped = bundle;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    ExpectAnAnswer(flipped);
  }
}

}  // namespace
}  // namespace profgauge::readers
