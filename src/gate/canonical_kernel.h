// The name by which a kernel of one build is identified in another.
#pragma once

#include <string>
#include <string_view>

namespace profgauge {

/// The name without the numbers of compilers and code generators: function arguments, numbers of
/// lambdas, template arguments that hold pointers, hashes of files, and the numbers after names of
/// Triton's and XLA's fusions. "void f<4, g(T&)::{lambda(float)#2}, std::array<char*, 3ul> >(int)"
/// gives "void f<4, g(T&)::{lambda}>". Kernels that so get one name are summed up.
std::string CanonicalKernel(std::string_view name);

}  // namespace profgauge
