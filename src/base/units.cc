#include "base/units.h"

namespace profgauge {
namespace {

constexpr UnitSuffix kSuffixes[] = {
    {"ns", Unit::kTime, 1},
    {"us", Unit::kTime, 1e3},
    {"\u00b5s", Unit::kTime, 1e3},
    {"ms", Unit::kTime, 1e6},
    {"s", Unit::kTime, 1e9},
    {"%", Unit::kShare, 0.01},
    {"B", Unit::kBytes, 1},
    {"KB", Unit::kBytes, 1e3},
    {"MB", Unit::kBytes, 1e6},
    {"GB", Unit::kBytes, 1e9},
    {"KiB", Unit::kBytes, 1024},
    {"MiB", Unit::kBytes, 1024.0 * 1024},
    {"GiB", Unit::kBytes, 1024.0 * 1024 * 1024},
    {"GB/s", Unit::kBandwidth, 1e9},
    {"TFLOP/s", Unit::kFlopRate, 1e12},
};

}  // namespace

std::span<const UnitSuffix> UnitSuffixes() { return kSuffixes; }

const UnitSuffix* FindUnitSuffix(std::string_view text) {
  for (const UnitSuffix& suffix : kSuffixes) {
    if (suffix.text == text) return &suffix;
  }
  return nullptr;
}

std::string_view UnitName(Unit unit) {
  switch (unit) {
    case Unit::kText:
      return "text";
    case Unit::kBool:
      return "bool";
    case Unit::kCount:
      return "count";
    case Unit::kNumber:
      return "number";
    case Unit::kTime:
      return "ns";
    case Unit::kShare:
      return "ratio";
    case Unit::kBytes:
      return "bytes";
    case Unit::kBandwidth:
      return "bytes/s";
    case Unit::kFlops:
      return "flop";
    case Unit::kFlopRate:
      return "flop/s";
  }
  return "number";
}

}  // namespace profgauge
