#include "readers/rocprofv3/kept_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "readers/text/without_paths.h"

namespace profgauge::readers::rocprofv3 {
namespace {

/// The keys that records.cc reads, below the root: without the node, the command and the
/// configuration.
constexpr std::string_view kJsonRoot = "rocprofiler-sdk-tool/";
constexpr std::string_view kPaths[] = {
    "metadata/pid", "metadata/init_time", "metadata/fini_time",
    // Of devices.
    "agents/id/handle", "agents/type", "agents/logical_node_type_id", "agents/node_id",
    "agents/product_name", "agents/name", "agents/cu_count", "agents/wave_front_size",
    "agents/mem_banks/size_in_bytes", "agents/max_waves_per_cu", "agents/gfx_target_version",
    // Of names.
    "kernel_symbols/kernel_id", "kernel_symbols/formatted_kernel_name",
    "kernel_symbols/kernel_name", "kernel_symbols/arch_vgpr_count", "strings/buffer_records/",
    "strings/marker_api/",
    // Of what ran.
    "buffer_records/", "callback_records/counter_collection/"};
/// Symbols, and what the program pushed as ranges.
constexpr std::string_view kNames[] = {"kernel_symbols/", "strings/marker_api/"};
/// Rows of numbers.
constexpr std::string_view kNumbers[] = {"buffer_records/", "callback_records/"};

template <std::size_t N>
bool IsBelow(std::string_view path, const std::string_view (&lists)[N]) {
  return std::any_of(std::begin(lists), std::end(lists),
                     [&](std::string_view list) { return path.starts_with(list); });
}

std::vector<std::string> Paths() {
  std::vector<std::string> paths;
  for (const std::string_view path : kPaths) paths.push_back(fmt::format("{}{}", kJsonRoot, path));
  return paths;
}

}  // namespace

JsonKeep KeptKeys(const Rename& rename) {
  return {"rocprofv3", Paths(), [&rename](std::string_view path, std::string_view text) {
            path.remove_prefix(std::min(path.size(), kJsonRoot.size()));
            if (IsBelow(path, kNumbers)) return std::string();
            return IsBelow(path, kNames) ? CopiedName(text, rename) : WithoutPaths(text);
          }};
}

}  // namespace profgauge::readers::rocprofv3
