#include "readers/xla/xplane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/text.h"
#include "readers/text/wire.h"
#include "readers/xla/plane.h"

namespace profgauge::readers::xla {
namespace {

constexpr std::string_view kLostEvents = "events dropped", kOtherWords = "ignored";
constexpr std::string_view kModulePlane = "/host:metadata";

}  // namespace

//   0A  <length, up to 10 bytes>  08 01  12 0D "/device:GPU:0"  ...
//   │                             │      └ field 2 of the plane: its name
//   │                             └ field 1 of the plane: its id; may be missing
//   └ field 1 of the file: a plane
bool BeginsXSpace(std::string_view head) {
  // A first plane may be longer than the available bytes: its length is not checked.
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

/// The planes so far: concatenated Protocol Buffers files are one message with the planes of all.
/// Two planes of one name do not show a second profile: hosts may write several. The plane of a GPU
/// or TPU is written once.
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

/// Calls `each` with the bytes of all fields of that number in the message.
template <class Each>
void ForEachField(std::string_view message, std::uint32_t field, Each each) {
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() == field) each(fields.Bytes());
  }
}

/// The modules that the profile ran: stats of bytes in the metadata of a plane's events.
///   plane "/host:metadata" ── event metadata ── stats ── bytes: an HloProto
///
/// Before the planes of devices, wherever it is in the file: kernels are looked up by it.
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

/// Whether the profiler says that its profile has no events. Its texts are for people: these words
/// are those of xla/backends/profiler and tsl/profiler.
bool TellsOfLoss(bool is_error, std::string_view text) {
  // "Detected GPU events dropped on HOST: …", "No XSpace data returned from subprocess: …".
  constexpr std::string_view kWords[] = {"dropped",         "no XSpace data", "no kernel events",
                                         "buffer overflow", "events lost",    "lost events"};
  const auto says = [&](std::string_view words) { return Says(text, words); };
  if (std::any_of(std::begin(kWords), std::end(kWords), says)) return true;
  // An option that it does not know is an error too, and loses nothing.
  return is_error && !says("ignored");
}

// The texts are shown, cut to 200 bytes: they name the loss.
void AddWords(bool is_error, std::string_view text, ImportLog& log) {
  // events_dropped of 1 represents a statement without a number; a second one would make it two.
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

}  // namespace profgauge::readers::xla
