// Which kernels of two builds are the same.
#include "gate/pairing.h"

#include <gtest/gtest.h>

#include <string_view>

namespace profgauge::gate {
namespace {

TEST(CanonicalKernel, DropsNumbersOfBuilds) {
  const struct {
    std::string_view name, canonical;
  } kCases[] = {
      {"", ""},
      {"f", "f"},
      {"void f<4, at::Add<float> >(int, at::Add<float>)", "void f<4, at::Add<float>>"},
      // Lambdas of NVCC and Clang.
      {"void f<g(T&)::{lambda(float)#2}::operator()() const::{lambda()#7}>(int)",
       "void f<g(T&)::{lambda}::operator()() const::{lambda}>"},
      {"void f<g(T&)::'lambda0'(int)>(int)", "void f<g(T&)::{lambda}(int)>"},
      // Template arguments that hold pointers, at any depth; not signatures.
      {"void f<4, std::array<char*, 3ul> >(int)", "void f<4>"},
      {"void f<4, at::detail::Array<char*, 3> >(int)", "void f<4>"},
      {"k<float*>(float*)", "k<>"},
      {"k<g(int*)::type>(int)", "k<g(int*)::type>"},
      // Hashes of files.
      {"_GLOBAL__N__5f3c1b2e_4_k_cu_9c3e21f2_1234::kernel<int>(float*)",
       "_GLOBAL__N__#_4_k_cu_#_1234::kernel<int>"},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n", "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n"},
      {"kernel_defaced", "kernel_defaced"},
      // The part before it numbers a fusion.
      {"triton_poi_fused_add_12", "triton_poi_fused_add"},
      {"loop_add_fusion.3", "loop_add_fusion"},
      {"ampere_sgemm_128", "ampere_sgemm_128"},
      // Brackets that do not match stay.
      {"a<b", "a<b"},
      {"a<b(<>", "a<b(<>"},
      {"{lambda", "{lambda"},
  };
  for (const auto& [name, canonical] : kCases) EXPECT_EQ(CanonicalKernel(name), canonical);
}

}  // namespace
}  // namespace profgauge::gate
