#include "report/wording.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/text.h"

namespace profgauge::report {
namespace {

struct Word {
  std::string_view from, to;
};
using Words = std::vector<Word>;

// Longer ones first where one begins another. What has no counterpart loses its NVIDIA name.
constexpr Word kOfAll[] = {
    {" (for example with DALI)", ""},
    {"; record with Nsight Systems and --gpu-metrics-devices=all", ", which this recording lacks"},
    {"; Nsight Systems records them with --trace=osrt", ""},
    {"; Nsight Systems records it with --cpuctxsw=process-tree", ""},
    {"Tensor pipes", "Matrix pipes"},
};

constexpr Word kAmd[] = {
    {"NVIDIA GPUs", "AMD GPUs"},
    {"Tensor-core", "Matrix-core"},
    {"Tensor Core", "matrix core"},
    {"Tensor Cores", "matrix cores"},
    {"tensor cores", "matrix cores"},
    {"CUDA cores", "vector units"},
    {"CUDA graph", "HIP graph"},
    {"CUDA graphs", "HIP graphs"},
    {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"},
    {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF"},
    {"cuDNN", "MIOpen"},
    {"NCCL", "RCCL"},
    {"SM", "compute unit"},
    {"SMs", "compute units"},
    {"streaming multiprocessor", "compute unit"},
};

constexpr Word kNpu[] = {
    {"; PyTorch 2.2 and later record them", ""},
    {"NVIDIA GPUs", "NPUs"},
    {"A GPU", "An NPU"},
    {"a GPU", "an NPU"},
    {"GPU", "NPU"},
    {"GPUs", "NPUs"},
    {"GPU's", "NPU's"},
    {"Tensor-core", "Cube-unit"},
    {"Tensor Core", "cube unit"},
    {"Tensor Cores", "cube units"},
    {"tensor cores", "cube units"},
    {"CUDA cores", "vector units"},
    {"CUDA graph", "NPU graph"},
    {"CUDA graphs", "NPU graphs"},
    {"CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"},
    {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_NPU_ALLOC_CONF"},
    {"torch.backends.cuda.matmul.allow_tf32", "torch.npu.matmul.allow_hf32"},
    {"torch.cuda", "torch.npu"},
    {"cuda.synchronize", "npu.synchronize"},
    {"torch.autocast(\"cuda\"", "torch.autocast(\"npu\""},
    {"init_process_group(\"nccl\")", "init_process_group(\"hccl\")"},
    {"ProfilerActivity.CUDA", "ProfilerActivity.NPU"},
    {"activities=[CPU, CUDA]", "activities=[CPU, NPU]"},
    {"TF32", "HF32"},
    {"cuDNN", "CANN"},
    {"NCCL", "HCCL"},
    {"SM", "AI Core"},
    {"SMs", "AI Cores"},
    {"streaming multiprocessor", "AI Core"},
};

constexpr Word kNeuron[] = {
    {"; PyTorch 2.2 and later record them", ""},
    {"NVIDIA GPUs", "NeuronCores"},
    {"GPU", "NeuronCore"},
    {"GPUs", "NeuronCores"},
    {"Tensor-core", "Tensor-engine"},
    {"Tensor Core", "tensor engine"},
    {"Tensor Cores", "the tensor engine"},
    {"tensor cores", "the tensor engine"},
    {"CUDA cores", "other engines"},
    {"CUDA graph", "graph"},
    {"CUDA graphs", "graphs"},
    {"CUDA_VISIBLE_DEVICES", "NEURON_RT_VISIBLE_CORES"},
    {"cuDNN", "the compiler"},
    {"NCCL", "Neuron's collectives"},
    {"SM", "engine"},
    {"SMs", "engines"},
    {"streaming multiprocessor", "engine"},
};

constexpr Word kTpu[] = {
    {"; PyTorch 2.2 and later record them", ""},
    {"NVIDIA GPUs", "TPUs"},
    {"GPU", "TPU"},
    {"GPUs", "TPUs"},
    {"Tensor-core", "Matrix-unit"},
    {"Tensor Core", "matrix unit"},
    {"Tensor Cores", "matrix units"},
    {"tensor cores", "matrix units"},
    {"CUDA cores", "vector units"},
    {"CUDA graph", "graph"},
    {"CUDA graphs", "graphs"},
    {"CUDA_VISIBLE_DEVICES", "TPU_VISIBLE_CHIPS"},
    {"cuDNN", "XLA"},
    {"NCCL", "XLA's collectives"},
    {"SM", "core"},
    {"SMs", "cores"},
    {"streaming multiprocessor", "core"},
};

constexpr Word kIntel[] = {
    {"NVIDIA GPUs", "Intel GPUs"},
    {"Tensor-core", "Matrix-engine"},
    {"Tensor Core", "matrix engine"},
    {"Tensor Cores", "matrix engines"},
    {"tensor cores", "matrix engines"},
    {"CUDA cores", "vector engines"},
    {"CUDA graph", "graph"},
    {"CUDA graphs", "graphs"},
    {"torch.cuda", "torch.xpu"},
    {"ProfilerActivity.CUDA", "ProfilerActivity.XPU"},
    {"activities=[CPU, CUDA]", "activities=[CPU, XPU]"},
    {"torch.autocast(\"cuda\"", "torch.autocast(\"xpu\""},
    {"cuDNN", "oneDNN"},
    {"NCCL", "oneCCL"},
    {"SM", "Xe core"},
    {"SMs", "Xe cores"},
    {"streaming multiprocessor", "Xe core"},
};

std::span<const Word> WordsOf(std::string_view accelerator) {
  if (accelerator == "amd") return kAmd;
  if (accelerator == "npu") return kNpu;
  if (accelerator == "neuron") return kNeuron;
  if (accelerator == "tpu") return kTpu;
  if (accelerator == "intel") return kIntel;
  return {};
}

bool IsWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool IsAt(std::string_view text, std::size_t at, std::string_view word) {
  if (!text.substr(at).starts_with(word)) return false;
  const std::size_t end = at + word.size();
  if (at > 0 && IsWordCharacter(word.front()) && IsWordCharacter(text[at - 1])) return false;
  return end >= text.size() || !IsWordCharacter(word.back()) || !IsWordCharacter(text[end]);
}

// The longest word that stands at a place.
const Word* WordAt(std::string_view text, std::size_t at, std::span<const Word> words) {
  const Word* found = nullptr;
  for (const auto list : {words, std::span<const Word>(kOfAll)}) {
    for (const Word& word : list) {
      if (!IsAt(text, at, word.from)) continue;
      if (found == nullptr || word.from.size() > found->from.size()) found = &word;
    }
  }
  return found;
}

// A sentence or a title begins with a capital where it did before.
bool IsStart(std::string_view text) {
  return text.empty() || text.ends_with(". ") || text.ends_with("- ");
}

// Rules of the program's have its own page of documentation; all others are a user's.
bool IsOurs(const Finding& finding) { return finding.docs.starts_with("profgauge rules explain "); }

// What stays as it is where it stands in a text of ours: names that were recorded, titles of rules
// of users. Only those that other words would change, the longest first.
std::vector<std::string> KeptNames(const Report& report) {
  std::set<std::string> names;
  const auto keep = [&](std::string_view name) {
    if (Reworded(name, report.profile.accelerator) != name) names.emplace(name);
  };
  for (const Finding& finding : report.findings) {
    if (!IsOurs(finding)) keep(finding.title);
  }
  for (const Device& device : report.profile.devices) keep(device.name);
  for (const Table& table : report.tables) {
    for (const std::string_view id : {"name", "op", "gpu_name", "before", "after"}) {
      const Column* column = table.Find(id);
      if (column == nullptr || column->type() != CellType::kText) continue;
      std::set<std::uint32_t> seen;
      for (std::size_t row = 0; row < column->size(); ++row) {
        const StringId text = column->TextAt(row);
        if (text.valid() && seen.insert(text.value).second) keep(table.strings()[text]);
      }
    }
  }
  std::vector<std::string> sorted(names.begin(), names.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return sorted;
}

class Rewriter {
 public:
  explicit Rewriter(const Report& report)
      : accelerator_(report.profile.accelerator), kept_(KeptNames(report)) {}

  void operator()(std::string& text) const {
    std::string out;
    std::string_view rest = text;
    while (!rest.empty()) {
      const auto [at, length] = FirstKept(rest);
      out += Reworded(rest.substr(0, at), accelerator_);
      out += rest.substr(at, length);
      rest.remove_prefix(at + length);
    }
    text = std::move(out);
  }
  void operator()(Quantity& quantity) const { (*this)(quantity.absent_because); }
  void operator()(Metric& metric) const {
    for (std::string* text : {&metric.title, &metric.definition, &metric.formula, &metric.note}) {
      (*this)(*text);
    }
    (*this)(metric.quantity);
  }
  void operator()(GateRow& row) const {
    (*this)(row.title), (*this)(row.reason), (*this)(row.measured), (*this)(row.margin);
  }
  void operator()(Finding& finding) const {
    if (!IsOurs(finding)) return;
    for (std::string* text : {&finding.title, &finding.message, &finding.advice, &finding.reason}) {
      (*this)(*text);
    }
    for (std::string& head : finding.evidence_heads) (*this)(head);
  }
  void operator()(Table& table) const {
    table.Retitle(Reworded(table.title(), accelerator_));
    for (Column& column : table.columns()) {
      column.Retitle(Reworded(column.title(), accelerator_));
      if (column.absent_because().empty()) continue;
      column.MarkAbsent(Reworded(column.absent_because(), accelerator_));
    }
  }

 private:
  // Where the first name that stays begins, and its length; the end and 0 without one.
  std::pair<std::size_t, std::size_t> FirstKept(std::string_view text) const {
    std::pair<std::size_t, std::size_t> first = {text.size(), 0};
    for (const std::string& name : kept_) {
      const std::size_t at = text.find(name);
      if (at < first.first) first = {at, name.size()};
    }
    return first;
  }

  std::string accelerator_;
  std::vector<std::string> kept_;
};

}  // namespace

std::string Reworded(std::string_view text, std::string_view accelerator) {
  const std::span<const Word> words = WordsOf(accelerator);
  std::string out;
  if (words.empty()) return std::string(text);
  for (std::size_t at = 0; at < text.size();) {
    const Word* word = WordAt(text, at, words);
    if (word == nullptr) {
      out += text[at++];
      continue;
    }
    const bool capital = IsStart(out) && std::isupper(static_cast<unsigned char>(text[at]));
    const std::size_t begin = out.size();
    out += word->to;
    if (capital && begin < out.size()) {
      out[begin] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[begin])));
    }
    at += word->from.size();
  }
  return out;
}

void Reword(Report& report) {
  if (WordsOf(report.profile.accelerator).empty()) return;
  const Rewriter reword(report);
  for (std::string& reason : report.verdict.reasons) reword(reason);
  for (GateRow& row : report.gate) reword(row);
  for (Metric& metric : report.metrics) reword(metric);
  for (Finding& finding : report.findings) reword(finding);
  for (Table& table : report.tables) reword(table);
  for (auto& [id, reason] : report.absent_tables) reword(reason);
  if (report.comparison) {
    for (ComparedMetric& metric : report.comparison->metrics) {
      reword(metric.title), reword(metric.note);
    }
    for (PairedValue& value : report.comparison->values) reword(value.title);
  }
  for (Remark& remark : report.remarks) reword(remark.text);
  Reword(report.timeline, report.profile.accelerator);
}

void Reword(Timeline& timeline, std::string_view accelerator) {
  // "GPU 0 · Instinct MI300X": what follows the first separator is a name of the recording.
  const auto number = [&](std::string& text) {
    const std::size_t end = std::min(text.find(" · "), text.size());
    text = Reworded(std::string_view(text).substr(0, end), accelerator) + text.substr(end);
  };
  for (Timeline::Track& track : timeline.tracks) number(track.group);
  for (Timeline::Counter& counter : timeline.counters) {
    number(counter.group);
    counter.name = Reworded(counter.name, accelerator);
  }
  timeline.left_out = Reworded(timeline.left_out, accelerator);
}

}  // namespace profgauge::report
