// Fills HostTable::call_stack from Python functions, for profiles that have functions but no
// stacks: since PyTorch 1.13, with_stack=True records functions as separate events.
#include "model/call_stacks.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "model/link.h"

namespace profgauge::link {
namespace {

constexpr std::uint32_t kNone = kNoIndex;

// Call stacks, which grow from the outermost function; equal stacks share a number. The stacks of a
// program are a tree; a node is a function and the node of its caller:
//
//   0 main        1 train <- 0      2 step <- 1      3 loss <- 1
//
// Texts are made once per node, and only for stacks in which an operator begins.
class Stacks {
 public:
  explicit Stacks(Profile& profile) : profile_(profile) {}

  std::uint32_t Grow(std::uint32_t outer, StringId function) {
    const std::pair key(outer, function.value);
    const auto [at, is_new] = known_.try_emplace(key, static_cast<std::uint32_t>(all_.size()));
    if (is_new) all_.push_back({outer, function, {}});
    return at->second;
  }
  /// Innermost function first, only functions in Python files; invalid if there are none.
  StringId Text(std::uint32_t stack) {
    if (stack == kNone) return {};
    if (all_[stack].text.valid()) return all_[stack].text;
    std::string text;
    for (std::uint32_t at = stack; at != kNone; at = all_[at].outer) {
      const std::string_view function = profile_.Name(all_[at].function);
      if (function.find(".py(") == function.npos) continue;
      if (!text.empty()) text += ';';
      text += function;
    }
    if (!text.empty()) all_[stack].text = profile_.strings.Intern(text);
    return all_[stack].text;
  }

 private:
  struct Stack {
    std::uint32_t outer;
    StringId function, text;
  };
  Profile& profile_;
  std::vector<Stack> all_;
  boost::unordered_flat_map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known_;
};

// Tracks which functions run on one thread over time.
class OpenFunctions {
 public:
  OpenFunctions(const PythonTable& python, std::size_t begin, Stacks& stacks)
      : python_(python), next_(begin), thread_(python.thread[begin]), stacks_(stacks) {}

  /// The stack at `at`. REQUIRES: times come in order.
  std::uint32_t StackAt(Ns at) {
    for (; next_ < python_.size() && python_.thread[next_] == thread_ && python_.start[next_] <= at;
         ++next_) {
      Close(python_.start[next_]);
      open_.push_back({next_, kNone});
    }
    Close(at);
    // Most functions call no operator, so stacks are numbered only on request. If a function has a
    // number, all functions below it in the list have one.
    std::size_t numbered = open_.size();
    while (numbered > 0 && open_[numbered - 1].stack == kNone) --numbered;
    std::uint32_t stack = numbered > 0 ? open_[numbered - 1].stack : kNone;
    for (; numbered < open_.size(); ++numbered) {
      stack = stacks_.Grow(stack, python_.name[open_[numbered].row]);
      open_[numbered].stack = stack;
    }
    return stack;
  }

 private:
  struct Open {
    std::size_t row;
    std::uint32_t stack;
  };
  void Close(Ns at) {
    while (!open_.empty() &&
           python_.start[open_.back().row] + python_.duration[open_.back().row] <= at) {
      open_.pop_back();
    }
  }
  const PythonTable& python_;
  std::size_t next_;
  ThreadId thread_;
  Stacks& stacks_;
  std::vector<Open> open_;
};

// Markers that have only a stack enclose the operators called with that stack.
void TakeFromMarkers(HostTable& host) {
  std::vector<StringId> around(host.size());
  for (std::size_t row = 0; row < host.size(); ++row) {
    const HostId parent = host.parent[row];
    if (parent.valid()) around[row] = around[parent.value];
    if (host.kind[row] != HostKind::kOp) {
      if (host.call_stack[row].valid()) around[row] = host.call_stack[row];
    } else if (!host.call_stack[row].valid()) {
      host.call_stack.Set(row, around[row]);
    }
  }
}

}  // namespace

void CallStacks(Profile& profile) {
  HostTable& host = profile.host;
  TakeFromMarkers(host);
  const PythonTable& python = profile.python;
  const auto is_valid = [](StringId stack) { return stack.valid(); };
  if (python.size() == 0) return;
  if (std::ranges::any_of(host.call_stack.values(), is_valid)) return;
  Stacks stacks(profile);
  // Passes over each thread's functions once, with the start of its operators as queries.
  for (std::size_t begin = 0; begin < python.size();) {
    const ThreadId thread = python.thread[begin];
    OpenFunctions open(python, begin, stacks);
    // Both tables are sorted by thread.
    const auto first = std::lower_bound(host.thread.begin(), host.thread.end(), thread,
                                        [](ThreadId a, ThreadId b) { return a.value < b.value; });
    for (auto row = static_cast<std::size_t>(first - host.thread.begin());
         row < host.size() && host.thread[row] == thread; ++row) {
      const std::uint32_t stack = open.StackAt(host.start[row]);
      if (host.kind[row] == HostKind::kOp) host.call_stack.Set(row, stacks.Text(stack));
    }
    while (begin < python.size() && python.thread[begin] == thread) ++begin;
  }
}

}  // namespace profgauge::link
