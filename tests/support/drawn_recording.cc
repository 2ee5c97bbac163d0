#include "support/drawn_recording.h"

#include <algorithm>
#include <boost/json.hpp>
#include <random>
#include <utility>
#include <vector>

namespace profgauge::edit {
namespace {

namespace json = boost::json;

class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : random_(seed) {}

  std::string Text() {
    const std::int64_t iterations = 4 + Below(9);
    has_numbers_ = Below(4) != 0;
    has_arrows_ = !has_numbers_ || Below(2) == 0;
    has_shapes_ = Below(2) == 0;
    streams_ = 1 + Below(3);
    const std::int64_t threads = 1 + Below(2);
    free_.assign(static_cast<std::size_t>(streams_), 0);
    for (std::int64_t i = 0; i < iterations; ++i) {
      const std::int64_t begin = now_;
      for (std::int64_t op = 3 + Below(6); op > 0; --op) Operator(1 + Below(threads), 0);
      if (Below(3) != 0) Wait();
      now_ += Below(3) * 100;
      Event("user_annotation", "ProfilerStep#" + std::to_string(i + 7), begin, now_ - begin, 1, {});
    }
    json::object trace = {{"schemaVersion", 1}};
    if (Below(4) != 0) {
      trace["deviceProperties"] = {{{"id", 0},
                                    {"name", "NVIDIA A100-SXM4-80GB"},
                                    {"totalGlobalMem", 85'049'344'000},
                                    {"computeMajor", 8},
                                    {"computeMinor", 0},
                                    {"numSms", 108}}};
    }
    trace["traceEvents"] = std::move(events_);
    return json::serialize(trace);
  }

 private:
  std::int64_t Below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
  }
  template <std::size_t n>
  std::string OneOf(const char* const (&texts)[n]) {
    return texts[Below(static_cast<std::int64_t>(n))];
  }
  // Times are in nanoseconds here, in microseconds there.
  void Event(std::string category, std::string name, std::int64_t start, std::int64_t length,
             std::int64_t thread, json::object args) {
    events_.push_back({{"ph", "X"},
                       {"cat", std::move(category)},
                       {"name", std::move(name)},
                       {"pid", 4242},
                       {"tid", 4242 + thread},
                       {"ts", static_cast<double>(1'000'000'000 + start) / 1000},
                       {"dur", static_cast<double>(length) / 1000},
                       {"args", std::move(args)}});
  }
  void Operator(std::int64_t thread, int depth) {
    static constexpr const char* kNames[] = {"aten::mm",    "aten::add",    "aten::relu",
                                             "aten::copy_", "aten::conv2d", "custom::thing"};
    const std::int64_t begin = now_, id = ++ids_;
    // Some begin with the operator around them, some calls end with it.
    now_ += Below(3) * 500;
    if (Below(6) == 0) {
      const std::int64_t range = now_;
      now_ += 1000;
      Event("user_annotation", "zq" + std::to_string(Below(5)), range, 1000, thread, {});
    }
    for (std::int64_t inner = depth < 3 ? Below(3) : 0; inner > 0; --inner) {
      Operator(thread, depth + 1);
    }
    if (Below(3) != 0) Launch(thread, id);
    now_ += Below(3) * 500 + 100;
    json::object args = {{"External id", id}};
    if (has_shapes_) args["Input Dims"] = {{64, 256}, {256, 64 * (1 + Below(4))}};
    Event("cpu_op", OneOf(kNames), begin, now_ - begin, thread, std::move(args));
  }
  void Launch(std::int64_t thread, std::int64_t op) {
    static constexpr const char* kKernels[] = {"ampere_sgemm_128x64_tn", "elementwise_kernel",
                                               "ampere_fp16_s16816gemm_fp16_128x128_tn", "mine"};
    const bool is_copy = Below(5) == 0;
    const std::int64_t number = ++numbers_, begin = now_;
    now_ += 3000 + Below(4) * 1000;
    json::object ids;
    if (has_numbers_) ids = {{"correlation", number}, {"External id", op}};
    Event("cuda_runtime", is_copy ? "cudaMemcpyAsync" : "cudaLaunchKernel", begin, now_ - begin,
          thread, ids);
    const std::int64_t stream = Below(streams_);
    std::int64_t& free = free_[static_cast<std::size_t>(stream)];
    const std::int64_t start = std::max(free, begin + 2000);
    const std::int64_t length = 1000 * (1 + Below(40));
    free = start + length;
    ids["device"] = 0;
    ids["stream"] = 7 + stream;
    if (is_copy) {
      ids["bytes"] = 4096 * (1 + Below(100));
    } else {
      ids["grid"] = {1 + Below(200), 1, 1};
      ids["block"] = {256, 1, 1};
    }
    const std::string name = is_copy ? "Memcpy HtoD (Pinned -> Device)" : OneOf(kKernels);
    Event(is_copy ? "gpu_memcpy" : "kernel", name, start, length, 0, std::move(ids));
    json::object& work = events_.back().as_object();
    work["pid"] = 0;
    work["tid"] = 7 + stream;
    if (has_arrows_) {
      Arrow("s", number, begin, 4242, 4242 + thread);
      Arrow("f", number, start, 0, 7 + stream);
    }
  }
  void Arrow(const char* phase, std::int64_t id, std::int64_t at, std::int64_t pid,
             std::int64_t tid) {
    events_.push_back({{"ph", phase},
                       {"cat", "ac2g"},
                       {"name", "ac2g"},
                       {"id", id},
                       {"pid", pid},
                       {"tid", tid},
                       {"ts", static_cast<double>(1'000'000'000 + at) / 1000}});
    if (*phase == 'f') events_.back().as_object()["bp"] = "e";
  }
  void Wait() {
    const std::int64_t begin = now_;
    now_ = std::max(now_ + 2000, *std::max_element(free_.begin(), free_.end()) + 2000);
    json::object ids;
    if (has_numbers_) ids["correlation"] = ++numbers_;
    Event("cuda_runtime", "cudaDeviceSynchronize", begin, now_ - begin, 1, std::move(ids));
  }

  std::mt19937_64 random_;
  json::array events_;
  std::vector<std::int64_t> free_;  // When each stream has ended its work.
  std::int64_t now_ = 0, ids_ = 0, numbers_ = 0, streams_ = 1;
  bool has_numbers_ = true, has_arrows_ = true, has_shapes_ = true;
};

}  // namespace

std::string DrawnTrace(std::uint64_t seed) { return Drawing(seed).Text(); }

std::string DrawnForeignTrace(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto one_of = [&random](const std::vector<const char*>& texts) {
    return std::string(texts[random() % texts.size()]);
  };
  json::array events;
  for (std::uint64_t i = 1 + random() % 60; i > 0; --i) {
    json::object event = {
        {"name", one_of({"draw", "my_kernel", "gemm", "frame", "layer 3", "cudaLaunchKernel"})},
        {"ph", one_of({"X", "X", "X", "C", "i", "B", "E", "M", "b", "e", "s", "f"})},
        {"pid", random() % 4},
        {"tid", random() % 9},
        {"ts", static_cast<double>(random() % 1'000'000) / 8}};
    if (random() % 4 != 0) event["dur"] = random() % 500;
    if (random() % 4 != 0) {
      event["cat"] = one_of({"my_kernel", "pipeline", "toplevel", "stage_runtime", "gpu", "net",
                             "cc,benchmark", "GPU_op", "task"});
    }
    if (random() % 3 == 0) event["args"] = {{"value", random() % 100}};
    events.push_back(std::move(event));
  }
  if (random() % 2 == 0) return json::serialize(events);
  return json::serialize(json::object{{"traceEvents", std::move(events)}});
}

}  // namespace profgauge::edit
