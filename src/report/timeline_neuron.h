#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/interval.h"
#include "base/units.h"
#include "model/profile.h"
#include "report/report.h"

namespace profgauge::report {

void AddNeuronCounters(const Profile& profile, std::int64_t rank, Timeline& timeline);

}  // namespace profgauge::report
