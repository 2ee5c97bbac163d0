// Products of narrow types, by the modules that a profile holds.
#include "readers/xla/op_sums.h"

#include <gtest/gtest.h>

#include <string>

#include "xla_message.h"

namespace profgauge::readers::xla {
namespace {

constexpr std::uint64_t kHalf = 10, kFloat = 11, kBrain = 16;

ProtoMessage Instruction(std::uint64_t id, const std::string& name, const std::string& opcode,
                         std::uint64_t type) {
  ProtoMessage message;
  message.Bytes(1, name).Bytes(2, opcode).Sub(3, ProtoMessage().Number(2, type)).Number(35, id);
  return message;
}

// A module with one fusion, whose computation multiplies operands of these types.
std::string Module(std::uint64_t left, std::uint64_t right, const std::string& backend,
                   const std::string& opcode = "dot") {
  ProtoMessage product = Instruction(3, "dot.1", opcode, kFloat);
  product.Bytes(36, "\x01\x02");  // Packed.
  product.Bytes(36, "");          // Packed as well, and without an operand.
  ProtoMessage fused;
  fused.Bytes(1, "gemm_computation")
      .Sub(2, Instruction(1, "a", "parameter", left))
      .Sub(2, Instruction(2, "b", "convert", right))
      .Sub(2, product)
      .Number(5, 26);
  ProtoMessage fusion = Instruction(9, "gemm_fusion_dot.7", "fusion", kFloat);
  fusion.Number(38, 26).Bytes(43, backend);
  ProtoMessage entry;
  entry.Sub(2, fusion).Number(5, 1);
  return ProtoMessage()
      .Sub(1, ProtoMessage().Bytes(1, "jit_step").Sub(3, fused).Sub(3, entry))
      .str();
}

bool Tells(const std::string& module) {
  HloProducts products;
  products.AddModule(module);
  return products.Has("gemm_fusion_dot_7");
}

TEST(HloProducts, TritonCompiledNarrowTypes) {
  EXPECT_TRUE(Tells(Module(kBrain, kBrain, R"({"kind":"__triton_gemm"})")));
  EXPECT_TRUE(Tells(Module(kHalf, kHalf, R"({"kind":"__triton_nested_gemm_fusion"})")));
  // FP32 may run as TF32 or not.
  EXPECT_FALSE(Tells(Module(kFloat, kFloat, R"({"kind":"__triton_gemm"})")));
  EXPECT_FALSE(Tells(Module(kBrain, kFloat, R"({"kind":"__triton_gemm"})")));
  // XLA's own loops multiply without matrix units.
  EXPECT_FALSE(Tells(Module(kBrain, kBrain, R"({"kind":"kLoop"})")));
  EXPECT_FALSE(Tells(Module(kBrain, kBrain, R"({"kind":"__triton"})", "add")));
  HloProducts none;
  EXPECT_FALSE(none.Has("gemm_fusion_dot_7"));
  EXPECT_FALSE(none.Has(""));
}

TEST(HloProducts, ModulesThatDifferShowNothing) {
  HloProducts products;
  products.AddModule(Module(kBrain, kBrain, "__triton_gemm"));
  products.AddModule(Module(kFloat, kFloat, "__triton_gemm"));
  EXPECT_FALSE(products.Has("gemm_fusion_dot_7"));
}

TEST(HloProducts, DamagedModulesShowNothing) {
  const std::string whole = Module(kBrain, kBrain, "__triton_gemm");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(Tells(whole.substr(0, size))) << size;
  }
}

}  // namespace
}  // namespace profgauge::readers::xla
