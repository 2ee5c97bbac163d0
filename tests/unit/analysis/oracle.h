// Real traces and other tools' numbers for them, from the shared folder beside the checkout. Tests
// that use it skip where the folder is absent.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "readers/load.h"

namespace profgauge::analysis {

inline std::string SharedPath(const std::string& path) {
  return std::string(PROFGAUGE_SHARED_DIR) + "/" + path;
}

#define PROFGAUGE_SKIP_WITHOUT_SHARED() \
  if (!std::filesystem::exists(SharedPath("oracle"))) GTEST_SKIP() << "no shared folder"

inline std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline boost::json::value ReadOracle(const std::string& path) {
  boost::json::error_code error;
  auto value = boost::json::parse(ReadText(SharedPath(path)), error);
  EXPECT_FALSE(error) << path << ": " << error.message();
  return value;
}

inline std::vector<Profile> ReadTrace(const std::string& path) {
  readers::ReadOptions options;
  options.threads = 1;
  auto profile = readers::ReadProfile(SharedPath(path), options);
  EXPECT_TRUE(profile.has_value()) << path << ": " << (profile ? "" : profile.error().message);
  std::vector<Profile> ranks;
  if (profile) ranks.push_back(std::move(*profile));
  return ranks;
}

/// The files of the shared folder, whatever they are; absolute paths. Of the runs of a history, the
/// tables of a capture and mutants, three of a kind and folder; Kineto's files are of many
/// programs.
inline std::vector<std::string> AllRecordings() {
  constexpr int kMostOfFolder = 3;
  std::vector<std::string> paths;
  std::error_code error;  // Without a shared folder there is none.
  const std::string root = SharedPath("data");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root, error)) {
    if (entry.is_regular_file()) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::map<std::string, int> kept;
  std::erase_if(paths, [&](const std::string& path) {
    const std::filesystem::path file(path);
    const bool is_alike = path.find("/data/kineto/") == path.npos;
    return is_alike && ++kept[(file.parent_path() / file.extension()).string()] > kMostOfFolder;
  });
  return paths;
}

/// Every Kineto trace of the shared folder that can be read.
inline std::vector<std::string> AllTraces() {
  std::vector<std::string> paths;
  const std::filesystem::path root = SharedPath("data/kineto");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file() || path.find("expected") != path.npos) continue;
    if (!path.ends_with(".json") && !path.ends_with(".json.gz")) continue;
    paths.push_back(std::filesystem::relative(entry.path(), PROFGAUGE_SHARED_DIR).string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace profgauge::analysis
