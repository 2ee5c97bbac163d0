// Tables of instructions: all of them, their waits, and their source lines.
#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/catalog/neuron_cells.h"
#include "analysis/catalog/neuron_columns.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/neuron/neuron.h"
#include "analysis/neuron/source_lines.h"

namespace profgauge::analysis::neuron {
namespace {

using profgauge::neuron::Engine;
using profgauge::neuron::Instruction;

constexpr std::size_t kMostInstructions = 100'000;
constexpr std::size_t kMostWholeBytes = 400'000;
constexpr std::int64_t kLinesAround = 30;

// Adds at most `most` instructions of the selected part in the data's order, and returns the number
// of all. Dependencies are sorted by the later instruction, so that one pass counts predecessors.
std::size_t AddInstructions(const NeuronRank& rank, std::size_t most,
                            catalog::RowWriter<catalog::columns::kInstructionRows>& write) {
  const Profile& profile = *rank.context->profile;
  const auto& dependencies = rank.data->dependencies;
  std::size_t all = 0, edge = 0;
  for (std::uint32_t i = 0; i < rank.data->instructions.size(); ++i) {
    const Instruction& row = rank.data->instructions[i];
    std::int64_t predecessors = 0;
    for (; edge < dependencies.size() && dependencies[edge].to <= i; ++edge) {
      if (dependencies[edge].to == i) ++predecessors;
    }
    if (!rank.Inside(row.start)) continue;
    if (++all > most) continue;
    write.Integer("rank"_col, rank.context->rank)
        .Integer("core"_col, row.core)
        .Text("engine"_col, profgauge::neuron::EngineName(row.engine));
    write.Text("track"_col, profile.Name(row.track)).Text("opcode"_col, profile.Name(row.opcode));
    write.Integer("start"_col, row.start)
        .Integer("duration"_col, row.duration)
        .Integer("wait_time"_col, row.wait);
    write.Text("layer"_col, profile.Name(row.layer)).Text("hlo"_col, profile.Name(row.hlo));
    write.Text("operands"_col, profile.Name(row.operands))
        .Text("source"_col, profile.Name(row.source))
        .Known("pc"_col, row.pc);
    // Unsigned 64 bits, like in the file.
    write.Text("id"_col, std::to_string(static_cast<std::uint64_t>(row.id)))
        .Text("type"_col, profile.Name(row.type));
    write.Flops("flops"_col, row.flops);
    catalog::AppendTraffic(row.traffic, write);
    write.Integer("predecessors"_col, predecessors);
  }
  return all;
}

struct Wait {
  std::int64_t count = 0;
  Ns time = 0, longest = 0;
  void Add(const Wait& other) {
    count += other.count;
    time += other.time;
    longest = std::max(longest, other.longest);
  }
};

// Sums waits by semaphore, which the operands of an instruction name. Rows are sorted by total
// wait, the longest first.
void AddWaits(const NeuronRank& rank, catalog::RowWriter<catalog::columns::kWaits>& write) {
  const Profile& profile = *rank.context->profile;
  // Ids are faster to find than names; there are far fewer names than rows.
  using Ids = std::tuple<Engine, std::uint32_t, std::string_view, std::uint32_t>;
  boost::unordered_flat_map<Ids, Wait> by_ids;
  for (const Instruction& row : rank.data->instructions) {
    if (row.wait <= 0 || !rank.Inside(row.start)) continue;
    Wait& wait =
        by_ids[{row.engine, row.opcode.value,
                profgauge::neuron::WaitedSemaphore(profile.Name(row.operands)), row.source.value}];
    wait.Add({1, row.wait, row.wait});
  }
  using Key = std::tuple<Engine, std::string_view, std::string_view, std::string_view>;
  std::map<Key, Wait> waits;
  for (const auto& [ids, wait] : by_ids) {
    const auto& [engine, opcode, semaphore, source] = ids;
    waits[{engine, profile.Name(StringId{opcode}), semaphore, profile.Name(StringId{source})}].Add(
        wait);
  }
  std::vector<std::pair<Key, Wait>> order(waits.begin(), waits.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
  for (const auto& [key, wait] : order) {
    const auto& [engine, opcode, semaphore, source] = key;
    write.Integer("rank"_col, rank.context->rank)
        .Text("engine"_col, profgauge::neuron::EngineName(engine))
        .Text("opcode"_col, opcode);
    write.Text("semaphore"_col, semaphore)
        .Bool("on_dma"_col, profgauge::neuron::IsDmaSemaphore(semaphore))
        .Text("source"_col, source);
    write.Integer("count"_col, wait.count)
        .Integer("time"_col, wait.time)
        .Integer("longest"_col, wait.longest);
  }
}

// Returns the file and line of "kernel.py:12" or "kernel.py:12:3"; line 0 if there is none. Parses
// from the end: for "kernel.py:12:3" first 3, then 12, which is the line.
std::pair<std::string_view, std::int64_t> FileAndLine(std::string_view source) {
  std::string_view rest = source;
  std::int64_t last = 0;
  for (int part = 0; part < 2; ++part) {
    const auto colon = rest.rfind(':');
    if (colon == std::string_view::npos) break;
    const std::string_view digits = rest.substr(colon + 1);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size() || number < 0) break;
    last = number;
    rest = rest.substr(0, colon);
  }
  return {rest, last};
}

struct Line {
  bool is_context = false;  ///< Of a shown source, whether it has instructions or not.
  std::int64_t instructions = 0, flops = 0, hbm_read = 0, hbm_write = 0;
  Ns time = 0, wait = 0;
  std::vector<Span> spans;
  std::set<Engine> engines;
};

using LinesByPlace = std::map<std::pair<std::string_view, std::int64_t>, Line>;

// Adds the lines without instructions, so that a source is read as a whole: all of them while the
// shown sources have at most kMostWholeBytes, then kLinesAround before and after each that has
// instructions. Returns how many were left out.
std::size_t AddContext(SourceLines& sources, std::size_t& bytes, LinesByPlace& lines) {
  std::map<std::string_view, std::vector<std::int64_t>> used;
  for (const auto& [place, line] : lines) {
    if (line.instructions > 0) used[place.first].push_back(place.second);
  }
  std::size_t left_out = 0;
  for (const auto& [file, numbers] : used) {
    const std::vector<std::string>& text = sources.FileLines(file);
    for (const std::string& line : text) bytes += line.size() + 1;
    const bool is_whole = bytes <= kMostWholeBytes;
    auto next = numbers.begin();  // The first used line that is not far above.
    for (std::int64_t number = 1; number <= std::ssize(text); ++number) {
      while (next != numbers.end() && *next < number - kLinesAround) ++next;
      if (is_whole || (next != numbers.end() && *next <= number + kLinesAround)) {
        lines[{file, number}].is_context = true;
      } else {
        ++left_out;
      }
    }
  }
  return left_out;
}

// By file and line. Instructions without a source line are ignored. Returns the lines that
// AddContext() left out.
std::size_t AddLines(const NeuronRank& rank, SourceLines& sources, std::size_t& bytes,
                     catalog::RowWriter<catalog::columns::kSourceLines>& write) {
  const Profile& profile = *rank.context->profile;
  LinesByPlace lines;
  for (const Instruction& row : rank.data->instructions) {
    if (!row.source.valid()) continue;
    Line& line = lines[FileAndLine(profile.Name(row.source))];
    if (!row.semaphore) line.spans.push_back({row.start, row.end()});
    if (!rank.Inside(row.start)) continue;
    ++line.instructions;
    line.flops += row.flops;
    line.hbm_read += row.traffic.hbm_read;
    line.hbm_write += row.traffic.hbm_write;
    line.wait += row.wait;
    if (!row.semaphore) line.time += row.duration;
    line.engines.insert(row.engine);
  }
  const std::size_t left_out = AddContext(sources, bytes, lines);
  for (auto& [place, line] : lines) {
    if (line.instructions == 0 && !line.is_context) continue;
    std::string engines;
    for (const Engine engine : line.engines) {
      engines += (engines.empty() ? "" : ", ") + std::string(profgauge::neuron::EngineName(engine));
    }
    write.Integer("rank"_col, rank.context->rank)
        .Text("file"_col, place.first)
        .Known("line"_col, place.second > 0 ? place.second : -1);
    write.Text("text"_col, sources.Line(place.first, place.second))
        .Integer("instructions"_col, line.instructions)
        .Integer("instruction_time"_col, line.time);
    write.Integer("active_time"_col, Length(Clip(Merge(std::move(line.spans)), rank.sums.window)));
    write.Integer("wait_time"_col, line.wait)
        .Flops("flops"_col, line.flops)
        .Integer("hbm_read"_col, line.hbm_read)
        .Integer("hbm_write"_col, line.hbm_write);
    write.Text("engines"_col, engines);
  }
  return left_out;
}

}  // namespace

// The row limit is for the run: each rank gets an equal part.
void AddNeuronRows(std::span<const NeuronRank> ranks, const std::string& source_root,
                   catalog::Output& out) {
  bool rows = false, source = false;
  for (const NeuronRank& rank : ranks) {
    rows = rows || !rank.data->instructions.empty();
    for (const Instruction& row : rank.data->instructions) source = source || row.source.valid();
  }
  if (!rows) {
    for (const char* table : {"instructions", "waits", "source_lines", "source_files"}) {
      out.SetTableAbsent(table, "the file has no instructions");
    }
    return;
  }
  catalog::RowWriter<catalog::columns::kInstructionRows> instructions(out.AddTable("instructions"));
  std::size_t all = 0;
  for (const NeuronRank& rank : ranks) {
    all += AddInstructions(rank, kMostInstructions / ranks.size(), instructions);
  }
  out.RemarkCut("instructions", all, "first");
  catalog::RowWriter<catalog::columns::kWaits> waits(out.AddTable("waits"));
  for (const NeuronRank& rank : ranks) AddWaits(rank, waits);
  if (!source) {
    out.SetTableAbsent("source_files", "no instruction names a line of source");
    return out.SetTableAbsent("source_lines",
                              "no instruction names a line of source; set NKI_DEBUG_INFO=True, "
                              "NEURON_FRAMEWORK_DEBUG=1 and XLA_IR_DEBUG=1 before compiling");
  }
  Table& table = out.AddTable("source_lines");
  catalog::RowWriter<catalog::columns::kSourceLines> lines(table);
  SourceLines sources(source_root);
  std::size_t bytes = 0, left_out = 0;
  for (const NeuronRank& rank : ranks) left_out += AddLines(rank, sources, bytes, lines);
  out.RemarkCut("source_lines", table.rows() + left_out, "nearest to instructions:");
  AddNeuronFiles(table, out);
}

}  // namespace profgauge::analysis::neuron
