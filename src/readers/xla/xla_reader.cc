#include "readers/xla/xla_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/files.h"
#include "base/hashes.h"
#include "base/string_pool.h"
#include "base/text.h"
#include "knowledge/loss.h"
#include "knowledge/xla.h"
#include "readers/text/blocks.h"
#include "readers/text/json_rows.h"
#include "readers/text/numbers.h"
#include "readers/xla/timeline.h"
#include "readers/xla/xplane.h"

namespace profgauge::readers {
namespace xla {
namespace {

namespace fs = std::filesystem;

constexpr RecordingHint kHints[] = {
    {Capability::kDeviceEvents,
     "record iterations that run on the device, with its tracer on "
     "(ProfileOptions.device_tracer_level)"},
    {Capability::kHostOps, "record with ProfileOptions.host_tracer_level=2"},
    {Capability::kLaunchLinks, "record with ProfileOptions.host_tracer_level=2"},
    {Capability::kShapes, "those in the HLO of XLA's profiles are not read"},
    {Capability::kCallStacks, "XLA's profiles contain only source lines of operators"},
    {Capability::kMemoryEvents, "record with ProfileOptions.host_tracer_level=2"},
    {Capability::kIterationMarkers,
     "put each iteration into jax.profiler.StepTraceAnnotation(\"train\", step_num=n) or "
     "tf.profiler.experimental.Trace(\"train\", step_num=n, _r=1)"},
    {Capability::kPython, "record with ProfileOptions.python_tracer_level=1"},
    {Capability::kDeviceProperties, "pass the `.xplane.pb` next to the trace, which has them"},
};

/// The maximum size of a message in Protocol Buffers.
constexpr std::size_t kMaxMessage = (std::size_t{1} << 31) - 1;

constexpr const char* kNoEvents = "xla/no-events";

// Finishes the profile of either form.
Result<Profile> Finished(const ByteSource& source, std::string dialect, Timeline& timeline,
                         ProfileBuilder& builder) {
  timeline.Finish();
  builder.SetHints(kHints);
  builder.source().format = "xla";
  builder.source().framework = "xla";
  builder.source().dialect = std::move(dialect);
  PROFGAUGE_TRY(auto profile, builder.Finish());
  if (profile.device.size() + profile.host.size() + profile.api.size() + profile.python.size() >
      0) {
    return profile;
  }
  return Fail(
      InputError(source.name(), kNoEvents, "the XLA profile is empty",
                 "the profiler was stopped before an iteration ran; record a few iterations"));
}

/// Words near the begin of XProf's pages for TensorBoard, which have only sums.
constexpr std::string_view kXprofWords[] = {"\"cols\"", "\"byCategory\"", "\"byProgram\"",
                                            "\"podStatsSequence\"", "\"hloModule\""};
constexpr std::size_t kNearBeginning = 512;

class XPlaneReader final : public Reader {
 public:
  std::string_view name() const override { return "xla"; }
  std::string_view expected() const override {
    return "JAX's or TensorFlow's XPlane (*.xplane.pb)";
  }
  std::span<const std::string_view> suffixes() const override {
    static constexpr std::string_view kSuffixes[] = {".pb"};
    return kSuffixes;
  }

  Match Sniff(std::span<const std::byte> head) const override {
    const std::string_view bytes(reinterpret_cast<const char*>(head.data()), head.size());
    return BeginsXSpace(bytes) ? Match::kYes : Match::kNo;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    ProfileBuilder builder;
    std::string bytes;
    PROFGAUGE_CHECK(ReadAll(source, options, builder, bytes));
    Timeline timeline(builder);
    auto end = ReadXSpace(bytes, timeline, builder);
    if (!end) {
      end.error().where.file = source.name();
      return Fail(std::move(end).error());
    }
    if (end->goes_on && !options.allow_incomplete) return Fail(GoesOn(source, end->offset));
    if (!end->complete && builder.log()[Counter::truncated] == 0) {
      if (!options.allow_incomplete) return Fail(Truncated(source, end->offset));
      builder.log().Add(Counter::truncated);
    }
    auto profile = Finished(source, "XPlane", timeline, builder);
    if (!profile && profile.error().code == kNoEvents) return Fail(NoEvents(source, bytes));
    return profile;
  }

  std::optional<Error> Refuse(const std::string& path, std::string_view head) const override {
    head = head.substr(0, kNearBeginning);
    const bool is_page = std::any_of(
        std::begin(kXprofWords), std::end(kXprofWords),
        [&](std::string_view word) { return head.find(word) != std::string_view::npos; });
    if (!is_page) return std::nullopt;
    return InputError(path, "input/xprof",
                      "the file is a page of XProf, which contains only totals",
                      "pass the `.xplane.pb` that it was made from "
                      "(plugins/profile/<time>/<host>.xplane.pb)");
  }

  /// The latest profile in a log folder, where folders are named by time.
  std::vector<std::string> OutputsOf(const std::string& folder,
                                     std::vector<std::string>& earlier) const override {
    std::vector<std::string> recordings;
    const auto profiles = fs::path(folder) / "plugins" / "profile";
    for (const FolderEntry& entry : ListEntries(profiles)) {
      if (entry.is_folder()) recordings.push_back(entry.path.string());
    }
    if (recordings.empty()) return {};
    earlier.insert(earlier.end(), recordings.begin(), recordings.end() - 1);
    return {recordings.back()};
  }

  std::string FullerThan(const std::string& name,
                         const std::vector<std::string>& names) const override {
    for (const std::string_view suffix : {".trace.json.gz", ".trace.json"}) {
      if (!name.ends_with(suffix)) continue;
      const std::string xplane = name.substr(0, name.size() - suffix.size()) + ".xplane.pb";
      return std::find(names.begin(), names.end(), xplane) != names.end() ? xplane : "";
    }
    if (name != "perfetto_trace.json.gz") return {};
    const auto xplane = std::find_if(names.begin(), names.end(), [](const std::string& other) {
      return other.ends_with(".xplane.pb");
    });
    return xplane == names.end() ? std::string() : *xplane;
  }

 private:
  /// The error for a file without events. Its planes show which parts were profiled.
  static Error NoEvents(const ByteSource& source, std::string_view bytes) {
    const std::string planes = PlaneNames(bytes);
    return InputError(
        source.name(), kNoEvents,
        "the XLA profile has no events; its planes are " + PrintableShort(planes, 200),
        planes.find("/device:") != planes.npos
            ? "record a few iterations, until the last one has run"
            : "no GPU or TPU was profiled: record in the process that uses it");
  }
  // Checks the limit while it reads, so that a larger file does not fill the memory first.
  static Status ReadAll(ByteSource& source, const ReadOptions& options, ProfileBuilder& builder,
                        std::string& bytes) {
    ContentHash hash;
    const auto take = [&](std::string_view block, std::uint64_t) -> Status {
      hash.Add(block);
      bytes += block;
      if (bytes.size() <= kMaxMessage) return {};
      return Fail(InputError(source.name(), "xla/too-large",
                             "the XPlane file is larger than a message can be (2 GiB)",
                             "record fewer iterations"));
    };
    PROFGAUGE_TRY(const BlocksRead all, ForEachBlock(source, take));
    if (all.failed && !options.allow_incomplete) return Fail(*all.failed);
    if (all.failed) builder.log().Add(Counter::truncated);
    builder.source().path = source.name();
    builder.source().bytes = bytes.size();
    builder.source().hash = hash.Hex();
    return {};
  }

  static Error GoesOn(const ByteSource& source, std::uint64_t offset) {
    return InputErrorAt(
        source.name(), offset, "xla/goes-on",
        "the XPlane file contains a second profile: a device has two planes",
        "write each profile to a separate file; pass --allow-incomplete to judge the first");
  }

  static Error Truncated(const ByteSource& source, std::uint64_t offset) {
    return InputErrorAt(source.name(), offset, "xla/truncated",
                        "the XPlane file ends inside a plane",
                        "copy the file again; pass --allow-incomplete to judge the readable part");
  }
};

/// Keeps events that precede the definition of their track.
class WaitingEvents {
 public:
  void Add(std::uint32_t track, const Event& event) {
    rows_.push_back({track, static_cast<std::uint32_t>(texts_.size()), event.start, event.duration,
                     pool_.Intern(event.name)});
    for (std::size_t stat = 0; stat < Event::Stats().size(); ++stat) {
      const std::string_view text = event.*Event::Stats()[stat].member;
      if (!text.empty()) texts_.emplace_back(static_cast<std::uint32_t>(stat), pool_.Intern(text));
    }
  }

  /// Passes each event and its track to `place`, in order. Afterwards this object is empty.
  template <typename Place>
  void Take(Place place) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      Event event;
      event.name = pool_[row.name];
      event.start = row.start;
      event.duration = row.duration;
      const std::size_t end = i + 1 < rows_.size() ? rows_[i + 1].texts : texts_.size();
      for (std::size_t at = row.texts; at < end; ++at) {
        event.*Event::Stats()[texts_[at].first].member = pool_[texts_[at].second];
      }
      place(row.track, event);
    }
    *this = {};
  }

 private:
  struct Row {
    std::uint32_t track = 0;
    std::uint32_t texts = 0;  ///< The first text in texts_.
    Ns start = 0, duration = 0;
    StringId name;
  };
  std::vector<Row> rows_;
  std::vector<std::pair<std::uint32_t, StringId>> texts_;  ///< With the stat's number.
  StringPool pool_;  ///< Separate, as most are unique numbers.
};

/// Reads the rows of trace.json: names of processes and threads, and events, in any order.
class TraceRows final : public JsonRowReceiver {
 public:
  TraceRows(Timeline& timeline, ProfileBuilder& builder) : timeline_(timeline), builder_(builder) {}

  std::uint64_t events() const { return events_; }
  bool Wants(std::string_view list) override { return list == "traceEvents"; }

  void Receive(std::string_view, const JsonRow& row) override {
    const auto phase = row.Text("ph");
    if (phase == "M") return Name(row);
    if (phase == "X") return Complete(row);
    if (!row.fields().empty()) builder_.log().Add(Counter::events_ignored_kind);
  }

  /// Adds the events that came before the names of their tracks.
  void Finish() {
    for (Named& track : tracks_) MakeTrack(track, true);
    std::uint64_t nameless = 0;
    waiting_.Take([&](std::uint32_t number, const Event& event) {
      const auto& track = tracks_[number].track;
      if (!track) ++nameless;
      timeline_.Add(track.value_or(Track{}), event);
    });
    if (nameless <= knowledge::kLossUnusableShare.Of(events_)) return;
    builder_.log().AddAt(
        Counter::rows_unusable,
        fmt::format("{} of {} events belong to tracks without a name", nameless, events_));
  }

 private:
  /// A thread of a process, which becomes a track when both names are known.
  struct Named {
    std::string process, thread;
    std::string name;
    bool is_named = false;
    std::optional<Track> track;
  };

  // Sets a name. A later name replaces an earlier one for the events after it.
  void Name(const JsonRow& row) {
    const auto what = row.Text("name");
    const std::string process(row.Text("pid"));
    const auto name = row.Text("args.name");
    if (name.empty()) return;
    if (what == "process_name") {
      timeline_.SeePlane(name);
      planes_[process] = name;
    }
    if (what != "thread_name") return;
    Named& track = tracks_[NumberOf(process, row.Text("tid"))];
    track.name = name;
    track.is_named = true;
    track.track.reset();
    MakeTrack(track, false);
  }

  /// Makes the track if its names are known. At the end, a thread of a host needs no name.
  void MakeTrack(Named& track, bool is_end) {
    if (track.track) return;
    const auto plane = planes_.find(track.process);
    if (plane == planes_.end()) return;
    const bool is_host = plane->second.find("/host:") != std::string::npos;
    if (!track.is_named && !(is_end && is_host)) return;
    track.track = timeline_.MakeTrack(plane->second, track.thread, track.name);
  }

  std::uint32_t NumberOf(std::string_view process, std::string_view thread) {
    key_ = process;
    key_ += '/';
    key_ += thread;
    const auto [found, is_new] =
        numbers_.try_emplace(key_, static_cast<std::uint32_t>(tracks_.size()));
    if (is_new) tracks_.push_back({std::string(process), std::string(thread), {}, false, {}});
    return found->second;
  }

  // Adds an event if its track is named, which mostly is true. Otherwise it waits until Finish().
  void Complete(const JsonRow& row) {
    ++events_;
    auto& log = builder_.log();
    Event event;
    for (const auto& field : row.fields()) {
      if (!field.path.starts_with("args.")) continue;
      if (const auto member = Event::StatNamed(field.path.substr(5))) event.*member = field.text;
    }
    const auto start = ParseMicroseconds(row.Text("ts"), Fraction::kDecimal, kMaxTime);
    const auto duration = ParseMicroseconds(row.Text("dur"), Fraction::kDecimal, kMaxDuration);
    if (!start || !duration || *duration < 0) {
      log.Add(Counter::events_read);
      return log.Add(Counter::events_bad_time);
    }
    event.name = row.Text("name");
    event.start = *start;
    event.duration = *duration;
    const std::uint32_t number = NumberOf(row.Text("pid"), row.Text("tid"));
    Named& track = tracks_[number];
    MakeTrack(track, false);
    if (track.track) return timeline_.Add(*track.track, event);
    waiting_.Add(number, event);
  }

  Timeline& timeline_;
  ProfileBuilder& builder_;
  boost::unordered_flat_map<std::string, std::string> planes_;
  boost::unordered_flat_map<std::string, std::uint32_t> numbers_;  ///< Indices in tracks_, by key.
  std::vector<Named> tracks_;
  WaitingEvents waiting_;
  std::string key_;
  std::uint64_t events_ = 0;
};

class XlaTraceReader final : public Reader {
 public:
  std::string_view name() const override { return "xla"; }
  std::string_view expected() const override {
    return "JAX's or TensorFlow's trace (*.trace.json.gz)";
  }
  std::span<const std::string_view> suffixes() const override {
    static constexpr std::string_view kSuffixes[] = {".json", ".json.gz"};
    return kSuffixes;
  }

  Match Sniff(std::span<const std::byte> head) const override {
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    const auto has = [&](std::string_view key) { return Contains(text, key); };
    if (!has("\"traceEvents\"") || has("\"deviceProperties\"") || has("\"schemaVersion\"")) {
      return Match::kNo;
    }
    return has("\"highres-ticks\"") || has("/device:GPU:") || has("/device:TPU:") ||
                   has("\"/host:CPU\"")
               ? Match::kYes
               : Match::kNo;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    ProfileBuilder builder;
    Timeline timeline(builder);
    TraceRows rows(timeline, builder);
    PROFGAUGE_CHECK(ReadJsonRows(source, options, rows, builder));
    rows.Finish();
    if (rows.events() == knowledge::kXlaTraceEvents) {  // The writer keeps the earliest events.
      builder.log().AddAt(Counter::events_dropped,
                          "XLA's writer keeps 1 000 000 events; the `.xplane.pb` has them all");
    }
    return Finished(source, "trace.json", timeline, builder);
  }
};

}  // namespace
}  // namespace xla

std::unique_ptr<Reader> MakeXPlaneReader() { return std::make_unique<xla::XPlaneReader>(); }
std::unique_ptr<Reader> MakeXlaTraceReader() { return std::make_unique<xla::XlaTraceReader>(); }

}  // namespace profgauge::readers
