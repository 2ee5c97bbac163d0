// make_ranks: writes the PyTorch traces of a training run on many ranks, and the truth about it.
//
//   make_ranks OUT_FOLDER [--ranks 64] [--mesh tp] [--cause host --late 5] …
//
// OUT_FOLDER gets a file per rank, OUT_FOLDER.truth.json the simulated truth (ranks/made_ranks.h).
// `--help` lists the flags.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/made_ranks.h"

namespace {

using profgauge::made::LateBy;
using profgauge::made::Mesh;
using profgauge::made::Metadata;
using profgauge::made::Plan;

struct Number {
  std::string_view name;
  std::int64_t Plan::*field;
  std::string_view help;
};
constexpr Number kNumbers[] = {
    {"--ranks", &Plan::ranks, "of the run"},
    {"--inner", &Plan::inner, "ranks of a group of neighbours (tp, pp, ep)"},
    {"--iterations", &Plan::iterations, "training steps"},
    {"--layers", &Plan::layers, "layers of the model"},
    {"--microbatches", &Plan::microbatches, "of a step (pp)"},
    {"--late", &Plan::late, "the late rank"},
    {"--lateness", &Plan::lateness, "ns that it takes longer each layer"},
    {"--waits", &Plan::waits, "ns after each collective until the host goes on that waits for it"},
    {"--jitter", &Plan::jitter, "ns that every rank takes longer at most, at random"},
    {"--slow-link", &Plan::slow_link, "rank whose neighbours it reaches slowly; -1: none"},
    {"--slow-link-percent", &Plan::slow_link_percent, "how much longer that takes"},
    {"--clock-offset", &Plan::clock_offset, "ns by which clocks differ at most"},
    {"--drift-ppb", &Plan::drift_ppb, "how fast they run apart at most"},
    {"--lost-rank", &Plan::lost_rank, "lacks collectives; -1: none"},
    {"--lost-first", &Plan::lost_first, "the first it lacks"},
    {"--lost-last", &Plan::lost_last, "the last it lacks"},
    {"--doubled", &Plan::doubled, "rank with two recordings; -1: none"},
};

template <class T>
struct Choice {
  std::string_view name;
  T value;
};
constexpr Choice<Mesh> kMeshes[] = {
    {"dp", Mesh::kDp}, {"tp", Mesh::kTpDp}, {"pp", Mesh::kPpDp}, {"ep", Mesh::kEpDp}};
constexpr Choice<LateBy> kCauses[] = {
    {"none", LateBy::kNothing},     {"loader", LateBy::kLoader},      {"host", LateBy::kHost},
    {"slow-gpu", LateBy::kSlowGpu}, {"more-work", LateBy::kMoreWork}, {"copies", LateBy::kCopies}};
constexpr Choice<Metadata> kMetadata[] = {{"names", Metadata::kNames},
                                          {"sizes", Metadata::kSizes},
                                          {"groups", Metadata::kGroups},
                                          {"numbers", Metadata::kNumbers}};

template <class T, std::size_t n>
bool Choose(const Choice<T> (&choices)[n], const std::string& name, T& value) {
  for (const Choice<T>& choice : choices) {
    if (choice.name != name) continue;
    value = choice.value;
    return true;
  }
  return false;
}

int Usage() {
  fmt::print(stderr, "usage: make_ranks OUT_FOLDER [FLAG VALUE]…\n");
  const Plan defaults;
  for (const Number& flag : kNumbers) {
    fmt::print(stderr, "  {:<20} {} (default {})\n", flag.name, flag.help, defaults.*flag.field);
  }
  fmt::print(
      stderr,
      "  --mesh               dp (default), tp, pp, ep\n"
      "  --cause              none (default), loader, host, slow-gpu, more-work, copies\n"
      "  --metadata           names, sizes, groups, numbers (default): the years of PyTorch\n"
      "  --missing            rank without a recording; may be repeated\n"
      "  --seed               of the random numbers\n");
  return 2;
}

bool Apply(const std::string& name, const std::string& value, Plan& plan) {
  const auto flag = std::find_if(std::begin(kNumbers), std::end(kNumbers),
                                 [&](const Number& f) { return f.name == name; });
  if (flag != std::end(kNumbers)) {
    plan.*flag->field = std::atoll(value.c_str());
    return true;
  }
  if (name == "--missing") {
    plan.missing.push_back(std::atoll(value.c_str()));
    return true;
  }
  if (name == "--seed") {
    plan.seed = static_cast<std::uint64_t>(std::atoll(value.c_str()));
    return true;
  }
  if (name == "--mesh") return Choose(kMeshes, value, plan.mesh);
  if (name == "--cause") return Choose(kCauses, value, plan.cause);
  return name == "--metadata" && Choose(kMetadata, value, plan.metadata);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() % 2 == 0 || args[0].starts_with('-')) return Usage();
  Plan plan;
  for (std::size_t i = 1; i < args.size(); i += 2) {
    if (!Apply(args[i], args[i + 1], plan)) return Usage();
  }
  const bool whole = plan.mesh == Mesh::kDp || (plan.inner > 0 && plan.ranks % plan.inner == 0);
  if (plan.ranks < 1 || !whole) {
    fmt::print(stderr, "make_ranks: --ranks must be a multiple of --inner\n");
    return 2;
  }
  WriteRun(plan, Simulate(plan), args[0]);
}
