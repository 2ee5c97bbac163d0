// Reads device logs with one line per reading: CSV of nvidia-smi, amd-smi and Zeus, columns of
// `nvidia-smi dmon`, `dcgmi dmon` and `amd-smi monitor`, metrics of dcgm-exporter.
#include "readers/run_side/device_table.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "readers/run_side/device_log.h"
#include "readers/text/numbers.h"

namespace profgauge::readers {
namespace {

enum class Reading : std::uint8_t {
  kNone,
  kIndex,
  kUuid,
  kName,
  kTime,
  kClock,
  kClockLimit,
  kMemoryClock,
  kWatts,
  kMilliwatts,
  kWattsLimit,
  kCelsius,
  kUse,
  kReasons,  ///< Bits.
  kReason,   ///< One reason: "Active" or not.
  kCounter,  ///< One reason's time, in µs.
  kEccErrors,
  kProcess,  ///< The row is a process.
};

struct NamedReading {
  std::string_view name;
  Reading reading;
};

// The preferred column comes first: `power.draw` is a mean over up to a second.
constexpr NamedReading kQueryColumns[] = {
    {"index", Reading::kIndex},
    {"gpu", Reading::kIndex},
    {"gpu_index", Reading::kIndex},
    {"uuid", Reading::kUuid},
    {"gpu_uuid", Reading::kUuid},
    {"name", Reading::kName},
    {"gpu_name", Reading::kName},
    {"timestamp", Reading::kTime},
    {"clocks.current.sm", Reading::kClock},
    {"clocks.sm", Reading::kClock},
    {"clocks.current.graphics", Reading::kClock},
    {"clocks.gr", Reading::kClock},
    {"gfx_clk", Reading::kClock},
    {"gfx_clock", Reading::kClock},
    {"gfx_0_clk", Reading::kClock},
    {"gfx_0", Reading::kClock},
    {"clocks.max.sm", Reading::kClockLimit},
    {"clocks.max.graphics", Reading::kClockLimit},
    {"gfx_0_max_clk", Reading::kClockLimit},
    {"clocks.current.memory", Reading::kMemoryClock},
    {"clocks.mem", Reading::kMemoryClock},
    {"mem_clock", Reading::kMemoryClock},
    {"mem_0_clk", Reading::kMemoryClock},
    {"mem_0", Reading::kMemoryClock},
    {"power.draw.instant", Reading::kWatts},
    {"power.draw", Reading::kWatts},
    {"power.draw.average", Reading::kWatts},
    {"socket_power", Reading::kWatts},
    {"power_usage", Reading::kWatts},
    {"power_mw", Reading::kMilliwatts},
    {"power.limit", Reading::kWattsLimit},
    {"enforced.power.limit", Reading::kWattsLimit},
    {"temperature.gpu", Reading::kCelsius},
    {"hotspot_temperature", Reading::kCelsius},
    {"hotspot", Reading::kCelsius},
    {"utilization.gpu", Reading::kUse},
    {"gfx_activity", Reading::kUse},
    {"clocks_event_reasons.active", Reading::kReasons},
    {"clocks_throttle_reasons.active", Reading::kReasons},
    {"ecc.errors.uncorrected.volatile.total", Reading::kEccErrors},
    {"pid", Reading::kProcess},  // For `--query-compute-apps`.
};
// In dmon's output `sm` is the utilization, and `pclk` the clock of the SMs.
constexpr NamedReading kDmonColumns[] = {
    {"gpu", Reading::kIndex},        {"pwr", Reading::kWatts},  {"gtemp", Reading::kCelsius},
    {"mclk", Reading::kMemoryClock}, {"pclk", Reading::kClock}, {"sm", Reading::kUse},
};
constexpr NamedReading kDcgmColumns[] = {
    {"entity", Reading::kIndex},  {"smclk", Reading::kClock},    {"mmclk", Reading::kMemoryClock},
    {"power", Reading::kWatts},   {"tmptr", Reading::kCelsius},  {"gputl", Reading::kUse},
    {"dvccl", Reading::kReasons}, {"dvcctr", Reading::kReasons},
};
constexpr NamedReading kMonitorColumns[] = {
    {"gpu", Reading::kIndex},       {"power", Reading::kWatts},
    {"gpu_t", Reading::kCelsius},   {"gfx_clk", Reading::kClock},
    {"gfx_clock", Reading::kClock}, {"mem_clock", Reading::kMemoryClock},
    {"gfx%", Reading::kUse},
};
constexpr NamedReading kExporterMetrics[] = {
    {"DCGM_FI_DEV_SM_CLOCK", Reading::kClock},
    {"DCGM_FI_DEV_MEM_CLOCK", Reading::kMemoryClock},
    {"DCGM_FI_DEV_POWER_USAGE", Reading::kWatts},
    {"DCGM_FI_DEV_POWER_MGMT_LIMIT", Reading::kWattsLimit},
    {"DCGM_FI_DEV_GPU_TEMP", Reading::kCelsius},
    {"DCGM_FI_DEV_GPU_UTIL", Reading::kUse},
    {"DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", Reading::kReasons},
    {"DCGM_FI_DEV_CLOCKS_EVENT_REASONS", Reading::kReasons},
    {"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", Reading::kEccErrors},
};

constexpr double kMostMegahertz = 1e5, kMostWatts = 1e5, kMostCelsius = 1e3, kMostCount = 1e9;

std::string Lowercase(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Parses the bits of reasons, which are hexadecimal in nvidia-smi and decimal in DCGM.
std::optional<std::uint64_t> BitsOf(std::string_view text) {
  text = Trim(text);
  const bool is_hex = text.starts_with("0x");
  if (is_hex) text.remove_prefix(2);
  std::uint64_t bits = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), bits, is_hex ? 16 : 10);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(bits)
                                                                  : std::nullopt;
}

/// Parses "2026/01/02 03:04:05.678" or seconds since 1970. Only differences of them count.
std::optional<double> SecondsOf(const std::string& text) {
  int year = 0, hour = 0, minute = 0;
  unsigned month = 0, day = 0;
  double second = 0;
  const int parts = std::sscanf(text.c_str(), "%4d/%2u/%2u %2d:%2d:%lf", &year, &month, &day, &hour,
                                &minute, &second);
  constexpr int kParts = 6;
  if (parts != kParts) return ParseReal(text);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok()) return std::nullopt;
  constexpr double kDay = 86'400, kHour = 3'600, kMinute = 60;
  const auto days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  return days * kDay + hour * kHour + minute * kMinute + second;
}

void SetWithin(std::string_view name, std::optional<double> value, double most,
               std::map<std::string, double, std::less<>>& into) {
  if (value && *value >= 0 && *value <= most) into.emplace(name, *value);
}

/// Adds a cell to the sample. If several cells have one kind, the first one counts.
void Put(Reading reading, std::string_view column, const std::string& cell, DeviceSample& sample) {
  const auto number = LeadingNumber(cell);
  switch (reading) {
    case Reading::kNone:
      return;
    case Reading::kIndex:
      if (number && *number >= 0 && *number < kMostDeviceIndex) {
        sample.index = static_cast<std::int64_t>(*number);
      }
      return;
    case Reading::kUuid:
      sample.uuid = Printable(cell);
      return;
    case Reading::kName:
      sample.name = Printable(cell);
      return;
    case Reading::kTime:
      sample.seconds = SecondsOf(cell);
      return;
    case Reading::kClock:
      return SetWithin("sm_mhz", number, kMostMegahertz, sample.values);
    case Reading::kClockLimit:
      return SetWithin("sm_mhz", number, kMostMegahertz, sample.limits);
    case Reading::kMemoryClock:
      return SetWithin("memory_mhz", number, kMostMegahertz, sample.values);
    case Reading::kWatts:
      return SetWithin("watts", number, kMostWatts, sample.values);
    case Reading::kMilliwatts:
      return SetWithin("watts", number ? std::optional(*number * 1e-3) : number, kMostWatts,
                       sample.values);
    case Reading::kWattsLimit:
      return SetWithin("watts", number, kMostWatts, sample.limits);
    case Reading::kCelsius:
      return SetWithin("celsius", number, kMostCelsius, sample.values);
    case Reading::kUse:
      sample.use = number;
      return;
    case Reading::kReasons:
      if (const auto bits = BitsOf(cell)) sample.reasons = bits;
      return;
    case Reading::kReason:
      if (Trim(cell) == "Active") sample.shares.emplace(ReasonName(column), 1.0);
      if (Trim(cell) == "Not Active") sample.shares.emplace(ReasonName(column), 0.0);
      return;
    case Reading::kEccErrors:
      return SetWithin("ecc_uncorrected", number, kMostCount, sample.values);
    case Reading::kProcess:
      return;
    case Reading::kCounter:
      if (number && *number >= 0) sample.counters.emplace(ReasonName(column), *number);
      return;
  }
}

/// A column of a log. If several columns have one kind of reading, the most preferred one is kept.
struct LogColumn {
  std::string name;
  Reading reading = Reading::kNone;
  std::size_t preference = 0;
};

template <std::size_t N>
LogColumn Described(std::string_view head, const NamedReading (&known)[N]) {
  LogColumn column{Lowercase(Trim(head.substr(0, head.find('[')))), Reading::kNone, N};
  for (std::size_t i = 0; i < N; ++i) {
    if (column.name != known[i].name) continue;
    column.reading = known[i].reading;
    column.preference = i;
    return column;
  }
  const bool is_counter = column.name.starts_with("clocks_event_reasons_counters.");
  const bool is_reason = column.name.starts_with("clocks_event_reasons.") ||
                         column.name.starts_with("clocks_throttle_reasons.");
  if (is_counter) column.reading = Reading::kCounter;
  if (is_reason && !column.name.ends_with(".supported")) column.reading = Reading::kReason;
  return column;
}

DeviceSample SampleOf(const std::vector<LogColumn>& columns,
                      const std::vector<std::string>& cells) {
  std::vector<std::size_t> order(std::min(columns.size(), cells.size()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return columns[i].preference; });
  DeviceSample sample;
  for (const std::size_t i : order) Put(columns[i].reading, columns[i].name, cells[i], sample);
  return sample;
}

std::vector<std::string> CellsBetween(std::string_view line, char separator) {
  std::vector<std::string> cells;
  while (true) {
    const std::size_t end = line.find(separator);
    cells.emplace_back(Trim(line.substr(0, end)));
    if (end == line.npos) return cells;
    line.remove_prefix(end + 1);
  }
}

std::vector<std::string> WordsOf(std::string_view line) {
  std::vector<std::string> words;
  for (const std::string& word : CellsBetween(line, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

template <std::size_t N>
std::vector<LogColumn> ColumnsOf(const std::vector<std::string>& heads,
                                 const NamedReading (&known)[N]) {
  std::vector<LogColumn> columns;
  for (const std::string& head : heads) columns.push_back(Described(head, known));
  return columns;
}

bool HasReadings(const std::vector<LogColumn>& columns) {
  return std::ranges::any_of(columns, [](const LogColumn& column) {
    return column.reading >= Reading::kClock && column.reading != Reading::kUse;
  });
}

/// Counts processes in `nvidia-smi --query-compute-apps=timestamp,gpu_uuid,pid`, which lists all of
/// them at each time. On each device, one is the run's own and all others are counted.
std::vector<DeviceSample> OfProcesses(std::span<const std::string_view> lines,
                                      const std::vector<LogColumn>& columns, std::size_t pid) {
  std::map<std::tuple<double, std::string, std::int64_t>, std::set<std::string>> seen;
  for (const std::string_view line : lines) {
    const std::vector<std::string> cells = CellsBetween(line, ',');
    if (cells.size() != columns.size() || !LeadingNumber(cells[pid])) continue;
    const DeviceSample row = SampleOf(columns, cells);
    seen[{row.seconds.value_or(0), row.uuid, row.index}].insert(cells[pid]);
  }
  std::vector<DeviceSample> samples;
  for (const auto& [key, processes] : seen) {
    DeviceSample& sample = samples.emplace_back();
    sample.seconds = std::get<0>(key);
    sample.uuid = std::get<1>(key);
    sample.index = std::get<2>(key);
    sample.values["other_processes"] = static_cast<double>(processes.size()) - 1;
  }
  return samples;
}

std::vector<DeviceSample> OfCsv(std::span<const std::string_view> lines) {
  const std::vector<LogColumn> columns = ColumnsOf(CellsBetween(lines.front(), ','), kQueryColumns);
  std::vector<DeviceSample> samples;
  if (!HasReadings(columns)) return samples;
  const auto pid = std::ranges::find(columns, Reading::kProcess, &LogColumn::reading);
  if (pid != columns.end()) {
    return OfProcesses(lines.subspan(1), columns, static_cast<std::size_t>(pid - columns.begin()));
  }
  for (const std::string_view line : lines.subspan(1)) {
    const std::vector<std::string> cells = CellsBetween(line, ',');
    if (cells.size() == columns.size()) samples.push_back(SampleOf(columns, cells));
  }
  return samples;
}

/// Reads dmon's output. The header repeats after some lines, each time with a line of units.
///
///   # gpu   pwr gtemp mtemp    sm  mclk  pclk
///   # Idx     W     C     C     %   MHz   MHz      no reading is known in this line: not a head
///       0   310    62     -    98  2619  1755
std::vector<DeviceSample> OfDmon(std::span<const std::string_view> lines) {
  std::vector<LogColumn> columns;
  std::vector<DeviceSample> samples;
  for (const std::string_view line : lines) {
    std::string blanks(line);
    std::ranges::replace(blanks, ',', ' ');
    std::ranges::replace(blanks, '#', ' ');
    const std::vector<std::string> words = WordsOf(blanks);
    if (line.starts_with('#')) {
      const std::vector<LogColumn> heads = ColumnsOf(words, kDmonColumns);
      if (HasReadings(heads)) columns = heads;
    } else if (!columns.empty() && words.size() == columns.size()) {
      samples.push_back(SampleOf(columns, words));
    }
  }
  return samples;
}

/// Reads dcgmi's output, whose rows begin with "GPU 0", two words for one column.
std::vector<DeviceSample> OfDcgm(std::span<const std::string_view> lines) {
  std::vector<LogColumn> columns;
  std::vector<DeviceSample> samples;
  for (const std::string_view line : lines) {
    std::vector<std::string> words = WordsOf(line);
    if (line.starts_with('#')) {
      words.front().erase(0, 1);
      if (words.front().empty()) words.erase(words.begin());
      columns = ColumnsOf(words, kDcgmColumns);
    } else if (words.size() == columns.size() + 1 && words.front() == "GPU") {
      words.erase(words.begin());
      samples.push_back(SampleOf(columns, words));
    }
  }
  return samples;
}

/// Reads rows in which units follow the numbers.
std::vector<DeviceSample> OfMonitor(std::span<const std::string_view> lines) {
  const std::vector<LogColumn> columns = ColumnsOf(WordsOf(lines.front()), kMonitorColumns);
  std::vector<DeviceSample> samples;
  for (const std::string_view line : lines.subspan(1)) {
    std::vector<std::string> words = WordsOf(line);
    std::erase_if(words, [](const std::string& w) { return w != "N/A" && !LeadingNumber(w); });
    if (words.size() == columns.size()) samples.push_back(SampleOf(columns, words));
  }
  return samples;
}

/// The value of a label, e.g. of `gpu="0"`.
std::string LabelOf(std::string_view labels, std::string_view name) {
  const std::string key = std::string(name) + "=\"";
  const std::size_t at = labels.find(key);
  if (at == labels.npos) return "";
  const std::string_view value = labels.substr(at + key.size());
  return std::string(value.substr(0, value.find('"')));
}

}  // namespace

std::optional<std::vector<DeviceSample>> ReadDeviceTable(std::string_view text) {
  const std::vector<std::string_view> all = Lines(text);
  std::span<const std::string_view> lines(all);
  while (!lines.empty() && Trim(lines.front()).empty()) lines = lines.subspan(1);
  if (lines.size() < 2) return std::nullopt;
  const std::string_view head = lines.front();
  if (head.starts_with("#Entity") || head.starts_with("# Entity")) return OfDcgm(lines);
  if (head.starts_with('#')) return OfDmon(lines);
  if (head.starts_with("GPU ") && Contains(head, "POWER")) return OfMonitor(lines);
  return OfCsv(lines);
}

std::optional<std::vector<DeviceSample>> ReadDcgmExporter(std::string_view text) {
  if (!Contains(text, "DCGM_FI_DEV_")) return std::nullopt;
  std::vector<DeviceSample> samples;
  std::set<std::pair<std::string, std::string_view>> seen;  // Of the current sample.
  std::map<std::string, std::size_t> current;
  for (const std::string_view line : Lines(text)) {
    const std::size_t open = line.find('{'), close = line.rfind('}');
    if (line.starts_with('#') || open == line.npos || close == line.npos || close < open) continue;
    const auto known =
        std::ranges::find(kExporterMetrics, line.substr(0, open), &NamedReading::name);
    if (known == std::end(kExporterMetrics)) continue;
    const std::string_view labels = line.substr(open, close - open);
    const std::string device = LabelOf(labels, "gpu");
    // A file may have several scrapes: a metric that repeats begins the next scrape.
    if (!current.contains(device) || seen.contains({device, known->name})) {
      std::erase_if(seen, [&](const auto& entry) { return entry.first == device; });
      current[device] = samples.size();
      samples.emplace_back();
    }
    seen.emplace(device, known->name);
    DeviceSample& sample = samples[current[device]];
    sample.index = ParseInteger(device).value_or(-1);
    sample.uuid = Printable(LabelOf(labels, "UUID"));
    sample.name = Printable(LabelOf(labels, "modelName"));
    const std::vector<std::string> words = WordsOf(line.substr(close + 1));
    if (!words.empty()) Put(known->reading, "", words.front(), sample);
  }
  return samples;
}

}  // namespace profgauge::readers
