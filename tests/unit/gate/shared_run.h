// Snapshots of the real profiles beside the checkout.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/breakdown/attribution.h"
#include "gate/make_snapshot.h"
#include "readers/load.h"

namespace profgauge::gate::testing {

inline Snapshot SnapshotOf(const std::string& path) {
  auto profiles = readers::ReadRun({path}, {});
  EXPECT_TRUE(profiles) << path;
  const auto analysis = analysis::Analyze(*profiles, {});
  auto attribution = analysis::breakdown::AttributeTime(*profiles, {});
  EXPECT_TRUE(analysis && attribution) << path;
  return MakeSnapshot("run", *profiles, *analysis, std::move(*attribution));
}

inline std::string SharedPath(const std::string& path) {
  return std::string(PROFGAUGE_SHARED_DIR) + "/" + path;
}

}  // namespace profgauge::gate::testing
