// Data of one import of a DLProf database, which the parts of its reader share.
//
// Schema of 1.8.0: the columns *_id point to the string table `dictionary`. The tables read_only_*
// have events. All others have rows for each aggregation, which is one run of DLProf over the
// profile.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "base/sqlite.h"
#include "model/profile_builder.h"

namespace profgauge::readers::dlprof {

// The tables of the database:
//
//   dictionary              id, string                      names, types, shapes
//   read_only_ops           an operator                     id -> name, type
//   read_only_op_instances  its calls                       -> read_only_ops
//   read_only_kernels       kernels, with their call        -> read_only_ops, op_instance
//   model_summary           one row for each aggregation    aggr_id
//   op_nodes, metric, ...   sums of an aggregation          aggr_id
// Rows cover the whole profile; only the sums are limited to an aggregation's iterations.

/// One op of the database. Texts are as written.
struct DatabaseOp {
  std::string id;    ///< "CONV2D_1"
  std::string name;  ///< "/module/net::forward/conv2d"
  std::string type, direction, data_type, stack;
  bool unassociated = false;  ///< True if the call is outside of any op.
};

/// The iterations that an aggregation sums up, and its name.
struct Aggregation {
  std::int64_t id = -1;
  Span window;
  std::int64_t start = 0, stop = 0, aggregated = 0;
  Ns wall = 0;
};

/// The state that the parts of the import share, from the first table to the self-check.
struct DatabaseImport {
  sqlite::Database* database = nullptr;
  ProfileBuilder* builder = nullptr;
  std::map<std::int64_t, std::string> dictionary;
  std::map<std::int64_t, DatabaseOp> ops;
  Aggregation aggregation;
  std::string version;
  std::int64_t kernels = 0, copies = 0;  ///< `copies` includes memsets.

  // For the self-check: times by op and call, device work by op and call, kernels by op and name.
  using Call = std::pair<std::int64_t, std::int64_t>;
  std::map<std::int64_t, Ns> cpu_time;
  std::map<Call, std::vector<Span>> work;
  std::map<Call, Ns> kernel_time;

  const std::string& Text(std::int64_t id) const {
    static const std::string kNone;
    const auto at = dictionary.find(id);
    return at == dictionary.end() ? kNone : at->second;
  }
  bool InWindow(Ns start) const {
    return start >= aggregation.window.start && start < aggregation.window.end;
  }
};

}  // namespace profgauge::readers::dlprof
