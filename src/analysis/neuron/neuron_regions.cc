// Data of a profile without marks: regions between its collectives, source files, and the usage of
// the chip's memories.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/breakdown/marks.h"
#include "analysis/catalog/neuron_columns.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/neuron/neuron.h"
#include "base/interval.h"

namespace profgauge::analysis::neuron {
namespace {

constexpr std::size_t kMostRegions = 64;

// Returns the longest times without a collective; `all` is the number of all. Names are those of
// the collectives around them.
//
//   window        |------------------------------------------|
//   collectives         |--1--|          |--2--|
//   regions       |-----|     |----------|     |-------------|
//   names         from "start" to "collective 1", then to "collective 2", then to "end"
std::vector<breakdown::Region> BetweenCollectives(const NeuronRank& rank, std::size_t& all) {
  std::vector<Span> spans;
  for (const profgauge::neuron::CcOp& row : rank.data->cc_ops)
    spans.push_back({row.start, row.start + row.duration});
  const std::vector<Span> busy = Clip(Merge(std::move(spans)), rank.sums.window);
  std::vector<breakdown::Region> regions;
  std::string from = "start";
  Ns at = rank.sums.window.start;
  for (std::size_t i = 0; i <= busy.size(); ++i) {
    const bool last = i == busy.size();
    const Ns to = last ? std::min(rank.sums.window.end, rank.data->total_time) : busy[i].start;
    const std::string name = last ? "end" : "collective " + std::to_string(i + 1);
    if (to > at) regions.push_back({from, name, {at, to}});
    from = name;
    if (!last) at = busy[i].end;
  }
  all += regions.size();
  if (regions.size() <= kMostRegions) return regions;
  std::stable_sort(regions.begin(), regions.end(),
                   [](const breakdown::Region& a, const breakdown::Region& b) {
                     return a.span.length() > b.span.length();
                   });
  regions.resize(kMostRegions);
  std::sort(regions.begin(), regions.end(),
            [](const breakdown::Region& a, const breakdown::Region& b) {
              return a.span.start < b.span.start;
            });
  return regions;
}

void AddCollectiveRegions(std::span<const NeuronRank> ranks, catalog::Output& out) {
  const bool any = std::any_of(ranks.begin(), ranks.end(),
                               [](const NeuronRank& rank) { return !rank.data->cc_ops.empty(); });
  if (!any) return out.SetTableAbsent("collective_regions", "the file has no collectives");
  catalog::RowWriter<catalog::columns::kEngineRegions> write(out.AddTable("collective_regions"));
  std::size_t all = 0;
  for (const NeuronRank& rank : ranks) {
    if (rank.data->cc_ops.empty()) continue;
    for (const breakdown::Region& region : BetweenCollectives(rank, all)) {
      breakdown::WriteEngineRegion(*rank.context, region, write);
    }
  }
  out.RemarkCut("collective_regions", all, "longest");
}

// Adds peaks and means over time. A value is valid until the next one. Points are sorted by curve,
// core and time. The mean is the area from the first to the last point divided by the length.
void AddPeaks(const NeuronRank& rank, catalog::RowWriter<catalog::columns::kMemoryPeaks>& write) {
  const auto& points = rank.data->curves;
  for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end) {
    while (end < points.size() && points[end].curve == points[begin].curve &&
           points[end].core == points[begin].core) {
      ++end;
    }
    const profgauge::neuron::Curve curve = points[begin].curve;
    if (curve != profgauge::neuron::Curve::kSbuf && curve != profgauge::neuron::Curve::kPsum)
      continue;
    const profgauge::neuron::CurvePoint* highest = &points[begin];
    double area = 0;
    Ns covered = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (points[i].value > highest->value) highest = &points[i];
      if (i + 1 == end) continue;
      const Ns length = points[i + 1].time - points[i].time;
      area += points[i].value * static_cast<double>(length);
      covered += length;
    }
    write.Integer("rank"_col, rank.context->rank).Integer("core"_col, points[begin].core);
    write.Text("name"_col, curve == profgauge::neuron::Curve::kSbuf ? "SBUF" : "PSUM")
        .Real("peak"_col, highest->value);
    write.Integer("peak_at"_col, highest->time)
        .Share("mean"_col, area, static_cast<double>(covered));
  }
}

struct File {
  std::int64_t lines = 0, instructions = 0, hbm_read = 0, hbm_write = 0;
  Ns time = 0, wait = 0;
  double flops = 0;
};

}  // namespace

// Sums the lines of each file. The table has no active times, which cannot be added because lines
// overlap.
void AddNeuronFiles(const Table& lines, catalog::Output& out) {
  std::map<std::pair<std::int64_t, std::string>, File> files;
  for (std::size_t row = 0; row < lines.rows(); ++row) {
    const auto number = [&](std::string_view id) { return AsNumber(lines.At(row, id), 0); };
    const auto whole = [&](std::string_view id) { return static_cast<std::int64_t>(number(id)); };
    const Value name = lines.At(row, "file");
    const auto* text = std::get_if<std::string>(&name);
    File& file = files[{whole("rank"), text == nullptr ? std::string() : *text}];
    if (whole("instructions") > 0) ++file.lines;
    file.instructions += whole("instructions");
    file.time += whole("instruction_time");
    file.wait += whole("wait_time");
    file.flops += number("flops");
    file.hbm_read += whole("hbm_read");
    file.hbm_write += whole("hbm_write");
  }
  std::vector<std::pair<std::pair<std::int64_t, std::string>, File>> order(files.begin(),
                                                                           files.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
  catalog::RowWriter<catalog::columns::kSourceFiles> write(out.AddTable("source_files"));
  for (const auto& [place, file] : order) {
    write.Integer("rank"_col, place.first)
        .Text("file"_col, place.second)
        .Integer("lines"_col, file.lines)
        .Integer("instructions"_col, file.instructions);
    write.Integer("instruction_time"_col, file.time)
        .Integer("wait_time"_col, file.wait)
        .Real("flops"_col, file.flops);
    write.Integer("hbm_read"_col, file.hbm_read).Integer("hbm_write"_col, file.hbm_write);
  }
}

void AddNeuronRegions(std::span<const NeuronRank> ranks, catalog::Output& out) {
  AddCollectiveRegions(ranks, out);
  const bool memory = std::any_of(ranks.begin(), ranks.end(), [](const NeuronRank& rank) {
    const auto& points = rank.data->curves;
    return std::any_of(points.begin(), points.end(),
                       [](const profgauge::neuron::CurvePoint& point) {
                         return point.curve == profgauge::neuron::Curve::kSbuf ||
                                point.curve == profgauge::neuron::Curve::kPsum;
                       });
  });
  if (memory) {
    catalog::RowWriter<catalog::columns::kMemoryPeaks> write(out.AddTable("memory_peaks"));
    for (const NeuronRank& rank : ranks) AddPeaks(rank, write);
  } else {
    out.SetTableAbsent("memory_peaks", "the file has no usage of SBUF and PSUM");
  }
}

}  // namespace profgauge::analysis::neuron
