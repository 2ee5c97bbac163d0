#include "readers/xla/scrub.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <iterator>
#include <vector>

#include "base/errors.h"
#include "readers/text/wire_copy.h"
#include "readers/xla/op_sums.h"
#include "readers/xla/timeline.h"
#include "readers/xla/xplane.h"

namespace profgauge::readers::xla {
namespace {

/// Kept stats of the planes of devices and of the session.
constexpr std::string_view kPlaneStats[] = {"device_vendor",
                                            "device_type_string",
                                            "gpu_device_name",
                                            "core_count",
                                            "memory_size",
                                            "peak_teraflops_per_second",
                                            "peak_hbm_bw_gigabytes_per_second",
                                            "compute_cap_major",
                                            "compute_cap_minor",
                                            "profile_start_time",
                                            "profile_stop_time"};
/// Stats of events that are names of code. Texts of other stats are XLA's own.
constexpr std::string_view kNameStats[] = {"hlo_op", "hlo_module", "tf_op", "name", "source"};

bool IsOneOf(std::string_view name, const std::string_view* begin, const std::string_view* end) {
  return std::find(begin, end, name) != end;
}

// True if the reader uses the stat, so that a stat added there is copied, too.
bool IsKeptStat(std::string_view name) {
  return Event::StatNamed(name) != nullptr ||
         IsOneOf(name, std::begin(kPlaneStats), std::end(kPlaneStats));
}

bool IsNameStat(std::string_view name) {
  return IsOneOf(name, std::begin(kNameStats), std::end(kNameStats));
}

/// The plane's name without the host's, which XProf writes before it. A plane of neither device nor
/// host may be named by the program, so it is renamed.
std::string PlaneName(std::string_view name, const Rename& rename) {
  if (const auto device = DevicePlaneOf(name)) return std::string(device->name);
  const auto at = name.find("/host:");
  if (at != name.npos) return std::string(name.substr(at));
  return name == kEnvironmentPlane ? std::string(name) : CopiedName(name, rename);
}

/// Copies one plane. Field numbers: xplane.h. Reads the names of stats first, because they decide
/// which stats are kept. Kept stats are written with their texts.
class PlaneCopier {
 public:
  PlaneCopier(std::string_view message, const Rename& rename)
      : message_(message), rename_(rename) {}

  /// Returns the copy, empty for an empty plane. ok() is false if a part was no message.
  std::string Copy() {
    ReadNames();
    WireWriter out;
    Each(message_, [&](const WireReader& field, std::string_view raw) {
      switch (field.field()) {
        case 1:
          return out.Raw(raw);
        case 2:
          return out.Bytes(2, PlaneName(field.Bytes(), rename_));
        case 3:
          return out.Bytes(3, Line(field.Bytes()));
        case 4:
          return out.Bytes(4, EventEntry(field.Bytes()));
        case 5:
          if (IsKeptStat(NameOfEntry(field.Bytes()))) out.Bytes(5, StatEntry(field.Bytes()));
          return;
        case 6:
          return Stat(field.Bytes(), 6, out);
        default:
          return;
      }
    });
    return out.Take();
  }
  bool ok() const { return ok_; }

 private:
  template <class Use>
  void Each(std::string_view message, Use use) {
    ok_ = ForEachWireField(message, use) && ok_;
  }

  void ReadNames() {
    Each(message_, [&](const WireReader& field, std::string_view) {
      if (field.field() == 2) is_of_device_ = DevicePlaneOf(field.Bytes()).has_value();
      if (field.field() != 5) return;
      std::int64_t id = 0;
      Each(field.Bytes(), [&](const WireReader& entry, std::string_view) {
        if (entry.field() == 1) id = entry.Signed();
      });
      stats_[id] = NameOfEntry(field.Bytes());
    });
  }

  /// The name in a table's entry {1 id, 2 {2 name}}.
  std::string_view NameOfEntry(std::string_view entry) {
    std::string_view name;
    Each(entry, [&](const WireReader& field, std::string_view) {
      if (field.field() != 2) return;
      Each(field.Bytes(), [&](const WireReader& meta, std::string_view) {
        if (meta.field() == 2) name = meta.Bytes();
      });
    });
    return name;
  }

  /// Copies a table's entry {1 id, 2 message}; `copy` writes the kept part of each message field.
  template <class Copy>
  std::string Entry(std::string_view entry, Copy copy) {
    WireWriter out;
    Each(entry, [&](const WireReader& field, std::string_view raw) {
      if (field.field() == 1) out.Raw(raw);
      if (field.field() != 2) return;
      WireWriter meta;
      Each(field.Bytes(),
           [&](const WireReader& of, std::string_view part) { copy(of, part, meta); });
      out.Bytes(2, meta.Take());
    });
    return out.Take();
  }

  std::string StatEntry(std::string_view entry) {
    return Entry(entry, [](const WireReader& of, std::string_view part, WireWriter& meta) {
      if (of.field() <= 2) meta.Raw(part);
    });
  }

  std::string EventEntry(std::string_view entry) {
    return Entry(entry, [this](const WireReader& of, std::string_view part, WireWriter& meta) {
      if (of.field() == 1) meta.Raw(part);
      if (of.field() == 2 || of.field() == 4) {
        meta.Bytes(of.field(), CopiedName(of.Bytes(), rename_));
      }
      if (of.field() == 5) Stat(of.Bytes(), 5, meta);
    });
  }

  std::string Line(std::string_view message) {
    WireWriter out;
    Each(message, [&](const WireReader& field, std::string_view raw) {
      switch (field.field()) {
        case 1:
        case 3:
        case 9:
        case 10:
          return out.Raw(raw);
        case 2:
        case 11:  // Lines of devices have XLA's names, those of hosts are threads.
          return out.Bytes(field.field(), is_of_device_ ? WithoutPaths(field.Bytes())
                                                        : CopiedName(field.Bytes(), rename_));
        case 4:
          return out.Bytes(4, EventOf(field.Bytes()));
        default:
          return;
      }
    });
    return out.Take();
  }

  // Copies an event's numbers (metadata, times, occurrences) unchanged, and its stats by name.
  std::string EventOf(std::string_view message) {
    WireWriter out;
    Each(message, [&](const WireReader& field, std::string_view raw) {
      if (field.is_varint()) out.Raw(raw);
      if (field.field() == 4 && field.is_bytes()) Stat(field.Bytes(), 4, out);
    });
    return out.Take();
  }

  /// Copies a stat, with its text in place of a reference: the table has other texts, too.
  void Stat(std::string_view message, std::uint32_t as, WireWriter& out) {
    std::string_view name;
    Each(message, [&](const WireReader& field, std::string_view) {
      if (field.field() == 1) name = NameOfStat(field.Signed());
    });
    const bool is_kept = IsKeptStat(name);
    bool has_value = false;
    WireWriter stat;
    Each(message, [&](const WireReader& field, std::string_view raw) {
      if (field.field() == 1) return stat.Raw(raw);
      if (field.field() == 6) {
        has_value = true;
        return stat.Bytes(6, HloModulesOnly(field.Bytes(), [&](std::string_view instruction) {
                            return CopiedName(instruction, rename_);
                          }));
      }
      if (!is_kept) return;
      has_value = true;
      const bool is_reference = field.field() == 7;
      if (field.field() != 5 && !is_reference) return stat.Raw(raw);
      const std::string_view text = is_reference ? NameOfStat(field.Signed()) : field.Bytes();
      stat.Bytes(5, IsNameStat(name) ? CopiedName(text, rename_) : WithoutPaths(text));
    });
    if (has_value) out.Bytes(as, stat.Take());
  }

  std::string_view NameOfStat(std::int64_t id) const {
    const auto found = stats_.find(id);
    return found == stats_.end() ? std::string_view() : found->second;
  }

  std::string_view message_;
  const Rename& rename_;
  boost::unordered_flat_map<std::int64_t, std::string_view> stats_;
  bool is_of_device_ = false, ok_ = true;
};

/// Keys of a trace.json.
constexpr std::string_view kTraceKeys[] = {"ph", "pid", "tid", "ts", "dur", "name"};
constexpr std::string_view kRoot = "traceEvents/", kArgs = "traceEvents/args/";

/// The clean copy of a text. The name of a process includes the host's name, like that of a plane.
std::string CleanTrace(std::string_view path, std::string_view text, const Rename& rename) {
  if (path == "traceEvents/args/name" && text.find("/device:") != text.npos) {
    return PlaneName(text, rename);
  }
  const bool is_event = path == "traceEvents/name";
  const bool is_argument = path.starts_with(kArgs) && IsNameStat(path.substr(kArgs.size()));
  // Names of tracks: "Stream #7", "XLA Ops", "/host:CPU".
  const bool is_track = text.find('#') != text.npos || text.starts_with("XLA ") ||
                        text.starts_with("/host:") || text == "Steps";
  if (path == "traceEvents/args/name" && is_track) return WithoutPaths(text);
  if (is_event && (text == "process_name" || text == "thread_name")) return std::string(text);
  return is_event || is_argument ? CopiedName(text, rename) : WithoutPaths(text);
}

}  // namespace

Result<std::string> ScrubXSpace(const std::string& file, std::string_view bytes,
                                const Rename& rename) {
  WireWriter out;
  bool is_whole = true;
  std::uint64_t planes = 0;
  const bool is_message = ForEachWireField(bytes, [&](const WireReader& field, std::string_view) {
    const bool is_error = field.field() == 2;
    if (is_error || field.field() == 3) {
      out.Bytes(field.field(), MessageKind(is_error, field.Bytes()));
    }
    if (field.field() != 1) return;
    PlaneCopier plane(field.Bytes(), rename);
    out.Bytes(1, plane.Copy());
    is_whole = is_whole && plane.ok();
    ++planes;
  });
  if (is_message && is_whole && planes > 0) return out.Take();
  return Fail(InputError(file, "xla/malformed", "the XPlane file is truncated or damaged",
                         "copy the file again, or record again"));
}

JsonKeep KeptKeys(const Rename& rename) {
  JsonKeep keep = {"xla", {"displayTimeUnit", "metadata/highres-ticks"}, {}};
  for (const std::string_view key : kTraceKeys)
    keep.paths.push_back(fmt::format("{}{}", kRoot, key));
  for (const Event::Stat& stat : Event::Stats()) {
    keep.paths.push_back(fmt::format("{}{}", kArgs, stat.name));
  }
  keep.clean = [&rename](std::string_view path, std::string_view text) {
    return CleanTrace(path, text, rename);
  };
  return keep;
}

}  // namespace profgauge::readers::xla
