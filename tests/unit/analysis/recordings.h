// Made runs as recordings that were read, and the profiles that are in for their summaries.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../tools/ranks/made_ranks.h"
#include "analysis/ranks/rank_summary.h"
#include "base/byte_source.h"
#include "model/summary/summary_file.h"
#include "readers/load.h"

namespace profgauge::analysis {

/// A made run as its files are read.
inline std::vector<Profile> Recordings(const profgauge::made::Plan& plan) {
  static int count = 0;
  const auto folder =
      std::filesystem::temp_directory_path() /
      ("profgauge_summaries_" + std::to_string(getpid()) + "_" + std::to_string(++count));
  profgauge::made::WriteRun(plan, profgauge::made::Simulate(plan), folder.string());
  auto run = readers::ReadRun({folder.string()}, {});
  std::filesystem::remove_all(folder);
  std::filesystem::remove(folder.string() + ".truth.json");
  EXPECT_TRUE(run) << (run ? "" : run.error().message);
  return run ? std::move(*run) : std::vector<Profile>{};
}

/// The profiles that summaries of a file represent a run by.
inline std::vector<Profile> StandIns(const std::vector<Summary>& summaries) {
  std::vector<Profile> profiles;
  for (const Summary& summary : summaries) {
    profiles.push_back(ProfileOfSummary(summary, "run.pgsum"));
  }
  return profiles;
}

/// The bytes of a gzipped summary file.
inline std::string Inflated(const std::string& file) {
  const auto source = MakeMemorySource("run.pgsum", std::as_bytes(std::span(file)));
  std::string bytes(std::size_t{1} << 24, '\0');
  std::size_t have = 0;
  while (true) {
    const auto got = source->Read(std::as_writable_bytes(std::span(bytes).subspan(have)));
    if (!got || *got == 0) break;
    have += *got;
  }
  bytes.resize(have);
  return bytes;
}

}  // namespace profgauge::analysis
