// Categories of time: the parts of the exclusive breakdown, and those that only a timeline shows.
// This is the only list: all other code takes ids, words and order from here, and colors (by enum)
// from render/shared/looks.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/metric_id.h"

namespace profgauge {

/// The parts of an iteration in order of priority, then the categories outside the breakdown.
/// Exposed communication precedes copies: no computation overlaps it, whether or not data is copied
/// meanwhile.
enum class Category : std::uint8_t {
  kTensorCoreKernel,
  kOtherKernel,
  kCommunication,
  kMemcpy,
  kMemset,
  kRuntime,
  kDataLoader,
  kCpu,
  kOther,
  kAnnotation,
  kPython,
  kWait,  ///< Engines of a NeuronCore wait for semaphores; no work.
};
inline constexpr std::size_t kBreakdownCategories = static_cast<std::size_t>(Category::kOther) + 1;
inline constexpr std::size_t kAllCategories = static_cast<std::size_t>(Category::kWait) + 1;

struct CategoryInfo {
  std::string_view id;       ///< Column of `iterations`, kind of an event.
  std::string_view title;    ///< May name parts of the device: model/devices.h.
  std::string_view meaning;  ///< Which moments count as this category.
};

inline constexpr std::array<CategoryInfo, kAllCategories> kCategoryInfo = {{
    {"tensor_core_kernel", "Kernels on {{ device.matrix_units }}",
     "a kernel that uses {{ device.matrix_units }} runs"},
    {"other_kernel", "Other kernels", "another kernel runs"},
    {"communication", "Communication",
     "exposed communication: collectives run, without computation"},
    {"memcpy", "Copies", "only copies run on the {{ device.device }}"},
    {"memset", "Sets", "only memsets run on the {{ device.device }}"},
    {"runtime", "Runtime calls",
     "the {{ device.device }} idles while the host is inside runtime calls"},
    {"dataloader", "Data loader", "the {{ device.device }} idles while the host waits for data"},
    {"cpu", "Host", "the {{ device.device }} idles while operators run on the host"},
    {"other", "Unattributed", "no recorded activity except annotations and Python frames"},
    {"annotation", "Annotations", "a range of the framework or the user is active"},
    {"python", "Python", "a Python function runs"},
    {"wait", "Semaphore waits", "an engine waits for a semaphore"},
}};

constexpr const CategoryInfo& InfoOf(Category category) {
  return kCategoryInfo[static_cast<std::size_t>(category)];
}
constexpr std::string_view CategoryId(Category category) { return InfoOf(category).id; }

/// Returns nullopt for an unknown id.
constexpr std::optional<Category> FindCategory(std::string_view id) {
  for (std::size_t i = 0; i < kAllCategories; ++i) {
    if (kCategoryInfo[i].id == id) return static_cast<Category>(i);
  }
  return std::nullopt;
}

/// The metrics of the breakdown's parts, in their order.
inline constexpr std::array<PartMetrics, kBreakdownCategories> kBreakdownMetrics = {{
    {metric::kBreakdownTensorCoreKernel, metric::kBreakdownTensorCoreKernelTime},
    {metric::kBreakdownOtherKernel, metric::kBreakdownOtherKernelTime},
    {metric::kBreakdownCommunication, metric::kBreakdownCommunicationTime},
    {metric::kBreakdownMemcpy, metric::kBreakdownMemcpyTime},
    {metric::kBreakdownMemset, metric::kBreakdownMemsetTime},
    {metric::kBreakdownRuntime, metric::kBreakdownRuntimeTime},
    {metric::kBreakdownDataloader, metric::kBreakdownDataloaderTime},
    {metric::kBreakdownCpu, metric::kBreakdownCpuTime},
    {metric::kBreakdownOther, metric::kBreakdownOtherTime},
}};
/// REQUIRES: the category is a part of the breakdown.
constexpr const PartMetrics& BreakdownMetricsOf(Category category) {
  return kBreakdownMetrics[static_cast<std::size_t>(category)];
}

/// The parts of the breakdown, in order.
constexpr std::array<Category, kBreakdownCategories> BreakdownCategories() {
  std::array<Category, kBreakdownCategories> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Category>(i);
  return all;
}

}  // namespace profgauge
