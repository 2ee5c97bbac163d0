#include "gate/pairing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/classify/kernel_name.h"
#include "gate/significance.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

constexpr std::string_view kDigits = "0123456789", kHexDigits = "0123456789abcdefABCDEF";

// Length of a leading lambda name, or 0: "{lambda(float)#2}" (GCC, NVCC) or "'lambda0'" (Clang).
std::size_t LambdaAt(std::string_view text) {
  if (text.starts_with("{lambda")) {
    const std::size_t end = text.find('}');
    return end == text.npos ? 0 : end + 1;
  }
  if (!text.starts_with("'lambda")) return 0;
  const std::size_t end = text.find('\'', 1);
  return end == text.npos ? 0 : end + 1;
}

std::string WithoutLambdaNumbers(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (const std::size_t length = LambdaAt(text)) {
      out += "{lambda}";
      text.remove_prefix(length);
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

// Reads template arguments after their '<' and sets `rest` to the text after their '>'. Nothing if
// brackets do not match, e.g. because of operators.
std::optional<std::string> Arguments(std::string_view& rest);  // NOLINT(misc-no-recursion)

// Reads to the end of an argument or, at the outermost level, of the text.
std::optional<std::string> Argument(std::string_view& rest, bool is_outermost) {  // NOLINT
  std::string out;
  int brackets = 0;
  while (!rest.empty()) {
    const char c = rest.front();
    if (brackets == 0 && !is_outermost && (c == ',' || c == '>')) return out;
    rest.remove_prefix(1);
    out += c;
    brackets += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != '<') continue;
    auto arguments = Arguments(rest);
    if (!arguments) return std::nullopt;
    out += *arguments + ">";
  }
  return is_outermost ? std::optional(out) : std::nullopt;
}

// True if the argument has a pointer outside of a function signature.
bool HoldsPointer(std::string_view argument) {
  int brackets = 0;
  for (const char c : argument) {
    brackets += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == '*' && brackets == 0) return true;
  }
  return false;
}

// Reads one argument after the other. The recursion is as deep as templates are nested:
//
//     f<4, g<char*>, h(int*)>      4        kept
//                                  g<char*> left out: a pointer, outside of a signature
//                                  h(int*)  kept: the pointer is in a signature
std::optional<std::string> Arguments(std::string_view& rest) {  // NOLINT(misc-no-recursion)
  std::string out;
  while (true) {
    const std::string_view from = rest;
    auto argument = Argument(rest, false);
    if (!argument) return std::nullopt;
    if (!HoldsPointer(from.substr(0, from.size() - rest.size()))) {
      while (argument->ends_with(' ')) argument->pop_back();
      while (argument->starts_with(' ')) argument->erase(0, 1);
      out += (out.empty() ? "" : ", ") + *argument;
    }
    const bool is_last = rest.front() == '>';
    rest.remove_prefix(1);
    if (is_last) return out;
  }
}

// True for names of types such as "bf16bf16", which look like hexadecimal numbers, too.
bool AreTypes(std::string_view word) {
  while (!word.empty()) {
    if (word.front() == 'b') word.remove_prefix(1);
    const bool is_type =
        word.starts_with("f16") || word.starts_with("f32") || word.starts_with("f64");
    if (!is_type) return false;
    word.remove_prefix(3);
  }
  return true;
}

bool IsHash(std::string_view word) {
  return word.size() >= knowledge::kGateHashLength.as<std::size_t>() &&
         word.find_first_not_of(kHexDigits) == word.npos &&
         word.find_first_of(kDigits) != word.npos && !AreTypes(word);
}

std::string WithoutHashes(std::string_view text) {
  const auto is_of_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::string out;
  while (!text.empty()) {
    std::size_t length = 0;
    while (length < text.size() && is_of_word(text[length])) ++length;
    const std::string_view word = text.substr(0, length);
    out += IsHash(word) ? std::string_view("#") : word;
    text.remove_prefix(length);
    if (text.empty()) break;
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

// Removes the number of a fusion: "triton_poi_fused_add_12", "loop_add_fusion.3". The name lists
// the fused operators, and the number counts all earlier fusions.
std::string_view WithoutCounter(std::string_view name) {
  if (!name.starts_with("triton_") && name.find("fusion") == name.npos) return name;
  const std::size_t last = name.find_last_not_of(kDigits);
  if (last == name.npos || last + 1 == name.size()) return name;
  if (name[last] != '_' && name[last] != '.') return name;
  return name.substr(0, last);
}

}  // namespace

std::string CanonicalKernel(std::string_view name) {
  std::string key =
      WithoutLambdaNumbers(analysis::classify::WithoutArguments(WithoutCounter(name)));
  std::string_view rest = key;
  if (auto argument = Argument(rest, true)) key = *std::move(argument);
  return WithoutHashes(key);
}

namespace {

// The data of one name in one of the runs.
struct Side {
  double count = 0, time = 0, host = 0;  // Per iteration.
  const std::vector<Ns>* series = nullptr;
};

struct Pair {
  std::string name;
  PartChange change = PartChange::kChanged;
  Side base, current;

  double Delta() const { return current.time - base.time; }
  double CountEffect() const {
    if (base.count == 0 || current.count == 0) return Delta();
    return (current.count - base.count) * base.time / base.count;
  }
};

using Names = std::map<std::string, std::string>;  // Old name to new name.

std::map<std::string, Side> SidesOf(const std::vector<analysis::breakdown::WorkSum>& sums,
                                    const analysis::breakdown::WorkSums& work, bool of_host) {
  std::map<std::string, Side> sides;
  const auto iterations = static_cast<double>(work.iterations);
  for (const analysis::breakdown::WorkSum& sum : sums) {
    Side& side = sides[sum.name];
    side.count = static_cast<double>(sum.count) / iterations;
    side.time = static_cast<double>(of_host ? sum.host_time : sum.gpu_time) / iterations;
    side.host = static_cast<double>(sum.host_time) / iterations;
    // A series of host times does not describe GPU times, nor the reverse, so it is not used.
    if (work.has_gpu == !of_host) side.series = &sum.series;
  }
  return sides;
}

// Folds entries into the rest. A run lists its longest work and sums up the rest, so an entry near
// the end of one list may be in the rest of the other run, neither new nor gone:
//
//     base       gemm 900   relu 40   copy 12   (smaller) 8        least listed: 12
//     current    gemm 950   relu 41   fill 14   (smaller) 9        least listed: 14
//     copy: 12 < 2 * 14, so into base's (smaller); fill: 14 < 2 * 12, so into current's
void FoldRest(std::map<std::string, Side>& sides, const std::map<std::string, Side>& other) {
  const std::string rest = "(smaller)";
  if (!other.contains(rest)) return;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [name, side] : other) {
    if (name != rest) least = std::min(least, side.time);
  }
  for (auto it = sides.begin(); it != sides.end();) {
    const bool is_folded = it->first != rest && !other.contains(it->first) &&
                           it->second.time < knowledge::kGateNearTheEnd.value() * least;
    if (!is_folded) {
      ++it;
      continue;
    }
    Side& into = sides[rest];
    into.count += it->second.count;
    into.time += it->second.time;
    into.host += it->second.host;
    into.series = nullptr;
    it = sides.erase(it);
  }
}

void FoldRests(std::map<std::string, Side>& a, std::map<std::string, Side>& b) {
  // Folds a copy of the list, because folding one side must not create a rest in the other.
  const std::map<std::string, Side> listed = a;
  FoldRest(a, b);
  FoldRest(b, listed);
}

std::vector<Pair> Match(const std::map<std::string, Side>& base,
                        const std::map<std::string, Side>& current, const Names& renamed) {
  std::vector<Pair> pairs;
  std::set<std::string> taken;
  for (const auto& [name, side] : base) {
    Pair pair{name, PartChange::kRemoved, side, {}};
    const auto new_name = renamed.find(name);
    const auto same = current.find(new_name == renamed.end() ? name : new_name->second);
    if (same != current.end()) {
      pair.current = same->second;
      pair.change = same->first == name ? PartChange::kChanged : PartChange::kRenamed;
      if (same->first != name) pair.name = same->first + " ← " + name;
      taken.insert(same->first);
    }
    pairs.push_back(std::move(pair));
  }
  for (const auto& [name, side] : current) {
    if (!taken.contains(name)) pairs.push_back({name, PartChange::kAdded, {}, side});
  }
  return pairs;
}

Ns Rounded(double ns) { return std::llround(ns); }

Ns MeanOf(const std::vector<Ns>& times) {
  double sum = 0;
  for (const Ns time : times) sum += static_cast<double>(time);
  return times.empty() ? 0 : Rounded(sum / static_cast<double>(times.size()));
}

// The p-value of a part. If a run does not have the part, it took 0 in each of its iterations. -1
// if a run has the part without a series.
double PValueOfPair(const Pair& pair, std::size_t base_iterations, std::size_t current_iterations) {
  const auto series = [](const Side& side, bool is_absent, std::size_t iterations) {
    if (is_absent) return std::vector<Ns>(iterations, 0);
    return side.series == nullptr ? std::vector<Ns>() : *side.series;
  };
  return PValueOf(series(pair.base, pair.change == PartChange::kAdded, base_iterations),
                  series(pair.current, pair.change == PartChange::kRemoved, current_iterations));
}

PairedTable Fill(const std::vector<Pair>& pairs, bool of_host, const Snapshot& base_run,
                 const Snapshot& current_run) {
  PairedTable table;
  table.of_host = of_host;
  double base = 0, current = 0, count_effect = 0;
  std::vector<double> deltas, counts;
  for (const Pair& pair : pairs) {
    base += pair.base.time;
    current += pair.current.time;
    count_effect += pair.CountEffect();
    deltas.push_back(pair.Delta());
    counts.push_back(pair.CountEffect());
  }
  table.base = Rounded(base);
  table.current = Rounded(current);
  table.delta = table.current - table.base;
  const std::vector<Ns> whole = stats::RoundToSum(deltas, table.delta);
  const std::vector<Ns> by_count = stats::RoundToSum(counts, Rounded(count_effect));
  std::vector<TestedChange> tested;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Pair& pair = pairs[i];
    PairedWork& row = table.rows.emplace_back();
    row.name = pair.name;
    row.change = pair.change;
    row.base_count = pair.base.count;
    row.current_count = pair.current.count;
    row.base = Rounded(pair.base.time);
    row.current = Rounded(pair.current.time);
    row.base_host = Rounded(pair.base.host);
    row.current_host = Rounded(pair.current.host);
    row.delta = whole[i];
    row.count_effect = by_count[i];
    row.duration_effect = row.delta - row.count_effect;
    row.p_value =
        PValueOfPair(pair, base_run.iteration_times.size(), current_run.iteration_times.size());
    tested.push_back({row.p_value, row.delta});
  }
  const std::vector<bool> significant = FindSignificant(tested, MeanOf(base_run.iteration_times));
  for (std::size_t i = 0; i < table.rows.size(); ++i) table.rows[i].significant = significant[i];
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::abs(a.delta) > std::abs(b.delta);
  });
  return table;
}

using OpPlace = std::tuple<std::string, std::string, std::int64_t>;  // Op, shapes, position.

// The kernels at each place in a run, with their times.
std::map<OpPlace, std::map<std::string, Ns>> KernelsByPlace(const Snapshot& run) {
  std::map<OpPlace, std::map<std::string, Ns>> places;
  for (const analysis::breakdown::TimePart& part : run.parts) {
    if (part.op.empty() || part.kernel.empty() || !part.category.ends_with("_kernel")) continue;
    places[{part.op, part.shapes, part.position}][part.kernel] += part.time;
  }
  return places;
}

bool Has(const std::vector<analysis::breakdown::WorkSum>& sums, const std::string& name) {
  return std::any_of(sums.begin(), sums.end(),
                     [&](const analysis::breakdown::WorkSum& s) { return s.name == name; });
}

// Finds renamed kernels. Each place where one kernel replaces another votes for this pair by its
// time. Pairs are accepted in the order of their votes, and each name only once.
Names RenamedKernels(const Snapshot& base, const Snapshot& current) {
  std::map<std::pair<std::string, std::string>, Ns> votes;
  const auto now = KernelsByPlace(current);
  for (const auto& [place, old_kernels] : KernelsByPlace(base)) {
    const auto there = now.find(place);
    if (there == now.end() || old_kernels.size() != 1 || there->second.size() != 1) continue;
    const auto& [old_name, old_time] = *old_kernels.begin();
    const auto& [new_name, new_time] = *there->second.begin();
    if (old_name != new_name) votes[{old_name, new_name}] += old_time + new_time;
  }
  std::vector<std::pair<Ns, std::pair<std::string, std::string>>> ranked;
  for (const auto& [names, time] : votes) ranked.emplace_back(time, names);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  Names renamed;
  std::set<std::string> taken;
  for (const auto& [time, names] : ranked) {
    const auto& [old_name, new_name] = names;
    // A kernel that still runs was not renamed, nor one that ran before.
    if (Has(current.work.kernels, old_name) || Has(base.work.kernels, new_name)) continue;
    if (renamed.contains(old_name) || !taken.insert(new_name).second) continue;
    renamed[old_name] = new_name;
  }
  return renamed;
}

bool CanPair(const Snapshot& base, const Snapshot& current) {
  return base.work.iterations > 0 && current.work.iterations > 0;
}

}  // namespace

std::vector<PairedValue> PairValues(const Snapshot& base, const Snapshot& current) {
  std::vector<PairedValue> values;
  const auto find = [](const Snapshot& run, std::string_view id) -> std::optional<double> {
    const auto it = run.metrics.find(id);
    return it == run.metrics.end() ? std::nullopt : std::optional(it->second);
  };
  for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) {
    PairedValue value{&spec, find(base, spec.id), find(current, spec.id)};
    if (value.base || value.current) values.push_back(value);
  }
  std::map<std::string_view, std::size_t> places;
  for (const bool is_base : {true, false}) {
    for (const analysis::breakdown::WorkSum& one : (is_base ? base : current).work.benchmarks) {
      const auto [place, is_new] = places.try_emplace(one.name, values.size());
      if (is_new) values.push_back({nullptr, {}, {}, one.name});
      PairedValue& value = values[place->second];
      (is_base ? value.base : value.current) = MeanOfBenchmark(one);
    }
  }
  return values;
}

PairedTable PairKernels(const Snapshot& base, const Snapshot& current) {
  if (!CanPair(base, current)) return {};
  auto old_sides = SidesOf(base.work.kernels, base.work, false);
  auto new_sides = SidesOf(current.work.kernels, current.work, false);
  FoldRests(old_sides, new_sides);
  return Fill(Match(old_sides, new_sides, RenamedKernels(base, current)), false, base, current);
}

PairedTable PairOps(const Snapshot& base, const Snapshot& current) {
  if (!CanPair(base, current)) return {};
  const bool of_host = !base.work.has_gpu || !current.work.has_gpu;
  auto old_sides = SidesOf(base.work.ops, base.work, of_host);
  auto new_sides = SidesOf(current.work.ops, current.work, of_host);
  FoldRests(old_sides, new_sides);
  return Fill(Match(old_sides, new_sides, {}), of_host, base, current);
}

}  // namespace profgauge::gate
