// Operators for the work of captured graphs.
//
// A profile of replayed graphs has their kernels and no operator that launched them: operators ran
// when the graph was captured. A profile of the capture has the operators, shapes and modules, in
// the order in which their kernels were added to the graph; so do runs of the same code beside it.
// A graph is found by its kernels' names: the whole sequence must be the same, and where several
// places have it, they must report the same operators. Else the graph's work stays without.
//
//   GraphOperators graphs(replayed);
//   for (const Profile& capture : captures) graphs.Learn(capture);
//   const GraphOperators::Outcome outcome = graphs.Give();
//
// Give() adds rows within the call that launched the graph, as many as were captured, each a few
// nanoseconds long: their operators are known, and they took no time on the host.
//
//   replayed, one launch     gemm_a  gelu  gemm_b  gelu            no operators
//   capture, in order        ... copy  gemm_a  gelu  gemm_b  gelu  norm ...
//                                      ^ linear ^ gelu ^ linear ^ gelu
//
// The four names occur once in the capture, so the launch gets its four operators. If they occurred
// twice, both places would have to have the same operators, shapes and modules; else the graph is
// ambiguous, and nothing is given.
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
  /// Whether there are graphs whose work has no operator.
  bool are_wanted() const { return !graphs_.empty(); }
  /// May be called for several captures. O(kernels of the capture × different lengths of graphs),
  /// and O(length) for each place that matches.
  void Learn(const Profile& capture);

  struct Outcome {
    std::size_t launches = 0;   ///< Launches of graphs whose work had no operator.
    std::size_t given = 0;      ///< Those of them that now have operators,
    std::size_t unknown = 0;    ///< are nowhere captured,
    std::size_t ambiguous = 0;  ///< match several places with different operators,
    std::size_t no_room = 0;    ///< or were launched in less time than has room for the rows.
    std::size_t work = 0;       ///< Device rows that have an operator now.
  };
  /// Once, after all Learn(). Sorts host and Python tables again where it gave anything: row
  /// numbers that a caller kept are void then.
  Outcome Give();

 private:
  /// One kind of graph: kernels by name, launch shape and the work between them.
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
