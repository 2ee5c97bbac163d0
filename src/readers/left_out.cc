// The skipped files of a folder: is one of them something else, or a missing rank?
//
//   profiles that were read    a file that was not            it is
//   rank0.json, rank1.json     rank2.json, no JSON            a rank that failed: same pattern
//   rank0.json, rank1.json     notes.txt                      something else
//   r0.sqlite, r1.sqlite       r1.nsys-rep                    the raw form of r1.sqlite
//   r0.sqlite, r1.sqlite       r2.nsys-rep                    a rank without an export
//
// A pattern is the name with "#" for each number: "rank#.json". A verdict over the ranks that are
// left would hide the one that failed.
#include <algorithm>
#include <filesystem>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "readers/builtin.h"
#include "readers/load.h"

namespace profgauge::readers {
namespace {

/// Profiles of programs that are supported, in forms that are not: they were meant to be judged.
constexpr std::string_view kRawForms[] = {"input/nsys-rep", "input/qdstrm", "input/gaudi",
                                          "input/perfetto"};

std::string NameOf(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// The name without the additions of a compressor, an archiver or an unfinished write.
std::string PlainName(const std::string& path) {
  constexpr std::string_view kAdded[] = {".gz", ".zst", ".xz",  ".bz2", ".lz4",
                                         ".br", ".zip", ".tar", ".tmp", ".part"};
  std::string name = NameOf(path);
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view added : kAdded) {
      if (!name.ends_with(added) || name.size() == added.size()) continue;
      name.resize(name.size() - added.size());
      again = true;
    }
  }
  return name;
}

/// The name up to the first dot: forms of one profile differ after it.
std::string StemOf(const std::string& path) {
  const std::string name = NameOf(path);
  return name.substr(0, name.find('.'));
}

/// With one sign for each number.
std::string NumberlessName(std::string_view text) {
  std::string pattern;
  for (const char letter : text) {
    const bool is_digit = letter >= '0' && letter <= '9';
    if (!is_digit || pattern.empty() || pattern.back() != '#') pattern += is_digit ? '#' : letter;
  }
  return pattern;
}

/// A raw form beside its export is not a rank.
bool IsRawRank(const std::string& path, const std::vector<Profile>& profiles) {
  const std::string stem = StemOf(path), pattern = NumberlessName(stem);
  bool is_alike = false;
  for (const Profile& profile : profiles) {
    const std::string other = StemOf(profile.source.path);
    if (other == stem) return false;
    is_alike |= NumberlessName(other) == pattern;
  }
  return is_alike;
}

}  // namespace

bool IsNamedAsRecording(const std::string& file) {
  return std::ranges::any_of(BuiltinReaders(), [&](const auto& reader) {
    return std::ranges::any_of(reader->suffixes(),
                               [&](std::string_view suffix) { return file.ends_with(suffix); });
  });
}

bool IsNoRecording(const Error& error) {
  if (error.code == "input/empty" || error.code == "input/open" || error.code == "input/read") {
    return !IsNamedAsRecording(error.where.file);
  }
  return error.code.starts_with("input/");
}

bool IsLikelyRank(const Error& error, const std::vector<Profile>& profiles) {
  const std::string& path = error.where.file;
  if (std::ranges::find(kRawForms, error.code) != std::end(kRawForms) &&
      IsRawRank(path, profiles)) {
    return true;
  }
  return HasNameLike(path, profiles);
}

bool HasNameLike(const std::string& path, const std::vector<Profile>& profiles) {
  const std::string pattern = NumberlessName(PlainName(path));
  return std::ranges::any_of(profiles, [&](const Profile& profile) {
    return NumberlessName(PlainName(profile.source.path)) == pattern;
  });
}

}  // namespace profgauge::readers
