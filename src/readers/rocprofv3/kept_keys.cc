#include "readers/rocprofv3/kept_keys.h"

#include <iterator>
#include <string>
#include <string_view>

#include "readers/text/without_paths.h"

namespace profgauge::readers::rocprofv3 {
namespace {

/// The keys that records.cc reads: without the node, the command and the configuration.
constexpr std::string_view kPaths[] = {"rocprofiler-sdk-tool/metadata/pid",
                                       "rocprofiler-sdk-tool/metadata/init_time",
                                       "rocprofiler-sdk-tool/metadata/fini_time",
                                       "rocprofiler-sdk-tool/agents/",
                                       "rocprofiler-sdk-tool/kernel_symbols/",
                                       "rocprofiler-sdk-tool/strings/",
                                       "rocprofiler-sdk-tool/buffer_records/",
                                       "rocprofiler-sdk-tool/callback_records/counter_collection/"};

}  // namespace

JsonKeep KeptKeys() {
  return {"rocprofv3",
          {std::begin(kPaths), std::end(kPaths)},
          [](std::string_view, std::string_view text) { return WithoutPaths(text); }};
}

}  // namespace profgauge::readers::rocprofv3
