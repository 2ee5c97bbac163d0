// By what name a kernel of one build is the kernel of another.
#pragma once

#include <string>
#include <string_view>

namespace profgauge {

/// The name without what compilers and code generators number: function arguments, numbers of
/// lambdas, template arguments that hold pointers, hashes of files, and the numbers behind names of
/// Triton's and XLA's fusions. "void f<4, g(T&)::{lambda(float)#2}, std::array<char*, 3ul> >(int)"
/// gives "void f<4, g(T&)::{lambda}>". Kernels that so get one name are summed up.
std::string CanonicalKernel(std::string_view name);

}  // namespace profgauge
