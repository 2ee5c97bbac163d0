#include "readers/ascend/scrub.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace profgauge::readers::ascend {

JsonKeep KeptKeys(const Rename& rename) {
  JsonKeep keep = {"ascend",
                   {"ph", "pid", "tid", "ts", "dur", "cat", "name", "id", "args/name",
                    "args/labels", "args/Task Type", "args/Stream Id", "args/Sequence number",
                    "args/Fwd thread id", "args/Input Dims", "args/Call stack"},
                   {}};
  keep.clean = [&rename](std::string_view path, std::string_view text) {
    // Names of processes and threads are CANN's own words, e.g. "Ascend Hardware", so they stay.
    const bool is_name = path == "args/Call stack" || (path == "name" && !text.ends_with("_name"));
    return is_name ? CopiedName(text, rename) : WithoutPaths(text);
  };
  return keep;
}

CsvKeep KeptColumn(std::string_view column) {
  constexpr std::string_view kWords[] = {
      "Type", "Input Shapes", "Input Data Types", "Accelerator Core", "Index", "Stage"};
  if (column == "Name") return CsvKeep::kNames;
  const bool is_word = std::find(std::begin(kWords), std::end(kWords), column) != std::end(kWords);
  return is_word ? CsvKeep::kWords : CsvKeep::kNumbers;
}

}  // namespace profgauge::readers::ascend
