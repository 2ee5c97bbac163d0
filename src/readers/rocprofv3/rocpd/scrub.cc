#include "readers/rocprofv3/rocpd/scrub.h"

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sqlite.h"
#include "readers/database/sqlite_table.h"
#include "readers/rocprofv3/rocpd/schema.h"
#include "readers/text/json_copy.h"

namespace profgauge::readers::rocpd {
namespace {

/// Keeps the parts of an agent's description that GpuOf() reads.
std::string AgentOf(std::string_view json) {
  static const JsonKeep kKeep = {
      "rocpd",
      {"type", "logical_node_type_id", "node_id", "product_name", "name", "cu_count",
       "wave_front_size", "mem_banks/size_in_bytes", "max_waves_per_cu", "gfx_target_version"},
      [](std::string_view, std::string_view text) { return WithoutPaths(text); }};
  return CopyJsonText(json, kKeep);
}

std::vector<KeptTable> TablesOf(const std::string& suffix) {
  const auto of = [&](std::string_view base) { return TableOf(base, suffix); };
  return {
      {of("metadata"),
       {"tag", "value"},
       {},
       {},
       {},
       "tag in ('schema_version', 'compression', 'upid')"},
      {of("info_node"), {"id"}},
      {of("info_process"), {"id", "pid", "environment"}, {}, {}, {{"environment", "environment"}}},
      {of("info_thread"), {"id", "pid", "tid"}},
      {of("info_agent"),
       {"id", "type", "type_index", "absolute_index", "product_name", "generic_name", "name",
        "extdata"},
       {},
       {},
       {{"extdata", "agent"}}},
      {of("info_kernel_symbol"),
       {"id", "display_name", "kernel_name", "arch_vgpr_count"},
       {},
       {},
       {{"display_name", "name"}, {"kernel_name", "name"}}},
      {of("info_category"), {"id", "name"}},
      {of("track"), {"id", "pid", "tid", "agent_id", "queue_id", "stream_id"}},
      {of("event"),
       {"id", "category_id", "stack_id", "extdata"},
       {},
       {"category_id"},
       {{"extdata", "message"}}},
      {of("kernel_dispatch"),
       {"start", "end", "kernel_id", "agent_id", "stream_id", "queue_id", "track_id", "event_id",
        "group_segment_size", "workgroup_size_x", "grid_size_x", "workgroup_size_y", "grid_size_y",
        "workgroup_size_z", "grid_size_z"}},
      {of("memory_copy"),
       {"start", "end", "name_id", "src_agent_id", "dst_agent_id", "stream_id", "track_id", "size",
        "event_id"},
       {},
       {"name_id"}},
      {of("region"),
       {"start", "end", "name_id", "event_id", "pid", "tid", "track_id"},
       {"name_id"}},
      {of("sample"), {"timestamp", "track_id", "event_id", "name_id"}, {"name_id"}},
      {of("pmc_event"), {"event_id", "sample_id"}},
      {of("memory_allocate"), {"start"}},
  };
}

}  // namespace

Result<Scrubbed> ScrubDatabase(const std::string& in, const std::string& out,
                               const Rename& rename) {
  KeptDatabase keep;
  {
    PROFGAUGE_TRY(auto source,
                  sqlite::Database::Open(in, sqlite::Mode::kImmutable, ErrorKind::kInput));
    PROFGAUGE_TRY(const std::set<std::string> tables, TableNames(source));
    const std::vector<std::string> suffixes = SuffixesOf(tables);
    PROFGAUGE_CHECK(CheckLayout(source, suffixes));
    for (const std::string& suffix : suffixes) {
      for (KeptTable& table : TablesOf(suffix)) keep.tables.push_back(std::move(table));
      keep.texts.push_back({TableOf("string", suffix), "id", "string"});
    }
  }
  const JsonKeep message = {"rocpd", {"message"}, [&](std::string_view, std::string_view text) {
                              return CopiedName(text, rename);
                            }};
  keep.functions = {{"agent", AgentOf},
                    {"environment", ScrubbedEnvironment},
                    // Most events have an empty message.
                    {"message", [&message](std::string_view json) {
                       return json == "{}" ? std::string(json) : CopyJsonText(json, message);
                     }}};
  return CopyTables(in, out, keep, rename);
}

}  // namespace profgauge::readers::rocpd
