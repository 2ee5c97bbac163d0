#include "cli/rank_by_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>

#include "api/session.h"
#include "base/errors.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/find_runs.h"
#include "cli/memory.h"
#include "cli/reading.h"
#include "readers/load.h"
#include "readers/one_run.h"
#include "readers/ranks.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostWhole = 64;

/// The inputs, or the share of them that --part names.
Result<std::vector<std::string>> InputsOfPart(const Options& options) {
  PROFGAUGE_TRY(const Part part, ParsePart(options.part));
  const std::vector<std::string> all = RecordingsNamed(options.arguments);
  std::vector<std::string> own;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (part.Has(i)) own.push_back(all[i]);
  }
  return own;
}

void Append(SummarizedRanks more, SummarizedRanks& ranks) {
  std::move(more.stand_ins.begin(), more.stand_ins.end(), std::back_inserter(ranks.stand_ins));
  ranks.were_summaries = ranks.were_summaries || more.were_summaries;
}

/// Reads all inputs. Inputs that fail are reported and counted. An error of the user's selection
/// ends the reading.
Result<RanksRead> ReadAll(const std::vector<std::string>& inputs, const Options& options,
                          const analysis::Selection& selection,
                          analysis::iterations::CommonIterations& iterations, Console& console) {
  RanksRead read;
  std::vector<Error> left_out;
  for (auto& ranks : SummarizeEach(inputs, options, selection, {nullptr, &iterations}, console)) {
    if (ranks) {
      Append(*std::move(ranks), read.ranks);
    } else if (inputs.size() > 1 && readers::IsNoRecording(ranks.error())) {
      left_out.push_back(std::move(ranks).error());
    } else if (ranks.error().kind == ErrorKind::kInput) {
      console.Report(ranks.error());
      ++read.failed;
    } else {
      return Fail(std::move(ranks).error());
    }
  }
  for (const Error& error : left_out) {
    if (readers::IsLikelyRank(error, read.ranks.stand_ins)) {
      console.Report(error);
      ++read.failed;
    } else {
      console.Say(fmt::format("note: left out {}: {}", Printable(error.where.file),
                              Printable(error.message)));
    }
  }
  return read;
}

/// If a rank does not have an iteration that others have, summarizes all again, one by one, with
/// only the iterations that all have.
Status Align(const std::vector<std::string>& inputs, const Options& options,
             const analysis::Selection& selection,
             const analysis::iterations::CommonIterations& iterations, Console& console,
             RanksRead& read) {
  if (read.failed > 0 || read.ranks.were_summaries || iterations.AreAll()) return {};
  read.ranks = {};
  for (auto& ranks : SummarizeEach(inputs, options, selection, {&iterations, nullptr}, console)) {
    if (ranks) {
      Append(*std::move(ranks), read.ranks);
    } else if (!readers::IsNoRecording(ranks.error())) {  // Else it was left out before.
      return Fail(std::move(ranks).error());
    }
  }
  readers::GiveRanks(read.ranks.stand_ins, RanksOf(options));
  return {};
}

/// True if the file's name contains the number, so that it probably is the file of that rank.
bool NamesNumber(const std::string& path, std::int64_t number) {
  const std::string name = fs::path(path).filename().string();
  const std::string digits = std::to_string(number);
  const auto is_digit = [&](std::size_t at) {
    return at < name.size() && name[at] >= '0' && name[at] <= '9';
  };
  for (auto at = name.find(digits); at != name.npos; at = name.find(digits, at + 1)) {
    if (!is_digit(at + digits.size()) && (at == 0 || !is_digit(at - 1))) return true;
  }
  return false;
}

/// Reads the requested rank with its events; each other rank is freed after it was read. If the
/// profiles do not state ranks, their order in the whole folder counts.
Result<std::vector<Profile>> ReadOneRank(const Options& options, std::int64_t rank,
                                         Console& console) {
  std::vector<std::string> inputs = RecordingsNamed(options.arguments);
  std::stable_partition(inputs.begin(), inputs.end(),
                        [rank](const std::string& path) { return NamesNumber(path, rank); });
  std::vector<Error> failed;
  for (const std::string& input : inputs) {
    Options one = options;
    one.arguments = {input};
    one.is_one_of_many = inputs.size() > 1;
    auto profiles = ReadProfiles(one, console);
    if (!profiles) {
      failed.push_back(std::move(profiles).error());
      continue;
    }
    for (Profile& profile : *profiles) {
      if (profile.distributed.rank < 0) return ReadFiles(options, console);
      if (profile.distributed.rank != rank) continue;
      std::vector<Profile> found;
      found.push_back(std::move(profile));
      return found;
    }
  }
  for (const Error& error : failed) console.Report(error);
  Error error = InputError(options.arguments.front(), "analysis/no-rank",
                           fmt::format("no profile of the folder has rank {}", rank),
                           "`profgauge inspect` lists the ranks of a run");
  error.kind = ErrorKind::kUsage;
  return Fail(std::move(error));
}

}  // namespace

std::vector<std::string> RecordingsNamed(const std::vector<std::string>& arguments) {
  std::vector<std::string> inputs;
  for (const std::string& argument : arguments) {
    std::vector<std::string> files = readers::RecordingsOf(argument);
    if (files.empty()) files = FilesOfOnlyRun(argument);
    if (files.empty()) files.push_back(argument);
    std::move(files.begin(), files.end(), std::back_inserter(inputs));
  }
  return inputs;
}

Result<RanksRead> ReadRankByRank(const Options& options, const analysis::Selection& selection,
                                 Console& console) {
  PROFGAUGE_TRY(const std::vector<std::string> inputs, InputsOfPart(options));
  analysis::iterations::CommonIterations iterations;
  PROFGAUGE_TRY(RanksRead read, ReadAll(inputs, options, selection, iterations, console));
  readers::GiveRanks(read.ranks.stand_ins, RanksOf(options));
  PROFGAUGE_CHECK(readers::CheckOneRun(read.ranks.stand_ins, ""));
  PROFGAUGE_CHECK(Align(inputs, options, selection, iterations, console, read));
  return read;
}

bool NamesManyRanks(const Options& options) {
  const std::vector<std::string> inputs = RecordingsNamed(options.arguments);
  std::uint64_t memory = 0;
  for (const std::string& input : inputs) {
    if (input.ends_with(".pgsum")) return false;
    memory += MemoryFor(input);
  }
  const bool fit = memory <= MemoryToUse(options.max_memory);
  return inputs.size() > kMostWhole || (inputs.size() > 1 && !fit);
}

Result<std::vector<Profile>> ReadRanks(const Options& options, const rules::Policy& policy,
                                       Console& console) {
  const bool events = options.outputs.Has(OutputKind::kTrace) || options.timeline == "full" ||
                      !policy.what_if.empty();
  const analysis::Selection selection = SelectionOf(policy, Choices(options));
  const bool are_many = NamesManyRanks(options);
  if (are_many && selection.rank >= 0) return ReadOneRank(options, selection.rank, console);
  if (events || !are_many) return ReadFiles(options, console);
  auto ranks = ReadRankByRank(options, selection, console);
  const bool are_unknown = !ranks && ranks.error().code == "input/ranks-unknown";
  if (are_unknown && options.baselines.empty()) return Fail(std::move(ranks).error());
  // If a folder has several profiles of a rank, only all of its files show which is the latest.
  if (!ranks && ranks.error().kind == ErrorKind::kInput) return ReadFiles(options, console);
  if (!ranks) return Fail(std::move(ranks).error());
  RanksRead& read = *ranks;
  std::vector<Profile>& stand_ins = read.ranks.stand_ins;
  std::stable_sort(stand_ins.begin(), stand_ins.end(), readers::RanksBefore);
  const std::string& folder = options.arguments.front();
  if (stand_ins.empty()) {
    return Fail(InputError(folder, "input/ranks-unreadable", "no profile of the folder can be read",
                           "the errors of each are listed above"));
  }
  if (read.failed > 0 && !IsJudging(options) && !options.allow_incomplete) {
    return Fail(
        InputError(folder, "input/ranks-unreadable",
                   fmt::format("{} of {} profiles of the folder cannot be read", read.failed,
                               read.failed + stand_ins.size()),
                   "the errors of each are listed above; --allow-incomplete leaves them out"));
  }
  stand_ins.front().log.Add(Counter::ranks_unreadable, read.failed);
  console.Say(fmt::format(
      "note: {} {} profiles from summaries, without launches, timeline or simulation; pass at most "
      "{} to get them",
      IsJudging(options) ? "judging" : "comparing", stand_ins.size(),
      stand_ins.size() > kMostWhole ? "64 of them" : "as many as memory holds"));
  return std::move(stand_ins);
}

}  // namespace profgauge::cli
