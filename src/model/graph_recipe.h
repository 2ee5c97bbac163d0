// The operators and modules to which the work of one captured graph belongs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/graph_captures.h"
#include "model/profile.h"

namespace profgauge {

/// An operator or a module call of a captured graph. Ids are those of the replayed profile. Nodes
/// are in the order in which their ranges begin, each before its children. `behind` skips a whole
/// branch:
///
///   node     0 module  1 linear  2 addmm  3 gelu      of a module that calls linear and gelu
///   `behind` 4         3         3        4
struct GraphNode {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  StringId name, input_shapes, input_dtypes, call_stack, concrete_inputs;
  std::int64_t sequence = -1, module = -1;
  bool is_module = false;
  std::uint32_t behind = 0;       ///< The first node that is not below this one.
  std::uint32_t forward = kNone;  ///< The node of the forward operator.
  /// True if both have the same operator or module, with the same shapes and the same branch.
  bool SaysTheSame(const GraphNode& other) const {
    return name == other.name && input_shapes == other.input_shapes &&
           input_dtypes == other.input_dtypes && is_module == other.is_module &&
           behind == other.behind;
  }
};

/// The origin of one graph's work: the nodes, each before its children, and for each kernel, copy
/// or memset its node, in the order in which they start.
struct GraphRecipe {
  std::vector<GraphNode> nodes;
  std::vector<std::uint32_t> of_work;  ///< GraphNode::kNone where no operator is known.
};

/// Builds the recipe of a graph from one place of a capture's profile. The inputs must outlive the
/// maker.
class RecipeMaker {
 public:
  RecipeMaker(const Profile& capture, const ModuleCalls& modules,
              const std::vector<CapturedWork>& work, Profile& replayed)
      : capture_(capture), modules_(modules), work_(work), replayed_(replayed) {}

  /// `of_work` has, for each kernel, copy or memset of the graph, the index of its launch, or none.
  /// Work without an index, or launched by no operator, gets no operator.
  GraphRecipe Make(const std::vector<std::optional<std::uint32_t>>& of_work);

 private:
  /// A range around a launch: a call of a module or an operator.
  struct Range {
    Ns start = 0, end = 0;
    bool is_module = false;
    std::uint32_t row = 0;
    friend bool operator==(const Range&, const Range&) = default;
  };
  std::vector<Range> RangesAround(const CapturedWork& work) const;
  GraphNode NodeOf(const Range& range);
  StringId Text(StringId id) {
    return id.valid() ? replayed_.strings.Intern(capture_.strings[id]) : StringId{};
  }

  const Profile& capture_;
  const ModuleCalls& modules_;
  const std::vector<CapturedWork>& work_;
  Profile& replayed_;
};

}  // namespace profgauge
