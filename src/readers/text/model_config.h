// A run's switches in NVTX texts of DLProf's PyTorch plug-in, such as
// {"model_config": {"emit_nvtx": true}}.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/profile_builder.h"

namespace profgauge::readers {

/// Collects the switches of all texts; AddFacts() adds them to the profile.
class ModelConfig {
 public:
  /// Adds the text's switches, if it is of that kind. A switch that was on once stays on; for
  /// numbers the last one counts. Names that DLProf does not have are skipped.
  void Add(std::string_view text);
  /// One setting: "true", "false" or a whole number.
  void Set(std::string_view name, std::string value);
  /// Adds them as facts, "model_config.emit_nvtx" = "true".
  void AddFacts(ProfileBuilder& builder) const;

 private:
  std::map<std::string, std::string, std::less<>> settings_;
};

}  // namespace profgauge::readers
