// Parses a baseline document of one or more runs into Snapshots.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <boost/json.hpp>

#include "gate/snapshot.h"
#include "gate/statistics.h"

namespace profgauge::gate {

/// Reads one baseline document. Every error names the path of its field.
class BaselineParser {
 public:
  explicit BaselineParser(const std::string& name) : name_(name) {}

  /// Parses a document. Errors: kConfig "baseline/not-json", "foreign" (not a baseline), "newer",
  /// "schema", "field" with the path of the field, and "sum" if parts and iterations disagree.
  Result<std::vector<Snapshot>> Parse(std::string_view text) const;

 private:
  // The longest accepted time of a run or part: 73 years in ns. Sums then fit in 64 bits.
  static constexpr Ns kLongest = Ns{1} << 61;

  /// Makes an error about the field at `path`, e.g. "runs[0].iteration_times".
  Error Bad(std::string slug, std::string message, std::string path) const;
  Result<std::int64_t> Integer(const boost::json::object& object, const char* key,
                               const std::string& prefix) const;
  Result<std::string> Text(const boost::json::object& object, const char* key,
                           const std::string& prefix) const;

  template <class T>
  Result<const T*> Part(const boost::json::object& object, const char* key,
                        const std::string& prefix) const {
    const auto* value = object.if_contains(key);
    const T* part = nullptr;
    if (value != nullptr) {
      if constexpr (std::is_same_v<T, boost::json::object>) part = value->if_object();
      if constexpr (std::is_same_v<T, boost::json::array>) part = value->if_array();
    }
    if (part != nullptr) return part;
    return Fail(Bad(
        "field", std::is_same_v<T, boost::json::object> ? "expected an object" : "expected a list",
        prefix + key));
  }

  Result<double> Number(const boost::json::value& value, const std::string& path) const;

  /// True if the value is a time or count so small that sums of many fit in 64 bits.
  static bool IsAmount(const boost::json::value& value) {
    return value.is_int64() && value.get_int64() >= 0 && value.get_int64() <= kLongest;
  }

  /// Parses a list of times in ns.
  Result<std::vector<Ns>> Times(const boost::json::array& list, const std::string& path) const;
  /// Parses a part: five indices into `strings`, position, count, time, and optionally its series.
  Result<analysis::breakdown::TimePart> OnePart(const boost::json::value& value,
                                                const boost::json::array& strings,
                                                const std::string& path) const;
  /// Parses a list of sums. Each is a list: the index of its name, count, GPU time, host time, and
  /// optionally its series.
  Result<std::vector<analysis::breakdown::WorkSum>> Sums(const boost::json::array& list,
                                                         const boost::json::array& strings,
                                                         const std::string& path) const;
  Result<analysis::breakdown::WorkSums> Work(const boost::json::object& object,
                                             const boost::json::array& strings,
                                             const std::string& prefix) const;
  // Each function reads one key of a run. Keys that older schemas do not have may be missing.

  Status AddEnvironment(const boost::json::object& object, const std::string& prefix,
                        Snapshot& run) const;
  Status AddIterations(const boost::json::object& object, const std::string& prefix,
                       Snapshot& run) const;
  Status AddShapes(const boost::json::object& object, const std::string& prefix,
                   Snapshot& run) const;

  // Reads three keys that may be missing: ranks, unrecorded iterations and values by iteration.
  Status AddRanks(const boost::json::object& object, const std::string& prefix,
                  Snapshot& run) const;
  Status AddSteps(const boost::json::object& object, const std::string& prefix,
                  Snapshot& run) const;
  Status AddShares(const boost::json::object& object, const std::string& prefix,
                   Snapshot& run) const;
  Status AddValues(const boost::json::object& object, const std::string& prefix,
                   Snapshot& run) const;
  Status AddMetrics(const boost::json::object& object, const std::string& prefix,
                    Snapshot& run) const;
  Status AddParts(const boost::json::object& object, const std::string& prefix,
                  Snapshot& run) const;
  Result<Snapshot> Run(const boost::json::object& object, const std::string& prefix) const;

  // Fails unless the parts add up exactly to the iteration times: the file was edited or damaged.
  Result<Snapshot> CheckSum(Snapshot run, const std::string& prefix) const;

  const std::string& name_;
};

}  // namespace profgauge::gate
