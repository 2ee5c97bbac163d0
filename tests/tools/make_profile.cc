// make_profile: writes realistic PyTorch (Kineto) traces, from a seed.
//
//   make_profile OUT.json[.gz] [--iterations 10] [--layers 12] [--seed 1] …
//   make_profile OUT_FOLDER --ranks 4 …          one file per rank
//
// A small training loop is simulated in integer nanoseconds: the host loads data, copies it to the
// GPU, launches a forward pass, a backward pass on the autograd thread, collectives (with several
// ranks), an optimizer step, and reads the loss back. Same flags, same bytes, on every machine.
// `--help` lists the flags; each changes one thing that an analysis should notice.
#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Ns = std::int64_t;

struct Shape {
  std::int64_t ranks = 1, iterations = 10, layers = 12, seed = 1;
  std::int64_t kernel_us = 120;      ///< Typical kernel duration.
  std::int64_t launch_us = 9;        ///< Host time per launch; above kernel_us the GPU starves.
  std::int64_t dataloader_us = 900;  ///< Wait for input per iteration.
  std::int64_t jitter = 2;           ///< Percent.
  std::int64_t tensor_cores = 70;    ///< Percent of the layers whose kernels use Tensor Cores.
  std::int64_t slow_rank = -1;       ///< This rank computes 20 % slower.
  std::int64_t min_mb = 0;           ///< Iterate until the file has this many MB.
  std::int64_t syncs = 0;            ///< The host waits for the GPU after every this many layers.
  std::int64_t memory = 0, stacks = 0;
  std::string dialect = "2.4";  ///< 1.9, 2.1, 2.4 or rocm.
};

/// Where the bytes go: a file, compressed if the name ends in .gz.
class Sink {
 public:
  explicit Sink(const std::string& path)
      : file_(gzopen(path.c_str(), path.ends_with(".gz") ? "wb6" : "wbT")) {
    if (file_ == nullptr) {
      fmt::print(stderr, "make_profile: cannot write {}\n", path);
      std::exit(4);
    }
  }
  ~Sink() {
    Flush();
    gzclose(file_);
  }
  template <class... Args>
  void Write(fmt::format_string<Args...> text, Args&&... args) {
    buffer_ += fmt::format(text, std::forward<Args>(args)...);
    if (buffer_.size() > (1u << 20)) Flush();
  }
  std::int64_t written() const { return written_ + static_cast<std::int64_t>(buffer_.size()); }

 private:
  void Flush() {
    gzwrite(file_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
    written_ += static_cast<std::int64_t>(buffer_.size());
    buffer_.clear();
  }
  gzFile file_;
  std::string buffer_;
  std::int64_t written_ = 0;
};

/// The spelling of one period of Kineto.
struct Dialect {
  bool fractional = true;  ///< µs with three decimals; else whole µs.
  bool old_categories = false;
  bool rocm = false;
  std::string_view op, runtime, kernel, copy, annotation, flow;
};

Dialect DialectOf(const std::string& name) {
  if (name == "1.9")
    return {false, true, false, "Operator", "Runtime", "Kernel", "Memcpy", "Operator", "async"};
  Dialect dialect{true,     false,        name == "rocm",    "cpu_op", "cuda_runtime",
                  "kernel", "gpu_memcpy", "user_annotation", "ac2g"};
  if (name == "2.1") dialect.fractional = false;
  return dialect;
}

/// One rank's training loop.
class Trainer {
 public:
  Trainer(const Shape& shape, std::int64_t rank, const std::string& path)
      : shape_(shape),
        dialect_(DialectOf(shape.dialect)),
        rank_(rank),
        random_(static_cast<std::uint64_t>(shape.seed * 1009 + rank)),
        sink_(path) {}

  void Run() {
    WriteHead();
    Ns begin = now_;
    for (std::int64_t i = 0; i < shape_.iterations || sink_.written() < shape_.min_mb * 1'000'000;
         ++i) {
      Iteration(i);
    }
    Complete("Trace", "PyTorch Profiler (0)", "\"Spans\"", "\"PyTorch Profiler\"", begin, now_, "");
    sink_.Write("\n  ],\n  \"traceName\": \"worker{}.pt.trace.json\"\n}}\n", rank_);
  }

 private:
  static constexpr std::int64_t kPid = 4242;
  enum Thread : std::int64_t { kMain = 4242, kAutograd = 4301 };

  struct Op {
    std::string name;
    std::string_view category;
    Ns start;
    std::int64_t id;
    std::string args;
  };

  // --- The simulated program.

  void Iteration(std::int64_t number) {
    thread_ = kMain;
    Open(fmt::format("ProfilerStep#{}", number), dialect_.annotation);
    Open("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", dialect_.annotation);
    now_ += Vary(shape_.dataloader_us * 1000);
    Close();
    CopyToDevice();
    for (std::int64_t layer = 0; layer < shape_.layers; ++layer) {
      ForwardLayer(layer);
      if (shape_.syncs > 0 && layer % shape_.syncs == 0) Synchronize();
    }
    thread_ = kAutograd;
    for (std::int64_t layer = shape_.layers; layer-- > 0;) BackwardLayer(layer);
    thread_ = kMain;
    OptimizerStep();
    ReadLoss();
    now_ += 20'000;
    Close();
    now_ += 3'000;
  }

  void CopyToDevice() {
    Open("aten::to", dialect_.op, R"(, "Input Dims": [[64, 3, 224, 224], [], [], []])");
    Open("aten::_to_copy", dialect_.op);
    Open("aten::copy_", dialect_.op,
         R"(, "Input Dims": [[64, 3, 224, 224], [64, 3, 224, 224], []])");
    Launch("cudaMemcpyAsync", "Memcpy HtoD (Pinned -> Device)", dialect_.copy, 1'600'000, 7,
           R"x(, "bytes": 38535168, "memory bandwidth (GB/s)": 24.08)x");
    Close();
    Close();
    Close();
  }

  bool IsMatrixLayer(std::int64_t layer) const { return layer % 3 == 0; }

  bool UsesTensorCores(std::int64_t layer) const {
    return (layer / 3 * 37 + 11) % 100 < shape_.tensor_cores;
  }

  std::string MatrixKernel(std::int64_t layer, bool backward) const {
    if (dialect_.rocm) {
      return UsesTensorCores(layer) ? "Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI16x16x16x1_SN_ISA942"
                                    : "Cijk_Ailk_Bljk_SB_MT64x64x16_SE_ISA942";
    }
    if (UsesTensorCores(layer)) {
      return backward ? "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nt"
                      : "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn";
    }
    return backward ? "ampere_sgemm_128x64_nt" : "ampere_sgemm_128x64_tn";
  }

  void ForwardLayer(std::int64_t layer) {
    const std::int64_t size = 256 << (layer % 4);
    const std::string dims = fmt::format(
        R"(, "Input Dims": [[64, {0}], [{0}, {0}]], "Input type": ["c10::Half", "c10::Half"], )"
        R"("Sequence number": {1}, "Fwd thread id": 0)",
        size, sequence_);
    if (shape_.stacks != 0) PythonFrame(layer);
    forward_start_[layer] = now_ + 2'000;
    forward_sequence_[layer] = sequence_++;
    if (IsMatrixLayer(layer)) {
      Open("aten::linear", dialect_.op, dims);
      Open("aten::addmm", dialect_.op, dims);
      Allocate(size * 64 * 2);
      Launch("cudaLaunchKernel", MatrixKernel(layer, false), dialect_.kernel, KernelTime(layer), 7,
             Grid(size / 4, 256, 120, 49152));
      Close();
      Close();
    } else if (layer % 3 == 1) {
      Open("aten::batch_norm", dialect_.op, dims);
      Open("aten::cudnn_batch_norm", dialect_.op, dims);
      Launch("cudaLaunchKernel",
             "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1>(float)",
             dialect_.kernel, KernelTime(layer) / 3, 7, Grid(size, 512, 40, 4096));
      Close();
      Close();
    } else {
      Open("aten::relu_", dialect_.op, dims);
      Open("aten::clamp_min_", dialect_.op, dims);
      Launch("cudaLaunchKernel",
             "void at::native::vectorized_elementwise_kernel<4, at::native::"
             "clamp_min_scalar_kernel_impl, at::detail::Array<char*, 2> >(int)",
             dialect_.kernel, KernelTime(layer) / 6, 7, Grid(size * 2, 128, 16, 0));
      Close();
      Close();
    }
  }

  void BackwardLayer(std::int64_t layer) {
    const std::string_view node = IsMatrixLayer(layer) ? "AddmmBackward0"
                                  : layer % 3 == 1     ? "CudnnBatchNormBackward0"
                                                       : "ReluBackward0";
    const std::string args =
        fmt::format(R"(, "Sequence number": {}, "Fwd thread id": 1)", forward_sequence_[layer]);
    Open(fmt::format("autograd::engine::evaluate_function: {}", node), dialect_.op, args);
    Open(std::string(node), dialect_.op, args);
    FlowForwardBackward(layer);
    const int kernels = IsMatrixLayer(layer) ? 2 : 1;
    for (int k = 0; k < kernels; ++k) {
      Open(IsMatrixLayer(layer) ? "aten::mm" : "aten::threshold_backward", dialect_.op,
           R"(, "Input Dims": [[64, 1024], [1024, 1024]])");
      Launch("cudaLaunchKernel",
             IsMatrixLayer(layer)
                 ? MatrixKernel(layer, true)
                 : std::string("void at::native::vectorized_elementwise_kernel<4, at::native::"
                               "threshold_kernel_impl, at::detail::Array<char*, 3> >(int)"),
             dialect_.kernel, IsMatrixLayer(layer) ? KernelTime(layer) : KernelTime(layer) / 5, 7,
             Grid(256, 256, 96, 32768));
      Close();
    }
    Close();
    Close();
    if (shape_.ranks > 1 && layer % 4 == 0) AllReduce();
  }

  void AllReduce() {
    Open("nccl:all_reduce", dialect_.annotation, R"(, "Input Dims": [[6553600]])");
    const Ns base = Vary(shape_.kernel_us * 2500);
    // Ranks that are not the slow one wait for it.
    const Ns wait = shape_.slow_rank >= 0 && rank_ != shape_.slow_rank
                        ? shape_.kernel_us * 1000 * shape_.layers / 16
                        : 0;
    Launch("cudaLaunchKernel",
           "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
           dialect_.kernel, base + wait, 20,
           Grid(24, 544, 96, 82240) +
               fmt::format(R"(, "Collective name": "allreduce", "In msg nelems": 6553600, )"
                           R"("Out msg nelems": 6553600, "Group size": {}, "dtype": "Float", )"
                           R"("Process Group Name": "0")",
                           shape_.ranks));
    Close();
  }

  void OptimizerStep() {
    if (shape_.ranks > 1) gpu_free_[7] = std::max(gpu_free_[7], gpu_free_[20]);
    Open("Optimizer.step#SGD.step", dialect_.annotation);
    Open("aten::_foreach_add_", dialect_.op);
    Launch("cudaLaunchKernel",
           "void at::native::multi_tensor_apply_kernel<at::native::TensorListMetadata<2>, "
           "at::native::BinaryOpListAlphaFunctor<float, 2, 2, 0> >(int)",
           dialect_.kernel, shape_.kernel_us * 1000, 7, Grid(320, 512, 48, 0));
    Close();
    Close();
  }

  void Synchronize() {
    const Ns begin = now_ + 500;
    now_ = std::max(begin + 1'000, gpu_free_[7] + 2'000);
    RuntimeCall("cudaDeviceSynchronize", begin, now_, ++correlation_);
  }

  /// loss.item(): a copy back that the host waits for.
  void ReadLoss() {
    Open("aten::item", dialect_.op);
    Open("aten::_local_scalar_dense", dialect_.op);
    const Ns done = Launch("cudaMemcpyAsync", "Memcpy DtoH (Device -> Pageable)", dialect_.copy,
                           1'500, 7, R"x(, "bytes": 4, "memory bandwidth (GB/s)": 0.003)x");
    const Ns begin = now_;
    now_ = std::max(now_ + 4'000, done + 2'000);
    RuntimeCall("cudaStreamSynchronize", begin, now_, ++correlation_);
    Close();
    Close();
  }

  // --- Events.

  void Open(std::string name, std::string_view category, std::string args = {}) {
    now_ += 1'000 + Vary(500);
    stack_.push_back({std::move(name), category, now_, ++external_id_, std::move(args)});
  }

  void Close() {
    now_ += 500 + Vary(500);
    const Op op = stack_.back();
    stack_.pop_back();
    Complete(op.category, op.name, std::to_string(kPid), ThreadText(), op.start, now_,
             fmt::format("\"External id\": {}{}", op.id, op.args));
  }

  /// A runtime call on the host and its work on the device; returns when that work ends.
  Ns Launch(std::string_view call, const std::string& name, std::string_view category, Ns duration,
            std::int64_t stream, const std::string& args) {
    const Ns begin = now_ + 500;
    now_ = begin + Vary(shape_.launch_us * 1000);
    const std::int64_t correlation = ++correlation_;
    RuntimeCall(call, begin, now_, correlation);
    const Ns start = std::max(now_ + 1'200, gpu_free_[stream] + 1'000);
    const Ns end = start + duration;
    gpu_free_[stream] = end;
    const std::string stream_text =
        dialect_.old_categories ? fmt::format("\"stream {}\"", stream) : std::to_string(stream);
    Complete(category, name, std::to_string(rank_), stream_text, start, end,
             fmt::format(R"("External id": {}, "device": {}, "context": 1, "stream": {}, )"
                         R"("correlation": {}{})",
                         stack_.back().id, rank_, stream, correlation, args));
    sink_.Write(
        ",\n  {{\"ph\": \"s\", \"id\": {0}, \"pid\": {1}, \"tid\": {2}, \"ts\": {3}, "
        "\"cat\": \"{4}\", \"name\": \"{4}\"}}",
        correlation, kPid, ThreadText(), Time(begin), dialect_.flow);
    sink_.Write(
        ",\n  {{\"ph\": \"f\", \"id\": {0}, \"pid\": {1}, \"tid\": {2}, \"ts\": {3}, "
        "\"cat\": \"{4}\", \"name\": \"{4}\", \"bp\": \"e\"}}",
        correlation, rank_, stream_text, Time(start), dialect_.flow);
    return end;
  }

  void RuntimeCall(std::string_view call, Ns begin, Ns end, std::int64_t correlation) {
    std::string name(call);
    if (dialect_.rocm && name.starts_with("cuda")) name.replace(0, 4, "hip");
    Complete(dialect_.runtime, name, std::to_string(kPid), ThreadText(), begin, end,
             fmt::format(R"("External id": {}, "cbid": 211, "correlation": {})", stack_.back().id,
                         correlation));
  }

  void FlowForwardBackward(std::int64_t layer) {
    if (dialect_.old_categories) return;
    ++flow_;
    sink_.Write(
        ",\n  {{\"ph\": \"s\", \"id\": {}, \"pid\": {}, \"tid\": {}, \"ts\": {}, "
        "\"cat\": \"fwdbwd\", \"name\": \"fwdbwd\"}}",
        flow_, kPid, static_cast<std::int64_t>(kMain), Time(forward_start_[layer]));
    sink_.Write(
        ",\n  {{\"ph\": \"f\", \"id\": {}, \"pid\": {}, \"tid\": {}, \"ts\": {}, "
        "\"cat\": \"fwdbwd\", \"name\": \"fwdbwd\", \"bp\": \"e\"}}",
        flow_, kPid, static_cast<std::int64_t>(kAutograd), Time(stack_.back().start));
  }

  void PythonFrame(std::int64_t layer) {
    ++python_id_;
    Complete("python_function", fmt::format("torch/nn/modules/linear.py({}): forward", 100 + layer),
             std::to_string(kPid), ThreadText(), now_, now_ + 900,
             fmt::format(R"("Python id": {}, "Python parent id": null, "Ev Idx": {})", python_id_,
                         python_id_));
  }

  void Allocate(std::int64_t bytes) {
    if (shape_.memory == 0) return;
    allocated_ = allocated_ > 8'000'000'000 ? 1'000'000'000 : allocated_ + bytes;
    sink_.Write(
        ",\n  {{\"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": "
        "\"[memory]\", \"pid\": {}, \"tid\": {}, \"ts\": {}, \"args\": {{\"Total "
        "Reserved\": 10000000000, \"Total Allocated\": {}, \"Bytes\": {}, \"Addr\": {}, "
        "\"Device Id\": {}, \"Device Type\": 1}}}}",
        kPid, ThreadText(), Time(now_), allocated_, bytes, 139'000'000'000 + allocated_, rank_);
  }

  void Complete(std::string_view category, std::string_view name, const std::string& pid,
                const std::string& tid, Ns start, Ns end, const std::string& args) {
    // Whole µs are taken of both ends, as Kineto did, so that nesting survives the rounding.
    const std::string duration =
        dialect_.fractional ? Micros(end - start) : std::to_string(end / 1000 - start / 1000);
    sink_.Write(
        "{}  {{\n    \"ph\": \"X\", \"cat\": \"{}\", \"name\": \"{}\", \"pid\": {}, \"tid\": "
        "{},\n    \"ts\": {}, \"dur\": {},\n    \"args\": {{\n      {}\n    }}\n  }}",
        first_ ? "" : ",\n", category, name, pid, tid, Time(start), duration, args);
    first_ = false;
  }

  // --- Texts and numbers.

  void WriteHead() {
    sink_.Write("{{\n  \"schemaVersion\": 1,\n");
    if (dialect_.rocm) {
      sink_.Write(
          "  \"deviceProperties\": [{{\"id\": {}, \"name\": \"AMD Instinct MI300X\", "
          "\"totalGlobalMem\": 205822885888, \"computeMajor\": 9, \"computeMinor\": 4, "
          "\"numSms\": 304}}],\n",
          rank_);
    } else {
      sink_.Write(
          "  \"deviceProperties\": [{{\"id\": {}, \"name\": \"NVIDIA A100-SXM4-80GB\", "
          "\"totalGlobalMem\": 85049344000, \"computeMajor\": 8, \"computeMinor\": 0, "
          "\"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048, "
          "\"regsPerBlock\": 65536, \"warpSize\": 32, \"sharedMemPerBlock\": 49152, "
          "\"numSms\": 108}}],\n",
          rank_);
    }
    if (!dialect_.old_categories) {
      sink_.Write("  \"record_shapes\": 1,\n");
      if (shape_.memory != 0) sink_.Write("  \"profile_memory\": 1,\n");
      if (shape_.stacks != 0) sink_.Write("  \"with_stack\": 1,\n");
      if (shape_.ranks > 1) {
        sink_.Write(
            "  \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {}, "
            "\"world_size\": {}}},\n",
            rank_, shape_.ranks);
      }
    }
    if (dialect_.fractional) {
      sink_.Write(
          "  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": "
          "1751240538000000000,\n");
    }
    sink_.Write("  \"traceEvents\": [\n");
  }

  std::string ThreadText() const {
    return dialect_.old_categories ? fmt::format("\"{}\"", static_cast<std::int64_t>(thread_))
                                   : std::to_string(static_cast<std::int64_t>(thread_));
  }

  std::string Grid(std::int64_t blocks, std::int64_t threads, int registers, int shared) const {
    const double per_sm = static_cast<double>(blocks) / 108;
    std::string args = fmt::format(R"(, "grid": [{}, 1, 1], "block": [{}, 1, 1])", blocks, threads);
    if (dialect_.rocm) return args;
    const int occupancy =
        static_cast<int>(std::min(100.0, per_sm * static_cast<double>(threads) / 2048.0 * 100.0));
    return args + fmt::format(R"(, "registers per thread": {}, "shared memory": {}, )"
                              R"("blocks per SM": {:.4f}, "warps per SM": {:.4f}, )"
                              R"("est. achieved occupancy %": {})",
                              registers, shared, per_sm, per_sm * static_cast<double>(threads) / 32,
                              occupancy);
  }

  static std::string Micros(Ns ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }
  std::string Time(Ns ns) const {
    // Whole-µs dialects count from the Unix epoch, later ones from baseTimeNanoseconds.
    return dialect_.fractional ? Micros(1'000'000'000'000 + ns)
                               : std::to_string(1'686'000'000'000'000 + ns / 1000);
  }

  Ns KernelTime(std::int64_t layer) {
    Ns time = shape_.kernel_us * 1000 * (UsesTensorCores(layer) ? 1 : 3);
    if (rank_ == shape_.slow_rank) time += time / 5;
    return Vary(time);
  }

  /// `value` ± jitter. std::uniform_int_distribution differs between libraries, so not that.
  Ns Vary(Ns value) {
    const Ns range = value * shape_.jitter / 100;
    if (range <= 0) return value;
    return value - range + static_cast<Ns>(random_() % static_cast<std::uint64_t>(2 * range + 1));
  }

  const Shape& shape_;
  Dialect dialect_;
  std::int64_t rank_;
  std::mt19937_64 random_;
  Sink sink_;
  Ns now_ = 5'000'000;
  Thread thread_ = kMain;
  bool first_ = true;
  std::vector<Op> stack_;
  std::map<std::int64_t, Ns> gpu_free_, forward_start_;
  std::map<std::int64_t, std::int64_t> forward_sequence_;
  std::int64_t correlation_ = 100, external_id_ = 0, sequence_ = 0, flow_ = 0, python_id_ = 0;
  std::int64_t allocated_ = 1'000'000'000;
};

struct Flag {
  std::string_view name;
  std::int64_t Shape::*field;
  std::string_view help;
};
constexpr Flag kFlags[] = {
    {"--ranks", &Shape::ranks, "processes, one file each"},
    {"--iterations", &Shape::iterations, "training steps"},
    {"--layers", &Shape::layers, "layers of the model"},
    {"--seed", &Shape::seed, "of the random numbers"},
    {"--kernel-us", &Shape::kernel_us, "typical kernel duration"},
    {"--launch-us", &Shape::launch_us, "host time per launch"},
    {"--dataloader-us", &Shape::dataloader_us, "wait for input per iteration"},
    {"--syncs", &Shape::syncs, "the host waits after every so many layers; 0: never"},
    {"--jitter", &Shape::jitter, "percent of variation"},
    {"--tensor-cores", &Shape::tensor_cores, "percent of layers on Tensor Cores"},
    {"--slow-rank", &Shape::slow_rank, "rank that computes 20 % slower"},
    {"--min-mb", &Shape::min_mb, "iterate until the file has this size, before compression"},
    {"--memory", &Shape::memory, "1: allocator events"},
    {"--stacks", &Shape::stacks, "1: python frames"},
};

int Usage() {
  fmt::print(stderr, "usage: make_profile OUT.json[.gz] [FLAG VALUE]…   (a folder with --ranks)\n");
  const Shape defaults;
  for (const Flag& flag : kFlags) {
    fmt::print(stderr, "  {:<16} {} (default {})\n", flag.name, flag.help, defaults.*flag.field);
  }
  fmt::print(stderr, "  --dialect        1.9, 2.1, 2.4 (default) or rocm\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() % 2 == 0 || args[0].starts_with('-')) return Usage();
  Shape shape;
  for (std::size_t i = 1; i < args.size(); i += 2) {
    const auto flag = std::find_if(std::begin(kFlags), std::end(kFlags),
                                   [&](const Flag& f) { return f.name == args[i]; });
    if (args[i] == "--dialect") {
      shape.dialect = args[i + 1];
    } else if (flag != std::end(kFlags)) {
      shape.*flag->field = std::atoll(args[i + 1].c_str());
    } else {
      return Usage();
    }
  }
  if (shape.ranks == 1) {
    Trainer(shape, 0, args[0]).Run();
    return 0;
  }
  std::filesystem::create_directories(args[0]);
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
    Trainer(shape, rank, fmt::format("{}/worker{}.pt.trace.json.gz", args[0], rank)).Run();
  }
}
