// Operators for the work of captured graphs.
//
// A profile of replayed graphs has their kernels, but no operator that launched them: operators ran
// when the graph was captured. A profile of the capture, or of other runs of the same code, has the
// operators, shapes and modules, in the order in which their kernels were added to the graph. A
// graph is found by its kernels' names: the whole sequence must be equal. If it occurs in several
// places, all must have the same operators. Otherwise the graph's work gets no operators.
//
//   GraphOperators graphs(replayed);
//   for (const Profile& capture : captures) graphs.Learn(capture);
//   const GraphOperators::Outcome outcome = graphs.Give();
//
// Give() adds rows inside the call that launched the graph, one for each captured operator, each a
// few nanoseconds long: the operators are known, but took no time on the host.
//
//   replayed, one launch     gemm_a  gelu  gemm_b  gelu            no operators
//   capture, in order        ... copy  gemm_a  gelu  gemm_b  gelu  norm ...
//                                      ^ linear ^ gelu ^ linear ^ gelu
//
// The four names occur once in the capture, so the launch gets its four operators. If they occurred
// twice, both places would have to have the same operators, shapes and modules; otherwise the graph
// is ambiguous and gets no operators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "model/graph_recipe.h"
#include "model/profile.h"

namespace profgauge {

class GraphOperators {
 public:
  /// `replayed` must outlive it.
  explicit GraphOperators(Profile& replayed);
  /// True if there are graphs whose work has no operator.
  bool are_wanted() const { return !graphs_.empty(); }
  /// Searches a capture for the graphs. May be called for several captures. O(kernels of the
  /// capture × different lengths of graphs), plus O(length) for each place that matches.
  void Learn(const Profile& capture);

  struct Outcome {
    std::size_t launches = 0;   ///< Launches of graphs whose work had no operator.
    std::size_t given = 0;      ///< Launches of these that now have operators.
    std::size_t unknown = 0;    ///< Launches whose graph is in no capture.
    std::size_t ambiguous = 0;  ///< Launches that match several places with different operators.
    std::size_t no_room = 0;    ///< Launches whose call is too short for the rows.
    std::size_t work = 0;       ///< Device rows that have an operator now.
  };
  /// Adds the operators. Call it once, after all Learn(). If it added any, it sorts the host and
  /// Python tables again, so row numbers that a caller kept become invalid.
  Outcome Give();

 private:
  /// One kind of graph: the sequence of its kernels' names, launch shapes, copies and memsets.
  struct Graph {
    std::vector<ApiId> launches;
    std::vector<std::vector<std::uint32_t>> rows;  ///< Device rows of each launch, by start.
    std::vector<GraphRecipe> recipes;              ///< Different ones.
  };
  using Key = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  void Consider(Graph& graph, GraphRecipe recipe);
  bool FitsInto(const GraphRecipe& recipe, ApiId launch) const;
  void Append(const GraphRecipe& recipe, ApiId launch, std::span<const std::uint32_t> rows);
  void Settle();

  Profile& profile_;
  std::map<Key, Graph> graphs_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> operators_;  ///< Device row and host row.
};

}  // namespace profgauge
