// Data about a run beside its profile: the times of iterations that no profiler recorded, and
// facts about the process (`profgauge.run`; rules/schemas/run.json).
//
// Readers return the contents of a document. Their use: analysis/trust/judged_steps.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/metric_id.h"
#include "base/units.h"

namespace profgauge {

/// How iterations were timed.
enum class StepClock : std::uint8_t {
  kHost,         ///< The host's clock: sums of many are right, single ones only where it waits.
  kDeviceEvent,  ///< Events on the device.
  kFetch,        ///< A result fetched one iteration later.
  kWindow,       ///< Sums between two waits for the device.
  kReported,     ///< A tool's own number.
};
std::string_view NameOf(StepClock clock);  ///< "host", "device_event", "fetch", …
std::optional<StepClock> FindStepClock(std::string_view name);

/// Iterations that follow each other.
struct StepSegment {
  std::int64_t first = 0;  ///< Number of the first, as the profile counts.
  std::vector<Ns> lengths;
};

/// Longest iteration that is meant: a day.
inline constexpr Ns kMostStepLength = 86'400'000'000'000;

/// The length of several iterations together.
struct StepSum {
  std::int64_t first = 0, steps = 1;
  Ns length = 0;
};

/// Iterations `first` to `last`, both included.
struct StepRange {
  std::int64_t first = 0, last = 0;
  std::string word = {};  ///< For unusual iterations: "checkpoint", "eval"; else empty.
};

/// A number of a device over the run; NaN where it was not given.
struct DeviceCondition {
  double median, least, most, limit;
};

struct RunDevice {
  std::int64_t id = -1;
  std::string uuid, name;
  /// "sm_mhz", "watts", …, and counts: "ecc_uncorrected", "other_processes".
  std::map<std::string, DeviceCondition, std::less<>> conditions;
  std::map<std::string, double, std::less<>> reasons;  ///< Share of time with lowered clocks.
  bool knows_reasons = false;                          ///< Those that are not listed did not occur.
};

/// A document that can be used.
struct RunDocument {
  StepClock clock = StepClock::kHost;
  bool is_attached = false;  ///< A profiler's library was loaded though it did not record.
  std::vector<StepSegment> segments;
  std::vector<StepSum> batches, windows;
  std::vector<StepRange> marks, recorded;
  std::vector<std::string> profiler_options;
  std::map<std::string, double, std::less<>> work;  ///< Per iteration: "samples", "tokens".
  std::int64_t rank = -1, world_size = -1;
  std::string commit, job;
  std::vector<RunDevice> devices;
  std::vector<std::pair<std::string, std::string>> versions, environment;  ///< Allow-listed.
  std::int64_t unknown_keys = 0, left_out = 0;  ///< Keys ignored; values that may not be shown.
  std::int64_t steps_dropped = 0;               ///< Impossible lengths and repeated numbers.
  std::int64_t rows_skipped = 0;                ///< Of a table or log, without a number for a time.
};

/// Why a document is not used: "run/unreadable".
struct RunProblem {
  std::string code, text;
};

/// Where the times come from.
enum class RunCarrier : std::uint8_t {
  kInside,  ///< The profile itself.
  kBeside,  ///< A file beside it.
  kNamed,   ///< `--step-times`.
  kItself,  ///< The profile is a file of times and holds nothing else.
};
std::string_view TextOf(RunCarrier carrier);  ///< "inside the profile", …

/// Times of one of several benchmarks.
struct NamedTimes {
  std::string name;
  std::vector<double> lengths;  ///< ns, of which benchmarks of one instruction have fractions.
};

/// What a load test states: how the server was loaded, what it answered, and how fast.
struct LoadTest {
  std::vector<std::pair<std::string, std::string>> load;  ///< "request_rate", "8".
  double completed = 0, output_tokens = 0;                ///< 0: not stated.
  std::vector<std::pair<MetricId, double>> metrics;       ///< In their units.
};

struct RunSide {
  RunCarrier carrier = RunCarrier::kInside;
  std::string source;  ///< The file's name, without folders.
  std::optional<RunDocument> document;
  /// The process of the profile wrote it, as the profile's contents show.
  bool is_of_process = false;
  std::vector<NamedTimes> benchmarks;  ///< Several; of a single one the document has the times.
  std::optional<LoadTest> load_test;
  std::vector<RunDevice> logged;     ///< Data of `--device-log` about the profile's devices.
  std::vector<RunProblem> problems;  ///< Documents that are not used.
  std::string note;                  ///< Where several carriers disagree; else empty.
};

/// The devices' conditions: those of a log, else the document's.
/// Points into `side`. Empty where neither is there.
std::span<const RunDevice> DevicesOf(const RunSide& side);

struct Profile;
/// Whether the profile is a file of times and holds nothing else.
bool IsOfTimes(const Profile& profile);

/// Reasons for lower clocks. They have the names of NVML, or contain these words.
bool IsPowerCap(std::string_view reason);  ///< "sw_power_cap", "ppt_power_cap"
bool IsThrottle(std::string_view reason);  ///< Heat or a fault: "hw_slowdown", "sw_thermal"

}  // namespace profgauge
