#include "report/tree_change.h"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/catalog/op_columns.h"
#include "analysis/catalog/row_writer.h"
#include "base/units.h"
#include "report/labels.h"
#include "report/report.h"

namespace profgauge::report {
namespace {

struct Node {
  std::string kind, name;
  std::int64_t calls = 0;
  Ns host = 0, device = 0;
  std::vector<std::size_t> children;
};

struct Tree {
  std::vector<Node> nodes;
  std::vector<std::size_t> tops;
};

std::string TextOf(const Table& table, std::string_view column, std::size_t row) {
  const Value value = table.At(row, column);
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::string() : *text;
}

std::int64_t NumberOf(const Table& table, std::string_view column, std::size_t row) {
  const Value value = table.At(row, column);
  const auto* number = std::get_if<std::int64_t>(&value);
  return number == nullptr ? 0 : *number;
}

Tree FirstTree(const Table& table) {
  Tree tree;
  const std::size_t rows = RowsOfFirstTree(table);
  for (std::size_t row = 0; row < rows; ++row) {
    tree.nodes.push_back({TextOf(table, "kind", row),
                          TextOf(table, "name", row),
                          NumberOf(table, "calls", row),
                          NumberOf(table, "host_total", row),
                          NumberOf(table, "device_total", row),
                          {}});
    const Value parent = table.At(row, "parent");
    const auto* above = std::get_if<std::int64_t>(&parent);
    // In an edited report, the parent may be any number.
    if (above == nullptr || *above < 0 || static_cast<std::size_t>(*above) >= row) {
      tree.tops.push_back(row);
    } else {
      tree.nodes[static_cast<std::size_t>(*above)].children.push_back(row);
    }
  }
  return tree;
}

// Returns the name without numbers of threads, steps and layers, which differ between equal runs:
// "thread N (main)" for "thread 4711 (main)".
std::string WithoutNumbers(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
      out += c;
    } else if (out.empty() || out.back() != 'N') {
      out += 'N';
    }
  }
  return out;
}

// The key by which rows at one place match.
std::pair<std::string, std::string> KeyOf(const Node& node) {
  const bool is_numbered = node.kind == "thread" || node.kind == "range";
  return {node.kind, is_numbered ? WithoutNumbers(node.name) : node.name};
}

using Pair = std::pair<std::optional<std::size_t>, std::optional<std::size_t>>;

// A row that is still to be written. A stack is used, since ranges may be nested to any depth.
struct Place {
  Pair rows;
  std::int64_t parent = -1, depth = 0;
};

class Aligner {
 public:
  Aligner(Tree base, Tree current, Table& out)
      : base_(std::move(base)), current_(std::move(current)), out_(out), write_(out) {}

  void Run() {
    Push(base_.tops, current_.tops, -1, 0);
    static const std::vector<std::size_t> kNone;
    while (!open_.empty()) {
      const Place place = open_.back();
      open_.pop_back();
      const auto row = static_cast<std::int64_t>(out_.rows());
      AddRow(place);
      const Node* base = BaseOf(place.rows);
      const Node* current = CurrentOf(place.rows);
      Push(base == nullptr ? kNone : base->children, current == nullptr ? kNone : current->children,
           row, place.depth + 1);
    }
  }

 private:
  const Node* BaseOf(const Pair& pair) const {
    return pair.first ? &base_.nodes[*pair.first] : nullptr;
  }
  const Node* CurrentOf(const Pair& pair) const {
    return pair.second ? &current_.nodes[*pair.second] : nullptr;
  }

  // Change of a row on host and device together.
  Ns Weight(const Pair& pair) const {
    static const Node kNothing;
    const Node& base = pair.first ? *BaseOf(pair) : kNothing;
    const Node& current = pair.second ? *CurrentOf(pair) : kNothing;
    return std::max(std::abs(current.host - base.host), std::abs(current.device - base.device));
  }

  // Matches children of one place by kind and name; equal ones in order, the first with the first.
  // Kernels that remain in equal numbers are paired as renamed; in unequal numbers, they are gone
  // and new:
  //
  //     base       conv  conv  gemm_a    relu          pairs   conv-conv, conv-conv, relu-relu
  //     current    conv  relu  gemm_b    conv                  and gemm_b ← gemm_a, one left each
  std::vector<Pair> Match(const std::vector<std::size_t>& base,
                          const std::vector<std::size_t>& current) const {
    std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> waiting;
    for (auto row = base.rbegin(); row != base.rend(); ++row) {
      waiting[KeyOf(base_.nodes[*row])].push_back(*row);
    }
    std::vector<Pair> pairs;
    std::set<std::size_t> matched;                     // Rows of the base.
    std::vector<std::size_t> lone_base, lone_current;  // Kernels.
    for (const std::size_t row : current) {
      const Node& node = current_.nodes[row];
      const auto same = waiting.find(KeyOf(node));
      if (same != waiting.end() && !same->second.empty()) {
        pairs.emplace_back(same->second.back(), row);
        matched.insert(same->second.back());
        same->second.pop_back();
      } else if (node.kind == "kernel") {
        lone_current.push_back(row);
      } else {
        pairs.emplace_back(std::nullopt, row);
      }
    }
    for (const std::size_t row : base) {
      if (matched.contains(row)) continue;
      if (base_.nodes[row].kind == "kernel") {
        lone_base.push_back(row);
      } else {
        pairs.emplace_back(row, std::nullopt);
      }
    }
    const bool are_renamed = lone_base.size() == lone_current.size();
    for (std::size_t i = 0; i < lone_current.size(); ++i) {
      pairs.emplace_back(are_renamed ? std::optional(lone_base[i]) : std::nullopt, lone_current[i]);
    }
    for (std::size_t i = 0; !are_renamed && i < lone_base.size(); ++i) {
      pairs.emplace_back(lone_base[i], std::nullopt);
    }
    return pairs;
  }

  void Push(const std::vector<std::size_t>& base, const std::vector<std::size_t>& current,
            std::int64_t parent, std::int64_t depth) {
    std::vector<Pair> pairs = Match(base, current);
    std::stable_sort(pairs.begin(), pairs.end(),
                     [&](const Pair& a, const Pair& b) { return Weight(a) > Weight(b); });
    for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair) {
      open_.push_back({*pair, parent, depth});
    }
  }

  void AddRow(const Place& place) {
    const Node* base = BaseOf(place.rows);
    const Node* current = CurrentOf(place.rows);
    const Node& known = current != nullptr ? *current : *base;
    const bool is_renamed =
        base != nullptr && current != nullptr && KeyOf(*base) != KeyOf(*current);
    StringPool& strings = out_.strings();
    write_.Integer("node"_col, static_cast<std::int64_t>(out_.rows()))
        .Known("parent"_col, place.parent)
        .Integer("depth"_col, place.depth)
        .Text("name"_col,
              strings.Intern(is_renamed ? current->name + " ← " + base->name : known.name))
        .Text("kind"_col, strings.Intern(known.kind))
        .Text("change"_col, base == nullptr      ? "added"
                            : current == nullptr ? "removed"
                            : is_renamed         ? "renamed"
                                                 : "in both");
    const auto of = [](const Node* node, std::int64_t Node::*field) {
      return node == nullptr ? 0 : node->*field;
    };
    write_.Integer("device_change"_col, of(current, &Node::device) - of(base, &Node::device))
        .IntegerIf("base_device_total"_col, base != nullptr, of(base, &Node::device))
        .IntegerIf("device_total"_col, current != nullptr, of(current, &Node::device))
        .Integer("host_change"_col, of(current, &Node::host) - of(base, &Node::host))
        .IntegerIf("base_host_total"_col, base != nullptr, of(base, &Node::host))
        .IntegerIf("host_total"_col, current != nullptr, of(current, &Node::host))
        .IntegerIf("base_calls"_col, base != nullptr, of(base, &Node::calls))
        .IntegerIf("calls"_col, current != nullptr, of(current, &Node::calls));
  }

  Tree base_, current_;
  Table& out_;
  analysis::catalog::RowWriter<analysis::catalog::columns::kTreeChange> write_;
  std::vector<Place> open_;
};

}  // namespace

Table AlignTrees(const Table& base, const Table& current, std::string_view accelerator) {
  const analysis::TableSpec* spec = analysis::FindTable("tree_change");
  assert(spec != nullptr);
  Table table(spec->id, spec->row_name, TextFor(accelerator, spec->title),
              std::make_shared<StringPool>());
  for (const ColumnSpec& column : spec->columns) {
    table.AddColumn(column).Retitle(TextFor(accelerator, column.title));
  }
  Aligner(FirstTree(base), FirstTree(current), table).Run();
  return table;
}

}  // namespace profgauge::report
