// Names of events' categories: which kind of event each is.
//
// Until PyTorch 1.11 they begin with a capital letter ("Operator", "Runtime", "Kernel", "Memcpy");
// since 1.12 they are Kineto's ActivityType in lower case ("cpu_op", "cuda_runtime", "gpu_memcpy").
// ROCm writes calls of HIP as "cuda_runtime". Intel's driver calls are inside its runtime calls.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "readers/kineto/event_sink.h"

namespace profgauge::readers::kineto {
namespace {

constexpr std::pair<std::string_view, Category> kCategories[] = {
    {"cpu_op", Category::kOp},
    {"operator", Category::kOp},
    {"user_annotation", Category::kAnnotation},
    {"gpu_user_annotation", Category::kGpuAnnotation},
    {"python", Category::kPythonCategory},
    {"overhead", Category::kOverhead},
    {"runtime", Category::kRuntime},
    {"cuda_runtime", Category::kRuntime},
    {"cuda_driver", Category::kRuntime},
    {"hip_runtime", Category::kRuntime},
    {"hip_driver", Category::kRuntime},
    {"xpu_runtime", Category::kRuntime},
    {"xpu_driver", Category::kRuntime},
    {"mtia_runtime", Category::kRuntime},
    {"glow_runtime", Category::kRuntime},
    {"privateuse1_runtime", Category::kRuntime},
    {"privateuse1_driver", Category::kRuntime},
    {"kernel", Category::kKernel},
    {"mtia_ccp_events", Category::kKernel},
    {"memcpy", Category::kMemcpy},
    {"gpu_memcpy", Category::kMemcpy},
    {"memset", Category::kMemset},
    {"gpu_memset", Category::kMemset},
    {"cuda_sync", Category::kSync},
    {"xpu_sync", Category::kSync},
    {"python_function", Category::kPythonFunction},
    {"memory", Category::kMemory},
    {"cpu_instant_event", Category::kMemory},
    {"fwdbwd", Category::kFlow},
    {"forward_backward", Category::kFlow},
    {"trace", Category::kTrace},
    {"ac2g", Category::kLaunchFlow},
    {"async", Category::kIgnored},
    {"async_cpu_to_gpu", Category::kLaunchFlow},
    {"async_gpu", Category::kIgnored},
    {"external_correlation", Category::kIgnored},
    {"cuda_event", Category::kIgnored},
    {"cuda_profiler_range", Category::kProfilerRange},
    {"mtia_counters", Category::kIgnored},
    {"profgauge", Category::kIgnored},  // Findings, in traces of `--write trace`.
    {"xpu_scope_profiler", Category::kIgnored},
    {"hardware_counters", Category::kIgnored},
};

// Other accelerators' plug-ins have separate categories, e.g. "privateuse1_runtime".
Category CategoryBySuffix(std::string_view lower) {
  constexpr std::pair<std::string_view, Category> kSuffixes[] = {
      {"_runtime", Category::kRuntime}, {"_driver", Category::kRuntime},
      {"_kernel", Category::kKernel},   {"_memcpy", Category::kMemcpy},
      {"_memset", Category::kMemset},
  };
  for (const auto& [suffix, category] : kSuffixes) {
    if (lower.ends_with(suffix)) return category;
  }
  return Category::kUnknown;
}

}  // namespace

namespace {

std::string Lower(std::string_view cat) {
  std::string lower(cat);
  for (auto& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

}  // namespace

Category CategoryOf(std::string_view cat) {
  const std::string lower = Lower(cat);
  for (const auto& [name, category] : kCategories) {
    if (name == lower) return category;
  }
  return CategoryBySuffix(lower);
}

bool IsExactCategory(std::string_view cat) {
  const std::string lower = Lower(cat);
  return std::ranges::any_of(kCategories, [&](const auto& row) { return row.first == lower; });
}

}  // namespace profgauge::readers::kineto
