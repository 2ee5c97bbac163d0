// What occupies SBUF, where and when.
#include <algorithm>
#include <tuple>
#include <vector>

#include "analysis/neuron/neuron.h"
#include "analysis/tables/row_writer.h"

namespace profgauge {
namespace {

using neuron::SbufAllocation;

constexpr std::size_t kMostAllocations = 10'000;

void AddAllocations(const NeuronRank& rank, std::size_t most, RowWriter& write) {
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
    write.Integer(rank.context->rank).Integer(row->core);
    write.Text(profile.Name(row->tensor)).Text(profile.Name(row->source));
    write.Known(row->partition).Integer(row->address).Integer(row->bytes);
    write.Integer(row->start).Integer(row->end()).Integer(row->duration);
    write.Text(profile.Name(row->hlo)).Text(profile.Name(row->opcode));
    write.Text(profile.Name(row->queue));
  }
}

}  // namespace

void AddNeuronSbuf(std::span<const NeuronRank> ranks, Output& out) {
  const bool any = std::any_of(ranks.begin(), ranks.end(), [](const NeuronRank& rank) {
    return !rank.data->sbuf_allocations.empty();
  });
  if (!any) {
    return out.SetTableAbsent("sbuf_allocations",
                              "the recording has no table SbufAllocation; give it as CSV beside "
                              "the other tables");
  }
  RowWriter write(out.AddTable("sbuf_allocations"));
  for (const NeuronRank& rank : ranks) {
    AddAllocations(rank, kMostAllocations / ranks.size(), write);
  }
}

}  // namespace profgauge
