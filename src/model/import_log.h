// The import log: problems that a reader found and repaired, as counters rather than warnings.
//
// Each counter has a severity and a sentence for the report. A bad row never stops an import and a
// reader never prints it; it increments a counter here, which keeps the places of its first cases.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge {

enum class Severity : std::uint8_t {
  kInfo,      ///< Information; numbers are unaffected or cover less.
  kRepaired,  ///< The input broke the format's rules; repaired without losing events.
  kSkipped,   ///< Rows were left out because they cannot be interpreted.
  kDataLoss,  ///< The profile is incomplete: no verdict unless --allow-incomplete.
};
std::string_view SeverityName(Severity severity);  ///< "info", "repaired", "skipped", "data_loss"

// Name, severity, and the sentence in the report for one case and for several. If a sentence does
// not mention the counted things, both are the same.
#define PROFGAUGE_IMPORT_COUNTERS(X)                                                              \
  X(events_read, kInfo, "event read", "events read")                                              \
  X(events_ignored_kind, kInfo, "event without a measured value, ignored",                        \
    "events without a measured value, ignored")                                                   \
  X(hardware_counters_unread, kInfo, "hardware counter that is not read",                         \
    "hardware counters that are not read")                                                        \
  X(kernels_without_launch, kInfo, "device event whose launch was not recorded",                  \
    "device events whose launch was not recorded")                                                \
  X(kernels_without_op, kInfo,                                                                    \
    "device event without a launching operator; operator times do not include it",                \
    "device events without a launching operator; operator times do not include them")             \
  X(ids_not_containing_launch, kInfo,                                                             \
    "external id of an operator that does not contain the launch",                                \
    "external ids of operators that do not contain the launch")                                   \
  X(ranges_overlapping, kInfo, "host range that overlaps a neighbor without nesting",             \
    "host ranges that overlap a neighbor without nesting")                                        \
  X(launches_without_device_event, kInfo, "launch without a usable device event",                 \
    "launches without a usable device event")                                                     \
  X(copies_not_recorded, kInfo, "copying call although no copy was recorded",                     \
    "copying calls although no copy was recorded")                                                \
  X(events_missing_dur, kRepaired, "complete event without a duration; taken as zero length",     \
    "complete events without a duration; taken as zero length")                                   \
  X(events_negative_dur, kRepaired, "event that ends before it starts; taken as zero length",     \
    "events that end before they start; taken as zero length")                                    \
  X(events_overflowed_dur, kRepaired, "event with an impossible duration; taken as zero length",  \
    "events with an impossible duration; taken as zero length")                                   \
  X(events_clipped, kRepaired, "device event clipped to the start of the next on its stream",     \
    "device events clipped to the start of the next on their stream")                             \
  X(events_missing_cat, kSkipped, "complete event without a category",                            \
    "complete events without a category")                                                         \
  X(events_bad_time, kSkipped, "event without a usable start time",                               \
    "events without a usable start time")                                                         \
  X(events_unreadable, kSkipped, "event that could not be read", "events that could not be read") \
  X(bytes_skipped, kSkipped, "byte skipped to find the next readable event",                      \
    "bytes skipped to find the next readable event")                                              \
  X(strings_unescaped_quote, kRepaired, "name with an unescaped quote",                           \
    "names with an unescaped quote")                                                              \
  X(strings_bad_escape, kRepaired, "name with an invalid backslash escape",                       \
    "names with an invalid backslash escape")                                                     \
  X(strings_control_char, kRepaired, "name with raw control characters",                          \
    "names with raw control characters")                                                          \
  X(strings_bad_utf8, kRepaired, "name with bytes that are not UTF-8, shown as U+FFFD",           \
    "names with bytes that are not UTF-8, shown as U+FFFD")                                       \
  X(numbers_not_json, kRepaired, "value written as NaN, inf or N/A; taken as unknown",            \
    "values written as NaN, inf or N/A; taken as unknown")                                        \
  X(numbers_as_text, kRepaired, "number written as text", "numbers written as text")              \
  X(trailing_commas, kRepaired, "trailing comma", "trailing commas")                              \
  X(duplicate_keys, kRepaired, "key given twice; the last one counts",                            \
    "keys given twice; the last one counts")                                                      \
  X(byte_order_mark, kRepaired, "byte order mark before the document",                            \
    "byte order marks before the document")                                                       \
  X(name_suffix_wrong, kInfo, "file whose name does not match its compression",                   \
    "files whose names do not match their compression")                                           \
  X(metadata_unreadable, kRepaired,                                                               \
    "piece of metadata outside the events that is not valid JSON, ignored",                       \
    "pieces of metadata outside the events that are not valid JSON, ignored")                     \
  X(events_derived, kInfo,                                                                        \
    "event of a track that the profiler derived from others; not counted again",                  \
    "events of tracks that the profiler derived from others; not counted again")                  \
  X(own_totals_differ, kInfo,                                                                     \
    "total that the profiler wrote and that differs from its events by more than 1 %",            \
    "totals that the profiler wrote and that differ from its events by more than 1 %")            \
  X(zero_time_events, kInfo, "device event at time 0 without a length; excluded from windows",    \
    "device events at time 0 without a length; excluded from windows")                            \
  X(gpu_step_markers_ignored, kInfo, "iteration marker copied onto the GPU, not counted",         \
    "iteration markers copied onto the GPU, not counted")                                         \
  X(ranges_across_threads, kInfo,                                                                 \
    "range that begins on one thread and ends on another; no calls are counted as its",           \
    "ranges that begin on one thread and end on another; no calls are counted as theirs")         \
  X(ranges_not_closed, kRepaired, "range without an end; it ends with the profile",               \
    "ranges without an end; they end with the profile")                                           \
  X(aggregates_differ, kInfo,                                                                     \
    "stored sum that differs from the sum of its rows; the rows are used",                        \
    "stored sums that differ from the sums of their rows; the rows are used")                     \
  X(columns_unknown, kInfo, "missing column of a table; its metrics are absent",                  \
    "missing columns of tables; their metrics are absent")                                        \
  X(version_untested, kInfo, "file of an untested version", "files of an untested version")       \
  X(api_errors, kInfo, "runtime call that returned an error",                                     \
    "runtime calls that returned an error")                                                       \
  X(profiler_warnings, kInfo, "warning of the profiler", "warnings of the profiler")              \
  X(graph_kernels_hidden, kInfo,                                                                  \
    "launch of a CUDA graph whose kernels were not recorded; record with "                        \
    "--cuda-graph-trace=node",                                                                    \
    "launches of CUDA graphs whose kernels were not recorded; record with "                       \
    "--cuda-graph-trace=node")                                                                    \
  X(duplicate_packets, kInfo, "DMA packet that the profiler marked as duplicate, not counted",    \
    "DMA packets that the profiler marked as duplicates, not counted")                            \
  X(duplicate_ids, kInfo, "row with an id that another row has; both count",                      \
    "rows with an id that another row has; both count")                                           \
  X(dependencies_unresolved, kInfo, "dependency on a row that the file does not have",            \
    "dependencies on rows that the file does not have")                                           \
  X(tables_unread, kInfo, "unused table", "unused tables")                                        \
  X(summaries_unused, kInfo, "further summary of a file whose rows belong to the first",          \
    "further summaries of a file whose rows belong to the first")                                 \
  X(operands_dropped, kInfo,                                                                      \
    "instruction of which only the awaited semaphore is kept, not all operands",                  \
    "instructions of which only the awaited semaphore is kept, not all operands")                 \
  X(log_lines_skipped, kRepaired, "line before the document, skipped",                            \
    "lines before the document, skipped")                                                         \
  X(time_unit_picoseconds, kRepaired, "file with times in picoseconds (found by its total time)", \
    "files with times in picoseconds (found by their total times)")                               \
  X(identities_broken, kInfo,                                                                     \
    "number in the file's summary that differs from its rows by more than 1 %",                   \
    "numbers in the file's summary that differ from its rows by more than 1 %")                   \
  X(rows_unusable, kDataLoss,                                                                     \
    "table with more than 1 % of its rows unusable; totals are lower bounds",                     \
    "tables with more than 1 % of their rows unusable; totals are lower bounds")                  \
  X(events_too_long, kDataLoss, "event of over 16 MiB, not read; totals are lower bounds",        \
    "events of over 16 MiB, not read; totals are lower bounds")                                   \
  X(rows_sampled, kDataLoss,                                                                      \
    "table exported from the viewer, which samples it; totals are lower bounds",                  \
    "tables exported from the viewer, which samples them; totals are lower bounds")               \
  X(work_of_other_processes, kInfo,                                                               \
    "device event on the GPU of one rank, launched by the process of another; it counts for the " \
    "GPU's rank",                                                                                 \
    "device events on the GPU of one rank, launched by the process of another; they count for "   \
    "the GPU's rank")                                                                             \
  X(gpus_unknown, kDataLoss,                                                                      \
    "number of a GPU that several processes use, shared or their own (*_VISIBLE_DEVICES was not " \
    "recorded); record each process separately (nsys: 2025.1 or newer)",                          \
    "numbers of GPUs that several processes use, shared or their own (*_VISIBLE_DEVICES was not " \
    "recorded); record each process separately (nsys: 2025.1 or newer)")                          \
  X(ranks_unreadable, kDataLoss,                                                                  \
    "profile of the folder that cannot be read; the others are judged",                           \
    "profiles of the folder that cannot be read; the others are judged")                          \
  X(work_before_launch, kDataLoss,                                                                \
    "device event that begins over 50 us before its launching call: the clocks of host and "      \
    "device differ, and so do waiting times",                                                     \
    "device events that begin over 50 us before their launching calls: the clocks of host and "   \
    "device differ, and so do waiting times")                                                     \
  X(times_impossible, kRepaired, "device event with impossible times, left out",                  \
    "device events with impossible times, left out")                                              \
  X(work_overlapping, kDataLoss,                                                                  \
    "kernel that begins before the previous kernel of its stream ends, with over 10 % of the "    \
    "time or kernels: times are coarse, in another unit, or of several profiles",                 \
    "kernels that begin before the previous kernels of their streams end, with over 10 % of the " \
    "time or kernels: times are coarse, in another unit, or of several profiles")                 \
  X(kernels_serialized, kDataLoss,                                                                \
    "kernel that was serialized or repeated, which changes its time; record without counters "    \
    "and with CUDA_LAUNCH_BLOCKING unset",                                                        \
    "kernels that were serialized or repeated, which changes their times; record without "        \
    "counters and with CUDA_LAUNCH_BLOCKING unset")                                               \
  X(kernels_unnamed, kDataLoss,                                                                   \
    "kernel without a name, with over 10 % of the kernel time: its kind is unknown",              \
    "kernels without a name, with over 10 % of the kernel time: their kind is unknown")           \
  X(rows_missing, kDataLoss,                                                                      \
    "gap that is far longer than the wait in the table: rows are missing",                        \
    "gaps that are far longer than the waits in the table: rows are missing")                     \
  X(truncated, kDataLoss, "the file ends early; totals are lower bounds",                         \
    "the file ends early; totals are lower bounds")                                               \
  X(traces_behind, kDataLoss,                                                                     \
    "the file goes on after the end of its first trace, which is judged",                         \
    "the file goes on after the end of its first trace, which is judged")                         \
  X(events_dropped, kDataLoss, "the profiler dropped events; totals are lower bounds",            \
    "the profiler dropped events; totals are lower bounds")

enum class Counter : std::uint16_t {
#define X(name, severity, one, text) name,
  PROFGAUGE_IMPORT_COUNTERS(X)
#undef X
      kCount_
};

struct CounterInfo {
  std::string_view name;
  Severity severity;
  std::string_view one;   ///< "warning of the profiler"
  std::string_view text;  ///< For several, or any number: "warnings of the …"
};
const CounterInfo& InfoOf(Counter counter);
/// The sentence that follows the number.
std::string_view CounterText(Counter counter, std::uint64_t count);
/// The same with the count, unless it is 1: "3 rows …"; a sentence has it at its end: "… (3
/// cases)".
std::string CountedText(Counter counter, std::uint64_t count);

/// Prefix of the examples of `events_dropped` that Kineto's own log states.
inline constexpr std::string_view kKinetosLog = "Kineto's log: ";

/// The counters of one reader. Parts of a file that are read in parallel have a log each; merging
/// these in a fixed order gives the same examples for any number of threads.
class ImportLog {
 public:
  static constexpr std::size_t kKeptExamples = 3;

  void Add(Counter counter, std::uint64_t count = 1) {
    counts_[static_cast<std::size_t>(counter)] += count;
  }
  /// Counts one case; keeps its place if it is one of the counter's first kKeptExamples.
  void AddAt(Counter counter, std::string place);
  std::uint64_t operator[](Counter counter) const {
    return counts_[static_cast<std::size_t>(counter)];
  }
  const std::vector<std::string>& Examples(Counter counter) const {
    return examples_[static_cast<std::size_t>(counter)];
  }
  void Merge(const ImportLog& other);
  /// True if a counter of severity kDataLoss is not 0.
  bool HasDataLoss() const;

 private:
  static constexpr auto kSize = static_cast<std::size_t>(Counter::kCount_);
  std::array<std::uint64_t, kSize> counts_{};
  std::array<std::vector<std::string>, kSize> examples_;
};

}  // namespace profgauge
