// Databases of rocprofv3 and rocprof-sys: the input chooses the tables, the columns, the processes
// and the cells (support/table_text.h).
//
// Checks: no crash, no hang, no memory that the input does not pay for; every refusal has a reason;
// the same database gives the same profiles, which keep the model's promises.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "readers/rocprofv3/rocpd/rocpd_reader.h"
#include "support/fuzz.h"
#include "support/line_mutator.h"
#include "support/plain_tables.h"

namespace profgauge::fuzz {

// clang-format off
inline constexpr std::string_view kRocpdTables[] = {
    "# rocpd_metadata_a|id|tag|value",
    "# rocpd_string_a|id|string",
    "# rocpd_info_node_a|id|machine_id|hostname",
    "# rocpd_info_process_a|id|ppid|pid|command|environment|extdata",
    "# rocpd_info_thread_a|id|ppid|pid|tid|name",
    "# rocpd_info_agent_a|id|pid|type|absolute_index|logical_index|type_index|name|product_name|extdata|generic_name",
    "# rocpd_info_kernel_symbol_a|id|pid|kernel_name|display_name|arch_vgpr_count|extdata",
    "# rocpd_track_a|id|pid|tid|name_id|agent_id|queue_id|stream_id",
    "# rocpd_event_a|id|category_id|stack_id|parent_stack_id|correlation_id|extdata",
    "# rocpd_region_a|id|start|end|name_id|event_id|track_id|pid|tid",
    "# rocpd_sample_a|id|track_id|timestamp|event_id|name_id",
    "# rocpd_kernel_dispatch_a|id|pid|tid|kernel_id|dispatch_id|start|end|private_segment_size|group_segment_size|workgroup_size_x|workgroup_size_y|workgroup_size_z|grid_size_x|grid_size_y|grid_size_z|event_id|track_id|agent_id|queue_id|stream_id",
    "# rocpd_memory_copy_a|id|pid|tid|start|end|name_id|dst_agent_id|src_agent_id|size|stream_id|event_id",
    "# rocpd_memory_allocate_a|id|start|end|size",
    "# rocpd_info_category_a|id|name",
};
// clang-format on

}  // namespace profgauge::fuzz

PROFGAUGE_FUZZ_LINES('|', profgauge::fuzz::kRocpdTables)

namespace {

using namespace profgauge;

std::string ToldBy(const profgauge::readers::Reader& reader, const std::string& name) {
  const auto source = MakeMemorySource(name, {});
  const auto profiles = reader.ReadRanks(*source, {.threads = 1, .progress = {}});
  if (!profiles) {
    fuzz::RequireReason(profiles.error());
    return profiles.error().code + profiles.error().message;
  }
  fuzz::Require(!profiles->empty(), "a file that is read has a process");
  std::string text;
  for (const Profile& profile : *profiles) {
    const auto& [backend, rank, size, groups] = profile.distributed;
    fuzz::Require(size < 0 || rank < size, "a rank is below the size of the world");
    text += std::to_string(rank) + " " + std::to_string(profile.last);
    for (const auto name : profile.host.name) text.append(profile.Name(name)) += '\n';
    for (const auto name : profile.device.name) text.append(profile.Name(name)) += '\n';
  }
  return text;
}

/// As the text names them: most mutants that are no database of rocpd take no time.
std::set<std::string> TablesOf(std::string_view text) {
  std::set<std::string> tables;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with("# ")) tables.emplace(line.substr(2, line.find('|') - 2));
  }
  return tables;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto kReader = readers::MakeRocpdReader();
  const std::string_view text = fuzz::TextOf(data, size);
  const std::set<std::string> tables = TablesOf(text);
  if (const auto refused = kReader->RefuseTables("fuzz.db", tables)) fuzz::RequireReason(*refused);
  if (kReader->SniffTables(tables) == profgauge::readers::Match::kNo) return 0;
  const fuzz::ReadTables database(text);
  const std::string told = ToldBy(*kReader, fuzz::kDatabaseName);
  if (!fuzz::IsSampled(text, 16)) return 0;
  fuzz::Require(ToldBy(*kReader, fuzz::kDatabaseName) == told,
                "the same database, the same profiles");
  return 0;
}
