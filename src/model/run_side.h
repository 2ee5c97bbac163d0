// Data about a run from outside its profile: the times of iterations that no profiler recorded, and
// facts about the process (`profgauge.run`; rules/schemas/run.json).
//
// Readers return the contents of a document; analysis/trust/judged_steps.h uses them.
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
  kHost,         ///< The host's clock: right for sums, and for single iterations that wait.
  kDeviceEvent,  ///< Events on the device.
  kFetch,        ///< A result fetched one iteration later.
  kWindow,       ///< Sums between two waits for the device.
  kReported,     ///< A tool's own number.
};
std::string_view NameOf(StepClock clock);  ///< "host", "device_event", "fetch", …
std::optional<StepClock> FindStepClock(std::string_view name);

/// Consecutive iterations.
struct StepSegment {
  std::int64_t first = 0;  ///< Number of the first iteration, counted as in the profile.
  std::vector<Ns> lengths;
};

/// Longest plausible iteration: a day.
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

/// Values of one quantity of a device during the run; NaN if not given.
struct DeviceCondition {
  double median, least, most, limit;
};

struct RunDevice {
  std::int64_t id = -1;
  std::string uuid{}, name{};
  /// "sm_mhz", "watts", …, and counts: "ecc_uncorrected", "other_processes".
  std::map<std::string, DeviceCondition, std::less<>> conditions{};
  std::map<std::string, double, std::less<>> reasons{};  ///< Share of time with lowered clocks.
  bool knows_reasons = false;                            ///< Unlisted reasons did not occur.
};

/// The contents of a usable document.
struct RunDocument {
  StepClock clock = StepClock::kHost;
  bool is_attached = false;  ///< A profiler's library was loaded though it did not record.
  std::vector<StepSegment> segments;
  std::vector<StepSum> batches, windows;
  std::vector<StepRange> marks, recorded;
  std::vector<std::string> profiler_options;
  std::map<std::string, double, std::less<>> work;  ///< Amounts per iteration: "samples", "tokens".
  std::int64_t rank = -1, world_size = -1;
  std::string commit, job;
  std::vector<RunDevice> devices;
  std::vector<std::pair<std::string, std::string>> versions, environment;  ///< Allow-listed.
  std::int64_t unknown_keys = 0, left_out = 0;  ///< Ignored keys; values that may not be shown.
  std::int64_t steps_dropped = 0;   ///< Impossible lengths, and lines that are written twice.
  std::int64_t steps_repeated = 0;  ///< Times of iterations that a restart ran again: they count.
  std::int64_t steps_missing = 0;   ///< Numbers that the log passes over.
  std::int64_t rows_skipped = 0;    ///< Rows of a table or log whose time is no number.
};

/// Why a document is not used: "run/unreadable".
struct RunProblem {
  std::string code, text;
};

/// The source of the times.
enum class RunCarrier : std::uint8_t {
  kInside,  ///< The profile itself.
  kBeside,  ///< A file beside it.
  kNamed,   ///< `--step-times`.
  kItself,  ///< The profile is a file of times and holds nothing else.
};
std::string_view TextOf(RunCarrier carrier);  ///< "inside the profile", …

/// The times of one benchmark of several.
struct NamedTimes {
  std::string name;
  std::vector<double> lengths;  ///< In ns; benchmarks of one instruction have fractions.
};

/// Results of a load test: the load, the numbers of requests and tokens, and the speed.
struct LoadTest {
  std::vector<std::pair<std::string, std::string>> load;  ///< "request_rate", "8".
  double completed = 0, output_tokens = 0;                ///< 0: not stated.
  std::vector<std::pair<MetricId, double>> metrics;       ///< In their units.
};

struct RunSide {
  RunCarrier carrier = RunCarrier::kInside;
  std::string source;  ///< The file's name, without folders.
  std::optional<RunDocument> document;
  /// True if the profile's contents show that its process wrote the document.
  bool is_of_process = false;
  std::vector<NamedTimes> benchmarks;  ///< If there are several. For one, `document` has the times.
  std::optional<LoadTest> load_test;
  std::vector<RunDevice> logged;     ///< Data of `--device-log` about the profile's devices.
  std::vector<RunProblem> problems;  ///< Documents that are not used.
  std::string note;                  ///< Set if several carriers disagree; else empty.
};

/// The devices' conditions: from a log, else from the document. Points into `side`. Empty if there
/// is neither.
std::span<const RunDevice> DevicesOf(const RunSide& side);

struct Profile;
/// True if the profile is only a file of times.
bool IsOfTimes(const Profile& profile);

/// Reasons for lower clocks, as NVML names them, or a name that contains such words.
bool IsPowerCap(std::string_view reason);  ///< "sw_power_cap", "ppt_power_cap"
bool IsThrottle(std::string_view reason);  ///< Heat or a fault: "hw_slowdown", "sw_thermal"

}  // namespace profgauge
