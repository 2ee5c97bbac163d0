// A baseline document of one or more runs, as Snapshots.
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

/// Reads one baseline document; every failure names the field by its path.
class BaselineParser {
 public:
  explicit BaselineParser(const std::string& name) : name_(name) {}

  /// Errors: kConfig "baseline/not-json", "foreign" (no baseline), "newer", "schema", "field" with
  /// the path of the field, and "sum" where parts and iterations do not agree.
  Result<std::vector<Snapshot>> Parse(std::string_view text) const;

 private:
  // 73 years: the longest time of all iterations of a run, or of one part of them. Sums stay in 64
  // bits.
  static constexpr Ns kLongest = Ns{1} << 61;

  /// `path`: "runs[0].iteration_times".
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

  /// A time or count that a sum of many can hold.
  static bool IsAmount(const boost::json::value& value) {
    return value.is_int64() && value.get_int64() >= 0 && value.get_int64() <= kLongest;
  }

  /// In ns.
  Result<std::vector<Ns>> Times(const boost::json::array& list, const std::string& path) const;
  /// A part is a list: five indices into `strings`, position, count, time, and maybe its series.
  Result<analysis::breakdown::TimePart> OnePart(const boost::json::value& value,
                                                const boost::json::array& strings,
                                                const std::string& path) const;
  /// Each is a list: the index of its name, count, time on the GPU, on the host, and maybe its
  /// series.
  Result<std::vector<analysis::breakdown::WorkSum>> Sums(const boost::json::array& list,
                                                         const boost::json::array& strings,
                                                         const std::string& path) const;
  Result<analysis::breakdown::WorkSums> Work(const boost::json::object& object,
                                             const boost::json::array& strings,
                                             const std::string& prefix) const;
  // Each adds one key of a run. Keys that older schemas lack are optional.

  Status AddEnvironment(const boost::json::object& object, const std::string& prefix,
                        Snapshot& run) const;
  Status AddIterations(const boost::json::object& object, const std::string& prefix,
                       Snapshot& run) const;
  Status AddShapes(const boost::json::object& object, const std::string& prefix,
                   Snapshot& run) const;

  // Files of runs without unrecorded iterations have none.
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

  // The parts explain the iteration times exactly, or the file was edited or damaged.
  Result<Snapshot> CheckSum(Snapshot run, const std::string& prefix) const;

  const std::string& name_;
};

}  // namespace profgauge::gate
