#include "readers/xla/xplane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/text.h"
#include "base/whole.h"
#include "readers/text/numbers.h"
#include "readers/text/wire.h"

namespace profgauge::readers::xla {
namespace {

constexpr std::string_view kLostEvents = "events dropped", kOtherWords = "ignored";
constexpr std::string_view kModulePlane = "/host:metadata";

}  // namespace

// True if the bytes begin like a file of planes:
//   0A  <length, up to 10 bytes>  08 01  12 0D "/device:GPU:0"  ...
//   │                             │      └ field 2 of the plane: its name
//   │                             └ field 1 of the plane: its id; may be missing
//   └ field 1 of the file: a plane
bool BeginsXSpace(std::string_view head) {
  // The first plane may be longer than the available bytes, so its length is not checked.
  if (head.size() < 3 || head.front() != '\x0A') return false;
  head.remove_prefix(1);
  std::size_t length_bytes = 0;
  while (length_bytes < head.size() && length_bytes < 10 && (head[length_bytes] & 0x80) != 0) {
    ++length_bytes;
  }
  if (length_bytes >= head.size()) return false;
  head.remove_prefix(length_bytes + 1);
  WireReader fields(head);
  while (fields.Next()) {
    if (fields.field() == 1) continue;
    const auto name = fields.field() == plane::kName ? fields.Bytes() : std::string_view{};
    return name.starts_with("/host:") || name.starts_with("/device:") ||
           name == kEnvironmentPlane || name.find(" /device:") != std::string_view::npos ||
           name.find(" /host:") != std::string_view::npos;
  }
  return false;
}

namespace {

std::string_view NameOf(std::string_view plane) {
  WireReader fields(plane);
  while (fields.Next()) {
    if (fields.field() == plane::kName) return fields.Bytes();
  }
  return {};
}

/// The planes that were read. Concatenated Protocol Buffers files are one message with all planes.
/// Hosts may write several planes with one name, but a GPU or TPU is written once, so a repeated
/// name of one shows a second profile.
class SeenPlanes {
 public:
  enum class Is : std::uint8_t { kNew, kCopy, kOfAnother };
  Is Add(std::string_view plane) {
    const std::string_view name = NameOf(plane);
    std::vector<std::string_view>& named = planes_[name];
    if (std::find(named.begin(), named.end(), plane) != named.end()) return Is::kCopy;
    named.push_back(plane);
    const bool of_device =
        name.find("/device:GPU") != name.npos || name.find("/device:TPU") != name.npos;
    return of_device && named.size() > 1 ? Is::kOfAnother : Is::kNew;
  }

 private:
  std::map<std::string_view, std::vector<std::string_view>> planes_;
};

/// Calls `each` with the bytes of all fields `field` in the message.
template <class Each>
void ForEachField(std::string_view message, std::uint32_t field, Each each) {
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() == field) each(fields.Bytes());
  }
}

/// Reads the modules that ran, from the stats in the metadata of a plane's events:
///   plane "/host:metadata" ── event metadata ── stats ── bytes: an HloProto
///
/// Runs before the devices' planes are read, because kernels are looked up in the modules.
void ReadModules(std::string_view bytes, Timeline& timeline) {
  ForEachField(bytes, space::kPlanes, [&](std::string_view plane) {
    if (NameOf(plane) != kModulePlane) return;
    ForEachField(plane, plane::kEventMetadata, [&](std::string_view entry) {
      ForEachField(entry, 2, [&](std::string_view event) {
        ForEachField(event, metadata::kStats, [&](std::string_view stat) {
          ForEachField(stat, stat::kBytes,
                       [&](std::string_view module) { timeline.AddModule(module); });
        });
      });
    });
  });
}

bool Says(std::string_view text, std::string_view words) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return std::search(text.begin(), text.end(), words.begin(), words.end(), same) != text.end();
}

/// True if a message of the profiler means lost events. The words are from xla/backends/profiler
/// and tsl/profiler.
bool TellsOfLoss(bool is_error, std::string_view text) {
  // "Detected GPU events dropped on HOST: …", "No XSpace data returned from subprocess: …".
  constexpr std::string_view kWords[] = {"dropped",         "no XSpace data", "no kernel events",
                                         "buffer overflow", "events lost",    "lost events"};
  const auto says = [&](std::string_view words) { return Says(text, words); };
  if (std::any_of(std::begin(kWords), std::end(kWords), says)) return true;
  // An error about an unknown option means no loss.
  return is_error && !says("ignored");
}

// Adds a message to the log, cut to 200 bytes. It is shown, because it names the loss.
void AddWords(bool is_error, std::string_view text, ImportLog& log) {
  // The first message without a number counts as one lost event, further ones as warnings.
  const bool is_loss = TellsOfLoss(is_error, text) && log[Counter::events_dropped] == 0;
  log.AddAt(is_loss ? Counter::events_dropped : Counter::profiler_warnings,
            PrintableShort(text, 200));
}

}  // namespace

std::string_view MessageKind(bool is_error, std::string_view text) {
  return TellsOfLoss(is_error, text) ? kLostEvents : kOtherWords;
}

std::string PlaneNames(std::string_view bytes) {
  std::string names;
  ForEachField(bytes, space::kPlanes, [&](std::string_view plane) {
    names.append(names.empty() ? "" : ", ").append(NameOf(plane));
  });
  return names;
}

Result<XSpaceEnd> ReadXSpace(std::string_view bytes, Timeline& timeline, ProfileBuilder& builder) {
  const auto offset_of = [&](std::string_view rest) {
    return static_cast<std::uint64_t>(rest.data() - bytes.data());
  };
  ReadModules(bytes, timeline);
  WireReader fields(bytes);
  XSpaceEnd end;
  SeenPlanes seen;
  std::size_t copies = 0;
  while (fields.Next()) {
    end.offset = offset_of(fields.rest());
    if (fields.field() == space::kErrors || fields.field() == space::kWarnings) {
      AddWords(fields.field() == space::kErrors, fields.Bytes(), builder.log());
    }
    if (fields.field() != space::kPlanes) continue;
    const SeenPlanes::Is is = seen.Add(fields.Bytes());
    if (is == SeenPlanes::Is::kOfAnother) {
      end.goes_on = true;
      return end;
    }
    if (is == SeenPlanes::Is::kCopy) {
      ++copies;
      continue;
    }
    const auto bad = ReadPlane(fields.Bytes(), timeline, builder);
    if (!bad) continue;
    return Fail(InputErrorAt({}, offset_of(*bad), "xla/malformed",
                             "the XPlane file is damaged: a plane has bytes that are not a message",
                             "copy the file again, or record again"));
  }
  if (copies > 0) {
    builder.AddFact("planes recorded twice", fmt::format("{}; each counts once", copies));
  }
  end.complete = fields.ok();
  if (end.complete) end.offset = bytes.size();
  return end;
}

namespace {

/// The text, with U+FFFD for bytes that are no UTF-8.
std::string_view Valid(std::string_view text, std::deque<std::string>& kept, ImportLog& log) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto length = Utf8Length(text.substr(at));
    if (length == 0) break;
    at += length;
  }
  if (at == text.size()) return text;
  log.Add(Counter::strings_bad_utf8);
  return kept.emplace_back(ValidUtf8(text));
}

/// Converts picoseconds to nanoseconds, rounded half up.
Ns Nanoseconds(std::int64_t picoseconds) {
  const auto whole = picoseconds / 1000, rest = picoseconds % 1000;
  return whole + (rest >= 500 ? 1 : rest <= -500 ? -1 : 0);
}

/// Reads one plane in two passes: first the definitions of ids, then the lines. Definitions may
/// follow the lines that use them.
class Plane {
 public:
  Plane(std::string_view message, Timeline& timeline, ProfileBuilder& builder)
      : message_(message), timeline_(timeline), builder_(builder) {}

  /// Returns the part of the plane that is no message; nothing if all parts are valid.
  std::optional<std::string_view> Read() {
    if (!ReadMetadata()) return bad_;
    if (name_ == kEnvironmentPlane) {
      ReadEnvironment();
    } else {
      ReadDevice();
    }
    WireReader fields(message_);
    while (fields.Next()) {
      if (fields.field() == plane::kLines && !ReadLine(fields.Bytes())) return bad_;
    }
    return std::nullopt;
  }

 private:
  struct StatMeta {
    std::string_view name;
    std::string_view Event::*member = nullptr;
  };
  struct EventMeta {
    std::string_view name;
    std::string_view stats_of;  ///< The message if it has stats; otherwise empty.
  };

  bool Bad(const WireReader& fields) {
    bad_ = fields.rest();
    return false;
  }

  bool ReadMetadata() {
    WireReader fields(message_);
    while (fields.Next()) {
      if (fields.field() == plane::kName) name_ = fields.Bytes();
      if (fields.field() == plane::kStats) stats_.push_back(fields.Bytes());
      const bool of_event = fields.field() == plane::kEventMetadata;
      if (!of_event && fields.field() != plane::kStatMetadata) continue;
      WireReader entry(fields.Bytes());
      std::int64_t id = 0;
      std::string_view value;
      while (entry.Next()) {
        if (entry.field() == 1) id = entry.Signed();
        if (entry.field() == 2) value = entry.Bytes();
      }
      if (!entry.ok()) return Bad(entry);
      if (!(of_event ? AddEventMeta(id, value) : AddStatMeta(id, value))) return false;
    }
    return fields.ok() || Bad(fields);
  }

  bool AddEventMeta(std::int64_t id, std::string_view message) {
    EventMeta meta;
    WireReader fields(message);
    std::string_view display;
    while (fields.Next()) {
      if (fields.field() == metadata::kName) meta.name = fields.Bytes();
      if (fields.field() == metadata::kDisplayName) display = fields.Bytes();
      if (fields.field() == metadata::kStats) meta.stats_of = message;
    }
    // The name of a TPU's operator is the whole text of its HLO.
    if (!display.empty()) meta.name = display;
    meta.name = Valid(meta.name, texts_, builder_.log());
    events_[id] = meta;
    return fields.ok() || Bad(fields);
  }

  // Looks up a stat's name once per plane; events then use the pointer to the member.
  bool AddStatMeta(std::int64_t id, std::string_view message) {
    WireReader fields(message);
    StatMeta meta;
    while (fields.Next()) {
      if (fields.field() == metadata::kName) meta.name = fields.Bytes();
    }
    meta.member = Event::StatNamed(meta.name);
    stat_names_[id] = meta;
    return fields.ok() || Bad(fields);
  }

  /// A stat's kind, and its value as text.
  struct Stat {
    StatMeta meta;
    std::string_view text;
  };

  bool ReadStat(std::string_view message, Stat& out) {
    WireReader fields(message);
    out = {};
    while (fields.Next()) {
      switch (fields.field()) {
        case stat::kMetadata:
          if (const auto found = stat_names_.find(fields.Signed()); found != stat_names_.end()) {
            out.meta = found->second;
          }
          break;
        case stat::kDouble:
          out.text = Kept(fmt::format("{}", fields.Double()));
          break;
        case stat::kUnsigned:
          out.text = Kept(fmt::format("{}", fields.Varint()));
          break;
        case stat::kSigned:
          out.text = Kept(fmt::format("{}", fields.Signed()));
          break;
        case stat::kText:
          out.text = fields.Bytes();
          break;
        case stat::kRef:
          if (const auto found = stat_names_.find(fields.Signed()); found != stat_names_.end()) {
            out.text = found->second.name;
          }
          break;
        default:
          break;
      }
    }
    return fields.ok() || Bad(fields);
  }

  // Keeps a text in a slot, reused for the next event. A deque keeps views of earlier slots valid.
  std::string_view Kept(std::string text) {
    if (used_ == numbers_.size()) numbers_.emplace_back();
    auto& slot = numbers_[used_++];
    slot = std::move(text);
    return slot;
  }

  bool ReadStats(std::string_view message, std::uint32_t field, Event& out) {
    WireReader fields(message);
    while (fields.Next()) {
      if (fields.field() != field) continue;
      Stat stat;
      if (!ReadStat(fields.Bytes(), stat)) return false;
      if (stat.meta.member != nullptr) {
        out.*stat.meta.member = Valid(stat.text, texts_, builder_.log());
      }
    }
    return fields.ok() || Bad(fields);
  }

  // Reads begin and end of the session in Unix nanoseconds, from stats of "Task Environment".
  void ReadEnvironment() {
    Ns start = 0, stop = 0;
    for (const auto message : stats_) {
      Stat stat;
      if (!ReadStat(message, stat)) return;
      const auto value = ParseInteger(stat.text).value_or(0);
      if (stat.meta.name == "profile_start_time") start = value;
      if (stat.meta.name == "profile_stop_time") stop = value;
      used_ = 0;
    }
    // Times of lines are relative to the start of the session.
    if (start <= 0 || start > kMaxTime) return;
    builder_.SetClockOffset(start);
    if (stop > start && stop <= kMaxTime) builder_.SetSpan(0, stop - start);
  }

  // Reads the properties of a device. Planes of GPUs and TPUs have different ones; missing ones
  // stay unknown. Peak rates are in 1e12 FLOP/s and 1e9 bytes per second.
  void ReadDevice() {
    timeline_.SeePlane(name_);
    const auto device = DevicePlaneOf(name_);
    if (!device || device->sparse_core >= 0) return;
    Gpu gpu;
    gpu.id = device->number;
    std::string vendor, type;
    double peak_flops = 0, peak_bandwidth = 0;
    for (const auto message : stats_) {
      Stat stat;
      if (!ReadStat(message, stat)) return;
      const auto& key = stat.meta.name;
      const auto number = ParseInteger(stat.text).value_or(-1);
      const auto small = number >= 0 ? Narrow(number, -1) : -1;
      if (key == "device_vendor") vendor = Valid(stat.text, texts_, builder_.log());
      if (key == "device_type_string" || key == "gpu_device_name") {
        type = Valid(stat.text, texts_, builder_.log());
      }
      if (key == "core_count") gpu.sms = small;
      if (key == "memory_size") gpu.memory = number;
      const double real = ParseReal(stat.text).value_or(0);
      if (key == "peak_teraflops_per_second") peak_flops = real * 1e12;
      if (key == "peak_hbm_bw_gigabytes_per_second") peak_bandwidth = real * 1e9;
      if (key == "compute_cap_major") gpu.compute_major = small;
      if (key == "compute_cap_minor") gpu.compute_minor = small;
      used_ = 0;
    }
    if (peak_flops > 0 || peak_bandwidth > 0) timeline_.SetPeaks(peak_flops, peak_bandwidth);
    if (type.empty() && device->is_tpu()) type = "TPU";
    if (gpu.id < 0 || (gpu.sms < 0 && type.empty())) return;  // Seen, but unused.
    if (vendor == "Nvidia") vendor = "NVIDIA";
    gpu.name = !type.empty() ? type : vendor.empty() ? "" : vendor + " GPU";
    timeline_.SetCores(gpu.id, gpu.sms);
    timeline_.AddGpu(std::move(gpu));
  }

  // Reads name and start of the line first, since they may follow its events.
  bool ReadLine(std::string_view message) {
    WireReader fields(message);
    std::int64_t id = 0;
    std::string_view name, display;
    Ns base = 0;
    while (fields.Next()) {
      if (fields.field() == line::kId) id = fields.Signed();
      if (fields.field() == line::kName) name = fields.Bytes();
      if (fields.field() == line::kDisplayName) display = fields.Bytes();
      if (fields.field() == line::kTimestampNs) base = fields.Signed();
    }
    if (!fields.ok()) return Bad(fields);
    const auto shown = Valid(name.empty() ? display : name, texts_, builder_.log());
    const auto track =
        timeline_.MakeTrack(Valid(name_, texts_, builder_.log()), std::to_string(id), shown);
    WireReader again(message);
    while (again.Next()) {
      if (again.field() == line::kEvents && !ReadEvent(again.Bytes(), base, track)) return false;
    }
    return true;
  }

  // Reads an event. Its start is the line's start in ns + its offset in ps, rounded; its length is
  // rounded separately. Adds the stats of the metadata first, because the event's own stats of the
  // same name replace them. An event that only counts occurrences has no time.
  bool ReadEvent(std::string_view message, Ns base, const Track& track) {
    WireReader fields(message);
    std::int64_t id = 0, offset = 0, duration = 0;
    bool only_counts = false, has_stats = false;
    while (fields.Next()) {
      if (fields.field() == event::kMetadata) id = fields.Signed();
      if (fields.field() == event::kOffsetPs) offset = fields.Signed();
      if (fields.field() == event::kDurationPs) duration = fields.Signed();
      if (fields.field() == event::kOccurrences) only_counts = true;
      if (fields.field() == event::kStats) has_stats = true;
    }
    if (!fields.ok()) return Bad(fields);
    auto& log = builder_.log();
    Event out;
    if (only_counts || base < -kMaxTime || base > kMaxTime) {
      log.Add(Counter::events_read);
      log.Add(only_counts ? Counter::events_ignored_kind : Counter::events_bad_time);
      return true;
    }
    if (duration < 0) log.Add(Counter::events_negative_dur);
    out.start = base + Nanoseconds(offset);
    out.duration = Nanoseconds(std::max<std::int64_t>(duration, 0));
    used_ = 0;
    if (const auto found = events_.find(id); found != events_.end()) {
      out.name = found->second.name;
      const auto& shared = found->second.stats_of;
      if (!shared.empty() && !ReadStats(shared, metadata::kStats, out)) return false;
    }
    if (has_stats && !ReadStats(message, event::kStats, out)) return false;
    timeline_.Add(track, out);
    return true;
  }

  std::string_view message_;
  Timeline& timeline_;
  ProfileBuilder& builder_;
  std::string_view name_;
  std::vector<std::string_view> stats_;
  boost::unordered_flat_map<std::int64_t, EventMeta> events_;
  boost::unordered_flat_map<std::int64_t, StatMeta> stat_names_;
  std::deque<std::string> numbers_;  ///< Numbers of one event's stats, as text.
  std::size_t used_ = 0;
  std::deque<std::string> texts_;  ///< Repaired texts.
  std::string_view bad_;
};

}  // namespace

std::optional<std::string_view> ReadPlane(std::string_view message, Timeline& timeline,
                                          ProfileBuilder& builder) {
  return Plane(message, timeline, builder).Read();
}

}  // namespace profgauge::readers::xla
