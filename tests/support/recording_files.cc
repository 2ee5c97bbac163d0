#include "support/recording_files.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>

namespace profgauge::edit {
namespace {

namespace fs = std::filesystem;

const fs::path kExamples = fs::path(PROFGAUGE_SOURCE_DIR) / "examples";
const fs::path kData = fs::path(PROFGAUGE_SHARED_DIR) / "data";

/// Where recordings of a format are. The first one that is there stands for all.
struct Place {
  const char* format;
  fs::path path;
  const char* suffix;
};

const std::vector<Place>& Places() {
  static const std::vector<Place> kPlaces = {
      {"kineto", kExamples / "slow.pt.trace.json.gz", ".gz"},
      {"kineto", kExamples, ".pt.trace.json.gz"},
      {"kineto", kData / "kineto", "json.gz"},
      {"kineto", kData / "kineto" / "micro", ".trace.json"},
      {"kineto", kData / "labelled", ".json.gz"},
      {"kineto", kData / "claims", ".json.gz"},
      {"kineto", kData / "strangers", ".json.gz"},
      {"kineto", kData / "strangers-2", ".json.gz"},
      {"ascend", kData / "ascend" / "trace_view.json", ""},
      {"xla_trace", kData / "xla", ".trace.json.gz"},
      {"nsight", kData / "nsight-systems" / "dlprof_dummynet_wrelu_nsys.sqlite", ""},
      {"nsight", kData / "nsight-systems", ".sqlite"},
      {"nsight", kData / "strangers-2", ".sqlite"},
      {"nvprof", kData / "nvprof", ".nvvp"},
      {"rocpd", kData / "rocm" / "synthetic_v3_results.db", ""},
      {"rocpd", kData / "rocm", "_results.db"},
      {"rocprofv3", kData / "rocm" / "synthetic_results.json", ""},
      {"rocprofv3", kData / "rocm", "_results.json.gz"},
      {"neuron", kData / "neuron", ".json"},
      {"xplane", kExamples / "h200", ".xplane.pb.gz"},
      {"xplane", kData / "xla", ".xplane.pb"},
      {"xplane", kData / "strangers", ".xplane.pb"},
      {"pftrace", kData / "perfetto" / "h100_vit.pftrace.gz", ""},
      {"pftrace", kData / "perfetto" / "v100_resnet50.pftrace.gz", ""},
  };
  return kPlaces;
}

/// Which files: one of each format; or all up to this many bytes.
std::optional<std::uintmax_t> MostBytes() {
  const char* which = std::getenv("PROFGAUGE_RELATIONS");
  if (which == nullptr) return std::nullopt;
  const std::uintmax_t bytes = std::strtoull(which, nullptr, 10);
  return bytes > 0 ? bytes : 1'400'000;  // The larger ones hold nothing more.
}

std::vector<fs::path> FilesIn(const fs::path& folder, std::string_view suffix) {
  const std::uintmax_t most = MostBytes().value_or(1'400'000);
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().string();
    if (!entry.is_regular_file() || !name.ends_with(suffix)) continue;
    if (name.find("malformed") != name.npos || entry.file_size() > most) continue;
    found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

bool IsNightly() { return MostBytes().has_value(); }

Sets FilesOf(std::string_view format) {
  if (const char* only = std::getenv("PROFGAUGE_RELATIONS_FILE")) return {{only}};
  Sets files;
  std::set<fs::path> seen;
  for (const Place& place : Places()) {
    if (place.format != format || !fs::exists(place.path)) continue;
    const std::vector<fs::path> found = fs::is_directory(place.path)
                                            ? FilesIn(place.path, place.suffix)
                                            : std::vector<fs::path>{place.path};
    for (const fs::path& path : found) {
      if (seen.insert(path).second) files.push_back({path});
    }
  }
  return files;
}

Sets RunsOf(std::string_view format) {
  Sets runs;
  for (const auto& [of, folder, suffix] :
       std::vector<Place>{{"kineto", kExamples / "ddp", ".json.gz"},
                          {"kineto", kData / "kineto" / "dlrm_8ranks", ".json.gz"},
                          {"kineto", kData / "strangers-2" / "megatron-folder", ".json.gz"},
                          {"rocpd", kData / "rocm" / "two_ranks", ".db"},
                          {"rocprofv3", kData / "rocm" / "two_ranks_json", ".json"}}) {
    if (of == format && fs::exists(folder)) runs.push_back(FilesIn(folder, suffix));
  }
  return runs;
}

}  // namespace profgauge::edit
