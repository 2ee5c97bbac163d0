// Columns that conditions of scenarios have for launches and for idle time, besides the recorded
// ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"
#include "base/interval.h"

namespace profgauge::analysis::path {

/// Target times of launches, by the roofline of their operators.
struct LaunchTargets {
  /// A row of the roofline. Numbers are parts of the time that its kernels took, at most 1; -1
  /// unknown.
  struct Op {
    double roof = -1;           ///< Its roof.
    double target = -1;         ///< Its target time, by this device's reach.
    double matrix_target = -1;  ///< The same on matrix units, where it uses none.
    std::string shapes, kind, trait;
  };
  std::vector<Op> ops;
  /// By rank and row of its device table, which of `ops`; empty where no operator is known.
  std::vector<std::vector<std::uint32_t>> op_of;

  /// nullptr: nothing is known of the launch.
  const Op* Find(std::size_t rank, std::uint32_t row) const {
    if (rank >= op_of.size() || row >= op_of[rank].size()) return nullptr;
    return op_of[rank][row] < ops.size() ? &ops[op_of[rank][row]] : nullptr;
  }
};

/// Position of the rank that straggles. REQUIRES: its table `ranks` was added, else there is none.
std::optional<std::size_t> StragglerOf(const tables::Output& out);

/// REQUIRES: AddRoofline() has filled `out`, of that many ranks. Takes its rows of the device.
LaunchTargets LaunchTargetsOf(tables::Output& out, std::size_t ranks);

/// A row of the table `gaps`.
struct HostGap {
  std::uint32_t rank = 0;  ///< Position in the run.
  Span time;
  std::string cause, doing, category;
  /// The host runs the user's own code in it, and idle devices wait for that code most: it is in
  /// the longest gap of the main cause, and covers most of the idle time.
  bool leads = false;
};

/// The text of a cell; empty where it is absent.
std::string TextAt(const Table& table, const Column& cells, std::size_t row);
/// By rank, then start. REQUIRES: AddIdle() has filled `out`.
std::vector<HostGap> HostGapsOf(std::span<const context::RankContext> ranks,
                                const tables::Output& out);

}  // namespace profgauge::analysis::path
