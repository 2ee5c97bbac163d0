// The contents of SBUF, drawn: a chart for each partition of each core, from the table of
// allocations.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/whole.h"
#include "render/html/view.h"
#include "render/shared/looks.h"
#include "render/shared/template.h"
#include "render/shared/words.h"
#include "render/svg/svg_charts.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostBlocks = 400;  // In all charts: a page is to stay small.
constexpr std::size_t kMostSbufCharts = 8;

struct SbufUse {
  std::string_view label;
  Paint paint;
};
constexpr std::array<SbufUse, 4> kSbufUses = {
    {{"by an instruction", PaintOf(Category::kOtherKernel)},
     {"loaded by DMA", PaintOf(Category::kMemcpy)},
     {"spilled or reloaded by DMA", PaintOf(Category::kDataLoader)},
     {"not recorded", PaintOf(Category::kOther)}}};

std::string TextOf(const Table& table, std::size_t row, std::string_view column) {
  const Value cell = table.At(row, column);
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? std::string() : *text;
}

// By the kind of name in the file: a queue is of DMA, an opcode is an instruction's.
std::size_t KindOf(const Table& table, std::size_t row) {
  const std::string queue = TextOf(table, row, "queue");
  if (!queue.empty()) return queue.find("Spill") == std::string::npos ? 1 : 2;
  const std::string source = TextOf(table, row, "source");
  if (source == "instruction" || !TextOf(table, row, "opcode").empty()) return 0;
  return source.starts_with("dma") || source.starts_with("DMA") ? 1 : 3;
}

std::string TitleOf(const Table& table, std::size_t row) {
  std::string name;
  for (const char* column : {"tensor", "hlo", "opcode", "queue"}) {
    if (name.empty()) name = TextOf(table, row, column);
  }
  constexpr std::size_t kLetters = 60;
  return fmt::format("{}{}{}, {} for {}", ElideMiddle(name, kLetters), name.empty() ? "" : ", ",
                     FormatValue(table.At(row, "bytes"), Unit::kBytes),
                     FormatValue(table.At(row, "start"), Unit::kTime),
                     FormatValue(table.At(row, "duration"), Unit::kTime));
}

// Rank, core, partition: addresses of one chart are of one memory.
using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

struct Partition {
  BlockChart chart;
  std::array<bool, kSbufUses.size()> kinds{};
};

std::string NameOf(const Place& place, bool several_ranks) {
  const auto& [rank, core, partition] = place;
  return fmt::format("SBUF · {}core {} · {}", several_ranks ? fmt::format("rank {} · ", rank) : "",
                     core,
                     partition < 0 ? "partition unknown" : fmt::format("partition {}", partition));
}

// Empty when nothing takes any time.
json::object ChartView(const std::string& name, Partition& partition) {
  json::array legend;
  for (std::size_t kind = 0; kind < kSbufUses.size(); ++kind) {
    if (!partition.kinds[kind]) continue;
    legend.push_back(json::object{{"swatch", MakeMarkup(SvgSwatch(kSbufUses[kind].paint))},
                                  {"label", kSbufUses[kind].label}});
  }
  const std::size_t blocks = partition.chart.blocks.size();
  partition.chart.description =
      fmt::format("{}: {} allocation{} by time and address", name, blocks, blocks == 1 ? "" : "s");
  std::string svg = SvgBlocks(partition.chart);
  if (svg.empty()) return {};
  return {{"name", name}, {"legend", std::move(legend)}, {"chart", MakeMarkup(std::move(svg))}};
}

}  // namespace

// Draws the largest allocations as blocks, a chart for each partition of each core, all with one
// scale of time. The note says how many rows and partitions are only in the table.
void AddSbufCharts(const Table& table, bool several_ranks, json::object& view) {
  const auto number = [&](std::size_t row, std::string_view column, std::int64_t otherwise) {
    return AsWhole(table.At(row, column), otherwise);
  };
  std::vector<std::pair<std::int64_t, std::size_t>> rows;  // Bytes, row.
  for (std::size_t row = 0; row < table.rows(); ++row)
    rows.emplace_back(number(row, "bytes", 0), row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (rows.size() > kMostBlocks) rows.resize(kMostBlocks);
  Ns begin = std::numeric_limits<Ns>::max(), end = 0;
  std::map<Place, Partition> partitions;
  for (const auto& [bytes, row] : rows) {
    Partition& partition =
        partitions[{number(row, "rank", 0), number(row, "core", 0), number(row, "partition", -1)}];
    begin = std::min<Ns>(begin, number(row, "start", 0));
    end = std::max<Ns>(end, number(row, "end", 0));
    const std::size_t kind = KindOf(table, row);
    partition.kinds[kind] = true;
    partition.chart.blocks.push_back({number(row, "start", 0), number(row, "end", 0),
                                      number(row, "address", 0), bytes, kSbufUses[kind].paint,
                                      TitleOf(table, row)});
  }
  json::array charts;
  std::string note = "Horizontal: time. Vertical: addresses.";
  if (table.rows() > rows.size()) {
    note += fmt::format(" Shows the {} largest of {} rows.", rows.size(),
                        FormatCount(static_cast<std::int64_t>(table.rows())));
  }
  for (auto& [place, partition] : partitions) {
    if (charts.size() == kMostSbufCharts) break;
    partition.chart.begin = begin;  // One scale for all, to compare them.
    partition.chart.end = end;
    json::object chart = ChartView(NameOf(place, several_ranks), partition);
    if (!chart.empty()) charts.push_back(std::move(chart));
  }
  if (partitions.size() > charts.size()) {
    note += fmt::format(" {} more partitions are in the table.", partitions.size() - charts.size());
  }
  view["charts"] = std::move(charts);
  view["charts_note"] = std::move(note);
}

}  // namespace profgauge::render::html
