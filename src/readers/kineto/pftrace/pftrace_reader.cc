#include "readers/kineto/pftrace/pftrace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "readers/kineto/pftrace/decoder.h"
#include "readers/kineto/pftrace/foreign.h"
#include "readers/kineto/pftrace/packets.h"
#include "readers/kineto/pftrace/placing.h"
#include "readers/text/wire.h"

namespace profgauge::readers {
namespace pftrace {
namespace {

#define PROFGAUGE_JSON_INSTEAD \
  "`.pftrace` has none, `prof.export_chrome_trace(\"trace.json.gz\")` of the run has them"

constexpr RecordingHint kHints[] = {
    {Capability::kDeviceEvents,
     "record with the {{ device.device }} among the profiler's activities"},
    {Capability::kHostOps, "record with the CPU among the profiler's activities"},
    {Capability::kShapes, "record with record_shapes=True"},
    {Capability::kCallStacks, "record with with_stack=True"},
    {Capability::kMemoryEvents, PROFGAUGE_JSON_INSTEAD},
    {Capability::kIterationMarkers, "call the profiler's step() after each iteration"},
    {Capability::kPython, "record with with_stack=True"},
    {Capability::kOccupancy, PROFGAUGE_JSON_INSTEAD},
    {Capability::kDeviceProperties, PROFGAUGE_JSON_INSTEAD},
    {Capability::kSyncEvents, "record with CuspyConfig(enable_cuda_sync_events=True)"},
    {Capability::kCollectiveInfo, "record with record_shapes=True"},
};
#undef PROFGAUGE_JSON_INSTEAD

/// Adds a GPU of capability "sm_90" or "sm_100a": the last digit is the minor version.
void AddGpu(const Decoded& decoded, ProfileBuilder& builder) {
  if (!decoded.architecture) return;
  const auto& [device, name] = *decoded.architecture;
  constexpr std::string_view kPrefix = "sm_";
  if (!name.starts_with(kPrefix) || device < 0 || device > 65535) return;
  const char* const begin = name.data() + kPrefix.size();
  std::int32_t number = -1;
  const auto [end, failed] = std::from_chars(begin, name.data() + name.size(), number);
  if (failed != std::errc{} || number < 10 || number > 9999) return;
  Gpu gpu;
  gpu.id = static_cast<std::int32_t>(device);
  gpu.compute_major = number / 10;
  gpu.compute_minor = number % 10;
  builder.AddGpu(std::move(gpu));
}

/// One import, from the first byte to the finished profile.
class Import {
 public:
  Import(ByteSource& source, const ReadOptions& options)
      : source_(source), options_(options), packets_(source), decoder_(builder_) {}

  Result<Profile> Run() {
    PROFGAUGE_CHECK(ReadPackets());
    PROFGAUGE_CHECK(CheckEnd());
    Decoded decoded = decoder_.Finish();
    const Writer writer = WriterBy(decoded.signs);
    const bool is_ours = writer == Writer::kPyTorch || writer == Writer::kPyTorchSlices;
    if (!is_ours && !decoded.lost_state) return Fail(ForeignTrace(source_.name(), writer));
    PlaceRows(decoded, builder_);
    AddGpu(decoded, builder_);
    builder_.SetHints(kHints);
    builder_.DoubtDeviceOps();
    auto& origin = builder_.source();
    origin.path = source_.name();
    origin.format = "kineto";
    origin.framework = "pytorch";
    origin.bytes = packets_.total();
    origin.hash = packets_.Hash();
    origin.dialect = writer == Writer::kPyTorchSlices ? "Perfetto's packets, of June 2026"
                                                      : "Perfetto's packets";
    PROFGAUGE_TRY(auto profile, builder_.Finish());
    profile.gpus_by_process = true;
    const bool has_rows =
        profile.host.size() + profile.device.size() + profile.api.size() + profile.python.size() >
        0;
    if (!has_rows) return Fail(NoEvents(decoded));
    return profile;
  }

 private:
  Status ReadPackets() {
    while (packets_.Next()) {
      const auto stop = decoder_.Take(packets_.packet(), packets_.offset());
      if (stop != Decoder::Stop::kNone) return Fail(Stopped(stop));
    }
    return {};
  }

  // Runs after all packets: with allow_incomplete, the packets before the damage are judged.
  Status CheckEnd() {
    const bool is_whole = !packets_.error() && !packets_.damaged() && !packets_.truncated();
    if (is_whole) return {};
    if (options_.allow_incomplete) {
      builder_.log().Add(Counter::truncated);
      return {};
    }
    if (packets_.error()) {
      Error error = *packets_.error();
      error.where.offset = packets_.total();
      error.where.has_offset = true;
      error.notes.push_back("help: pass --allow-incomplete to judge the readable part");
      return Fail(std::move(error));
    }
    if (packets_.damaged()) {
      return Fail(Damaged("the bytes are not a packet of a Perfetto trace",
                          "pass --allow-incomplete to judge the part before"));
    }
    return Fail(InputErrorAt(source_.name(), packets_.offset(), "perfetto/truncated",
                             "the trace ends inside a packet",
                             "the profiler was probably killed while writing; pass "
                             "--allow-incomplete to judge the readable part"));
  }

  Error Damaged(std::string message, std::string help) const {
    return InputErrorAt(source_.name(), packets_.offset(), "perfetto/damaged", std::move(message),
                        std::move(help));
  }

  Error Stopped(Decoder::Stop stop) const {
    switch (stop) {
      case Decoder::Stop::kNested:
        return Damaged("compressed packets contain compressed packets", "record again");
      case Decoder::Stop::kTooLarge:
        return InputErrorAt(source_.name(), packets_.offset(), "perfetto/too-large",
                            fmt::format("packets unpack to more than {} MB, or texts of the trace "
                                        "to more than 2 GB",
                                        kLargestBundle >> 20),
                            "no profiler writes such a trace; record again");
      case Decoder::Stop::kSystem:
        return ForeignTrace(source_.name(), Writer::kSystem);
      case Decoder::Stop::kDamaged:
      case Decoder::Stop::kNone:
        break;
    }
    return Damaged("compressed packets cannot be unpacked", "record again");
  }

  Error NoEvents(const Decoded& decoded) const {
    if (decoded.lost_state) {
      return InputError(source_.name(), "perfetto/no-events",
                        "every event of the trace needs packets that are not in it",
                        "the start of the trace was lost; record again");
    }
    return InputError(source_.name(), "perfetto/no-events", "no event of the trace is complete",
                      "the profiler was stopped before its first active step, or while writing");
  }

  ByteSource& source_;
  ReadOptions options_;
  ProfileBuilder builder_;
  PacketReader packets_;
  Decoder decoder_;
};

/// True for a snapshot of clocks as PyTorch writes it: two clocks with one time. PyTorch uses Unix
/// time for both clocks. Perfetto's traces have times since boot, which differ.
bool IsClockOfPyTorch(std::string_view packet) {
  WireReader fields(packet);
  std::uint64_t at[2] = {0, 0};
  int clocks = 0;
  while (fields.Next()) {
    if (fields.field() != 6) continue;
    WireReader snapshot(fields.Bytes());
    while (snapshot.Next()) {
      if (snapshot.field() != 1 || clocks == 2) continue;
      WireReader clock(snapshot.Bytes());
      while (clock.Next()) {
        if (clock.field() == 2) at[clocks] = clock.Varint();
      }
      ++clocks;
    }
  }
  return fields.ok() && clocks == 2 && at[0] == at[1];
}

/// True for a packet that describes a track and has no sequence, as in PyTorch's traces.
bool IsTrackOfNoWriter(std::string_view packet) {
  bool is_track = false;
  WireReader fields(packet);
  while (fields.Next()) {
    if (fields.field() == 10) return false;
    is_track |= fields.field() == 60;
  }
  return fields.ok() && is_track;
}

// True for fields 50 and 133 of a packet, which bundle packets compressed by deflate or zstd.
bool IsBundle(std::string_view packet) {
  WireReader fields(packet);
  bool is_bundle = false;
  while (fields.Next()) is_bundle |= fields.field() == 50 || fields.field() == 133;
  return fields.ok() && is_bundle;
}

/// True if the first packet is compressed. It may be longer than the examined bytes.
///   0A  <length>  92 03 <length> 78 ...     field 50, bytes: tag 50 << 3 | 2 = 402 = 92 03
///   0A  <length>  AA 08 <length> 28 B5 ...  field 133, bytes: tag 133 << 3 | 2 = 1066 = AA 08
bool BeginsWithBundle(std::string_view head) {
  constexpr std::string_view kDeflateTag = "\x92\x03", kZstdTag = "\xAA\x08";
  if (!head.starts_with('\x0A')) return false;
  std::size_t at = 1;
  while (at < head.size() && static_cast<unsigned char>(head[at]) >= 0x80) ++at;  // The length.
  head.remove_prefix(std::min(head.size(), at + 1));
  return head.starts_with(kDeflateTag) || head.starts_with(kZstdTag);
}

// Examines the packets that fit into `head`; a cut one is no evidence. kYes: clocks as PyTorch
// writes them, then a track without a writer. kMaybe: three messages in a row under field 1, which
// any format that begins with a repeated message has, including XSpace.
Match MatchOf(std::string_view head) {
  constexpr int kNoAccident = 3;  // Messages in a row under field 1.
  PacketBuffer buffer;
  buffer.Add(head);
  int count = 0, unreadable = 0;
  bool is_pytorch = false, is_bundle = false;
  auto state = buffer.Next();
  for (; state == PacketBuffer::State::kPacket; state = buffer.Next()) {
    const std::string_view packet = buffer.packet();
    if (packet.empty()) continue;
    WireReader fields(packet);
    while (fields.Next()) continue;
    if (!fields.ok()) {
      ++unreadable;
      continue;
    }
    ++count;
    if (count == 1) is_pytorch = IsClockOfPyTorch(packet);
    if (count > 1 && is_pytorch && IsTrackOfNoWriter(packet)) return Match::kYes;
    is_bundle |= IsBundle(packet);
  }
  if (unreadable > count) return Match::kNo;
  is_bundle |= count == 0 && BeginsWithBundle(head);
  return count >= kNoAccident || is_bundle ? Match::kMaybe : Match::kNo;
}

// True if the path ends like that of a Perfetto trace. Only used for an error about another file.
bool IsNamedLikeOne(const std::string& path) {
  for (const std::string_view suffix :
       {".pftrace", ".pftrace.gz", ".perfetto-trace", ".perfetto"}) {
    if (path.ends_with(suffix)) return true;
  }
  return false;
}

class PftraceReader final : public Reader {
 public:
  std::string_view name() const override { return "pftrace"; }
  std::string_view expected() const override { return "PyTorch's binary trace (*.pftrace)"; }
  std::span<const std::string_view> suffixes() const override {
    static constexpr std::string_view kSuffixes[] = {".pftrace", ".pftrace.gz"};
    return kSuffixes;
  }
  Match Sniff(std::span<const std::byte> head) const override {
    return MatchOf({reinterpret_cast<const char*>(head.data()), head.size()});
  }
  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    return Import(source, options).Run();
  }
  /// PyTorch compresses files of any name.
  bool IsCompressedUnderAnyName() const override { return true; }

  std::optional<Error> Refuse(const std::string& path, std::string_view head) const override {
    if (!IsNamedLikeOne(path) || MatchOf(head) != Match::kNo) return std::nullopt;
    return ForeignTrace(path, Writer::kUnknown);
  }
};

}  // namespace
}  // namespace pftrace

std::unique_ptr<Reader> MakePftraceReader() { return std::make_unique<pftrace::PftraceReader>(); }

}  // namespace profgauge::readers
