#include "readers/run_side/attach.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/byte_source.h"
#include "base/errors.h"
#include "base/files.h"
#include "base/text.h"
#include "knowledge/unrecorded.h"
#include "model/run_side.h"
#include "model/summary/summary.h"
#include "readers/run_side/document.h"
#include "readers/run_side/step_log.h"
#include "readers/run_side/times_reader.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;

/// The maximum size of a document inside a trace, because larger ones hide the trace's keys.
constexpr std::size_t kMostBytesInside = std::size_t{32} << 10;

struct Found {
  RunCarrier carrier;
  std::string path;
  RunReading reading;
  TimesFile others = {};  ///< Other contents of a named file: benchmarks, a load test.
};

/// Parts of profiles' suffixes, as in "a.pt.trace.json.gz" and "host.xplane.pb".
constexpr std::string_view kSuffixParts[] = {".gz",  ".zst", ".json",   ".trace",  ".pt",     ".pb",
                                             ".csv", ".db",  ".xplane", ".sqlite", ".pftrace"};

/// The possible names of a document beside `path`: its name with all suffixes, with fewer, and
/// without any. Only known suffixes are removed: "a.b.json" becomes "a.b", not "a".
std::vector<std::string> NamesBeside(const std::string& path) {
  std::vector<std::string> names;
  std::string stem = path;
  while (true) {
    names.push_back(stem + ".run.json");
    const auto part = std::ranges::find_if(
        kSuffixParts, [&](std::string_view suffix) { return stem.ends_with(suffix); });
    if (part == std::end(kSuffixParts)) return names;
    stem.resize(stem.size() - part->size());
  }
}

RunReading ReadDocument(const std::string& path) {
  std::error_code code;
  if (fs::file_size(path, code) > kMostRunBytes && !code) {
    return {std::nullopt, {{"run/too-large", fmt::format("over {} bytes", kMostRunBytes)}}};
  }
  const auto text = ReadSmallFile(path, kMostRunBytes);
  if (!text) return {std::nullopt, {{"run/unreadable", "the file cannot be read"}}};
  return ReadRunDocument(WithoutByteOrderMark(*text));
}

std::optional<Found> FindBeside(const Profile& profile) {
  if (HasNoFolder(profile.source.path)) return std::nullopt;
  for (const std::string& name : NamesBeside(profile.source.path)) {
    std::error_code code;
    if (fs::is_regular_file(name, code))
      return Found{RunCarrier::kBeside, name, ReadDocument(name)};
  }
  return std::nullopt;
}

/// Finds the document inside the profile: a key of the trace, or the first mark with a document.
std::optional<Found> FindInside(const Profile& profile) {
  std::optional<std::string> text;
  if (!profile.run_document.empty()) text = profile.run_document;
  for (std::size_t i = 0; !text && i < profile.strings.size(); ++i) {
    text = DecodeRunMark(profile.strings[StringId{static_cast<std::uint32_t>(i)}]);
  }
  if (!text) return std::nullopt;
  Found found{RunCarrier::kInside, "", {}};
  if (text->size() > kMostBytesInside) {
    found.reading.problems.push_back(
        {"run/too-large", fmt::format("over {} bytes in a profile", kMostBytesInside)});
  } else {
    found.reading = ReadRunDocument(*text);
  }
  return found;
}

std::optional<RunProblem> OtherRank(const RunDocument& document, const DistributedInfo& profile) {
  const auto differ = [](std::int64_t a, std::int64_t b) { return a >= 0 && b >= 0 && a != b; };
  if (document.world_size > 0 && document.rank >= document.world_size) {
    return RunProblem{"run/other-rank",
                      fmt::format("rank {} of {}", document.rank, document.world_size)};
  }
  if (differ(document.rank, profile.rank)) {
    return RunProblem{"run/other-rank", fmt::format("it is of rank {}, the profile of rank {}",
                                                    document.rank, profile.rank)};
  }
  if (profile.world_size > 0 && differ(document.world_size, profile.world_size)) {
    return RunProblem{"run/other-rank", fmt::format("it is of {} ranks, the profile of {}",
                                                    document.world_size, profile.world_size)};
  }
  return std::nullopt;
}

std::int64_t StepsIn(const RunDocument& document) {
  std::int64_t steps = 0;
  for (const StepSegment& segment : document.segments) {
    steps += static_cast<std::int64_t>(segment.lengths.size());
  }
  for (const StepSum& sum : document.batches) steps += sum.steps;
  return steps;
}

std::optional<Ns> LengthOf(const RunDocument& document, std::int64_t step) {
  const auto behind = std::ranges::upper_bound(document.segments, step, {}, &StepSegment::first);
  if (behind == document.segments.begin()) return std::nullopt;
  const StepSegment& segment = *std::prev(behind);
  const auto at = static_cast<std::size_t>(step - segment.first);
  return at < segment.lengths.size() ? std::optional(segment.lengths[at]) : std::nullopt;
}

/// True if the iterations in both documents take equally long, or if they have none in common.
bool DoAgree(const RunDocument& a, const RunDocument& b) {
  double ours = 0, theirs = 0;
  for (const StepSegment& segment : a.segments) {
    for (std::size_t i = 0; i < segment.lengths.size(); ++i) {
      const auto other = LengthOf(b, segment.first + static_cast<std::int64_t>(i));
      if (!other) continue;
      ours += static_cast<double>(segment.lengths[i]);
      theirs += static_cast<double>(*other);
    }
  }
  return std::abs(ours - theirs) <= knowledge::kUnrecordedDocumentsAgree * std::max(ours, theirs);
}

/// Chooses from all documents, in the order of precedence: the one with most iterations. If two are
/// equally long, the first is used, e.g. one named by the user.
std::shared_ptr<const RunSide> Chosen(std::vector<Found> all, const DistributedInfo& profile) {
  auto side = std::make_shared<RunSide>();
  std::optional<RunDocument> inside;
  for (Found& found : all) {
    auto& document = found.reading.document;
    if (!found.others.benchmarks.empty()) side->benchmarks = std::move(found.others.benchmarks);
    if (found.others.load_test) side->load_test = std::move(found.others.load_test);
    for (RunProblem& problem : found.reading.problems) {
      problem.text = fmt::format("{}: {}", TextOf(found.carrier), problem.text);
      side->problems.push_back(std::move(problem));
    }
    if (!document) continue;
    for (RunProblem& problem : LeftOutOf(*document)) {
      problem.text = fmt::format("{}: {}", TextOf(found.carrier), problem.text);
      side->problems.push_back(std::move(problem));
    }
    if (auto problem = OtherRank(*document, profile)) {
      problem->text = fmt::format("{}: {}", TextOf(found.carrier), problem->text);
      side->problems.push_back(*std::move(problem));
      continue;
    }
    if (side->document && !DoAgree(*side->document, *document)) {
      side->note = "two documents give the same iterations other lengths: the longer one counts";
    }
    if (found.carrier == RunCarrier::kInside) inside = document;
    if (side->document && StepsIn(*side->document) >= StepsIn(*document)) continue;
    side->carrier = found.carrier;
    side->source = fs::path(found.path).filename().string();
    side->document = std::move(document);
  }
  // If the marks inside the profile agree with the longer list, both are of the same process.
  side->is_of_process = inside && side->document && DoAgree(*inside, *side->document);
  const bool is_empty =
      !side->document && side->benchmarks.empty() && !side->load_test && side->problems.empty();
  return is_empty ? nullptr : side;
}

/// Reads a document or log that the user named. Errors: as AttachRunSides().
Result<Found> ReadNamed(const StepTimesInput& how) {
  const auto text = ReadSmallFile(how.file, kMostLogBytes);
  std::error_code code;
  if (!text && fs::file_size(how.file, code) > kMostLogBytes && !code) {
    return Fail(InputError(how.file, "run/too-large",
                           fmt::format("over {} MiB of text", kMostLogBytes >> 20),
                           "give its part that has the times of this run"));
  }
  if (!text) {
    return Fail(InputError(how.file, "run/unreadable", "the file cannot be read",
                           "check its name and permissions"));
  }
  auto times = ReadTimes(*text, how);
  if (!times) {
    Error error = std::move(times).error();
    error.where.file = how.file;
    return Fail(std::move(error));
  }
  Found found{RunCarrier::kNamed, how.file, {std::exchange(times->document, std::nullopt), {}}};
  for (const std::string& note : times->notes) found.reading.problems.push_back({"run/note", note});
  found.others = *std::move(times);
  return found;
}

/// The index of the profile to which a named document belongs.
Result<std::size_t> PlaceOf(const Found& named, const std::vector<Profile>& profiles) {
  const std::int64_t rank = named.reading.document ? named.reading.document->rank : -1;
  if (rank < 0 || profiles.size() == 1) return std::size_t{0};
  const auto found = std::ranges::find_if(
      profiles, [rank](const Profile& profile) { return profile.distributed.rank == rank; });
  if (found != profiles.end()) return static_cast<std::size_t>(found - profiles.begin());
  return Fail(InputError(named.path, "run/other-rank",
                         fmt::format("the times are of rank {}, which is not in the run", rank)));
}

class Attacher {
 public:
  Attacher(std::vector<Profile>& profiles, const std::vector<std::string>& documents)
      : profiles_(profiles), found_(profiles.size()), left_(documents) {}

  Status AddNamed(const StepTimesInput& named) {
    if (named.file.empty() || profiles_.empty()) return {};
    // The named file is the judged profile itself.
    const auto is_it = [&](const Profile& profile) { return profile.source.path == named.file; };
    if (std::ranges::any_of(profiles_, is_it)) return {};
    PROFGAUGE_TRY(Found found, ReadNamed(named));
    PROFGAUGE_TRY(const std::size_t place, PlaceOf(found, profiles_));
    if (profiles_[place].source.format == kTimesFormat) {
      return Fail(UsageError(
          "usage/step-times",
          fmt::format("`{}` holds times itself", Printable(profiles_[place].source.path)),
          "`--step-times` gives times to a profile: name one of the two files"));
    }
    if (found.reading.document) {
      if (auto other = OtherRank(*found.reading.document, profiles_[place].distributed)) {
        return Fail(InputError(found.path, other->code, other->text));
      }
    }
    found_[place].push_back(std::move(found));
    return {};
  }

  void AddBeside() {
    for (std::size_t i = 0; i < profiles_.size(); ++i) {
      if (profiles_[i].source.format == kTimesFormat) continue;
      auto found = FindBeside(profiles_[i]);
      if (!found || IsTaken(i, found->path)) continue;
      std::erase(left_, found->path);
      Add(i, *std::move(found));
    }
    for (const std::string& path : left_) AddByRank(path);
  }

  void Finish() {
    for (std::size_t i = 0; i < profiles_.size(); ++i) {
      Profile& profile = profiles_[i];
      if (auto inside = FindInside(profile)) found_[i].push_back(*std::move(inside));
      profile.run_document.clear();
      for (const Found& found : found_[i]) {
        if (found.reading.repeated_keys == 0) continue;
        profile.log.Add(Counter::duplicate_keys, found.reading.repeated_keys);
      }
      if (!found_[i].empty()) profile.run_side = Chosen(std::move(found_[i]), profile.distributed);
    }
  }

 private:
  /// True if an earlier profile has the document. All profiles of one file find the same documents;
  /// a document belongs to the profile of its rank, or else to the first.
  bool IsTaken(std::size_t place, const std::string& path) const {
    for (std::size_t i = 0; i < place; ++i) {
      for (const Found& found : found_[i]) {
        if (found.path != path) continue;
        const auto& document = found.reading.document;
        const std::int64_t rank = document ? document->rank : -1;
        if (rank < 0 || rank != profiles_[place].distributed.rank) return true;
      }
    }
    return false;
  }

  void Add(std::size_t place, Found found) { found_[place].push_back(std::move(found)); }

  bool HasBeside(std::size_t place) const {
    return std::ranges::any_of(
        found_[place], [](const Found& found) { return found.carrier == RunCarrier::kBeside; });
  }

  /// Assigns a document by the rank that it states, or to the only profile of its folder.
  void AddByRank(const std::string& path) {
    RunReading reading = ReadDocument(path);
    const std::int64_t rank = reading.document ? reading.document->rank : -1;
    const fs::path folder = fs::path(path).parent_path();
    std::vector<std::size_t> there, fit;
    for (std::size_t i = 0; i < profiles_.size(); ++i) {
      if (fs::path(profiles_[i].source.path).parent_path() != folder) continue;
      there.push_back(i);
      if (!HasBeside(i) && rank >= 0 && profiles_[i].distributed.rank == rank) fit.push_back(i);
    }
    if (fit.empty() && there.size() == 1 && !HasBeside(there.front())) fit = there;
    if (fit.size() == 1) Add(fit.front(), {RunCarrier::kBeside, path, std::move(reading)});
  }

  std::vector<Profile>& profiles_;
  std::vector<std::vector<Found>> found_;
  std::vector<std::string> left_;
};

}  // namespace

Status AttachRunSides(std::vector<Profile>& profiles, const std::vector<std::string>& documents,
                      const StepTimesInput& named) {
  Attacher attacher(profiles, documents);
  PROFGAUGE_CHECK(attacher.AddNamed(named));
  attacher.AddBeside();
  attacher.Finish();
  return {};
}

}  // namespace profgauge::readers
