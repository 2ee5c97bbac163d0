#include "readers/one_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "knowledge/clocks.h"
#include "model/certificate.h"
#include "model/summary/summary.h"
#include "readers/builtin.h"
#include "readers/ranks.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostListed = 8;  // Files of a run in the error.
constexpr std::size_t kMostRuns = 3;

// Data of a profile that identifies its run.
struct Identity {
  const Profile* profile = nullptr;
  std::map<std::string_view, std::string_view> versions;
  std::map<std::string_view, std::int64_t> group_sizes;
  std::set<std::int64_t> iterations;
  Ns begin = 0, end = 0;  ///< By the computer's clock.
};

/// The number of a marker: 12 for "ProfilerStep#12".
std::optional<std::int64_t> NumberOf(std::string_view name) {
  const auto at = name.rfind('#');
  if (at == name.npos) return std::nullopt;
  std::int64_t number = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + at + 1, end, number);
  return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

Identity IdentityOf(const Profile& profile) {
  static const std::set<std::string_view> kVersions = {
      "framework",          "framework_version", "pytorch_version",
      "torch_version",      "jax_version",       "cuda_runtime_version",
      "tensorflow_version", "dlprof_version",    "nsight_systems_version"};
  Identity identity;
  identity.profile = &profile;
  for (const auto& [key, value] : profile.facts) {
    if (kVersions.contains(key) && !value.empty()) identity.versions.emplace(key, value);
  }
  for (const Collective& collective : profile.collectives) {
    const std::string_view group = profile.Name(collective.group);
    if (group.empty() || collective.group_size <= 0) continue;
    identity.group_sizes.emplace(group, collective.group_size);
  }
  for (std::size_t i = 0; i < profile.host.size(); ++i) {
    if (profile.host.kind[i] != HostKind::kIterationMarker) continue;
    if (const auto number = NumberOf(profile.Name(profile.host.name[i]))) {
      identity.iterations.insert(*number);
    }
  }
  identity.begin = profile.origin_ns + profile.first;
  identity.end = profile.origin_ns + profile.last;
  return identity;
}

// Describes the first key whose values in the two maps differ. Keys of one map only are ignored.
template <class Map>
std::optional<std::string> DifferentValue(std::string_view what, const Map& a, const Map& b) {
  for (const auto& [key, value] : a) {
    const auto other = b.find(key);
    if (other == b.end() || other->second == value) continue;
    return fmt::format("{} {} is {} and {}", what, Printable(key), value, other->second);
  }
  return std::nullopt;
}

bool HaveCommon(const std::set<std::int64_t>& a, const std::set<std::int64_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](std::int64_t number) { return b.contains(number); });
}

// Clocks without a date (e.g. since boot) cannot be compared with each other.
bool HasDate(const Profile& profile) { return profile.has_timeline && IsDate(profile.origin_ns); }

// Returns the gap between two profiles if it exceeds any error of clocks, because the ranks of a
// run are recorded at the same time.
std::optional<std::string> TooFarApart(const Identity& a, const Identity& b) {
  if (!HasDate(*a.profile) || !HasDate(*b.profile)) return std::nullopt;
  const Ns apart = std::max(a.begin, b.begin) - std::min(a.end, b.end);
  if (apart <= knowledge::kClocksHostsApart) return std::nullopt;
  return fmt::format("the second was recorded {} {} the first, and ranks run at the same time",
                     FormatDuration(static_cast<double>(apart)),
                     b.begin > a.begin ? "after" : "before");
}

// Why two profiles of the same core in one folder are no ranks: they are of several programs.
std::optional<std::string> SameCore(const Profile& a, const Profile& b) {
  const std::string_view device = FactOf(a, "nd_idx"), core = FactOf(a, "nc_idx");
  if (device.empty() || core.empty() || device != FactOf(b, "nd_idx") ||
      core != FactOf(b, "nc_idx") ||
      fs::path(a.source.path).parent_path() != fs::path(b.source.path).parent_path()) {
    return std::nullopt;
  }
  return fmt::format("both record core {} of device {}", Printable(core), Printable(device));
}

// Why two profiles are of different runs. Certain evidence goes first, so that users can verify it:
//
//   same file                              one run, whatever else differs
//   format; a format that has no ranks     e.g. a report of totals
//   same rank; other world size            as recorded
//   versions; size of a group              facts that both have, under the same key
//   iterations                             both numbered, no number in common
//   same NeuronCore, same folder           without ranks
//   one after the other                    without ranks, by their own clocks
//   more than a minute apart               dated, since hosts' clocks differ by less
//
// A property that only one of the profiles has is no evidence.
std::optional<std::string> WhyDifferent(const Identity& a, const Identity& b) {
  const Profile &p = *a.profile, &q = *b.profile;
  if (p.source.path == q.source.path) return std::nullopt;
  if (p.source.format != q.source.format) {
    return fmt::format("their formats are {} and {}", p.source.format, q.source.format);
  }
  for (const auto& reader : BuiltinReaders()) {
    const std::string_view never = reader->WhyNeverRanks();
    if (!never.empty() && reader->name() == p.source.format) return std::string(never);
  }
  const DistributedInfo &x = p.distributed, &y = q.distributed;
  if (x.rank >= 0 && x.rank == y.rank) return fmt::format("both are rank {}", x.rank);
  if (x.world_size > 0 && y.world_size > 0 && x.world_size != y.world_size) {
    return fmt::format("their world sizes are {} and {}", x.world_size, y.world_size);
  }
  if (auto why = DifferentValue("the version", a.versions, b.versions)) return why;
  if (auto why = DifferentValue("the size of process group", a.group_sizes, b.group_sizes)) {
    return why;
  }
  if (!a.iterations.empty() && !b.iterations.empty() && !HaveCommon(a.iterations, b.iterations)) {
    return fmt::format("their iterations are numbered {} to {} and {} to {}", *a.iterations.begin(),
                       *a.iterations.rbegin(), *b.iterations.begin(), *b.iterations.rbegin());
  }
  if (x.rank < 0 && y.rank < 0) {
    if (auto why = SameCore(p, q)) return why;
  }
  const bool overlap = a.begin <= b.end && b.begin <= a.end;
  const bool timed = p.has_timeline && q.has_timeline;
  if (x.rank < 0 && y.rank < 0 && timed && !overlap) {
    return "they were recorded one after the other, and neither has a rank";
  }
  if (auto why = TooFarApart(a, b)) return why;
  return std::nullopt;
}

/// The writer and time in the file's name, if a known tool wrote the name.
std::optional<WriterAndTime> WriterOf(const Profile& profile) {
  const std::string name = fs::path(profile.source.path).filename().string();
  for (const auto& reader : BuiltinReaders()) {
    if (auto by = reader->WriterOf(name)) return by;
  }
  return std::nullopt;
}

}  // namespace

std::string AsShellWord(const std::string& path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,+=@%:";
  const std::string shown = Printable(path);
  if (!shown.empty() && shown.find_first_not_of(kPlain) == shown.npos) return shown;
  std::string word = "'";
  for (const char letter : shown) word.append(letter == '\'' ? "'\\''" : std::string(1, letter));
  return word + "'";
}

std::optional<std::string> WhyOfDifferentRuns(const Profile& a, const Profile& b) {
  return WhyDifferent(IdentityOf(a), IdentityOf(b));
}

Status CheckNoFileTwice(const std::vector<Profile>& profiles, const std::string& where) {
  std::map<std::string_view, const Profile*> by_hash;
  for (const Profile& profile : profiles) {
    if (profile.source.hash.empty()) continue;
    const auto [first, is_new] = by_hash.emplace(profile.source.hash, &profile);
    const std::string &a = first->second->source.path, &b = profile.source.path;
    if (is_new || a == b) continue;
    Error error = InputError(where, "input/same-file-twice",
                             fmt::format("`{}` and `{}` are the same profile, not two ranks",
                                         Printable(a), Printable(b)));
    error.notes = {fmt::format("help: `profgauge check {}`", AsShellWord(a))};
    return Fail(std::move(error));
  }
  return {};
}

Status CheckOneRun(const std::vector<Profile>& profiles, const std::string& where) {
  PROFGAUGE_CHECK(CheckMayBeOneRun(profiles, where));
  return CheckRanksKnown(profiles, where);
}

// Assigns each profile to the first run with whose profiles it is compatible:
//
//   profiles   a0 (rank 0)   a1 (rank 1)   b0 (rank 0)        b1 (rank 1)
//   runs       {a0}          {a0 a1}       {a0 a1} {b0}       {a0 a1} {b0 b1}
//
// So the error can show one command for each run. It has the reason of the first pair that differs.
Status CheckMayBeOneRun(const std::vector<Profile>& profiles, const std::string& where) {
  if (profiles.size() < 2) return {};
  PROFGAUGE_CHECK(CheckNoFileTwice(profiles, where));
  std::vector<Identity> identities;
  for (const Profile& profile : profiles) identities.push_back(IdentityOf(profile));
  std::vector<std::vector<const Identity*>> runs;
  std::string reason;
  for (const Identity& identity : identities) {
    const auto fits = std::find_if(runs.begin(), runs.end(), [&](const auto& run) {
      return std::all_of(run.begin(), run.end(), [&](const Identity* member) {
        const auto why = WhyDifferent(*member, identity);
        if (why && reason.empty()) {
          reason = fmt::format("`{}` and `{}`: {}", Printable(member->profile->source.path),
                               Printable(identity.profile->source.path), *why);
        }
        return !why;
      });
    });
    (fits == runs.end() ? runs.emplace_back() : *fits).push_back(&identity);
  }
  if (runs.size() == 1) return {};
  std::vector<std::vector<std::string>> files;
  for (const auto& run : runs) {
    std::vector<std::string>& paths = files.emplace_back();
    for (const Identity* member : run) {
      const std::string& path = member->profile->source.path;
      if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
    }
  }
  Error error = SeveralRuns(where, reason, files);
  if (std::any_of(profiles.begin(), profiles.end(), IsSummary)) error.code = "summary/other-run";
  return Fail(std::move(error));
}

Error SeveralRuns(const std::string& where, const std::string& why,
                  const std::vector<std::vector<std::string>>& runs) {
  Error error =
      InputError(where, "input/several-runs",
                 fmt::format("{} {} runs, not the ranks of one",
                             where.empty() ? "the files are of" : "the folder has", runs.size()));
  if (!why.empty()) error.notes.push_back("note: " + why);
  for (std::size_t i = 0; i < std::min(runs.size(), kMostRuns); ++i) {
    std::string line = "help: `profgauge check";
    for (std::size_t k = 0; k < std::min(runs[i].size(), kMostListed); ++k) {
      line += " " + AsShellWord(runs[i][k]);
    }
    if (runs[i].size() > kMostListed) {
      line += fmt::format(" …` ({} files)", runs[i].size());
      error.notes.push_back(std::move(line));
    } else {
      error.notes.push_back(line + "`");
    }
  }
  if (runs.size() > kMostRuns && where.empty()) {
    error.notes.push_back(fmt::format("note: and {} more", runs.size() - kMostRuns));
  } else if (runs.size() > kMostRuns) {
    error.notes.push_back(fmt::format("help: {} more: `profgauge inspect {}`",
                                      runs.size() - kMostRuns, AsShellWord(where)));
  }
  return error;
}

std::vector<std::string> KeepLatest(std::vector<Profile>& profiles) {
  std::vector<std::string> left_out;
  std::map<std::pair<std::string, std::int64_t>, std::pair<std::string, std::string>> latest;
  for (const Profile& profile : profiles) {
    const auto by = WriterOf(profile);
    if (!by) return {};
    auto& kept = latest[{by->writer, profile.distributed.rank}];
    kept = std::max(kept, std::pair(by->time, profile.source.path));
  }
  // Two profiles without recorded ranks that may be of one run may be its ranks, so both are kept.
  for (const Profile& a : profiles) {
    for (const Profile& b : profiles) {
      const bool known = a.distributed.rank >= 0 || b.distributed.rank >= 0;
      if (&a != &b && !known && !WhyOfDifferentRuns(a, b)) return {};
    }
  }
  const auto is_earlier = [&](const Profile& profile) {
    const auto by = WriterOf(profile);
    return latest.at({by->writer, profile.distributed.rank}).second != profile.source.path;
  };
  for (const Profile& profile : profiles) {
    if (is_earlier(profile)) left_out.push_back(profile.source.path);
  }
  std::erase_if(profiles, is_earlier);
  return left_out;
}

}  // namespace profgauge::readers
