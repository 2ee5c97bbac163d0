// The contents of SBUF, by place and time.
#include <algorithm>
#include <tuple>
#include <vector>

#include "analysis/neuron/neuron.h"
#include "analysis/tables/neuron_move_columns.h"
#include "analysis/tables/row_writer.h"

namespace profgauge::analysis::neuron {
namespace {

using profgauge::neuron::SbufAllocation;

constexpr std::size_t kMostAllocations = 10'000;

// The largest allocations come first; of equal ones the longest. At most `most` are kept.
void AddAllocations(const NeuronRank& rank, std::size_t most,
                    tables::RowWriter<tables::columns::kSbufAllocations>& write) {
  std::vector<const SbufAllocation*> rows;
  for (const SbufAllocation& row : rank.data->sbuf_allocations) {
    const Span window = rank.sums.window;
    // One that is there while the range is, wherever it begins.
    if (rank.whole || (row.start < window.end && row.end() > window.start)) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const SbufAllocation* a, const SbufAllocation* b) {
    return std::tuple(b->bytes, b->duration) < std::tuple(a->bytes, a->duration);
  });
  if (rows.size() > most) rows.resize(most);
  const Profile& profile = *rank.context->profile;
  for (const SbufAllocation* row : rows) {
    write.Integer("rank"_col, rank.context->rank).Integer("core"_col, row->core);
    write.Text("tensor"_col, profile.Name(row->tensor))
        .Text("source"_col, profile.Name(row->source));
    write.Known("partition"_col, row->partition)
        .Integer("address"_col, row->address)
        .Integer("bytes"_col, row->bytes);
    write.Integer("start"_col, row->start)
        .Integer("end"_col, row->end())
        .Integer("duration"_col, row->duration);
    write.Text("hlo"_col, profile.Name(row->hlo)).Text("opcode"_col, profile.Name(row->opcode));
    write.Text("queue"_col, profile.Name(row->queue));
  }
}

}  // namespace

void AddNeuronSbuf(std::span<const NeuronRank> ranks, tables::Output& out) {
  const bool any = std::any_of(ranks.begin(), ranks.end(), [](const NeuronRank& rank) {
    return !rank.data->sbuf_allocations.empty();
  });
  if (!any) {
    return out.SetTableAbsent(
        "sbuf_allocations",
        "the profile has no table SbufAllocation; pass it as CSV with the other tables");
  }
  tables::RowWriter<tables::columns::kSbufAllocations> write(out.AddTable("sbuf_allocations"));
  for (const NeuronRank& rank : ranks) {
    AddAllocations(rank, kMostAllocations / ranks.size(), write);
  }
}

}  // namespace profgauge::analysis::neuron
