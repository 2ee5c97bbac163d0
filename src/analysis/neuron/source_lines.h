// Lines of source files for the report: only from below a folder that the user named.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profgauge::analysis::neuron {

/// Reads a file once and keeps its lines. Paths outside the folder are never read.
class SourceLines {
 public:
  /// `root`: the folder with the sources; empty: none are shown.
  explicit SourceLines(std::string root) : root_(std::move(root)) {}

  /// The line with its indentation (a tab is four blanks), of at most 200 bytes; empty when it is
  /// not to be had. A path of another machine is found by its last parts. Files over 4 MiB are not
  /// read.
  std::string Line(std::string_view file, std::int64_t line);

 private:
  const std::vector<std::string>& FileLines(std::string_view file);

  std::string root_;
  std::map<std::string, std::vector<std::string>, std::less<>> files_;
};

}  // namespace profgauge::analysis::neuron
