// The simulation: each rank is a list of actions; a call ends when the last of its ranks has come.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <tuple>
#include <utility>

#include "made_ranks.h"

namespace profgauge::made {
namespace {

constexpr Ns kLoad = 300'000, kHost = 60'000, kCopy = 40'000, kCompute = 800'000;
constexpr Ns kReduce = 80'000, kExchange = 50'000, kSend = 20'000;
constexpr std::int64_t kKernels = 4;

struct Action {
  enum class Kind { kBegin, kWork, kCall, kEnd };
  Kind kind = Kind::kWork;
  Ns loader = 0, host = 0, copy = 0, compute = 0;
  std::int64_t kernels = kKernels;
  std::string kernel = "gemm";
  std::size_t group = 0;
  std::string name;
  std::int64_t elements = 0;
  Ns transfer = 0;
  std::int64_t source = -1, destination = -1;
};

class Simulation {
 public:
  explicit Simulation(const Plan& plan) : plan_(plan), random_(plan.seed) {
    MakeGroups();
    for (std::int64_t rank = 0; rank < plan_.ranks; ++rank) programs_.push_back(ProgramOf(rank));
    made_.events.resize(programs_.size());
    made_.truth.ranks.resize(programs_.size());
    at_.assign(programs_.size(), plan_.start);
    reduced_.assign(programs_.size(), 0);
    next_.assign(programs_.size(), 0);
    begun_.resize(programs_.size());
    ends_.resize(static_cast<std::size_t>(plan_.iterations));
  }

  Made Run() {
    std::vector<std::size_t> ready;
    for (std::size_t rank = programs_.size(); rank-- > 0;) ready.push_back(rank);
    while (!ready.empty()) {
      const std::size_t rank = ready.back();
      ready.pop_back();
      Advance(rank, ready);
    }
    Conclude();
    SkewClocks();
    return std::move(made_);
  }

 private:
  std::int64_t Inner() const { return plan_.mesh == Mesh::kDp ? plan_.ranks : plan_.inner; }
  std::int64_t PlaceOf(std::int64_t rank) const { return rank % Inner(); }

  void MakeGroups() {
    std::vector<Group>& groups = made_.truth.groups;
    const std::int64_t inner = Inner();
    const char* const kind = plan_.mesh == Mesh::kTpDp   ? "TENSOR"
                             : plan_.mesh == Mesh::kPpDp ? "PIPELINE"
                             : plan_.mesh == Mesh::kEpDp ? "EXPERT"
                                                         : "DATA";
    for (std::int64_t first = 0; first < plan_.ranks; first += inner) {
      Group& group = groups.emplace_back();
      // All groups of a kind share one description; names are their own.
      group.name = std::to_string(groups.size());
      group.description = fmt::format("{}_PARALLEL_GROUP", kind);
      for (std::int64_t r = first; r < first + inner; ++r) group.members.push_back(r);
    }
    outer_ = groups.size();
    if (plan_.mesh == Mesh::kDp) return;
    const bool whole = plan_.mesh == Mesh::kEpDp;
    for (std::int64_t place = 0; place < (whole ? 1 : inner); ++place) {
      Group& group = groups.emplace_back();
      group.name = std::to_string(groups.size());
      group.description = "DATA_PARALLEL_GROUP";
      for (std::int64_t r = place; r < plan_.ranks; r += whole ? 1 : inner) {
        group.members.push_back(r);
      }
    }
  }

  std::size_t InnerGroup(std::int64_t rank) const {
    return static_cast<std::size_t>(rank / Inner());
  }
  std::size_t OuterGroup(std::int64_t rank) const {
    return outer_ + static_cast<std::size_t>(plan_.mesh == Mesh::kEpDp ? 0 : PlaceOf(rank));
  }

  // --- The work of a rank.

  Action Work(std::int64_t rank, Ns compute, bool first) {
    Action work;
    work.loader = first ? kLoad : 0;
    work.host = kHost;
    work.copy = first ? kCopy : 0;
    work.compute = compute;
    if (plan_.jitter > 0) {
      work.host += static_cast<Ns>(random_() % static_cast<std::uint64_t>(plan_.jitter));
    }
    const bool is_late = rank == plan_.late && (first || !plan_.first_only) &&
                         (plan_.only_step < 0 || plan_.only_step == step_);
    if (!is_late) return work;
    switch (plan_.cause) {
      case LateBy::kNothing:
        break;
      case LateBy::kLoader:
        work.loader += plan_.lateness;
        break;
      case LateBy::kHost:
        work.host += plan_.lateness;
        break;
      case LateBy::kSlowGpu:
        work.compute += plan_.lateness;
        break;
      case LateBy::kMoreWork:
        work.compute += plan_.lateness;
        ++work.kernels;
        break;
      case LateBy::kCopies:
        work.copy += plan_.lateness;
        break;
    }
    return work;
  }

  bool OnSlowLink(std::int64_t rank) const {
    return plan_.slow_link >= 0 && InnerGroup(rank) == InnerGroup(plan_.slow_link);
  }

  Action Collective(std::size_t group, std::string_view name, std::int64_t elements, Ns transfer,
                    bool slow) const {
    Action call;
    call.kind = Action::Kind::kCall;
    call.group = group;
    call.name = name;
    call.elements = elements;
    call.transfer = slow ? transfer + transfer * plan_.slow_link_percent / 100 : transfer;
    return call;
  }

  Action Transfer(std::int64_t rank, std::int64_t from, std::int64_t to) const {
    const bool slow = plan_.slow_link >= 0 && (from == plan_.slow_link || to == plan_.slow_link) &&
                      InnerGroup(from) == InnerGroup(to);
    Action call =
        Collective(InnerGroup(rank), rank == from ? "send" : "recv", 500'000, kSend, slow);
    call.source = from;
    call.destination = to;
    return call;
  }

  std::vector<Action> ProgramOf(std::int64_t rank) {
    std::vector<Action> program;
    for (std::int64_t i = 0; i < plan_.iterations; ++i) {
      step_ = i;
      program.emplace_back().kind = Action::Kind::kBegin;
      if (plan_.mesh == Mesh::kPpDp) {
        AddPipeline(rank, program);
      } else {
        for (std::int64_t layer = 0; layer < plan_.layers; ++layer) AddLayer(rank, layer, program);
      }
      if (plan_.mesh != Mesh::kDp) {
        program.push_back(Collective(OuterGroup(rank), "allreduce", 4'000'000, kReduce, false));
      }
      program.emplace_back().kind = Action::Kind::kEnd;
    }
    return program;
  }

  void AddLayer(std::int64_t rank, std::int64_t layer, std::vector<Action>& program) {
    const bool slow = OnSlowLink(rank);
    program.push_back(Work(rank, kCompute, layer == 0));
    if (plan_.mesh == Mesh::kEpDp) {
      program.push_back(Collective(InnerGroup(rank), "all_to_all", 100'000, kExchange, slow));
      program.push_back(Work(rank, kCompute / 2, false));
      program.push_back(Collective(InnerGroup(rank), "all_to_all", 100'000, kExchange, slow));
      return;
    }
    const std::int64_t elements = plan_.mesh == Mesh::kDp ? 1'000'000 + layer % 3 : 1'000'000;
    program.push_back(Collective(InnerGroup(rank), "allreduce", elements, kReduce, slow));
  }

  // All micro-batches forward, then all backward (GPipe).
  void AddPipeline(std::int64_t rank, std::vector<Action>& program) {
    const bool is_first = PlaceOf(rank) == 0, is_last = PlaceOf(rank) == Inner() - 1;
    for (std::int64_t m = 0; m < plan_.microbatches; ++m) {
      if (!is_first) program.push_back(Transfer(rank, rank - 1, rank));
      program.push_back(Work(rank, kCompute / 2, m == 0));
      if (!is_last) program.push_back(Transfer(rank, rank, rank + 1));
    }
    for (std::int64_t m = 0; m < plan_.microbatches; ++m) {
      if (!is_last) program.push_back(Transfer(rank, rank + 1, rank));
      program.push_back(Work(rank, kCompute, false));
      program.back().kernel = "gemm_backward";
      if (!is_first) program.push_back(Transfer(rank, rank, rank - 1));
    }
  }

  // --- Doing it.

  void Advance(std::size_t rank, std::vector<std::size_t>& ready) {
    while (next_[rank] < programs_[rank].size()) {
      const Action& action = programs_[rank][next_[rank]];
      switch (action.kind) {
        case Action::Kind::kBegin:
          BeginStep(rank);
          break;
        case Action::Kind::kWork:
          DoWork(rank, action);
          break;
        case Action::Kind::kCall:
          if (!Arrive(rank, action, ready)) return;
          break;
        case Action::Kind::kEnd:
          EndStep(rank);
          break;
      }
      ++next_[rank];
    }
  }

  void Add(std::size_t rank, Event::Kind kind, Ns length, std::string name) {
    if (length <= 0) return;
    made_.events[rank].push_back({kind, at_[rank], at_[rank] + length, std::move(name), -1});
    at_[rank] += length;
  }

  void DoWork(std::size_t rank, const Action& work) {
    Add(rank, Event::Kind::kLoader, work.loader,
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
    Add(rank, Event::Kind::kHost, work.host, "aten::prepare");
    Add(rank, Event::Kind::kCopy, work.copy, "Memcpy HtoD (Pinned -> Device)");
    for (std::int64_t k = 0; k < work.kernels; ++k) {
      Add(rank, Event::Kind::kKernel, work.compute / work.kernels,
          k < kKernels ? work.kernel : "extra");
    }
  }

  // Whether the call is over; else the rank goes on when the last has come.
  bool Arrive(std::size_t rank, const Action& action, std::vector<std::size_t>& ready) {
    const bool pair = action.source >= 0;
    const std::int64_t number =
        ordinals_[{rank, action.group, action.source, action.destination}]++;
    const auto key = std::tuple(action.group, action.source, action.destination, number);
    const auto [entry, is_new] = open_.try_emplace(key, made_.truth.calls.size());
    if (is_new) {
      Call& call = made_.truth.calls.emplace_back();
      call.group = action.group;
      call.kind = pair ? "send" : action.name;
      call.elements = action.elements;
      call.number = pair ? number : number + 1;
      call.source = action.source;
      call.destination = action.destination;
      call.transfer = action.transfer;
    }
    Call& call = made_.truth.calls[entry->second];
    call.ranks.push_back(static_cast<std::int64_t>(rank));
    const Ns arrival = plan_.beside ? std::max(at_[rank], reduced_[rank]) : at_[rank];
    call.arrivals.push_back(arrival);
    made_.events[rank].push_back({Event::Kind::kCollective, arrival, 0, action.name,
                                  static_cast<std::int64_t>(entry->second)});
    const std::size_t size = pair ? 2 : made_.truth.groups[action.group].members.size();
    if (call.ranks.size() < size) return false;
    call.end = *std::max_element(call.arrivals.begin(), call.arrivals.end()) + call.transfer;
    for (const std::int64_t member : call.ranks) {
      const auto other = static_cast<std::size_t>(member);
      made_.events[other].back().end = call.end;
      (plan_.beside ? reduced_ : at_)[other] = call.end + plan_.waits;
      if (other == rank) continue;
      ++next_[other];
      ready.push_back(other);
    }
    return true;
  }

  void BeginStep(std::size_t rank) {
    begun_[rank] = made_.events[rank].size();
    made_.events[rank].push_back(
        {Event::Kind::kStep, at_[rank], 0, fmt::format("ProfilerStep#{}", steps_[rank] + 5), -1});
    at_[rank] += 2'000;
  }

  void EndStep(std::size_t rank) {
    at_[rank] = std::max(at_[rank], reduced_[rank]);
    Event& step = made_.events[rank][begun_[rank]];
    step.end = at_[rank];
    ends_[steps_[rank]++].push_back(step.end);
    made_.truth.ranks[rank].step_time += step.end - step.start;
    at_[rank] += 1'000;
  }

  void Conclude() {
    for (const Call& call : made_.truth.calls) {
      const Ns last = call.end - call.transfer;
      const auto came_last = std::count(call.arrivals.begin(), call.arrivals.end(), last);
      for (std::size_t i = 0; i < call.ranks.size(); ++i) {
        RankTruth& rank = made_.truth.ranks[static_cast<std::size_t>(call.ranks[i])];
        rank.waiting += last - call.arrivals[i];
        rank.transfer += call.transfer;
        if (call.source >= 0) rank.bubble += last - call.arrivals[i];
        if (call.arrivals[i] == last && came_last == 1) ++rank.last_calls;
      }
    }
    for (const std::vector<Ns>& ends : ends_) {
      const auto [least, most] = std::minmax_element(ends.begin(), ends.end());
      made_.truth.step_skew.push_back(*most - *least);
    }
    if (plan_.cause == LateBy::kNothing) return;
    made_.truth.straggler = plan_.late;
    made_.truth.cause = CauseInWords(plan_.cause);
  }

  // From here on every rank uses its own clock.
  void SkewClocks() {
    for (std::size_t rank = 0; rank < made_.events.size(); ++rank) {
      const auto within = [&](Ns range) {
        return range > 0
                   ? static_cast<Ns>(random_() % static_cast<std::uint64_t>(2 * range + 1)) - range
                   : 0;
      };
      const Ns offset = within(plan_.clock_offset);
      const std::int64_t drift = within(plan_.drift_ppb);
      made_.truth.ranks[rank].clock = offset;
      const auto shown = [&](Ns time) {
        return time + offset + (time - plan_.start) / 1'000 * drift / 1'000'000;
      };
      for (Event& event : made_.events[rank]) {
        event.start = shown(event.start);
        event.end = shown(event.end);
      }
    }
  }

  const Plan& plan_;
  std::mt19937_64 random_;
  Made made_;
  std::size_t outer_ = 0;  // Groups from here on are across the inner ones.
  std::vector<std::vector<Action>> programs_;
  std::int64_t step_ = 0;  // For which a program is made.
  std::vector<Ns> at_;
  std::vector<Ns> reduced_;                // When the last call beside the rank's work ends.
  std::vector<std::size_t> next_, begun_;  // Begun: the step's event.
  std::map<std::size_t, std::size_t> steps_;
  std::vector<std::vector<Ns>> ends_;
  std::map<std::tuple<std::size_t, std::size_t, std::int64_t, std::int64_t>, std::int64_t>
      ordinals_;
  std::map<std::tuple<std::size_t, std::int64_t, std::int64_t, std::int64_t>, std::size_t> open_;
};

}  // namespace

std::string_view CauseInWords(LateBy cause) {
  switch (cause) {
    case LateBy::kLoader:
      return "waiting for input data";
    case LateBy::kHost:
      return "the host";
    case LateBy::kSlowGpu:
      return "a slow GPU";
    case LateBy::kMoreWork:
      return "more work on the GPU";
    case LateBy::kCopies:
      return "copies";
    case LateBy::kNothing:
      break;
  }
  return {};
}

Made Simulate(const Plan& plan) { return Simulation(plan).Run(); }

}  // namespace profgauge::made
