#include "analysis/flops/op_work.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "model/profile_builder.h"

namespace profgauge::analysis {
namespace {

// One operator call as Kineto records it.
std::optional<flops::OpWork> Work(const std::string& name, const std::string& shapes,
                                  const std::string& types, const std::string& values = "") {
  ProfileBuilder builder;
  HostRow row;
  row.duration = 10;
  row.name = builder.Intern(name);
  row.thread = builder.AddThread("1", "1");
  row.input_shapes = builder.Intern(shapes);
  if (!types.empty()) row.input_dtypes = builder.Intern(types);
  if (!values.empty()) row.concrete_inputs = builder.Intern(values);
  builder.AddHost(row);
  const auto profile = builder.Finish();
  EXPECT_TRUE(profile);
  const auto call = flops::CallOf(*profile, 0);
  return call ? flops::WorkOf(*call) : std::nullopt;
}

std::optional<flops::OpWork> MarkerWork(const std::string& dictionary) {
  const auto call = flops::ParseCall(dictionary);
  EXPECT_TRUE(call);
  return call ? flops::WorkOf(*call) : std::nullopt;
}

struct OpCase {
  const char* name;
  const char* shapes;
  const char* types;
  const char* values;
  double flops, bytes;
};
// Names of tests must not hold values that differ from run to run, such as addresses.
void PrintTo(const OpCase& row, std::ostream* out) { *out << row.name << ' ' << row.shapes; }

class OpWorkTest : public ::testing::TestWithParam<OpCase> {};

TEST_P(OpWorkTest, CountsOperationsAndBytes) {
  const OpCase& row = GetParam();
  const auto work = Work(row.name, row.shapes, row.types, row.values);
  ASSERT_TRUE(work) << row.name;
  EXPECT_EQ(work->flops, row.flops) << row.name;
  EXPECT_EQ(work->bytes, row.bytes) << row.name;
}

INSTANTIATE_TEST_SUITE_P(
    All, OpWorkTest,
    ::testing::Values(
        OpCase{"aten::mm", "[[2, 3], [3, 4]]", "[float, float]", "", 48, 4 * (6 + 12 + 8)},
        // The batch counts, for operations and bytes.
        OpCase{"aten::bmm", "[[5, 2, 3], [5, 3, 4]]", "[c10::Half, c10::Half]", "", 240,
               2 * 5 * (6 + 12 + 8)},
        OpCase{"aten::matmul", "[[7, 1, 2, 3], [5, 3, 4]]", "[float, float]", "", 7 * 5 * 48,
               4 * (7 * 6 + 5 * 12 + 35 * 8)},
        OpCase{"aten::matmul", "[[3], [3]]", "[float, float]", "", 6, 4 * 7},
        // A bias is read, and its additions are not counted.
        OpCase{"aten::addmm", "[[4], [2, 3], [3, 4], [], []]",
               "[float, float, float, Scalar, Scalar]", "[, , , 1, 1]", 48, 4 * (4 + 6 + 12 + 8)},
        OpCase{"aten::linear", "[[6, 2, 3], [4, 3], [4]]",
               "[c10::BFloat16, c10::BFloat16, c10::BFloat16]", "", 2 * 12 * 12,
               2 * (36 + 12 + 48 + 4)},
        // Compiled models give the result, which is neither factor nor read.
        OpCase{"aten::mm", "[[2, 3], [3, 4], [2, 4]]", "[float, float, float]", "", 48,
               4 * (6 + 12 + 8)},
        OpCase{"aten::mm", "[[2, 3], [3, 4], [0]]", "[float, float, float]", "", 48,
               4 * (6 + 12 + 8)},
        OpCase{"aten::mm", "[[4, 4], [4, 4], [4, 4]]", "[float, float, float]", "", 128, 4 * 48},
        OpCase{"aten::bmm", "[[5, 2, 3], [5, 3, 4], [5, 2, 4]]",
               "[c10::Half, c10::Half, c10::Half]", "", 240, 2 * 5 * (6 + 12 + 8)},
        OpCase{"aten::addmm", "[[4], [2, 3], [3, 4], [], [], [2, 4]]",
               "[float, float, float, Scalar, Scalar, float]", "[, , , 1, 1, ]", 48,
               4 * (4 + 6 + 12 + 8)},
        OpCase{"aten::baddbmm", "[[5, 2, 4], [5, 2, 3], [5, 3, 4], [], [], [5, 2, 4]]",
               "[float, float, float, Scalar, Scalar, float]", "[, , , 1, 1, ]", 240,
               4 * 5 * (8 + 6 + 12 + 8)},
        OpCase{"aten::_scaled_mm", "[[2, 16], [16, 4], [], [], [], [], [], [], [2, 4]]",
               "[c10::Float8_e4m3fn, c10::Float8_e4m3fn, float, float, , , Scalar, Scalar, "
               "c10::BFloat16]",
               "[, , , , , , 15, True, ]", 256, 32 + 64 + 16},
        OpCase{"aten::linear", "[[2, 3], [4, 3], [], [2, 4]]", "[float, float, , float]", "", 48,
               4 * (6 + 12 + 8)},
        OpCase{"aten::add", "[[4, 2], [4, 1], [], [4, 2]]", "[float, float, Scalar, float]",
               "[, , 1, ]", 8, 4 * (8 + 4 + 8)},
        OpCase{"aten::mul", "[[4, 2], [4, 1], [4, 2]]", "[float, float, float]", "", 8,
               4 * (8 + 4 + 8)},
        // A type may follow the factors, and the result that.
        OpCase{"aten::mm", "[[2, 3], [3, 4], []]", "[c10::Half, c10::Half, Scalar]", "[, , 6]", 48,
               2 * (6 + 12 + 8)},
        OpCase{"aten::mm", "[[2, 3], [3, 4], [], [2, 4]]", "[c10::Half, c10::Half, Scalar, float]",
               "[, , 6, ]", 48, 2 * (6 + 12 + 8)},
        OpCase{"aten::addmm", "[[4], [2, 3], [3, 4], [], [], [], [2, 4]]",
               "[c10::Half, c10::Half, c10::Half, Scalar, Scalar, Scalar, float]",
               "[, , , 6, 1, 1, ]", 48, 2 * (4 + 6 + 12 + 8)},
        OpCase{"aten::_addmm_activation", "[[4], [2, 3], [3, 4], [], [], []]",
               "[float, float, float, Scalar, Scalar, Scalar]", "[, , , 1, 1, False]", 48,
               4 * (4 + 6 + 12 + 8)},
        // On the interpreter's stack the last are the factors.
        OpCase{"aten::mm", "[[7, 9], [2, 3], [3, 4]]", "[float, float, float]", "", 48,
               4 * (6 + 12 + 8)},
        OpCase{"aten::addmm", "[[7, 9], [4], [2, 3], [3, 4], [], []]",
               "[float, float, float, float, Scalar, Scalar]", "[, , , , 1, 1]", 48,
               4 * (4 + 6 + 12 + 8)},
        // Under TorchScript the interpreter's stack is recorded, with the arguments last.
        OpCase{"aten::linear", "[[], [1, 7], [16], [2048, 1024], [541, 1024], [541]]",
               "[Scalar, long int, float, c10::Half, c10::Half, c10::Half]", "",
               2.0 * 2048 * 1024 * 541, 2.0 * (2048 * 1024 + 541 * 1024 + 2048 * 541 + 541)},
        OpCase{"aten::relu", "[[8, 8], [4, 2]]", "[float, c10::Half]", "", 8, 2 * 16},
        OpCase{"aten::add", "[[100, 100], [4, 2], [4, 1], []]", "[float, float, float, Scalar]",
               "[, , , 1]", 8, 4 * (8 + 4 + 8)},
        // The result has the type that was asked for.
        OpCase{"aten::_scaled_mm", "[[2, 16], [16, 4], [], [], [], [], [], []]",
               "[c10::Float8_e4m3fn, c10::Float8_e4m3fn, float, float, , , , Scalar]",
               "[, , , , , , , True]", 256, 32 + 64 + 8},
        OpCase{"aten::_scaled_mm", "[[1024, 4096], [4096, 4096], [], [], [], [], [], []]",
               "[c10::Float8_e4m3fn, c10::Float8_e4m3fn, float, float, , , Scalar, Scalar]",
               "[, , , , , , 15, True]", 2.0 * 1024 * 4096 * 4096, 29'360'128},
        OpCase{"aten::_scaled_mm", "[[1024, 4096], [4096, 4096], [], []]",
               "[c10::Float8_e4m3fn, c10::Float8_e4m3fn, float, float]", "",
               2.0 * 1024 * 4096 * 4096, 29'360'128},
        OpCase{"aten::_scaled_mm", "[[2, 16], [16, 4], [], [], [], []]",
               "[c10::Float8_e4m3fn, c10::Float8_e4m3fn, , Scalar, float, float]", "[, , , 6, , ]",
               256, 32 + 64 + 32},
        // No type has such a number.
        OpCase{"aten::_scaled_mm", "[[2, 16], [16, 4], [], [], [], []]",
               "[c10::Float8_e4m3fn, c10::Float8_e4m3fn, , Scalar, float, float]",
               "[, , , 1e300, , ]", 256, -1},
        OpCase{"aten::_int_mm", "[[1024, 4096], [4096, 4096]]", "[signed char, signed char]", "",
               2.0 * 1024 * 4096 * 4096, 37'748'736},
        OpCase{"aten::conv2d", "[[1, 3, 8, 8], [6, 3, 3, 3], [], [], [], [], []]",
               "[float, float, , ScalarList, ScalarList, ScalarList, Scalar]",
               "[, , , [2, 2], [1, 1], [1, 1], 1]", 2 * 6 * 16 * 27, 4 * (192 + 162 + 96)},
        // Groups: the filter has fewer channels.
        OpCase{"aten::conv1d", "[[2, 4, 10], [4, 1, 3], [], [], [], [], []]",
               "[float, float, , ScalarList, ScalarList, ScalarList, Scalar]",
               "[, , , [1], [0], [1], 4]", 2 * 2 * 4 * 8 * 3, 4 * (80 + 12 + 64)},
        OpCase{"aten::conv3d", "[[1, 2, 4, 4, 4], [3, 2, 2, 2, 2], [], [], [], [], []]",
               "[float, float, , ScalarList, ScalarList, ScalarList, Scalar]",
               "[, , , [1, 1, 1], [0, 0, 0], [1, 1, 1], 1]", 2 * 3 * 27 * 16, 4 * (128 + 48 + 81)},
        // Transposed: every element of the input meets every filter.
        OpCase{"aten::conv_transpose2d", "[[1, 3, 8, 8], [3, 8, 4, 4], [], [], [], [], [], []]",
               "[float, float, , ScalarList, ScalarList, ScalarList, Scalar, ScalarList]", "",
               2 * 192 * 8 * 16, -1},
        OpCase{"aten::cudnn_convolution_transpose",
               "[[1, 3, 8, 8], [3, 8, 4, 4], [], [], [], [], [], [], [], []]",
               "[float, float, ScalarList, ScalarList, ScalarList, ScalarList, Scalar, Scalar, "
               "Scalar, Scalar]",
               "[, , [1, 1], [0, 0], [2, 2], [1, 1], 1, False, False, True]", 2 * 192 * 8 * 16,
               4 * (192 + 384 + 8 * 16 * 16)},
        // Both gradients cost as much as the convolution did.
        OpCase{"aten::convolution_backward",
               "[[1, 6, 4, 4], [1, 3, 8, 8], [6, 3, 3, 3], [], [], [], [], [], [], [], []]",
               "[float, float, float, ScalarList, ScalarList, ScalarList, ScalarList, Scalar, "
               "ScalarList, Scalar, ]",
               "[, , , [0], [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [True, True, False]]",
               4 * 6 * 16 * 27, 4 * (96 + 192 + 162 + 192 + 162)},
        OpCase{"aten::convolution_backward",
               "[[1, 6, 4, 4], [1, 3, 8, 8], [6, 3, 3, 3], [], [], [], [], [], [], [], []]",
               "[float, float, float, ScalarList, ScalarList, ScalarList, ScalarList, Scalar, "
               "ScalarList, Scalar, ]",
               "[, , , [0], [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [False, True, False]]",
               2 * 6 * 16 * 27, 4 * (96 + 192 + 162 + 192 + 162)},
        OpCase{"aten::_scaled_dot_product_flash_attention",
               "[[1, 2, 5, 4], [1, 2, 5, 4], [1, 2, 5, 4], [], [], [], []]",
               "[c10::Half, c10::Half, c10::Half, Scalar, Scalar, Scalar, Scalar]",
               "[, , , 0., False, False, 0.5]", 2 * 2 * 25 * 8, 2 * 4 * 40},
        // Under a causal mask query i meets i + 1 keys.
        OpCase{"aten::_scaled_dot_product_flash_attention",
               "[[1, 2, 5, 4], [1, 2, 5, 4], [1, 2, 5, 4], [], [], [], []]",
               "[c10::Half, c10::Half, c10::Half, Scalar, Scalar, Scalar, Scalar]",
               "[, , , 0., True, False, 0.5]", 2 * 2 * 15 * 8, 2 * 4 * 40},
        OpCase{"aten::layer_norm", "[[10, 8], [], [8], [8], [], []]",
               "[float, ScalarList, float, float, , Scalar]", "[, [8], , , 1e-5, True]", 80 * 7,
               2 * 4 * 80 + 2 * 4 * 8},
        OpCase{"aten::add", "[[4, 1, 8], [1, 6, 8], []]", "[float, float, Scalar]", "[, , 1]", 192,
               4 * (32 + 48 + 192)},
        // In place the result has the type of the first operand.
        OpCase{"aten::add_", "[[4, 8], [4, 8], []]", "[c10::BFloat16, float, Scalar]", "[, , 1]",
               32, 32 * (2 + 4 + 2)},
        OpCase{"aten::eq", "[[4, 8], []]", "[long int, Scalar]", "[, 0]", 32, 32 * 9},
        OpCase{"aten::gelu", "[[4, 8], []]", "[float, ]", "", 32, 256},
        OpCase{"aten::_softmax", "[[4, 8], [], []]", "[float, Scalar, Scalar]", "", 160, 256},
        OpCase{"aten::sum", "[[4, 8], [], [], []]", "[float, ScalarList, Scalar, ]", "", 32, 128},
        OpCase{"aten::copy_", "[[4, 8], [4, 8], []]", "[c10::Half, float, Scalar]", "", 0, 32 * 6},
        OpCase{"aten::cat", "[[[4, 8], [6, 8]], []]", "[TensorList, Scalar]", "[, 0]", 0, -1},
        OpCase{"aten::embedding", "[[100, 16], [2, 5], [], [], []]",
               "[float, long int, Scalar, Scalar, Scalar]", "", 0, 80 + 2 * 10 * 16 * 4}));

// The operators that training adds; definitions in analysis/flops/op_work.h.
INSTANTIATE_TEST_SUITE_P(
    Training, OpWorkTest,
    ::testing::Values(
        OpCase{"aten::native_layer_norm_backward",
               "[[10, 8], [10, 8], [], [10, 1], [10, 1], [8], [8], []]",
               "[float, float, ScalarList, float, float, float, float, ]", "", 14 * 80, 3 * 4 * 80},
        OpCase{"aten::cudnn_batch_norm_backward", "[[2, 3, 4, 4], [2, 3, 4, 4], [3]]",
               "[c10::Half, c10::Half, float]", "", 14 * 96, 3 * 2 * 96},
        OpCase{"aten::_softmax_backward_data", "[[4, 8], [4, 8], [], []]",
               "[float, float, Scalar, Scalar]", "", 128, 3 * 4 * 32},
        OpCase{"aten::mse_loss", "[[4, 8], [4, 8], []]", "[float, float, Scalar]", "", 96, 4 * 65},
        OpCase{"aten::cross_entropy_loss", "[[4, 10], [4], [], [], [], []]",
               "[float, long int, , Scalar, Scalar, Scalar]", "", 200, 160 + 32 + 4},
        OpCase{"aten::nll_loss_backward", "[[], [4, 10], [4], [], [], [], []]",
               "[float, float, long int, , Scalar, Scalar, float]", "", 4, 4 + 32 + 160},
        // 3×3 windows, stride 2, padding 1: 4×4 results, with their places in 8 bytes each.
        OpCase{"aten::max_pool2d_with_indices", "[[1, 2, 8, 8], [], [], [], [], []]",
               "[float, ScalarList, ScalarList, ScalarList, ScalarList, Scalar]",
               "[, [3, 3], [2, 2], [1, 1], [1, 1], False]", 32 * 9, 4 * (128 + 32) + 8 * 32},
        // The stride is the window's size when none is given.
        OpCase{"aten::avg_pool2d", "[[1, 2, 8, 8], [], [], [], [], [], []]",
               "[float, ScalarList, ScalarList, ScalarList, Scalar, Scalar, ]",
               "[, [2, 2], [], [0, 0], False, True, ]", 32 * 4, 4 * (128 + 32)},
        OpCase{"aten::embedding_dense_backward", "[[2, 5, 16], [2, 5], [], [], []]",
               "[float, long int, Scalar, Scalar, Scalar]", "[, , 100, -1, False]", 160,
               160 * 4 + 80 + 1600 * 4},
        // 4 gates: weights of 16×3 and 16×4, 7 steps of 2 sequences.
        OpCase{
            "aten::lstm",
            "[[7, 2, 3], [[1, 2, 4], [1, 2, 4]], [[16, 3], [16, 4], [16], [16]], [], [], [], [], "
            "[], []]",
            "[float, TensorList, TensorList, Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]", "",
            2 * 7 * 2 * (48 + 64), -1},
        // Lists: the first one's elements, however many lists follow.
        OpCase{"aten::_foreach_addcdiv_", "[[[4, 8], [6]], [[4, 8], [6]], [[4, 8], [6]], []]",
               "[TensorList, TensorList, TensorList, ScalarList]", "", 3 * 38, -1},
        OpCase{"aten::_fused_adamw_", "[[[4, 8]], [[4, 8]], [[4, 8]], [[4, 8]], [[]], [[]], []]",
               "[TensorList, TensorList, TensorList, TensorList, TensorList, TensorList, Scalar]",
               "", 15 * 32, -1}));

TEST(OpWork, PoolingNeedsItsSizes) {
  EXPECT_FALSE(Work("aten::max_pool2d", "[[1, 2, 8, 8], [], [], [], [], []]",
                    "[float, ScalarList, ScalarList, ScalarList, ScalarList, Scalar]"));
  // A packed sequence: its steps are not in its shape.
  EXPECT_FALSE(Work("aten::lstm", "[[14, 3], [2], [[1, 2, 4]], [[16, 3], [16, 4]]]",
                    "[float, long int, TensorList, TensorList]"));
  // Older profilers record no shapes of lists.
  EXPECT_FALSE(Work("aten::_foreach_add_", "[[], [], []]", "[TensorList, TensorList, Scalar]"));
}

TEST(OpWork, ConvolutionsWithoutTheirStrideAreUnknown) {
  EXPECT_FALSE(Work("aten::cudnn_convolution", "[[1, 3, 8, 8], [6, 3, 3, 3], [], [], [], []]",
                    "[float, float, , , , ]"));
}

TEST(OpWork, UnknownCallsHaveNoWork) {
  EXPECT_FALSE(Work("aten::foo", "[[4, 8]]", "[float]"));
  EXPECT_FALSE(Work("aten::mm", "[[2, 3], [4, 4]]", "[float, float]"));
  EXPECT_FALSE(Work("aten::mm", "[[2, 3]]", "[float]"));
}

TEST(OpWork, UntrustedSizesOverflowNothing) {
  const std::string big = "9223372036854775807";
  const auto work = Work("aten::mm", "[[" + big + ", " + big + "], [" + big + ", " + big + "]]",
                         "[float, float]");
  EXPECT_FALSE(work);
  EXPECT_FALSE(
      MarkerWork("{'mod': 'torch', 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', "
                 "'shape': (-2, 3), 'dtype': 'float32'}, {'name': '', 'type': 'tensor', "
                 "'shape': (3, 4), 'dtype': 'float32'}]}"));
}

// The same call as PyProf writes it: arguments that have their default are left out.
TEST(OpWork, MarkersOfPyprof) {
  const auto work = MarkerWork(
      "{'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': [{'name': '', 'type': 'tensor', "
      "'shape': (4, 3, 32, 32), 'dtype': 'bfloat16'}, {'name': '', 'type': 'tensor', 'shape': "
      "(8, 3, 3, 3), 'dtype': 'bfloat16'}, {'name': 'padding', 'type': 'int', 'value': 1}]}");
  ASSERT_TRUE(work);
  EXPECT_EQ(work->flops, 2.0 * 4 * 8 * 1024 * 27);
  EXPECT_EQ(work->dtype, "bfloat16");
  EXPECT_TRUE(work->is_matrix);
}

}  // namespace
}  // namespace profgauge::analysis
