// The collected malformed traces beside the checkout, where there are any: the whole outcome of
// each.
#include <gtest/gtest.h>

#include <filesystem>
#include <string_view>

#include "kineto_text.h"
#include "readers/load.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;

struct MalformedTrace {
  std::string_view file;
  std::string_view outcome;
};

constexpr MalformedTrace kMalformedTraces[] = {
    {"00_ok_base.json", "read"},
    {"01_top_level_list.json", "read"},
    {"02_invalid_escape_backslash.json", "read, strings_bad_escape 1 (byte 43)"},
    {"03_unescaped_quote_in_name.json", "read, strings_unescaped_quote 1 (byte 43)"},
    {"04_raw_newline_in_name.json", "read, strings_control_char 1 (byte 43)"},
    {"05_raw_control_char.json", "read, strings_control_char 1 (byte 43)"},
    {"06_invalid_utf8.json", "read, strings_bad_utf8 1 (byte 43)"},
    {"07_bare_inf.json", "read, numbers_not_json 1 (byte 43)"},
    {"08_bare_nan.json", "read, numbers_not_json 1 (byte 43)"},
    {"09_NaN_Infinity_tokens.json", "read, numbers_not_json 3 (byte 43) (byte 43) (byte 43)"},
    {"10_bare_NA.json", "read, numbers_not_json 1 (byte 43)"},
    {"11_truncated.json",
     "error: the trace ends early; 7 of its events are complete\n"
     "  --> 11_truncated.json, byte 1\u202f927\n"
     "  help: the profiler was probably killed while writing; pass --allow-incomplete to judge the "
     "readable part   [kineto/truncated]\n"},
    {"12_truncated_gz.json.gz",
     "error: the gzip stream ends early; 8 of its events are complete\n"
     "  --> 12_truncated_gz.json.gz, byte 2\u202f155 (decompressed)\n"
     "  help: the file was cut off while it was written or copied; copy it again\n"
     "  help: pass --allow-incomplete to judge the readable part   [gzip/truncated]\n"},
    {"13_trailing_comma_in_array.json", "read, trailing_commas 1 (byte 2406)"},
    {"14_trailing_comma_in_args.json", "read, trailing_commas 1 (byte 43)"},
    {"15_missing_cat_X.json", "read, events_missing_cat 1"},
    {"16_missing_dur.json", "read, events_missing_dur 1"},
    {"17_null_dur_and_args.json", "read, events_missing_dur 1"},
    {"18_string_ts_dur.json", "read, numbers_as_text 20"},
    {"19_ts0_dur0_kernels.json", "read, zero_time_events 1"},
    {"20_negative_dur.json",
     "read, events_negative_dur 1, rows_unusable 1 (kernels of unknown length)"},
    {"21_uint64_overflow_dur.json",
     "read, events_overflowed_dur 1, rows_unusable 1 (kernels of unknown length)"},
    {"22_gpu_only.json", "read, kernels_without_op 3"},
    {"23_dup_steps_gpu_user_annotation.json", "read, gpu_step_markers_ignored 1"},
    {"24_record_window_end_huge.json", "read, events_ignored_kind 2"},
    {"25_empty_file.json",
     "error: the file is empty\n"
     "  --> 25_empty_file.json\n"
     "  help: the profiler was probably stopped before it wrote anything; record again   "
     "[input/empty]\n"},
    {"26_empty_events.json",
     "error: the trace is empty\n"
     "  --> 26_empty_events.json\n"
     "  help: the profiler was stopped before its first active step, or its activities were off   "
     "[kineto/no-events]\n"},
    {"27_metadata_events_without_name.json", "read, events_ignored_kind 1"},
    {"28_dup_keys.json", "read, duplicate_keys 2"},
    {"29_invalid_WARNING_array.json", "read, strings_unescaped_quote 1, strings_bad_escape 1"},
    {"30_utf8_bom.json", "read, byte_order_mark 1"},
    {"31_utf16.json",
     "error: the file is text in UTF-16, expected UTF-8\n"
     "  --> 31_utf16.json\n"
     "  help: PowerShell's `>` converts text; copy the original file, or convert it with `iconv -f "
     "UTF-16 -t UTF-8`   [input/utf16]\n"},
    {"32_gz_named_json.json", "read, name_suffix_wrong 1"},
    {"33_float_ints_tid_neg.json", "read"},
};

TEST(KinetoMalformed, EveryCollectedTraceHasItsOutcome) {
  const fs::path root = fs::path(PROFGAUGE_SHARED_DIR) / "data" / "kineto" / "malformed";
  if (!fs::exists(root)) GTEST_SKIP() << "no collected traces beside the checkout";
  for (const auto& row : kMalformedTraces) {
    auto outcome = Outcome(ReadProfile((root / row.file).string(), {}));
    const auto folder = root.string() + "/";
    if (const auto at = outcome.find(folder); at != std::string::npos)
      outcome.erase(at, folder.size());
    EXPECT_EQ(outcome, row.outcome) << row.file;
  }
}

// Chrome's events are written by many tools. What shows PyTorch is an exact category, or a key of
// the envelope.
TEST(KinetoForeign, TracesOfOtherToolsAreNamed) {
  const auto outcome = [](std::string_view events) {
    const auto read = ReadText("{\"traceEvents\": [" + std::string(events) + "]}");
    return read ? "read" : read.error().code + ": " + read.error().message;
  };
  constexpr std::string_view kOther = "input/chrome: the file is a Chrome trace of another tool: ";
  const auto event = [](std::string_view cat, std::string_view more = "") {
    return fmt::format(
        R"({{"ph": "X", "cat": "{}", "name": "w", "pid": 900, "tid": 0, "ts": 1, "dur": 4{}}})",
        cat, more);
  };
  EXPECT_EQ(outcome(event("my_kernel")),
            std::string(kOther) + "its event is not of a kind that is read (`my_kernel` 1)");
  EXPECT_EQ(outcome(event("stage") + "," + event("stage")),
            std::string(kOther) + "none of its 2 events is of a kind that is read (`stage` 2)");
  EXPECT_EQ(outcome(event("kernel")),
            std::string(kOther) + "its event is not of a kind that is read (`kernel` 1)");
  EXPECT_EQ(outcome(event("kernel", R"(, "args": {"stream": 7, "device": 0})")), "read");
  EXPECT_EQ(outcome(event("my_kernel", R"(, "args": {"stream": 7, "correlation": 3})")),
            std::string(kOther) + "its event is not of a kind that is read (`my_kernel` 1)");
  EXPECT_EQ(outcome(R"({"ph": "C", "name": "mem", "ts": 1, "pid": 5, "args": {"used": 0}},)"
                    R"({"ph": "i", "name": "x", "ts": 1, "pid": 5},)"
                    R"({"ph": "C", "name": "mem", "ts": 2, "pid": 5, "args": {"used": 0}})"),
            std::string(kOther) +
                "none of its 3 events is of a kind that is read (counters 2, instants 1)");
  EXPECT_EQ(outcome(R"({"ph": "B", "cat": "span", "name": "a", "ts": 1, "pid": 5, "tid": 1},)"
                    R"({"ph": "E", "ts": 2, "pid": 5, "tid": 1})"),
            std::string(kOther) + "its event is not of a kind that is read (`span` 1)");
  EXPECT_EQ(outcome(R"({"ph": "M", "name": "process_name", "pid": 5, "args": {"name": "n"}})"),
            std::string(kOther) + "it has names of processes and no event");
  EXPECT_EQ(outcome("").substr(0, 16), "kineto/no-events");
  // In PyTorch's documents kinds of other accelerators are read by their endings.
  EXPECT_TRUE(ReadText(Trace(event("my_kernel"))).has_value());
  EXPECT_EQ(ReadText(Trace("")).error().code, "kineto/no-events");
}

std::string SampleEvent(const std::string& name, int ts, double value) {
  return R"(, {"ph": "C", "cat": "hardware_counters", "name": ")" + name +
         R"(", "pid": "GPU 0 Counters", "tid": 0, "ts": )" + std::to_string(ts) +
         R"(, "args": {"": )" + std::to_string(value) + "}}";
}

double ReportedOf(const Profile& profile, MetricId id) {
  for (const ReportedMetric& metric : profile.reported.metrics) {
    if (metric.id == id) return AsNumber(metric.value, -1);
  }
  return -1;
}

// Kernels run from 10 to 40 us; samples outside of that are of nobody's work.
TEST(KinetoForeign, HardwareCountersAreReadWhileWorkRuns) {
  const std::string kernels =
      R"(, {"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": 7, "ts": 10, "dur": 10,)"
      R"( "args": {"device": 0, "stream": 7}}, {"ph": "X", "cat": "kernel", "name": "b", "pid": 0,)"
      R"( "tid": 7, "ts": 30, "dur": 10, "args": {"device": 0, "stream": 7}})";
  const std::string tensor = "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active";
  std::string samples;
  for (const auto& [ts, value] : {std::pair(5, 90.0), {10, 20.0}, {25, 40.0}, {41, 90.0}}) {
    samples += SampleEvent(tensor, ts, value);
    samples += SampleEvent("dram__throughput.avg.pct_of_peak_sustained_elapsed", ts, value + 1);
    samples += SampleEvent("lts__t_sectors.sum", ts, 7);
  }
  // Part of the pipe, and a count: neither is the metric.
  samples +=
      SampleEvent("sm__inst_executed_pipe_tensor_op_hmma.avg.pct_of_peak_sustained_active", 20, 3);
  samples += SampleEvent("sm__cycles_active.sum", 20, 3);
  const auto read = ReadText(Trace(Op("aten::mm") + kernels + samples));
  ASSERT_TRUE(read.has_value());
  EXPECT_DOUBLE_EQ(ReportedOf(*read, metric::kGpuMeasuredTensorActive), 0.3);
  EXPECT_DOUBLE_EQ(ReportedOf(*read, metric::kGpuMeasuredDram), 0.31);
  EXPECT_EQ(ReportedOf(*read, metric::kGpuMeasuredSmActive), -1);
  EXPECT_EQ(read->log[Counter::hardware_counters_unread], 3U);
  ASSERT_EQ(read->log.Examples(Counter::hardware_counters_unread).size(), 1U);
  EXPECT_EQ(read->log.Examples(Counter::hardware_counters_unread).front(),
            "lts__t_sectors.sum (4 samples), sm__cycles_active.sum (1 sample), "
            "sm__inst_executed_pipe_tensor_op_hmma.avg.pct_of_peak_sustained_active (1 sample)");
}

}  // namespace
}  // namespace profgauge::readers
