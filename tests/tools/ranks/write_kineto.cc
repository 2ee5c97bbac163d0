// A made run as the PyTorch profiler writes it, and its truth.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "made_ranks.h"

namespace profgauge::made {
namespace {

constexpr std::int64_t kPid = 4242;

std::string List(const std::vector<std::int64_t>& values, std::size_t most) {
  std::string list;
  for (std::size_t i = 0; i < values.size() && i < most; ++i) {
    list += fmt::format("{}{}", i == 0 ? "" : ", ", values[i]);
  }
  return list + (values.size() > most ? ", ..." : "");
}

std::string Micros(Ns time) { return fmt::format("{}.{:03}", time / 1000, time % 1000); }

class Writer {
 public:
  Writer(const Plan& plan, const Made& made, std::int64_t rank)
      : plan_(plan), made_(made), rank_(rank) {}

  std::string Write() {
    Head();
    std::int64_t collectives = 0;
    Complete("cpu_op", "start", kPid, kPid, 0, 1'000, "\"External id\": 1");
    for (const Event& event : made_.events[static_cast<std::size_t>(rank_)]) {
      const bool lost = event.kind == Event::Kind::kCollective && rank_ == plan_.lost_rank &&
                        collectives >= plan_.lost_first && collectives <= plan_.lost_last;
      if (event.kind == Event::Kind::kCollective) ++collectives;
      if (!lost) Add(event);
    }
    text_ += "\n  ]\n}\n";
    return std::move(text_);
  }

 private:
  template <class... Args>
  void Append(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  void Head() {
    Append(
        "{{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [{{\"id\": 0, \"name\": \"NVIDIA "
        "A100-SXM4-80GB\", \"totalGlobalMem\": 85049344000, \"computeMajor\": 8, \"computeMinor\": "
        "0, \"maxThreadsPerMultiprocessor\": 2048, \"warpSize\": 32, \"numSms\": 108}}],\n  "
        "\"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {}, \"world_size\": {}",
        rank_, plan_.ranks);
    if (plan_.metadata >= Metadata::kGroups) Groups();
    Append(
        "}},\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 1751240538000000000,\n"
        "  \"traceEvents\": [\n");
  }

  void Groups() {
    text_ += ", \"pg_config\": [";
    bool first = true;
    for (const Group& group : made_.truth.groups) {
      if (std::find(group.members.begin(), group.members.end(), rank_) == group.members.end()) {
        continue;
      }
      Append("{}{{\"pg_name\": \"{}\", \"pg_desc\": \"{}\", \"pg_size\": {}, \"ranks\": [{}]}}",
             first ? "" : ", ", group.name, group.description, group.members.size(),
             List(group.members, group.members.size()));
      first = false;
    }
    text_ += "]";
  }

  void Add(const Event& event) {
    switch (event.kind) {
      case Event::Kind::kStep:
        return Complete("user_annotation", event.name, kPid, kPid, event.start, event.end - 1,
                        "\"External id\": 2");
      case Event::Kind::kLoader:
        return Complete("user_annotation", event.name, kPid, kPid, event.start, event.end,
                        "\"External id\": 3");
      case Event::Kind::kHost:
        return Complete("cpu_op", event.name, kPid, kPid, event.start, event.end,
                        "\"External id\": 4");
      case Event::Kind::kCopy:
        return Launch("cudaMemcpyAsync", "gpu_memcpy", event, 7, ", \"bytes\": 1000000");
      case Event::Kind::kKernel:
        return Launch("cudaLaunchKernel", "kernel", event, 7, "");
      case Event::Kind::kCollective:
        if (IsTransfer(event)) {
          Transfer(event);
        } else {
          Launch("cudaLaunchKernel", "kernel", event, 20, Described(event));
        }
        return Wait(event);
    }
  }

  // The next launch is a little before its kernel.
  void Wait(const Event& event) {
    if (plan_.waits <= 0) return;
    Complete("cuda_runtime", "cudaStreamSynchronize", kPid, kPid, event.start - 100,
             event.end + plan_.waits - 700, "\"cbid\": 131");
  }

  void Launch(std::string_view call, std::string_view category, const Event& event,
              std::int64_t stream, const std::string& args) {
    const std::int64_t correlation = ++correlation_;
    const Ns begin = event.start - 600;
    Complete("cuda_runtime", call, kPid, kPid, begin, begin + 400,
             fmt::format("\"cbid\": 211, \"correlation\": {}", correlation));
    const std::string name =
        event.kind == Event::Kind::kCollective ? KernelOf(event.name) : event.name;
    Complete(category, name, 0, stream, event.start, event.end,
             fmt::format("\"device\": 0, \"context\": 1, \"stream\": {}, \"correlation\": {}{}",
                         stream, correlation, args));
  }

  const Call& CallOf(const Event& event) const {
    return made_.truth.calls[static_cast<std::size_t>(event.call)];
  }
  bool IsTransfer(const Event& event) const { return CallOf(event).source >= 0; }

  void Transfer(const Event& event) {
    const Ns launch = event.start - 600;
    const Call& call = CallOf(event);
    if (plan_.peers == Peers::kRange) {
      const std::vector<std::int64_t>& members = made_.truth.groups[call.group].members;
      const auto place = [&](std::int64_t rank) {
        return std::find(members.begin(), members.end(), rank) - members.begin();
      };
      const bool sends = rank_ == call.source;
      const std::string range =
          sends ? fmt::format("nccl:send {}->{}", place(call.source), place(call.destination))
                : fmt::format("nccl:recv {}<-{}", place(call.destination), place(call.source));
      Complete("user_annotation", range, kPid, kPid, launch - 50, launch + 450,
               "\"External id\": 5");
    }
    if (plan_.peers == Peers::kBatch) {
      Complete("cpu_op", "record_param_comms", kPid, kPid, launch - 200, launch - 100,
               "\"External id\": 6" + Described(event));
    }
    const bool is_told = plan_.peers != Peers::kBatch && plan_.peers != Peers::kUntold;
    Launch("cudaLaunchKernel", "kernel", event, 20, is_told ? Described(event) : "");
  }

  static std::string KernelOf(std::string_view collective) {
    if (collective == "allreduce") {
      return "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
    }
    return "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)";
  }

  std::string Described(const Event& event) const {
    const Call& call = made_.truth.calls[static_cast<std::size_t>(event.call)];
    const Group& group = made_.truth.groups[call.group];
    std::string args;
    if (plan_.metadata >= Metadata::kSizes) {
      args += fmt::format(
          ", \"Collective name\": \"{}\", \"In msg nelems\": {}, \"Out msg nelems\": {}, \"Group "
          "size\": {}, \"dtype\": \"Float\"",
          event.name, call.elements, call.elements, group.members.size());
    }
    if (plan_.metadata >= Metadata::kGroups) {
      args += fmt::format(
          ", \"Process Group Name\": \"{}\", \"Process Group Description\": \"{}\", \"Process "
          "Group Ranks\": \"[{}]\"",
          group.name, group.description, List(group.members, 30));
      const bool names = call.source >= 0 && plan_.peers != Peers::kRange;
      const bool both = plan_.peers == Peers::kBoth;
      if (names && (both || rank_ == call.destination)) {
        args += fmt::format(", \"Src Rank\": {}", call.source);
      }
      if (names && (both || rank_ == call.source)) {
        args += fmt::format(", \"Dst Rank\": {}", call.destination);
      }
    }
    if (plan_.metadata >= Metadata::kNumbers) args += fmt::format(", \"Seq\": {}", call.number);
    return args;
  }

  void Complete(std::string_view category, std::string_view name, std::int64_t pid,
                std::int64_t tid, Ns start, Ns end, const std::string& args) {
    Append(
        "{}    {{\"ph\": \"X\", \"cat\": \"{}\", \"name\": \"{}\", \"pid\": {}, \"tid\": {}, "
        "\"ts\": {}, \"dur\": {}, \"args\": {{{}}}}}",
        first_ ? "" : ",\n", category, name, pid, tid, Micros(kEpoch + start), Micros(end - start),
        args);
    first_ = false;
  }

  /// Later than any clock's offset, so that no time is negative.
  static constexpr Ns kEpoch = 1'000'000'000'000;

  const Plan& plan_;
  const Made& made_;
  std::int64_t rank_;
  std::string text_;
  bool first_ = true;
  std::int64_t correlation_ = 0;
};

}  // namespace

std::string Kineto(const Plan& plan, const Made& made, std::int64_t rank) {
  return Writer(plan, made, rank).Write();
}

std::string TruthJson(const Plan& plan, const Made& made) {
  const Truth& truth = made.truth;
  std::string text = fmt::format(
      "{{\n  \"ranks\": {},\n  \"straggler\": {},\n  \"cause\": \"{}\",\n  \"groups\": {},\n"
      "  \"calls\": {},\n  \"step_skew\": [{}],\n  \"of_rank\": [\n",
      plan.ranks, truth.straggler, truth.cause, truth.groups.size(), truth.calls.size(),
      List(truth.step_skew, truth.step_skew.size()));
  for (std::size_t rank = 0; rank < truth.ranks.size(); ++rank) {
    const RankTruth& of = truth.ranks[rank];
    text += fmt::format(
        "    {{\"rank\": {}, \"waiting\": {}, \"transfer\": {}, \"bubble\": {}, \"last_calls\": "
        "{}, \"clock\": {}, \"step_time\": {}}}{}\n",
        rank, of.waiting, of.transfer, of.bubble, of.last_calls, of.clock, of.step_time,
        rank + 1 < truth.ranks.size() ? "," : "");
  }
  return text + "  ]\n}\n";
}

void WriteRun(const Plan& plan, const Made& made, const std::string& folder) {
  std::filesystem::create_directories(folder);
  const auto write = [](const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  };
  for (std::int64_t rank = 0; rank < plan.ranks; ++rank) {
    if (std::find(plan.missing.begin(), plan.missing.end(), rank) != plan.missing.end()) continue;
    const std::string text = Kineto(plan, made, rank);
    write(fmt::format("{}/rank{}.pt.trace.json", folder, rank), text);
    // The same process once more, not the same file.
    if (rank == plan.doubled) {
      write(fmt::format("{}/rank{}_again.pt.trace.json", folder, rank), text + "\n");
    }
  }
  write(folder + ".truth.json", TruthJson(plan, made));
}

}  // namespace profgauge::made
