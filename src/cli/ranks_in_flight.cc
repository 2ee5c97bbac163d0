#include "cli/ranks_in_flight.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <span>
#include <system_error>
#include <utility>

#include "analysis/ranks/analyze_run.h"
#include "base/parallel.h"
#include "cli/console.h"
#include "cli/memory.h"
#include "cli/reading.h"
#include "report/redact.h"

namespace profgauge::cli {
namespace {

/// The stored bytes of an input; 0 for folders, and if unknown.
std::uint64_t SizeOf(const std::string& input) {
  std::error_code error;
  const auto size = std::filesystem::file_size(input, error);
  return error ? 0 : static_cast<std::uint64_t>(size);
}

// The memory for all profiles that are read in parallel: half of the memory limit, at most 2 GiB.
std::uint64_t MemoryAllowed(const Options& options) {
  constexpr std::uint64_t kMostMemory = std::uint64_t{2} << 30;
  return std::min(kMostMemory, MemoryToUse(options.max_memory) / 2);
}

std::size_t Threads(const Options& options) { return options.jobs > 0 ? options.jobs : Cores(); }

// How many inputs to read in parallel, by the size of the largest, because each of them may be that
// large; never more than inputs or threads.
std::size_t InFlight(const std::vector<std::string>& inputs, const Options& options) {
  std::uint64_t largest = 1;
  for (const std::string& input : inputs) largest = std::max(largest, MemoryFor(input));
  const std::uint64_t fit = std::max<std::uint64_t>(1, MemoryAllowed(options) / largest);
  return static_cast<std::size_t>(std::min<std::uint64_t>({inputs.size(), Threads(options), fit}));
}

}  // namespace

// Reading needs up to three times the text, which gzip compresses up to fifteen times.
std::uint64_t MemoryFor(const std::string& input) {
  return SizeOf(input) * (input.ends_with(".gz") ? 45 : 3);
}

void RedactSummaries(std::vector<Profile>& ranks, const report::Redaction& redaction) {
  std::vector<std::string> hashes;
  for (const Profile& rank : ranks) hashes.push_back(rank.source.hash);
  const report::Redaction keyed(redaction.level, report::KeyOf(redaction, hashes));
  for (Profile& rank : ranks) {
    Summary summary = *SummaryOf(rank);
    report::RedactSummary(summary, keyed);
    rank = ProfileOfSummary(summary, rank.source.path);
  }
}

Result<SummarizedRanks> SummarizeRead(std::span<const Profile> profiles,
                                      const analysis::Selection& selection,
                                      const analysis::iterations::IterationsOfRun& run) {
  SummarizedRanks ranks;
  if (std::none_of(profiles.begin(), profiles.end(), IsSummary)) {
    PROFGAUGE_TRY(const std::vector<Summary> summaries,
                  analysis::ranks::SummarizeRanks(profiles, selection, run));
    for (std::size_t i = 0; i < summaries.size(); ++i) {
      ranks.stand_ins.push_back(ProfileOfSummary(summaries[i], profiles[i].source.path));
    }
    return ranks;
  }
  ranks.were_summaries = true;
  for (const Profile& profile : profiles) {
    auto summary = SummaryOf(profile);
    if (!summary) {
      PROFGAUGE_TRY(std::vector<Summary> one,
                    analysis::ranks::SummarizeRanks(std::span(&profile, 1), selection));
      summary = std::move(one.front());
    }
    ranks.stand_ins.push_back(ProfileOfSummary(*summary, profile.source.path));
    // Checks the columns and the selection of a summary, by analyzing it as a run of one rank.
    PROFGAUGE_TRY([[maybe_unused]] const analysis::Analysis checked,
                  analysis::ranks::AnalyzeRun(std::span(&ranks.stand_ins.back(), 1), selection));
  }
  return ranks;
}

// Each input gets its share of the threads. If inputs are read one at a time, each has its own
// progress line; otherwise one line counts the bytes of all.
std::vector<Result<SummarizedRanks>> SummarizeEach(const std::vector<std::string>& inputs,
                                                   const Options& options,
                                                   const analysis::Selection& selection,
                                                   const analysis::iterations::IterationsOfRun& run,
                                                   Console& console) {
  const std::size_t in_flight = std::max<std::size_t>(1, InFlight(inputs, options));
  const auto read = in_flight == 1 ? ReadProfiles : ReadBesideOthers;
  std::uint64_t total = 0;
  for (const std::string& input : inputs) total += SizeOf(input);
  std::atomic<std::uint64_t> done = 0;
  std::mutex adding;
  const auto summarize = [&](const std::string& input) -> Result<SummarizedRanks> {
    Options one = options;
    one.arguments = {input};
    one.is_one_of_many = inputs.size() > 1;
    if (inputs.size() > 1) one.ranks = "recorded";  // Their order counts among all inputs.
    one.jobs = static_cast<unsigned>(std::max<std::size_t>(1, Threads(options) / in_flight));
    PROFGAUGE_TRY(const std::vector<Profile> profiles, read(one, console));
    analysis::iterations::CommonIterations own;
    auto ranks = SummarizeRead(profiles, selection, {run.all, &own});
    const std::lock_guard lock(adding);
    if (ranks && run.found != nullptr) run.found->Add(own);
    return ranks;
  };
  std::vector<Result<SummarizedRanks>> found(inputs.size());
  ForEachAtOnce(
      inputs.size(),
      [&](std::size_t i) {
        found[i] = summarize(inputs[i]);
        done += SizeOf(inputs[i]);
        if (in_flight > 1) {
          console.Progress("reading", options.arguments.front(), done, total);
        }
      },
      in_flight);
  console.ClearProgress();
  return found;
}

}  // namespace profgauge::cli
