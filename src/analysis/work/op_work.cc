#include "analysis/work/op_work.h"

#include <boost/unordered/unordered_flat_map.hpp>
#include <tuple>

#include "analysis/classify/arguments.h"
#include "analysis/work/op_shape.h"

namespace profgauge::analysis::work {

double ElementBytes(const OpArgument& tensor) {
  const double bytes = classify::DtypeBytes(tensor.dtype);
  return bytes > 0 ? bytes : -1;
}

// A single tensor of unknown type makes the sum unknown: a part of it would look like all.
double BytesOf(const std::vector<const OpArgument*>& tensors) {
  double sum = 0;
  for (const OpArgument* tensor : tensors) {
    const double bytes = ElementBytes(*tensor);
    if (bytes < 0) return -1;
    sum += bytes * Elements(tensor->shape);
  }
  return sum;
}

// The first part that knows the operator; experts last, since they are found by tensors.
std::optional<OpWork> WorkOf(const OpCall& call) {
  for (const auto part :
       {ProductWork, ConvolutionWork, AttentionWork, ElementWork, TrainingWork, ExpertsWork}) {
    if (auto work = part(call)) {
      // Sizes are untrusted: a product of them may be no number that anyone can use.
      if (!(work->flops >= 0 && work->flops < 1e30 && work->bytes < 1e30)) return std::nullopt;
      const auto tensors = call.Tensors();
      if (work->dtype.empty() && !tensors.empty())
        work->dtype = classify::CanonicalDtype(tensors[0]->dtype);
      return work;
    }
  }
  return std::nullopt;
}

// Parents come first, so `counted_in` is inherited before a row decides for itself.
OpWorks CountWork(const Profile& profile, const OpTree& tree) {
  const HostTable& host = profile.host;
  OpWorks result;
  result.of_row.assign(host.size(), OpWorks::kNone);
  result.counted_in.assign(host.size(), OpWorks::kNone);
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  boost::unordered_flat_map<Key, std::uint32_t> known;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const HostId parent = host.parent[row];
    if (parent.valid()) result.counted_in[row] = result.counted_in[parent.value];
    if (host.kind[row] != HostKind::kOp || !tree.IsOp(row) || !host.name[row].valid()) continue;
    if (!host.input_shapes[row].valid() && !host.concrete_inputs[row].valid()) continue;
    const Key key{host.name[row].value, host.input_shapes[row].value, host.input_dtypes[row].value,
                  host.concrete_inputs[row].value};
    const auto [at, is_new] = known.try_emplace(key, OpWorks::kNone);
    if (is_new) {
      const auto call = CallOf(profile, row);
      if (auto work = call ? WorkOf(*call) : std::nullopt) {
        at->second = static_cast<std::uint32_t>(result.works.size());
        result.works.push_back(std::move(*work));
      }
    }
    result.of_row[row] = at->second;
    if (at->second != OpWorks::kNone && result.counted_in[row] == OpWorks::kNone) {
      result.counted_in[row] = row;
    }
  }
  return result;
}

}  // namespace profgauge::analysis::work
