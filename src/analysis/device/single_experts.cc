// FindSingleExperts(): a layer of experts that is a loop over linear layers in Python.
//
//   module    |------------ MoE -------------|      four matmuls of equal n and k, in one call of a
//   expert      |-0-|  |-1-|  |-2-|  |-3-|         module or at most two modules around; their rows
//   rows of mm    57    120     31     48          differ, as tokens are shared out among experts
#include "analysis/device/roofline.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/work/op_call.h"
#include "analysis/work/op_shape.h"
#include "base/numbers.h"
#include "knowledge/traits.h"

namespace profgauge::analysis::device {
namespace {

// A call of a module, or a matmul with its point.
struct Item {
  Ns start = 0, end = 0;
  std::uint32_t point = kNoIndex;  // kNoIndex: a module.
};
using ItemsOfThreads = std::map<std::uint32_t, std::vector<Item>>;

// The matmuls of one size in one call of a module.
struct Group {
  std::int64_t calls = 0;
  std::set<double> rows;
  std::set<std::uint32_t> points;
};

// By point; unknown sizes for all that is no product.
std::vector<work::ProductSizes> SizesOf(const std::vector<WorkPoint>& points) {
  std::vector<work::ProductSizes> sizes;
  for (const WorkPoint& point : points) {
    work::OpShape shape;
    if (point.is_matrix) {
      const auto call =
          work::CallOf(work::CallText{point.name, point.shapes, point.dtypes, point.values});
      if (call) shape = work::ShapeOf(*call);
    }
    sizes.push_back(shape.kind == work::OpKind::kProduct ? shape.product : work::ProductSizes());
  }
  return sizes;
}

// Modules and matmuls of each thread with modules, by start, the longest first.
ItemsOfThreads ItemsOf(const context::RankContext& rank, std::span<const std::uint32_t> point_of,
                       const std::vector<work::ProductSizes>& sizes) {
  ItemsOfThreads threads;
  const PythonTable& python = rank.profile->python;
  for (std::uint32_t row = 0; row < python.size(); ++row) {
    if (python.module_id[row] < 0 || !python.thread[row].valid()) continue;
    const Ns start = python.start[row];
    threads[python.thread[row].value].push_back(
        {start, start + std::max<Ns>(python.duration[row], 0), kNoIndex});
  }
  if (threads.empty()) return threads;
  const HostTable& host = rank.profile->host;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (point_of[row] == kNoIndex || !sizes[point_of[row]].known()) continue;
    const auto thread = threads.find(host.thread[row].value);
    if (!host.thread[row].valid() || thread == threads.end()) continue;
    const Ns start = host.start[row];
    thread->second.push_back({start, start + host.duration[row], point_of[row]});
  }
  for (auto& [thread, items] : threads) {
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      return std::tuple(a.start, b.end) < std::tuple(b.start, a.end);
    });
  }
  return threads;
}

// At least four calls with at least three numbers of rows, one for each two calls: a layer that is
// called four times has one number.
bool AreExperts(const Group& group) {
  const auto rows = static_cast<std::int64_t>(group.rows.size());
  return knowledge::kTraitsLeastExperts <= group.calls &&
         knowledge::kTraitsLeastExpertRows <= rows && 2 * rows >= group.calls;
}

// A walk with a stack of open modules. Each matmul counts for the modules around it, up to
// traits.modules_around, since which of them is the layer of experts is not recorded.
void MarkExperts(const std::vector<Item>& items, const std::vector<work::ProductSizes>& sizes,
                 std::vector<WorkPoint>& points) {
  using Key = std::tuple<std::uint32_t, std::string_view, double, double>;
  std::map<Key, Group> groups;
  std::vector<std::uint32_t> open;  // Modules, by their place in `items`.
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    while (!open.empty() && items[open.back()].end <= items[i].start) open.pop_back();
    if (items[i].point == kNoIndex) {
      open.push_back(i);
      continue;
    }
    const std::uint32_t point = items[i].point;
    const work::ProductSizes& size = sizes[point];
    const auto around = knowledge::kTraitsModulesAround.as<std::size_t>();
    for (std::size_t level = 0; level < std::min(around, open.size()); ++level) {
      const std::uint32_t module = open[open.size() - 1 - level];
      Group& group = groups[{module, points[point].name, size.n, size.k}];
      ++group.calls;
      group.rows.insert(size.m);
      group.points.insert(point);
    }
  }
  for (const auto& [key, group] : groups) {
    if (!AreExperts(group)) continue;
    for (const std::uint32_t point : group.points) {
      points[point].single_experts = std::max(points[point].single_experts, group.calls);
    }
  }
}

}  // namespace

void FindSingleExperts(const context::RankContext& rank, std::span<const std::uint32_t> point_of,
                       std::vector<WorkPoint>& points) {
  if (rank.profile->python.size() == 0) return;
  const std::vector<work::ProductSizes> sizes = SizesOf(points);
  for (const auto& [thread, items] : ItemsOf(rank, point_of, sizes)) {
    MarkExperts(items, sizes, points);
  }
}

}  // namespace profgauge::analysis::device
