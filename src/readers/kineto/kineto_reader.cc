#include "readers/kineto/kineto_reader.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/format.h"
#include "base/in_order.h"
#include "base/text.h"
#include "readers/kineto/document.h"
#include "readers/kineto/mend.h"
#include "readers/text/json_copy.h"
#include "readers/text/json_shape.h"

namespace profgauge::readers::kineto {
namespace {

/// Keys of the document: those that document.cc reads.
constexpr std::string_view kDocument[] = {
    "schemaVersion", "displayTimeUnit", "baseTimeNanoseconds", "record_shapes", "profile_memory",
    "with_stack", "with_flops", "with_modules", "cupti_version", "cuda_runtime_version",
    "cuda_driver_version", "roctracer_version", "rocprofiler_version", "hip_runtime_version",
    "hip_driver_version", "Framework", "WARNING", "ERROR",
    // Keys of devices, and of the run's ranks.
    "deviceProperties/id", "deviceProperties/name", "deviceProperties/computeMajor",
    "deviceProperties/computeMinor", "deviceProperties/numSms", "deviceProperties/totalGlobalMem",
    "deviceProperties/maxThreadsPerMultiprocessor", "deviceProperties/warpSize",
    "distributedInfo/backend", "distributedInfo/rank", "distributedInfo/world_size",
    "distributedInfo/nccl_version", "distributedInfo/pg_count", "distributedInfo/pg_config/pg_name",
    "distributedInfo/pg_config/pg_desc", "distributedInfo/pg_config/pg_size",
    "distributedInfo/pg_config/ranks",
    // Keys with the times of unrecorded iterations (rules/schemas/run.json).
    "profgauge.run/schema", "profgauge.run/clock", "profgauge.run/attached", "profgauge.run/warmup",
    "profgauge.run/segments/", "profgauge.run/batches/", "profgauge.run/windows",
    "profgauge.run/marks", "profgauge.run/rank", "profgauge.run/world_size", "profgauge.run/work/"};
/// Keys of events and of their arguments, as read by raw_event.cc.
constexpr std::string_view kEvent[] = {"ph", "cat", "name", "pid", "tid",
                                       "ts", "dur", "id",   "bp",  "s"};
constexpr std::string_view kArgs[] = {"correlation",
                                      "External id",
                                      "external id",
                                      "device",
                                      "stream",
                                      "sycl queue",
                                      "bytes",
                                      "registers per thread",
                                      "shared memory",
                                      "grid",
                                      "block",
                                      "blocks per SM",
                                      "warps per SM",
                                      "est. achieved occupancy %",
                                      "theoretical occupancy %",
                                      "Input Dims",
                                      "Input dims",
                                      "Input type",
                                      "Concrete Inputs",
                                      "Call stack",
                                      "Sequence number",
                                      "Fwd thread id",
                                      "Python id",
                                      "Python parent id",
                                      "Python module id",
                                      "Device Type",
                                      "Device Id",
                                      "Addr",
                                      "Bytes",
                                      "Total Allocated",
                                      "Total Reserved",
                                      "Collective name",
                                      "dtype",
                                      "In msg nelems",
                                      "Out msg nelems",
                                      "Group size",
                                      "Process Group Name",
                                      "Process Group ID",
                                      "Process Group Description",
                                      "Seq",
                                      "Src Rank",
                                      "Dst Rank",
                                      "name",
                                      "kernel",
                                      "rank",
                                      "labels",
                                      "sort_index"};

/// Arguments that are names of code. Texts of other arguments are the profiler's.
constexpr std::string_view kNames[] = {
    "Call stack", "Concrete Inputs", "Process Group Name", "Process Group Description", "name",
    "kernel",     "labels"};

/// True for "name" of events, for arguments in kNames, and for the names of the ranks' groups.
bool IsName(std::string_view path) {
  if (path.starts_with("traceEvents/")) path.remove_prefix(std::string_view("traceEvents/").size());
  if (path.starts_with("args/")) return IsNameArgument(path.substr(5));
  return path == "name" || path == "distributedInfo/pg_config/pg_name" ||
         path == "distributedInfo/pg_config/pg_desc";
}

std::vector<std::string> Paths() {
  std::vector<std::string> paths(std::begin(kDocument), std::end(kDocument));
  // The list is the value of a key, or the whole document.
  for (const std::string_view list : {"traceEvents/", ""}) {
    for (const std::string_view key : kEvent) paths.push_back(fmt::format("{}{}", list, key));
    for (const std::string_view key : kArgs) {
      paths.push_back(fmt::format("{}args/{}", list, key));
    }
  }
  return paths;
}

/// Known messages about missing activity from the profiler's log. Other messages may hold anything,
/// so they are dropped.
std::string KnownPhrase(std::string_view text) {
  static const RE2 kKnown(R"((Dropped \d+ activity records|Exceeded max GPU buffer count|)"
                          R"(CollectTrace stopped by GPU profiler|GPU trace is empty!))");
  std::string phrase;
  RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), kKnown, &phrase);
  return phrase;
}

}  // namespace

bool IsNameArgument(std::string_view key) {
  return std::find(std::begin(kNames), std::end(kNames), key) != std::end(kNames);
}

// Other texts are names of code, which `rename` replaces, or texts of the profiler, which lose
// their folders.
JsonKeep KeptKeys(const Rename& rename) {
  return {"kineto", Paths(), [&rename](std::string_view path, std::string_view text) {
            if (path == "WARNING" || path == "ERROR") return KnownPhrase(text);
            return IsName(path) ? CopiedName(text, rename) : WithoutPaths(text);
          }};
}

}  // namespace profgauge::readers::kineto

namespace profgauge::readers {

namespace kineto {
namespace {

/// Keys that only PyTorch writes around its events.
constexpr std::string_view kKeysOfPyTorch[] = {"\"schemaVersion\"", "\"deviceProperties\"",
                                               "\"distributedInfo\"", "\"record_shapes\""};
/// The maximum size of the text around the events, which normally is small.
constexpr std::size_t kMaxEnvelope = std::size_t{64} << 20;
/// A chunk that ends in an element longer than this is repaired instead of extended.
constexpr std::size_t kMaxJoined = std::size_t{64} << 20;

constexpr RecordingHint kHints[] = {
    {Capability::kDeviceEvents,
     "record with the {{ device.device }} among the profiler's activities"},
    {Capability::kHostOps, "record with the CPU among the profiler's activities"},
    {Capability::kShapes, "record with record_shapes=True"},
    {Capability::kCallStacks, "record with with_stack=True"},
    {Capability::kMemoryEvents, "record with profile_memory=True"},
    {Capability::kIterationMarkers, "call the profiler's step() after each iteration"},
    {Capability::kPython, "record with with_stack=True"},
};

/// For profiles without host events: they have no operators at all, not only no shapes.
constexpr RecordingHint kNoHostHints[] = {
    {Capability::kHostOps, "record with the CPU among the profiler's activities"},
    {Capability::kShapes,
     "record with the CPU among the profiler's activities and record_shapes=True"},
    {Capability::kCallStacks,
     "record with the CPU among the profiler's activities and with_stack=True"},
    {Capability::kMemoryEvents, "record with profile_memory=True"},
    {Capability::kIterationMarkers, "call the profiler's step() after each iteration"},
    {Capability::kPython, "record with with_stack=True"},
};

/// For profiles with launches and without the launched work: intel/torch-xpu-ops#3985.
constexpr RecordingHint kNoActivityHints[] = {
    {Capability::kDeviceEvents,
     "launching calls were recorded, but no device activity: the driver or plug-in delivered none"},
    {Capability::kShapes, "record with record_shapes=True"},
    {Capability::kCallStacks, "record with with_stack=True"},
    {Capability::kMemoryEvents, "record with profile_memory=True"},
    {Capability::kIterationMarkers, "call the profiler's step() after each iteration"},
    {Capability::kPython, "record with with_stack=True"},
};

/// For profiles without device events but with events of unknown kinds.
constexpr RecordingHint kUnreadHints[] = {
    {Capability::kDeviceEvents,
     "events of unknown kinds were recorded, possibly of the device; the import log lists them "
     "(`profgauge inspect`)"},
    {Capability::kShapes, "record with record_shapes=True"},
    {Capability::kCallStacks, "record with with_stack=True"},
    {Capability::kMemoryEvents, "record with profile_memory=True"},
    {Capability::kIterationMarkers, "call the profiler's step() after each iteration"},
    {Capability::kPython, "record with with_stack=True"},
};

/// Not inline: GCC 12 would warn of a copy of a long literal into a short string, a false alarm.
[[gnu::noinline]] void AddNote(Error& error, std::string note) {
  error.notes.push_back(std::move(note));
}

/// The error for a file whose events all have bad times. `first`: the first of these events.
Error BadTimes(const ByteSource& source, const ImportLog& log, const std::string& first) {
  const auto events = static_cast<std::int64_t>(log[Counter::events_bad_time]);
  Error error = InputError(source.name(), "kineto/bad-times",
                           fmt::format("all {} events of the trace start at an impossible time; {}",
                                       FormatCount(events), first));
  error.notes = {"help: `ts` and `dur` are microseconds; convert other units"};
  return error;
}

/// One import, from the first byte to the finished profile.
class Import {
 public:
  Import(ByteSource& source, const ReadOptions& options)
      : source_(source), options_(options), input_(source) {}

  Result<Profile> Run() {
    PROFGAUGE_CHECK(FindList());
    PROFGAUGE_CHECK(ReadEvents());
    PROFGAUGE_CHECK(CheckComplete());
    NameUnread();
    counters_.Finish(builder_);
    builder_.SetHints(kHints);
    builder_.DoubtDeviceOps();
    auto& origin = builder_.source();
    origin.path = source_.name();
    origin.format = "kineto";
    origin.framework = "pytorch";
    origin.bytes = input_.total();
    origin.hash = input_.Hash();
    origin.dialect = Dialect();
    PROFGAUGE_TRY(auto profile, builder_.Finish());
    profile.run_document = std::move(envelope_.run_document);
    profile.gpus_by_process = true;  // A merged file has as many processes as traces.
    const bool is_empty = profile.host.size() + profile.device.size() + profile.api.size() +
                              profile.python.size() + profile.memory.size() ==
                          0;
    if (is_empty && !bad_time_.empty()) return Fail(BadTimes(source_, profile.log, bad_time_));
    if (!is_pytorch_ && !IsEnvelopeOfPyTorch()) {
      if (auto other = OfAnotherTool()) return Fail(*std::move(other));
    }
    if (is_empty) {
      return Fail(NoEvents(profile.log[Counter::events_unreadable]));
    }
    const auto& calls = profile.api.kind;
    const bool launched = std::find(calls.begin(), calls.end(), ApiKind::kLaunch) != calls.end();
    if (envelope_.says_no_gpu_work && (launched || profile.device.size() > 0)) {
      profile.log.AddAt(Counter::events_dropped,
                        std::string(kKinetosLog) + "no activity of the GPU");
    }
    if (profile.device.size() == 0) {
      if (!unread_.empty()) {
        profile.hints = kUnreadHints;
      } else if (launched) {
        profile.hints = kNoActivityHints;
      }
    } else if (!profile.Has(Capability::kHostOps)) {
      profile.hints = kNoHostHints;
    }
    return profile;
  }

 private:
  /// Reads up to the list's opening bracket, and keeps the text before it.
  Status FindList() {
    std::string window;
    input_.Read(window, kChunkBytes);
    if (window.starts_with(kByteOrderMark)) {
      window.erase(0, kByteOrderMark.size());
      builder_.log().Add(Counter::byte_order_mark);
    }
    ListFinder finder;
    while (!window.empty()) {
      const auto found = finder.Feed(window);
      if (found) {
        before_.append(window, 0, *found);
        input_.Unread(std::string_view(window).substr(*found));
        bare_list_ = finder.bare_list();
        return {};
      }
      if (!finder.plausible()) return Fail(NoList("the file is not JSON"));
      if (finder.ended()) break;
      if (before_.size() < kMaxEnvelope) before_ += window;
      window.clear();
      input_.Read(window, kChunkBytes);
    }
    if (!finder.ended()) {
      return Fail(input_.error() ? WithPlace(*input_.error()) : Truncated(input_.total()));
    }
    return Fail(NoList("the file has no list `traceEvents`"));
  }

  Status ReadEvents() {
    Chunk first;
    NextChunk(input_, first);
    if (bare_list_ && IsLegacyProfiler(first.text)) return Fail(LegacyProfiler());
    fraction_ = DetectFraction(first.text);
    const bool small = first.last;
    input_.Unread(first.text);
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const unsigned threads = options_.threads > 0 ? options_.threads : cores;
    joiner_.emplace(fraction_, options_.of_captured_graphs);
    ParseInOrder(input_, fraction_, options_.of_captured_graphs, small ? 1 : threads,
                 [this](Parsed& parsed) {
                   Take(parsed);
                   return !list_ended_;
                 });
    paired_.Finish(builder_);
    if (has_more_labels_ || traces_.count() > Traces::kMostLabels) {
      return Fail(
          InputError(source_.name(), "kineto/too-many-ranks",
                     fmt::format("the trace is merged of more than {} ranks", Traces::kMostLabels),
                     "pass the profiles of the ranks instead"));
    }
    if (input_.elements_skipped() > 0) {
      builder_.log().Add(Counter::events_unreadable, input_.elements_skipped() - 1);
      builder_.log().AddAt(Counter::events_unreadable,
                           fmt::format("byte {}: an event of over 16 MiB", input_.first_skipped()));
      // The total event count is unknown: the skipped event may have covered most of the time.
      builder_.log().Add(Counter::events_too_long, input_.elements_skipped());
    }
    builder_.log().Add(Counter::events_ignored_kind,
                       launch_flows_ - (has_correlations_ ? 0 : arrows_));
    PROFGAUGE_CHECK(ReadRest());
    traces_.NumberGpus(builder_);
    return {};
  }

  /// Takes the next chunk in the order of the file.
  void Take(Parsed& parsed) {
    if (list_ended_) return KeepOutside(parsed.chunk.text);
    if (joined_.chunk.text.empty() && !CutInside(parsed)) return Add(parsed);
    // The cut before or after this chunk was inside an element, so it is joined.
    auto& chunk = joined_.chunk;
    chunk.Append(parsed.chunk);
    // Parses again only at doubled lengths, so that a long element costs linear time.
    if (!chunk.last && chunk.text.size() < 2 * joined_before_) return;
    joined_before_ = chunk.text.size();
    ParseChunk(*joiner_, joined_);
    if (CutInside(joined_) && chunk.text.size() < kMaxJoined) return;
    if (CutInside(joined_)) {
      NoteBad(chunk.OffsetOf(joined_.end.offset), joined_.end.reason);
      joined_.end = RepairChunk(chunk, joiner_->parser, joiner_->sink, joined_.rows);
    }
    Add(joined_);
    chunk = {};
    joined_before_ = 0;
  }

  static bool CutInside(const Parsed& parsed) {
    return parsed.end.state == ParseEnd::State::kInside && !parsed.chunk.last;
  }

  void Add(Parsed& parsed) {
    if (parsed.repaired) NoteBad(parsed.bad_offset, parsed.bad_reason);
    has_more_labels_ = has_more_labels_ || parsed.rows.has_more_labels;
    if (has_correlations_) parsed.rows.arrows.clear();
    has_correlations_ |= parsed.rows.has_correlations;
    launch_flows_ += parsed.rows.launch_flows;
    arrows_ += parsed.rows.arrows.size();
    counters_.Take(parsed.rows);
    Merge(parsed.rows, builder_, paired_, traces_);
    if (bad_time_.empty()) bad_time_ = parsed.rows.bad_time;
    for (const auto& [category, count] : parsed.rows.unread) unread_[category] += count;
    is_pytorch_ = is_pytorch_ || parsed.rows.is_pytorch;
    has_names_ = has_names_ || parsed.rows.has_names;
    for (const auto& [category, count] : parsed.rows.seen) seen_[category] += count;
    for (const auto& [phase, count] : parsed.rows.phases) phases_[phase] += count;
    events_ += parsed.end.events;
    if (parsed.end.state != ParseEnd::State::kListEnd) return;
    list_ended_ = true;
    KeepOutside("]");
    KeepOutside(std::string_view(parsed.chunk.text).substr(parsed.end.offset));
  }

  /// Reports the unknown kinds of events, the most frequent first.
  void NameUnread() {
    std::vector<std::pair<std::uint64_t, std::string>> kinds;
    for (const auto& [category, count] : unread_) kinds.emplace_back(count, category);
    std::stable_sort(kinds.begin(), kinds.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    auto& log = builder_.log();
    for (const auto& [count, category] : kinds) {
      log.Add(Counter::events_ignored_kind, count - 1);
      log.AddAt(Counter::events_ignored_kind,
                fmt::format("kind `{}`: {} events not read", category, count));
    }
  }

  void NoteBad(std::uint64_t offset, const std::string& reason) {
    if (first_bad_ != 0) return;
    first_bad_ = offset;
    first_reason_ = reason;
  }

  /// Reads the text after the list.
  Status ReadRest() {
    std::string window;
    while (!input_.at_end()) {
      window.clear();
      input_.Read(window, kChunkBytes);
      KeepOutside(window);
    }
    if (list_ended_ && !bare_list_) {
      envelope_ = ReadEnvelope(before_, behind_, builder_);
    }
    complete_ = bare_list_ ? list_ended_ : envelope_.complete;
    if (list_ended_ && bare_list_) {
      envelope_.goes_on = !IsBlank(std::string_view(behind_).substr(1));
    }
    builder_.SetClockOffset(envelope_.base_time);
    const auto& log = builder_.log();
    if (events_ == 0 && log[Counter::events_unreadable] > 0) return Fail(Invalid());
    return {};
  }

  void KeepOutside(std::string_view text) {
    if (behind_.size() < kMaxEnvelope) behind_ += text;
  }

  Status CheckComplete() {
    if (envelope_.goes_on) {
      if (!options_.allow_incomplete) return Fail(GoesOn());
      builder_.log().Add(Counter::traces_behind);
    }
    if (complete_ && !input_.error()) return {};
    if (options_.allow_incomplete) {
      builder_.log().Add(Counter::truncated);
      return {};
    }
    if (input_.error()) return Fail(WithPlace(*input_.error()));
    return Fail(Truncated(input_.total()));
  }

  std::string Dialect() const {
    if (envelope_.has_base_time) return "microseconds since a base time";
    if (fraction_ == Fraction::kUnpadded) return "absolute times with unpadded nanoseconds";
    return bare_list_ ? "bare list of events" : "object with a list of events";
  }

  Error NoList(std::string_view what) const {
    return InputError(
        source_.name(), "kineto/no-events", std::string(what),
        "expected a trace of the PyTorch profiler (*.pt.trace.json or *.pt.trace.json.gz)");
  }

  bool IsEnvelopeOfPyTorch() const {
    return std::ranges::any_of(kKeysOfPyTorch, [this](std::string_view key) {
      return before_.find(key) != before_.npos || behind_.find(key) != behind_.npos;
    });
  }

  /// The error for Chrome trace events of which none is PyTorch's. It names their categories, the
  /// most frequent first. Returns nothing for a file without events.
  std::optional<Error> OfAnotherTool() const {
    std::map<std::string, std::uint64_t> counts;
    for (const auto& [category, count] : seen_) {
      counts[category.empty() ? "without a category" : "`" + PrintableShort(category, 40) + "`"] +=
          count;
    }
    for (const auto& [phase, count] : phases_) counts[std::string(NameOfPhase(phase))] += count;
    std::vector<std::pair<std::uint64_t, std::string>> kinds;
    std::uint64_t all = 0;
    for (const auto& [kind, count] : counts) {
      kinds.emplace_back(count, kind);
      all += count;
    }
    if (all == 0 && !has_names_) return std::nullopt;
    std::string what = "it has names of processes and no event";
    if (all > 0) {
      std::stable_sort(kinds.begin(), kinds.end(),
                       [](const auto& a, const auto& b) { return a.first > b.first; });
      constexpr std::size_t kMostNamed = 3;
      std::string list;
      for (std::size_t i = 0; i < std::min(kinds.size(), kMostNamed); ++i) {
        list += fmt::format("{}{} {}", i == 0 ? "" : ", ", kinds[i].second,
                            FormatCount(static_cast<std::int64_t>(kinds[i].first)));
      }
      if (kinds.size() > kMostNamed) {
        list += fmt::format(" and {} more kinds", kinds.size() - kMostNamed);
      }
      what = all == 1 ? fmt::format("its event is not of a kind that is read ({})", list)
                      : fmt::format("none of its {} events is of a kind that is read ({})",
                                    FormatCount(static_cast<std::int64_t>(all)), list);
    }
    return InputError(source_.name(), "input/chrome",
                      "the file is a Chrome trace of another tool: " + what,
                      "record with `torch.profiler`, and export with "
                      "`prof.export_chrome_trace(\"trace.json.gz\")`");
  }

  static std::string_view NameOfPhase(char phase) {
    constexpr std::pair<std::string_view, std::string_view> kNames[] = {
        {"C", "counters"}, {"bneSTFp", "asynchronous"}, {"iI", "instants"},
        {"stf", "arrows"}, {"NOD", "objects"},
    };
    for (const auto& [phases, name] : kNames) {
      if (phases.find(phase) != phases.npos) return name;
    }
    return "other";
  }

  Error NoEvents(std::uint64_t unreadable) const {
    if (unreadable > 0) {
      return InputError(
          source_.name(), "kineto/no-events",
          fmt::format("the {} events of the trace cannot be read", unreadable),
          "an event needs a `dur` (`\"ph\": \"X\"`), or a begin and end on one thread (`B`, `E`)");
    }
    return InputError(
        source_.name(), "kineto/no-events", "the trace is empty",
        "the profiler was stopped before its first active step, or its activities were off");
  }

  /// True for torch.autograd.profiler before Kineto, and for PyTorch built without Kineto. Its
  /// operators have no links to launched kernels. Its "processes" have these names.
  static bool IsLegacyProfiler(std::string_view head) {
    return head.find("\"CPU functions\"") != std::string_view::npos ||
           head.find("\"CUDA functions\"") != std::string_view::npos;
  }

  Error LegacyProfiler() const {
    return InputError(
        source_.name(), "kineto/legacy-profiler",
        "the trace is of PyTorch's legacy profiler, which does not link launches and kernels",
        "record with `torch.profiler.profile` of a PyTorch that has Kineto "
        "(`torch.profiler.kineto_available()` is true)");
  }

  Error Truncated(std::uint64_t offset) const {
    auto error =
        InputErrorAt(source_.name(), offset, "kineto/truncated",
                     fmt::format("the trace ends early; {} of its events are complete", events_),
                     "the profiler was probably killed while writing; pass --allow-incomplete to "
                     "judge the readable part");
    if (source_.name().ends_with(".tmp")) {  // The profiler renames its file at the end.
      error.notes.insert(error.notes.begin(),
                         "note: the name ends with `.tmp`: the profiler had not finished");
    }
    return error;
  }

  Error GoesOn() const {
    return InputError(
        source_.name(), "kineto/goes-on", "the file continues after the end of its first trace",
        "write each profile to a separate file; pass --allow-incomplete to judge the first");
  }

  Error Invalid() const {
    auto error =
        InputErrorAt(source_.name(), first_bad_, "kineto/invalid-json",
                     fmt::format("no event of the trace can be read; it is not valid JSON: {}",
                                 first_reason_.empty() ? "an event does not end" : first_reason_),
                     "check the file around that byte, or record again");
    return error;
  }

  /// Adds the position at which a gzip stream is damaged, and the next step.
  Error WithPlace(Error error) const {
    error.where.offset = input_.total();
    error.where.has_offset = true;
    error.message += fmt::format("; {} of its events are complete", events_);
    AddNote(error, "help: pass --allow-incomplete to judge the readable part");
    return error;
  }

  ByteSource& source_;
  ReadOptions options_;
  Input input_;
  ProfileBuilder builder_;
  PairedEvents paired_;
  Traces traces_;
  SampledCounters counters_;
  std::string before_;           ///< The document up to its list.
  std::string behind_;           ///< The document from the list's end on.
  std::uint64_t first_bad_ = 0;  ///< Offset of the first invalid JSON in a chunk.
  std::string first_reason_;
  std::string bad_time_;  ///< The first event whose start cannot be used.
  bool has_more_labels_ = false;
  std::map<std::string, std::uint64_t> unread_;  ///< Events of unknown kinds, by category.
  bool is_pytorch_ = false, has_names_ = false;  ///< From Rows, of all chunks.
  std::map<std::string, std::uint64_t> seen_;
  std::map<char, std::uint64_t> phases_;
  Envelope envelope_;
  std::optional<Worker> joiner_;   ///< Parses chunks that must be joined.
  Parsed joined_;                  ///< The joined chunks; mostly empty.
  std::size_t joined_before_ = 0;  ///< The length at the last parse.
  Fraction fraction_ = Fraction::kDecimal;
  std::uint64_t events_ = 0;
  std::uint64_t launch_flows_ = 0, arrows_ = 0;  ///< Ends of launches' arrows: all, and kept.
  bool has_correlations_ = false;                ///< Launches have numbers.
  bool bare_list_ = false;
  bool list_ended_ = false;
  bool complete_ = false;
};

class KinetoReader final : public Reader {
 public:
  std::string_view name() const override { return "kineto"; }
  std::string_view expected() const override {
    return "PyTorch's trace (*.pt.trace.json or *.pt.trace.json.gz)";
  }
  std::span<const std::string_view> suffixes() const override {
    static constexpr std::string_view kSuffixes[] = {".json", ".json.gz"};
    return kSuffixes;
  }

  Match Sniff(std::span<const std::byte> head) const override {
    std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    text = WithoutByteOrderMark(text);
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return Match::kNo;
    const bool object = text[first] == '{';
    if (!object && text[first] != '[') return Match::kNo;
    const auto has = [text](std::string_view key) { return Contains(text, key); };
    if (object) {
      return has("\"traceEvents\"") || std::ranges::any_of(kKeysOfPyTorch, has) ? Match::kYes
                                                                                : Match::kNo;
    }
    // If one event fills the sniffed bytes, later ones are unseen and may be Ascend's.
    const bool shows_events = text.size() < kSniffBytes - 3 || has("\"ts\"");
    return has("\"ph\"") && shows_events ? Match::kYes : Match::kNo;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    return Import(source, options).Run();
  }

  /// Splits a name of tensorboard_trace_handler, "HOST_PID.TIME.pt.trace.json.gz".
  std::optional<WriterAndTime> WriterOf(const std::string& file) const override {
    std::string_view name = file;
    for (const std::string_view suffix : {".gz", ".pt.trace.json"}) {
      if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
    }
    const auto digits = [](std::string_view text) {
      return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    };
    const auto dot = name.rfind('.');
    if (dot == name.npos) return std::nullopt;
    const std::string_view time = name.substr(dot + 1);
    const auto bar = name.rfind('_', dot);
    // The time is in milliseconds or nanoseconds since 1970.
    if (bar == name.npos || bar == 0 || !digits(time) || time.size() < 13 || time.size() > 19 ||
        !digits(name.substr(bar + 1, dot - bar - 1))) {
      return std::nullopt;
    }
    return WriterAndTime{std::string(name.substr(0, bar)), fmt::format("{:0<19}", time)};
  }
};

}  // namespace
}  // namespace kineto

std::unique_ptr<Reader> MakeKinetoReader() { return std::make_unique<kineto::KinetoReader>(); }

}  // namespace profgauge::readers

namespace profgauge::readers::kineto {

void ParseChunk(Worker& worker, Parsed& parsed) {
  parsed.rows.Clear();
  worker.sink.Begin(parsed.rows);
  parsed.end = worker.parser.Parse(parsed.chunk.text, worker.sink);
  // An unfinished element may come from a false cut (see FindCut). Only in the stream's last chunk
  // it shows that the file was truncated.
  const bool cut_short = parsed.end.state == ParseEnd::State::kInside && parsed.chunk.last;
  parsed.repaired = cut_short || parsed.end.state == ParseEnd::State::kInvalid;
  if (!parsed.repaired) return;
  parsed.bad_offset = parsed.chunk.OffsetOf(parsed.end.offset);
  parsed.bad_reason = parsed.end.reason;
  parsed.end = RepairChunk(parsed.chunk, worker.parser, worker.sink, parsed.rows);
}

void ParseInOrder(Input& input, Fraction fraction, bool adds_launched, unsigned threads,
                  const std::function<bool(Parsed&)>& take) {
  // Reading bytes and taking rows run one thread at a time, so more threads than these would wait.
  constexpr unsigned kMaxThreads = 8;
  // Workers outlive the merge, because rows hold views into the workers' strings.
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned i = 0; i < std::clamp(threads, 1U, kMaxThreads); ++i) {
    workers.push_back(std::make_unique<Worker>(fraction, adds_launched));
  }
  bool read_all = false;
  MakeInOrder<Parsed>(
      workers.size(),
      [&](Parsed& parsed) {
        if (read_all) return false;
        NextChunk(input, parsed.chunk);
        read_all = parsed.chunk.last;
        return true;
      },
      [&](std::size_t worker, Parsed& parsed) { ParseChunk(*workers[worker], parsed); }, take);
}

}  // namespace profgauge::readers::kineto
