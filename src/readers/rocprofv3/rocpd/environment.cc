#include "readers/rocprofv3/rocpd/environment.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "readers/text/json_copy.h"
#include "readers/text/json_rows.h"

namespace profgauge::readers::rocpd {
namespace {

struct RankNames {
  std::string_view rank, size;
};
// torchrun's first: with one task for each node it starts, SLURM's is the node's.
constexpr RankNames kRanks[] = {
    {"RANK", "WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMIX_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"SLURM_PROCID", "SLURM_NTASKS"},
};

struct TracedDomain {
  std::string_view name, words;
  bool Environment::*flag;
};
constexpr TracedDomain kDomains[] = {
    {"ROCPROF_KERNEL_TRACE", "kernels", &Environment::kernels_traced},
    {"ROCPROF_MEMORY_COPY_TRACE", "copies", &Environment::copies_traced},
    {"ROCPROF_HIP_RUNTIME_API_TRACE", "HIP calls", nullptr},
    {"ROCPROF_RCCL_API_TRACE", "RCCL calls", nullptr},
    {"ROCPROF_MARKER_API_TRACE", "roctx ranges", nullptr},
};

constexpr std::string_view kFilters[] = {"ROCPROF_KERNEL_FILTER_INCLUDE_REGEX",
                                         "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX",
                                         "ROCPROF_KERNEL_FILTER_RANGE"};

std::int64_t NumberOf(const JsonRow& variables, std::string_view name) {
  const auto number = variables.Integer(name);
  return number && *number >= 0 && *number < std::numeric_limits<std::int32_t>::max() ? *number
                                                                                      : -1;
}

void TakeRank(const JsonRow& variables, Environment& out) {
  for (const auto& [rank, size] : kRanks) {
    if (variables.Find(rank) == nullptr) continue;
    out.rank = NumberOf(variables, rank);
    out.world_size = NumberOf(variables, size);
    if (out.world_size == 0) out.world_size = -1;
    if (out.world_size > 0 && out.rank >= out.world_size) out.rank = -1;
    return;
  }
}

bool IsOn(std::string_view value) {
  return value == "1" || value == "true" || value == "True" || value == "TRUE" || value == "on" ||
         value == "ON";
}

}  // namespace

Environment EnvironmentOf(std::string_view json) {
  Environment out;
  ReadJsonObject(json, [&](const JsonRow& variables) {
    TakeRank(variables, out);
    for (const auto& [name, words, flag] : kDomains) {
      if (variables.Find(name) == nullptr) continue;
      out.says_traced = true;
      if (!IsOn(variables.Text(name))) continue;
      if (flag != nullptr) out.*flag = true;
      out.traced += (out.traced.empty() ? "" : ", ") + std::string(words);
    }
    if (variables.Find("ROCPROF_SELECTED_REGIONS") != nullptr &&
        IsOn(variables.Text("ROCPROF_SELECTED_REGIONS"))) {
      out.traced += (out.traced.empty() ? "" : ", ") + std::string("only in selected regions");
    }
    // The filter's text may hold private names.
    const auto filters = [&](std::string_view name) { return !variables.Text(name).empty(); };
    if (std::any_of(std::begin(kFilters), std::end(kFilters), filters)) {
      out.traced += (out.traced.empty() ? "" : ", ") + std::string("only kernels of a filter");
    }
  });
  return out;
}

std::string ScrubbedEnvironment(std::string_view json) {
  static const JsonKeep kKeep = [] {
    JsonKeep keep = {"rocpd", {"ROCPROF_SELECTED_REGIONS"}, {}};
    for (const auto& [rank, size] : kRanks) {
      keep.paths.insert(keep.paths.end(), {std::string(rank), std::string(size)});
    }
    for (const auto& domain : kDomains) keep.paths.emplace_back(domain.name);
    for (const std::string_view filter : kFilters) keep.paths.emplace_back(filter);
    keep.clean = [](std::string_view path, std::string_view text) {
      const bool is_filter =
          std::find(std::begin(kFilters), std::end(kFilters), path) != std::end(kFilters);
      return std::string(is_filter && !text.empty() ? "hidden" : text);
    };
    return keep;
  }();
  return CopyJsonText(json, kKeep);
}

}  // namespace profgauge::readers::rocpd
