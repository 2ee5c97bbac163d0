// Typed row numbers of the model's tables. A default-constructed id names no row.
#pragma once

#include <compare>
#include <cstdint>

#include "base/no_index.h"

namespace profgauge {

template <class Tag>
struct RowId {
  static constexpr std::uint32_t kNone = kNoIndex;
  std::uint32_t value = kNone;
  bool valid() const { return value != kNone; }
  friend bool operator==(RowId, RowId) = default;
  friend auto operator<=>(RowId, RowId) = default;
};

using HostId = RowId<struct HostTag>;      ///< Row of HostTable (op, annotation, iteration marker).
using ApiId = RowId<struct ApiTag>;        ///< Row of ApiTable (runtime or driver call).
using DeviceId = RowId<struct DeviceTag>;  ///< Row of DeviceTable (kernel, copy, memset).
using ThreadId = RowId<struct ThreadTag>;  ///< Index into Profile::threads.
using LaunchConfigId = RowId<struct LaunchConfigTag>;  ///< Index into Profile::launch_configs.
using CollectiveId = RowId<struct CollectiveTag>;      ///< Index into Profile::collectives.

}  // namespace profgauge
