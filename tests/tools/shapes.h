// Degenerate Kineto traces: valid, and of a shape that no training job has. Reading, analyzing and
// rendering them must stay within n log n and within the budgets of the outputs.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace profgauge::shapes {

enum class Shape : std::uint8_t {
  kSpaces,       ///< A list of nothing but `count` spaces.
  kThreads,      ///< One op on each of `count` threads.
  kDevices,      ///< One launched kernel on each of `count` devices.
  kStreams,      ///< One kernel with a different name on each of `count` streams of one device.
  kIterations,   ///< `count` recorded steps with an op, a launch and a kernel each.
  kNames,        ///< `count` ops and kernels, each with a separate name.
  kDepth,        ///< `count` ops inside one another, on one thread.
  kNesting,      ///< One event whose args nest `count` lists deep.
  kMemory,       ///< `count` allocations that are never freed, of as many devices.
  kCollectives,  ///< `count` collectives, each with its own process group.
};

struct Named {
  std::string_view name;
  Shape shape;
};
constexpr std::array<Named, 10> kShapes = {{{"spaces", Shape::kSpaces},
                                            {"threads", Shape::kThreads},
                                            {"devices", Shape::kDevices},
                                            {"streams", Shape::kStreams},
                                            {"iterations", Shape::kIterations},
                                            {"names", Shape::kNames},
                                            {"depth", Shape::kDepth},
                                            {"nesting", Shape::kNesting},
                                            {"memory", Shape::kMemory},
                                            {"collectives", Shape::kCollectives}}};

inline std::optional<Shape> Find(std::string_view name) {
  for (const Named& each : kShapes)
    if (each.name == name) return each.shape;
  return std::nullopt;
}

using Sink = std::function<void(std::string_view)>;

/// Events of one trace, handed on in pieces of about a megabyte.
class Events {
 public:
  explicit Events(const Sink& sink) : sink_(sink) {}
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() { sink_(buffer_); }

  template <class... Args>
  void Text(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), text, std::forward<Args>(args)...);
    if (buffer_.size() < (1u << 20)) return;
    sink_(buffer_);
    buffer_.clear();
  }

  void Host(std::string_view category, std::string_view name, std::int64_t tid, std::int64_t ts,
            std::int64_t duration, std::int64_t correlation) {
    Text(R"({}{{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":{},"ts":{},"dur":{},"args":{{)",
         Comma(), category, name, tid, ts, duration);
    if (correlation != 0) Text(R"("correlation":{})", correlation);
    Text("}}}}\n");
  }

  void Kernel(std::string_view name, std::int64_t device, std::int64_t stream, std::int64_t ts,
              std::int64_t duration, std::int64_t correlation, std::string_view more = "") {
    Text(R"({}{{"ph":"X","cat":"kernel","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},)", Comma(),
         name, device, stream, ts, duration);
    Text(R"("args":{{"device":{},"stream":{},"correlation":{}{}}}}})", device, stream, correlation,
         more);
    Text("\n");
  }

 private:
  std::string_view Comma() {
    const bool first = first_;
    first_ = false;
    return first ? "" : ",";
  }
  const Sink& sink_;
  std::string buffer_;
  bool first_ = true;
};

inline void WriteRow(Events& out, Shape shape, std::int64_t i, std::int64_t count) {
  const std::int64_t ts = 1'000 + i * 20;
  switch (shape) {
    case Shape::kThreads:
      out.Host("cpu_op", "aten::add", i + 1, ts, 10, 0);
      break;
    case Shape::kDevices:
      out.Host("cuda_runtime", "cudaLaunchKernel", 1, ts, 5, i + 1);
      out.Kernel("k", i, 7, ts + 6, 12, i + 1);
      break;
    case Shape::kStreams:
      out.Kernel(fmt::format("kernel_{}", i), 0, i + 1, ts, 12, i + 1);
      break;
    case Shape::kIterations:
      out.Host("user_annotation", fmt::format("ProfilerStep#{}", i), 1, ts, 19, 0);
      out.Host("cpu_op", "aten::add", 1, ts + 1, 8, 0);
      out.Host("cuda_runtime", "cudaLaunchKernel", 1, ts + 2, 3, i + 1);
      out.Kernel("k", 0, 7, ts + 6, 10, i + 1);
      break;
    case Shape::kNames:
      out.Host("cpu_op", fmt::format("op_{}", i), 1, ts, 18, 0);
      out.Host("cuda_runtime", "cudaLaunchKernel", 1, ts + 1, 5, i + 1);
      out.Kernel(fmt::format("kernel_{}", i), 0, 7, ts + 6, 12, i + 1);
      break;
    case Shape::kDepth:
      out.Host("cpu_op", fmt::format("op_{}", i % 100), 1, 1'000 + i, 2 * (count - i), 0);
      break;
    case Shape::kMemory:
      out.Text(
          R"({}{{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,)",
          i == 0 ? "" : ",");
      out.Text(R"("ts":{},"args":{{"Addr":{},"Bytes":64,"Device Type":1,"Device Id":{},)", ts,
               4096 + i * 64, i);
      out.Text(R"("Total Allocated":{},"Total Reserved":{}}}}})", 64 * (i + 1), 64 * (i + 1));
      out.Text("\n");
      break;
    case Shape::kCollectives:
      out.Kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 0, i % 4, ts, 12, i + 1,
                 fmt::format(R"(,"Collective name":"allreduce","Process Group Name":"{}",)"
                             R"("Group size":2,"Process Group Ranks":"[0, {}]",)"
                             R"("In msg nelems":1024,"Out msg nelems":1024,"dtype":"Float")",
                             i, i + 1));
      break;
    case Shape::kSpaces:
    case Shape::kNesting:
      break;
  }
}

inline void Write(Shape shape, std::int64_t count, const Sink& sink) {
  Events out(sink);
  if (shape == Shape::kSpaces) {
    out.Text("[");
    const std::string spaces(1u << 16, ' ');
    for (std::int64_t left = count; left > 0; left -= 1 << 16)
      out.Text("{}", std::string_view(spaces).substr(0, static_cast<std::size_t>(left)));
    out.Text("]");
    return;
  }
  out.Text(
      R"({{"schemaVersion":1,"deviceProperties":[{{"id":0,"name":"NVIDIA A100-SXM4-40GB"}}],)");
  out.Text("\n\"traceEvents\":[\n");
  if (shape == Shape::kNesting) {
    out.Text(
        R"({{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"args":{{"x":)");
    for (std::int64_t i = 0; i < count; ++i) out.Text("[");
    for (std::int64_t i = 0; i < count; ++i) out.Text("]");
    out.Text("}}}}\n");
  } else {
    for (std::int64_t i = 0; i < count; ++i) WriteRow(out, shape, i, count);
  }
  out.Text("]}}\n");
}

}  // namespace profgauge::shapes
