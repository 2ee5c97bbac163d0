#include "readers/kineto/pftrace/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "readers/kineto/pftrace/packets.h"
#include "readers/text/numbers.h"
#include "readers/text/wire.h"

namespace profgauge::readers::pftrace {
namespace {

constexpr std::size_t kMostSequences = 65536;
/// Limits of one text and of all texts. Names of template instances have some kilobytes.
constexpr std::size_t kLongestText = std::size_t{16} << 20;
constexpr std::uint64_t kMostInterned = std::uint64_t{2} << 30;
constexpr std::uint32_t kMostRows = ~std::uint32_t{0} - 1;
/// The number of rows that are collected before they are passed on.
constexpr std::uint32_t kBlock = 4096;

// TracePacket.sequence_flags.
enum Flags : std::uint64_t { kCleared = 1, kNeedsState = 2 };

}  // namespace

/// The fields of a TracePacket that are read. Missing messages have no data.
struct Decoder::Packet {
  std::optional<std::uint64_t> timestamp;
  std::uint64_t clock = 0, sequence = 0, flags = 0, dropped = 0;
  bool is_cleared = false, is_of_system = false;
  std::string_view interned, defaults, snapshot, descriptor, slice, stage, config, stats;
  std::string_view bundle;
  Codec codec = Codec::kDeflate;

  bool Read(std::string_view bytes);
  void Set(std::uint32_t field, const WireReader& value);
};

void Decoder::Packet::Set(std::uint32_t field, const WireReader& value) {
  switch (field) {
    // The numbers are those of TracePacket in Perfetto's protos.
    case 1:  // Events of the operating system and its processes.
    case 2:
      is_of_system = true;
      break;
    case 6:
      snapshot = value.Bytes();
      break;
    case 8:
      timestamp = value.Varint();
      break;
    case 10:
      sequence = value.Varint();
      break;
    case 11:
      slice = value.Bytes();
      break;
    case 12:
      interned = value.Bytes();
      break;
    case 13:
      flags = value.Varint();
      break;
    case 33:
      config = value.Bytes();
      break;
    case 35:
      stats = value.Bytes();
      break;
    case 41:
      is_cleared = value.Varint() != 0;
      break;
    case 42:
      dropped = value.Varint();
      break;
    case 50:
    case 133:
      bundle = value.Bytes();
      codec = field == 50 ? Codec::kDeflate : Codec::kZstd;
      break;
    case 53:
      stage = value.Bytes();
      break;
    case 58:
      clock = value.Varint();
      break;
    case 59:
      defaults = value.Bytes();
      break;
    case 60:
      descriptor = value.Bytes();
      break;
    default:
      break;
  }
}

bool Decoder::Packet::Read(std::string_view bytes) {
  WireReader fields(bytes);
  while (fields.Next()) Set(fields.field(), fields);
  return fields.ok();
}

Decoder::Decoder(ProfileBuilder& builder) : builder_(builder), sink_(Fraction::kDecimal) {
  sink_.Begin(rows_);
}

Decoder::Stop Decoder::Take(std::string_view packet, std::uint64_t offset) {
  return TakePlain(packet, offset, false);
}

// A packet without bytes is valid and has no effect.
Decoder::Stop Decoder::TakePlain(std::string_view bytes, std::uint64_t offset, bool is_inside) {
  if (bytes.empty()) return Stop::kNone;
  ++decoded_.packets;
  Packet packet;
  if (!packet.Read(bytes)) {
    builder_.log().AddAt(Counter::events_unreadable, fmt::format("the packet at byte {}", offset));
    return Stop::kNone;
  }
  if (packet.is_of_system) decoded_.signs.system = true;
  if (packet.bundle.data() != nullptr) return TakeBundle(packet, offset, is_inside);
  if (!Decode(packet, offset)) {
    builder_.log().AddAt(Counter::events_unreadable, fmt::format("the packet at byte {}", offset));
  }
  if (decoded_.signs.system) return Stop::kSystem;
  return too_large_ ? Stop::kTooLarge : Stop::kNone;
}

Decoder::Stop Decoder::TakeBundle(const Packet& packet, std::uint64_t offset, bool is_inside) {
  if (is_inside) return Stop::kNested;
  Stop stop = Stop::kNone;
  switch (Unpack(packet.bundle, packet.codec, [&](std::string_view inner) {
    stop = TakePlain(inner, offset, true);
    return stop == Stop::kNone;
  })) {
    case BundleEnd::kDamaged:
      return Stop::kDamaged;
    case BundleEnd::kTooLarge:
      return Stop::kTooLarge;
    case BundleEnd::kWhole:
    case BundleEnd::kStopped:
      return stop;
  }
  return stop;
}

Sequence* Decoder::SequenceOf(std::uint64_t number) {
  if (last_sequence_ != nullptr && last_number_ == number) return last_sequence_;
  const auto next = static_cast<std::uint32_t>(sequences_.size());
  const auto [found, is_new] = sequence_ids_.try_emplace(number, next);
  if (is_new && next >= kMostSequences) {
    sequence_ids_.erase(found);
    return nullptr;
  }
  if (is_new) sequences_.emplace_back();
  last_number_ = number;
  last_sequence_ = &sequences_[found->second];
  return last_sequence_;
}

// Handles loss before clearing: if one packet reports both, the state is complete after it.
void Decoder::UpdateState(const Packet& packet, Sequence& sequence, std::uint64_t offset) {
  // A sequence's first packet has bit 1, too. Causes of loss have separate bits.
  const bool is_loss = packet.dropped > 1 || (packet.dropped == 1 && sequence.has_packets);
  if (is_loss) {
    builder_.log().AddAt(Counter::events_dropped,
                         fmt::format("packets before the one at byte {}", offset));
  }
  if (packet.is_cleared || (packet.flags & kCleared) != 0) {
    sequence.Begin();
  } else if (is_loss) {
    sequence.is_valid = false;
  }
  sequence.has_packets = true;
}

// Clears the state, then reads interned data, then the event, since one packet may have all three.
bool Decoder::Decode(const Packet& packet, std::uint64_t offset) {
  Sequence* const sequence = SequenceOf(packet.sequence);
  if (sequence == nullptr) return false;
  if (packet.sequence != 0) UpdateState(packet, *sequence, offset);
  bool is_whole = true;
  const auto read = [&](std::string_view message, auto how) {
    if (message.data() != nullptr && !how(message)) is_whole = false;
  };
  // If one field is broken, the other state fields are still read, but the packet's event is not.
  read(packet.defaults, [&](auto message) { return ReadDefaults(message, *sequence); });
  read(packet.interned, [&](auto message) {
    return !sequence->is_valid || packet.sequence == 0 || Intern(message, *sequence);
  });
  read(packet.snapshot, [&](auto message) {
    return decoded_.clocks.ReadSnapshot(message, packet.sequence, *sequence);
  });
  read(packet.descriptor, [&](auto message) { return decoded_.tracks.Read(message); });
  read(packet.config, [&](auto message) { return ReadConfig(message); });
  read(packet.stats, [&](auto message) { return ReadStats(message); });
  const bool has_slice = packet.slice.data() != nullptr, has_stage = packet.stage.data() != nullptr;
  if (!is_whole || (!has_slice && !has_stage)) return is_whole;
  // An event without a sequence has no texts. Perfetto drops it, too.
  if (packet.sequence == 0) return false;
  if ((packet.flags & kNeedsState) != 0 && !sequence->is_valid) {
    decoded_.lost_state = true;
    builder_.log().AddAt(Counter::events_dropped,
                         fmt::format("the packet at byte {} needs a missing packet", offset));
    return true;
  }
  const auto stamp = packet.timestamp ? decoded_.clocks.Read(*packet.timestamp, packet.clock,
                                                             packet.sequence, *sequence)
                                      : std::nullopt;
  if (!stamp) {
    builder_.log().AddAt(Counter::events_bad_time, fmt::format("the packet at byte {}", offset));
    return true;
  }
  if (received_ >= kMostRows) return false;
  if (has_stage) return ReadStage(packet.stage, *stamp, *sequence);
  return ReadSlice(packet.slice, *stamp, packet.sequence, *sequence);
}

// TracePacketDefaults: 58 clock, 11 TrackEventDefaults { 11 track }. The defaults are valid until
// the state is cleared.
bool Decoder::ReadDefaults(std::string_view message, Sequence& sequence) {
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() == 58) sequence.clock = fields.Varint();
    if (fields.field() != 11) continue;
    WireReader of_slices(fields.Bytes());
    while (of_slices.Next()) {
      if (of_slices.field() == 11) sequence.track = of_slices.Varint();
    }
    if (!of_slices.ok()) return false;
  }
  return fields.ok();
}

bool Decoder::Intern(std::string_view message, Sequence& sequence) {
  WireReader fields(message);
  while (fields.Next()) {
    switch (const auto table = static_cast<Table>(fields.field())) {
      case Table::kCategories:
      case Table::kNames:
      case Table::kAnnotationNames:
      case Table::kSpecifications:
      case Table::kTexts:
      case Table::kKernels:
      case Table::kArguments:
        if (fields.field() <= 1001 && !InternOne(table, fields.Bytes(), sequence)) return false;
        break;
      default:
        break;
    }
  }
  return fields.ok();
}

// InternedString and similar messages: 1 number, 2 text. For a kernel, 2 is the mangled name and 3
// the readable name.
bool Decoder::InternOne(Table table, std::string_view message, Sequence& sequence) {
  std::uint64_t iid = 0;
  std::string_view name, readable;
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() == 1) iid = fields.Varint();
    if (fields.field() == 2) name = fields.Bytes();
    if (fields.field() == 3) readable = fields.Bytes();
  }
  if (!fields.ok()) return false;
  if (table == Table::kKernels && !readable.empty()) name = readable;
  if (name.size() > kLongestText) return false;
  interned_bytes_ += name.size();
  too_large_ = too_large_ || interned_bytes_ > kMostInterned;
  if (table == Table::kCategories) decoded_.signs.SeeCategory(name);
  if (!sequence.interned.Set(table, iid, name)) {
    builder_.log().AddAt(Counter::duplicate_ids, fmt::format("the number {} of a text", iid));
  }
  return true;
}

// Field numbers: TraceConfig 2 data_sources { 1 config { 1 name } }.
bool Decoder::ReadConfig(std::string_view message) {
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() != 2) continue;
    WireReader source(fields.Bytes());
    while (source.Next()) {
      if (source.field() != 1) continue;
      WireReader config(source.Bytes());
      while (config.Next()) {
        if (config.field() == 1) decoded_.signs.SeeSource(config.Bytes());
      }
    }
  }
  return fields.ok();
}

// TraceStats: 1 buffer_stats { 3 chunks_overwritten, 18 chunks_discarded }.
bool Decoder::ReadStats(std::string_view message) {
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() != 1) continue;
    WireReader buffer(fields.Bytes());
    while (buffer.Next()) {
      const bool is_loss = buffer.field() == 3 || buffer.field() == 18;
      if (is_loss && buffer.Varint() > 0) {
        builder_.log().Add(Counter::events_dropped, buffer.Varint() - 1);
        builder_.log().AddAt(Counter::events_dropped, "chunks that the recorder's buffer lost");
      }
    }
    if (!buffer.ok()) return false;
  }
  return fields.ok();
}

// Makes the row like one of a "B" in JSON: the sink leaves time and length open. The row's number
// is used even if the sink makes no row (unknown category), so that the end finds its begin.
std::uint32_t Decoder::Receive(std::string_view category, std::string_view name) {
  event_.Clear();
  event_.is_placed_later = true;
  event_.Set(kineto::Field::kPhase, "B", kineto::Form::kString);
  if (!category.empty()) event_.Set(kineto::Field::kCategory, category, kineto::Form::kString);
  event_.Set(kineto::Field::kName, name, kineto::Form::kString);
  arguments_.SetAll(event_);
  sink_.Receive(event_);
  if (++received_ % kBlock == 0) Merge();
  return received_ - 1;
}

// Passes rows on in blocks, so that the sink never holds all rows of the trace beside this object.
void Decoder::Merge() {
  kineto::Merge(rows_, builder_, made_, traces_);
  for (kineto::ApartRow& made : made_.Take()) decoded_.rows.push_back(std::move(made.row));
  rows_.Clear();
  sink_.Begin(rows_);
}

Decoded Decoder::Finish() {
  Merge();
  for (const auto& [uuid, track] : decoded_.tracks.all()) {
    decoded_.signs.process |= track.is_process;
    decoded_.signs.SeeTrack(track.name);
  }
  return std::move(decoded_);
}

// Begins and ends of slices: TrackEvent.

// The interned text of a number. A missing text is counted.
std::optional<std::string_view> Decoder::Find(const Sequence& sequence, Table table,
                                              std::uint64_t iid) {
  auto found = sequence.interned.Find(table, iid);
  if (!found) {
    builder_.log().AddAt(Counter::dependencies_unresolved,
                         fmt::format("the text of number {}", iid));
  }
  return found;
}

// Returns "name#7" if the text of number 7 is lost, since the event still happened.
std::string_view Decoder::NameOf(std::optional<std::string_view> found, std::uint64_t iid) {
  if (found) return *found;
  scratch_ = fmt::format("name#{}", iid);
  return scratch_;
}

// Reads the fields of a slice, in any order. If it has no category, its arguments decide its kind.
bool Decoder::ReadSlice(std::string_view message, Stamp stamp, std::uint64_t writer,
                        const Sequence& sequence) {
  enum Type : std::uint64_t { kBegin = 1, kEnd = 2 };
  SliceEnd end{stamp, sequence.track, static_cast<std::uint32_t>(writer)};
  std::uint64_t type = 0;
  std::string_view name, category;
  arguments_.Begin();
  WireReader fields(message);
  while (fields.Next()) {
    switch (fields.field()) {
      case 3:
        if (category.empty()) {
          category = Find(sequence, Table::kCategories, fields.Varint()).value_or("");
        }
        break;
      case 4:
        if (!arguments_.Read(fields.Bytes(), sequence.interned)) return false;
        break;
      case 6:
        decoded_.signs.legacy = true;
        break;
      case 9:
        type = fields.Varint();
        break;
      case 10:
        name = NameOf(Find(sequence, Table::kNames, fields.Varint()), fields.Varint());
        break;
      case 11:
        end.track = fields.Varint();
        break;
      case 22:
        if (category.empty()) category = fields.Bytes();
        decoded_.signs.SeeCategory(fields.Bytes());
        break;
      case 23:
        name = fields.Bytes();
        break;
      default:
        break;
    }
  }
  if (!fields.ok()) return false;
  // The event is an instant, a counter or a state.
  if (type != kBegin && type != kEnd) {
    builder_.log().Add(Counter::events_ignored_kind);
    return true;
  }
  end.is_begin = type == kBegin;
  if (end.is_begin) {
    CountArguments();
    const ArgumentSigns& signs = arguments_.signs();
    decoded_.signs.sizes_as_text |= signs.has_sizes_as_text;
    decoded_.signs.device_slices |= category.empty() && signs.has_device && signs.has_stream &&
                                    signs.has_context && signs.has_correlation && !signs.is_sync;
    if (category.empty()) category = CategoryByArguments(name);
    end.row = Receive(category, name);
  }
  decoded_.slices.push_back(end);
  return true;
}

// Derives a missing category from the arguments. Released versions of PyTorch write none for
// synchronization and overhead, those of June 2026 none at all, but a # in annotations' names.
std::string_view Decoder::CategoryByArguments(std::string_view name) const {
  const ArgumentSigns& signs = arguments_.signs();
  if (signs.has_call_id) return "cuda_runtime";
  if (signs.is_sync) return "cuda_sync";
  if (signs.is_frame) return "python_function";
  if (signs.has_device && signs.has_stream) {
    if (name == "Memcpy") return "gpu_memcpy";
    if (name == "Memset") return "gpu_memset";
    return signs.has_grid ? "kernel" : "cuda_sync";
  }
  if (decoded_.signs.pytorch_categories) return "overhead";
  return name.find('#') != name.npos ? "user_annotation" : "cpu_op";
}

void Decoder::CountArguments() {
  auto& log = builder_.log();
  if (arguments_.left_out() > 0) {
    log.Add(Counter::events_ignored_kind, arguments_.left_out() - 1);
    log.AddAt(Counter::events_ignored_kind,
              fmt::format("an argument that is nested over {} levels deep, or one of more than {}",
                          kDeepest, kMostAnnotations));
  }
  log.Add(Counter::dependencies_unresolved, arguments_.missing());
}

// Work of a device: GpuRenderStageEvent, whole in one packet.
//
//   2 duration, 11 device, 14 stage (its number: "Kernel", "Memcpy"), 17 or 20 name, 19 kernel
//   21 launch { 1 grid { 1 x, 2 y, 3 z }, 2 block { same }, 3 argument { 1, 2 name, 3, 4 value } }
//   6 extra_data { 1 name, 2 value }, texts: "device id", "stream id", "correlation", "arch"
//
// The device of extra_data has CUDA's number. Field 11 numbers the devices of the process and is
// only used without it.

namespace {

using kineto::Field;
using kineto::Form;

struct StageKind {
  std::string_view name, category;
};
constexpr StageKind kStageKinds[] = {{"Kernel", "kernel"},
                                     {"Memcpy", "gpu_memcpy"},
                                     {"Memset", "gpu_memset"},
                                     {"Annotation", "gpu_user_annotation"}};

/// The category in PyTorch's JSON; empty for stages that are not used.
std::string_view CategoryOfStage(std::string_view name) {
  for (const StageKind& kind : kStageKinds) {
    if (kind.name == name) return kind.category;
  }
  return {};
}

/// The field that an entry of extra_data sets: device, stream, correlation, or one of a collective.
Field FieldOfExtra(std::string_view name) {
  if (name == "device id") return Field::kDevice;
  if (name == "stream id") return Field::kStream;
  if (name == "correlation") return Field::kCorrelation;
  if (name == "bytes") return Field::kBytes;
  const Field field = kineto::ArgsField(name);
  const bool is_collective = field >= Field::kCollective && field <= Field::kDestinationRank;
  return is_collective ? field : Field::kNone;
}

/// Formats a message of three numbers as "[24, 1, 1]".
std::string_view TripleOf(std::string_view message, std::string& text) {
  std::uint64_t sizes[3] = {0, 0, 0};
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() >= 1 && fields.field() <= 3) sizes[fields.field() - 1] = fields.Varint();
  }
  text.clear();
  for (const std::uint64_t size : sizes) {
    const fmt::format_int digits(size);
    text += text.empty() ? "[" : ", ";
    text.append(digits.data(), digits.size());
  }
  text += ']';
  return text;
}

Ns LengthOf(std::uint64_t duration) {
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<Ns>::max());
  return static_cast<Ns>(std::min(duration, most));
}

}  // namespace

// Reads an entry of extra_data. Its number is written as text, and left out if it is 0.
bool Decoder::ReadExtra(std::string_view message) {
  std::string_view name, value;
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() == 1) name = fields.Bytes();
    if (fields.field() == 2) value = fields.Bytes();
  }
  const Field field = FieldOfExtra(name);
  if (field != Field::kNone) arguments_.Add(field, value, Form::kString);
  extra_.has_device |= field == Field::kDevice;
  extra_.has_stream |= field == Field::kStream;
  if (field == Field::kDevice) extra_.device = ParseInteger(value).value_or(-1);
  if (name == "arch") extra_.architecture = value;
  return fields.ok();
}

// Skips shared memory, because the writer has only its dynamic part.
bool Decoder::ReadArgument(std::string_view message, const Sequence& sequence) {
  std::string_view name;
  std::int64_t value = 0;
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() == 1) {
      name = Find(sequence, Table::kArguments, fields.Varint()).value_or("");
    }
    if (fields.field() == 2) name = fields.Bytes();
    if (fields.field() == 3 || fields.field() == 4) value = fields.Signed();
  }
  if (name == "registers_per_thread") {
    arguments_.Add(Field::kRegisters, DigitsOf(fmt::format_int(value)), Form::kNumber);
  }
  return fields.ok();
}

bool Decoder::ReadLaunch(std::string_view message, const Sequence& sequence) {
  WireReader fields(message);
  while (fields.Next()) {
    const Field field = fields.field() == 1   ? Field::kGrid
                        : fields.field() == 2 ? Field::kBlock
                                              : Field::kNone;
    if (field != Field::kNone) {
      arguments_.Add(field, TripleOf(fields.Bytes(), digits_), Form::kStructure);
    }
    if (fields.field() == 3 && !ReadArgument(fields.Bytes(), sequence)) return false;
  }
  return fields.ok();
}

bool Decoder::ReadStage(std::string_view message, Stamp stamp, const Sequence& sequence) {
  Stage stage{stamp};
  std::string_view name, kind;
  std::uint64_t kernel = 0;
  std::int64_t gpu = 0;
  extra_ = {};
  arguments_.Begin();
  WireReader fields(message);
  while (fields.Next()) {
    switch (fields.field()) {
      case 2:
        stage.duration = LengthOf(fields.Varint());
        break;
      case 6:
        if (!ReadExtra(fields.Bytes())) return false;
        break;
      case 11:
        gpu = fields.Signed();
        break;
      case 14:
        kind = Find(sequence, Table::kSpecifications, fields.Varint()).value_or("");
        break;
      case 17:
        name = fields.Bytes();
        break;
      case 19:
        kernel = fields.Varint();
        break;
      case 20:
        name = NameOf(Find(sequence, Table::kNames, fields.Varint()), fields.Varint());
        break;
      case 21:
        if (!ReadLaunch(fields.Bytes(), sequence)) return false;
        break;
      default:
        break;
    }
  }
  if (!fields.ok()) return false;
  // Only PyTorch writes device and stream as texts.
  (extra_.has_device && extra_.has_stream ? decoded_.signs.pytorch_stages
                                          : decoded_.signs.other_stages) = true;
  const std::string_view category = CategoryOfStage(kind);
  if (category.empty()) {
    builder_.log().Add(Counter::events_ignored_kind);
    return true;
  }
  if (!extra_.has_device) {
    arguments_.Add(Field::kDevice, DigitsOf(fmt::format_int(gpu)), Form::kNumber);
  }
  if (!decoded_.architecture && !extra_.architecture.empty()) {
    decoded_.architecture.emplace(extra_.has_device ? extra_.device : gpu, extra_.architecture);
  }
  if (name.empty() && kernel != 0) name = NameOf(Find(sequence, Table::kKernels, kernel), kernel);
  stage.row = Receive(category, name.empty() ? kind : name);
  decoded_.stages.push_back(stage);
  return true;
}

}  // namespace profgauge::readers::pftrace
