#include "analysis/classify/kernel_name.h"

#include <algorithm>
#include <cstddef>

namespace profgauge {
namespace {

// GCC and NVCC, Clang's demangler, MSVC and EDG.
constexpr std::string_view kNoName[] = {
    "(anonymous namespace)::", "(anonymous)::", "<unnamed>::", "{anonymous}::", "<lambda>::"};

std::size_t NoNameAt(std::string_view name) {
  for (const std::string_view words : kNoName) {
    if (name.starts_with(words)) return words.size();
  }
  return 0;
}

}  // namespace

std::string KernelHead(std::string_view name) {
  for (const std::string_view word : {"void ", "static ", "__global__ "}) {
    if (name.starts_with(word)) name.remove_prefix(word.size());
  }
  // cuBLAS: std::enable_if<!(false), void>::type internal::gemvx::kernel<…>.
  if (name.starts_with("std::enable_if<")) {
    const std::size_t type = name.find(">::type ");
    if (type != name.npos) name.remove_prefix(type + std::string_view(">::type ").size());
  }
  std::string head;
  while (!name.empty()) {
    if (const std::size_t words = NoNameAt(name)) {
      name.remove_prefix(words);
      continue;
    }
    if (name.front() == '<' || name.front() == '(') break;
    head += name.front();
    name.remove_prefix(1);
  }
  return head;
}

std::string_view WithoutArguments(std::string_view name) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (const std::size_t words = NoNameAt(name.substr(i))) {
      i += words - 1;
      continue;
    }
    if (name[i] == '(' && depth == 0) return name.substr(0, i);
    if (name[i] == '<' || name[i] == '(') ++depth;
    if (name[i] == '>' || name[i] == ')') depth = std::max(0, depth - 1);
  }
  return name;
}

}  // namespace profgauge
