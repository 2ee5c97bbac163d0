#include "model/counter_text.h"

namespace profgauge {

std::string_view CounterText(Counter counter, std::uint64_t count) {
  if (count != 1) return InfoOf(counter).text;
  switch (counter) {
    case Counter::events_read:
      return "event read";
    case Counter::events_ignored_kind:
      return "event of a kind that carries no measured number here";
    case Counter::kernels_without_launch:
      return "device event whose launch was not recorded";
    case Counter::kernels_without_op:
      return "device event with no launching op; op-level numbers see less";
    case Counter::ranges_overlapping:
      return "host range that overlaps a neighbour without nesting";
    case Counter::launches_without_device_event:
      return "launch whose device event was not recorded";
    case Counter::events_missing_dur:
      return "complete event without a duration; taken as zero length";
    case Counter::events_negative_dur:
      return "event that ends before it starts; taken as zero length";
    case Counter::events_overflowed_dur:
      return "event with an impossible duration; taken as zero length";
    case Counter::events_clipped:
      return "device event clipped to the start of the next on its stream";
    case Counter::events_missing_cat:
      return "complete event without a category";
    case Counter::events_bad_time:
      return "event without a usable start time";
    case Counter::events_unreadable:
      return "event that could not be read";
    case Counter::strings_unescaped_quote:
      return "name with an unescaped quote";
    case Counter::strings_bad_escape:
      return "name with an invalid backslash escape";
    case Counter::strings_control_char:
      return "name with raw control characters";
    case Counter::strings_bad_utf8:
      return "name with bytes that are not UTF-8, shown as U+FFFD";
    case Counter::numbers_not_json:
      return "value written as NaN, inf or N/A; taken as unknown";
    case Counter::numbers_as_text:
      return "number written as text";
    case Counter::trailing_commas:
      return "trailing comma";
    case Counter::duplicate_keys:
      return "key given twice; the last one counts";
    case Counter::events_derived:
      return "event of a track that the profiler derived from others; not counted again";
    case Counter::zero_time_events:
      return "device event at time 0 with no length; left out of windows";
    case Counter::gpu_step_markers_ignored:
      return "iteration marker copied onto the GPU, not counted";
    case Counter::ranges_not_closed:
      return "range that was open at the end; it ends with the capture";
    case Counter::version_untested:
      return "file of a version that was never tested";
    case Counter::api_errors:
      return "runtime call that returned an error";
    case Counter::profiler_warnings:
      return "warning of the profiler about its recording";
    case Counter::duplicate_packets:
      return "DMA packet that the profiler marked as duplicate, not counted";
    case Counter::dependencies_unresolved:
      return "dependency on a row that the file does not have";
    case Counter::tables_unread:
      return "table that holds nothing used here";
    case Counter::log_lines_skipped:
      return "line before the document, skipped";
    case Counter::ranks_unreadable:
      return "recording of the folder that cannot be read; the others are judged";
    default:
      return InfoOf(counter).text;
  }
}

}  // namespace profgauge
