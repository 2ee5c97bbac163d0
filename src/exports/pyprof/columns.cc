#include "exports/pyprof/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "exports/pyprof/prof.h"

namespace profgauge::exports::pyprof {
namespace {

constexpr ColumnName kColumns[] = {
    {"idx", "Idx", 7},       {"seq", "SeqId", 7},     {"altseq", "AltSeqId", 7},
    {"tid", "TId", 12},      {"layer", "Layer", 10},  {"trace", "Trace", 25},
    {"dir", "Direction", 5}, {"sub", "Sub", 3},       {"mod", "Module", 15},
    {"op", "Op", 15},        {"kernel", "Kernel", 0}, {"params", "Params", 0},
    {"sil", "Sil(ns)", 10},  {"tc", "TC", 2},         {"device", "Device", 3},
    {"stream", "Stream", 3}, {"grid", "Grid", 12},    {"block", "Block", 12},
    {"flops", "FLOPs", 12},  {"bytes", "Bytes", 12},
};

template <class T>
std::string Joined(const std::vector<T>& items, std::string_view separator) {
  if (items.empty()) return "-";
  return fmt::format("{}", fmt::join(items, separator));
}

std::string WithoutBlanks(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), ' ', '_');
  return out;
}

std::string Dimensions(const Profile& profile, std::uint32_t row, bool grid) {
  const LaunchConfigId config = profile.device.config[row];
  if (!config.valid()) return "-";
  const LaunchConfig& launch = profile.launch_configs[config.value];
  const auto& size = grid ? launch.grid : launch.block;
  return fmt::format("{},{},{}", size[0], size[1], size[2]);
}

std::string FirstOr(const std::vector<std::string>& texts, std::string_view otherwise) {
  return texts.empty() ? std::string(otherwise) : texts.front();
}

}  // namespace

std::span<const ColumnName> AllColumns() { return kColumns; }

std::vector<std::size_t> DefaultColumns() {
  std::vector<std::size_t> chosen;
  for (const std::string_view name :
       {"idx", "dir", "sub", "mod", "op", "kernel", "params", "sil"}) {
    for (std::size_t i = 0; i < std::size(kColumns); ++i) {
      if (kColumns[i].option == name) chosen.push_back(i);
    }
  }
  return chosen;
}

KernelRows BuildKernelRows(const SelectedRank& rank) {
  const Profile& profile = *rank.profile;
  KernelRows rows;
  Prof prof(profile);
  for (const KernelRecord& record : BuildRecords(profile)) {
    const ProfResult result = prof(record);  // Every record: later kernels depend on earlier ones.
    if (!rank.HasWork(record.row)) continue;
    if (!result.understood) ++rows.unattributed;
    const DeviceTable& device = profile.device;
    rows.cells.push_back({
        fmt::format("{}", rows.cells.size() + 1),
        Joined(record.seq_ids, ","),
        Joined(record.alt_seq_ids, ","),
        fmt::format("{}", record.thread),
        Joined(record.layers, ":"),
        Joined(record.trace, ","),
        record.backward ? "bprop" : "fprop",
        fmt::format("{}", record.sub_seq),
        result.module.empty() ? FirstOr(record.modules, "na") : result.module,
        result.op.empty() ? FirstOr(record.ops, "") : result.op,
        WithoutBlanks(record.short_name),
        result.params,
        fmt::format("{}", device.duration[record.row]),
        result.tensor_core,
        fmt::format("{}", device.gpu[record.row]),
        fmt::format("{}", device.stream[record.row]),
        Dimensions(profile, record.row, true),
        Dimensions(profile, record.row, false),
        result.flops,
        result.bytes,
    });
  }
  return rows;
}

}  // namespace profgauge::exports::pyprof
