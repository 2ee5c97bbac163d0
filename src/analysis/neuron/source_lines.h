// Lines of source files for the report, only from below a folder that the user named.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profgauge::analysis::neuron {

/// Reads each file once and caches its lines. Paths outside the folder are never read.
class SourceLines {
 public:
  /// `root`: the folder with the sources; empty: shows none.
  explicit SourceLines(std::string root) : root_(std::move(root)) {}

  /// Returns the line with its indentation (a tab is four blanks), at most 200 bytes; empty if it
  /// is unavailable. Paths of other machines are matched by their last components. Files over 4 MiB
  /// are ignored.
  std::string Line(std::string_view file, std::int64_t line);

  /// The lines of the file as they are; empty if it is unavailable.
  const std::vector<std::string>& FileLines(std::string_view file);

 private:
  std::string root_;
  std::map<std::string, std::vector<std::string>, std::less<>> files_;
};

}  // namespace profgauge::analysis::neuron
