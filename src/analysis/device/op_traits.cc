#include "analysis/device/op_traits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/device/op_limits.h"
#include "base/format.h"
#include "knowledge/traits.h"

namespace profgauge::analysis::device {
namespace {

std::string Whole(double number) { return FormatCount(std::llround(number)); }

// "[256, 131072] × [131072, 512]", with the batch first if there is one.
std::string ProductText(const flops::ProductSizes& sizes) {
  const std::string batch = sizes.batch > 1 ? fmt::format("{:.0f}, ", sizes.batch) : "";
  return fmt::format("[{0}{1:.0f}, {2:.0f}] × [{0}{2:.0f}, {3:.0f}]", batch, sizes.m, sizes.k,
                     sizes.n);
}

// "(16 × 16)", "(3)".
template <class Numbers>
std::string SizesText(const Numbers& numbers) {
  std::string text;
  for (const auto number : numbers) {
    text += fmt::format("{}{:.0f}", text.empty() ? "" : " × ", static_cast<double>(number));
  }
  return text;
}

// Seconds of all calls at the data sheet's peaks. REQUIRES (here and below): facts.has_roof().
double RoofOf(const MeasuredOp& facts) { return std::max(facts.compute_time, facts.memory_time); }
double RoofShare(const MeasuredOp& facts) { return RoofOf(facts) / facts.time; }
// FLOPs per byte; 0 if bytes are unknown.
double Intensity(const MeasuredOp& facts) {
  return facts.bytes > 0 ? facts.flops / facts.bytes : 0;
}
// FLOPs per byte above which an operator is compute-bound.
double Ridge(const MeasuredOp& facts) {
  return facts.compute_time > 0 ? Intensity(facts) * facts.memory_time / facts.compute_time : 0;
}

// The time that the device could achieve: the longest of compute time, memory time (both at the
// device's reach), and the shortest kernel time. Never more than the recorded time.
double TargetOf(const MeasuredOp& facts) {
  const double compute = facts.compute_time / facts.reach;
  const double memory = facts.memory_time / BandwidthReach();
  return std::min(facts.time, std::max({compute, memory, facts.least_time * facts.kernels}));
}

// At least twice its target, and three times the shortest kernel time: start-up dominates below it.
bool IsSlow(const MeasuredOp& facts, double target) {
  const double each = facts.time / static_cast<double>(facts.calls);
  return each >= knowledge::kTraitsLeastTimes * facts.least_time &&
         facts.time >= knowledge::kTraitsSlow * target;
}

// Whether more than half of the multiprocessors get no tile.
bool HasFewTiles(const MeasuredOp& facts, const OpTiles& tiles) {
  return tiles.tiles > 0 && facts.multiprocessors > 0 &&
         tiles.tiles < knowledge::kTraitsFewTiles * static_cast<double>(facts.multiprocessors);
}

std::string FewTilesText(const MeasuredOp& facts, const OpTiles& tiles) {
  const double busy = tiles.tiles / facts.multiprocessors;
  const bool has_sizes = facts.shape.product.known();
  return fmt::format(
      "{}is cut into {} {} for {} {{{{ device.core }}}}s, so that {} of them have none",
      has_sizes ? ProductText(facts.shape.product) + " " : "", Whole(tiles.tiles),
      tiles.tile_use < 0 ? (tiles.tiles > 1 ? "blocks" : "block")
                         : (tiles.tiles > 1 ? "tiles" : "tile"),
      Whole(facts.multiprocessors), FormatShare(1 - busy));
}

// Whether partial waves and padding leave less than three quarters of the device's work useful, and
// explain half of the gap to the roofline. Logarithms, since factors of several causes multiply.
bool HasPartialTiles(const MeasuredOp& facts, const OpTiles& tiles) {
  if (tiles.wave_use < 0 || tiles.tile_use < 0 || !facts.is_compute_bound()) return false;
  const double used = tiles.wave_use * tiles.tile_use;
  return used < knowledge::kTraitsUnevenTiles &&
         -std::log(used) >= knowledge::kTraitsExplainedShare * -std::log(RoofShare(facts));
}

// For 12 tiles on 8 multiprocessors: "the last of 2 waves is 50 % full".
std::string PartialTilesText(const MeasuredOp& facts, const OpTiles& tiles) {
  const double waves = std::ceil(tiles.tiles / facts.multiprocessors);
  const double last = tiles.tiles / facts.multiprocessors - (waves - 1);
  return fmt::format(
      "{} is cut into {} tiles for {} {{{{ device.core }}}}s: the last of {} {} is {} full, and {} "
      "of the tiles is padding",
      ProductText(facts.shape.product), Whole(tiles.tiles), Whole(facts.multiprocessors),
      Whole(waves), waves == 1 ? "wave" : "waves", FormatShare(last),
      FormatShare(1 - tiles.tile_use));
}

// One size is at most 64, and it is memory-bound with less than half of the bandwidth.
bool IsSkinny(const MeasuredOp& facts) {
  const flops::ProductSizes& sizes = facts.shape.product;
  return !facts.is_compute_bound() &&
         knowledge::kTraitsSkinny >= std::llround(std::min({sizes.m, sizes.n, sizes.k})) &&
         facts.memory_time / facts.time < knowledge::kTraitsSkinnyBandwidth;
}

std::string SkinnyText(const MeasuredOp& facts) {
  return fmt::format(
      "{} has {} FLOPs per byte (compute-bound from {}) and uses {} of the memory bandwidth",
      ProductText(facts.shape.product), FormatNumber(Intensity(facts)), Whole(Ridge(facts)),
      FormatShare(facts.memory_time / facts.time));
}

std::string UnalignedText(const MeasuredOp& facts) {
  return fmt::format("has {} = {}, which is no multiple of 16 bytes: the next is {}",
                     facts.misaligned->dimension, FormatCount(facts.misaligned->size),
                     FormatCount(facts.misaligned->aligned));
}

std::string ShortAttentionText(const MeasuredOp& facts) {
  const flops::AttentionSizes& sizes = facts.shape.attention;
  const std::string lengths =
      sizes.queries == sizes.keys
          ? fmt::format("has sequences of {}", Whole(sizes.queries))
          : fmt::format("has {} {} for {} keys", Whole(sizes.queries),
                        sizes.queries == 1 ? "query" : "queries", Whole(sizes.keys));
  return fmt::format(
      "{}: {} FLOPs per byte (compute-bound from {}), and uses {} of the memory bandwidth", lengths,
      FormatNumber(Intensity(facts)), Whole(Ridge(facts)),
      FormatShare(facts.memory_time / facts.time));
}

// The share of the work that is padding of heads; 0 if the kernel's sizes are unknown.
double PaddingOfHeads(const flops::AttentionSizes& sizes, std::int64_t padded) {
  return padded > 0 ? 1 - (sizes.head + sizes.value_head) / (2 * static_cast<double>(padded)) : 0;
}

// Sets the first cause that applies to slow attention: short sequences, padded or large heads;
// without a visible cause kSlowAttention.
void SetAttentionTrait(const MeasuredOp& facts, OpVerdict& verdict) {
  const flops::AttentionSizes& sizes = facts.shape.attention;
  const std::int64_t head = std::llround(std::max(sizes.head, sizes.value_head));
  const std::int64_t padded = classify::PaddedHead(facts.kernel.name, head).value_or(0);
  const double lost = PaddingOfHeads(sizes, padded);
  const std::string of_peak = FormatShare(facts.compute_time / facts.time);
  if (!facts.is_compute_bound()) {
    verdict.trait = Trait::kShortAttention;
    verdict.text = ShortAttentionText(facts);
  } else if (lost >= knowledge::kTraitsHeadPadding.value()) {
    verdict.trait = Trait::kPaddedHeads;
    verdict.text = fmt::format("has heads of {} that are computed as {}: {} of the work is padding",
                               head, padded, FormatShare(lost));
  } else if (knowledge::kTraitsLargeHead < head) {
    verdict.trait = Trait::kLargeHeads;
    verdict.text =
        fmt::format("has heads of {}, which leave the kernel little room for tiles: {} of the peak",
                    head, of_peak);
  } else {
    verdict.trait = Trait::kSlowAttention;
    verdict.text = fmt::format("computes {} queries by {} keys at {} of the peak",
                               Whole(sizes.queries), Whole(sizes.keys), of_peak);
  }
}

// Whether a stride or dilation in any direction exceeds the limit.
bool AnyOver(const std::vector<double>& numbers, double limit) {
  return std::any_of(numbers.begin(), numbers.end(), [&](double x) { return x > limit; });
}

// Special properties of a convolution, the most special first.
std::vector<std::string> FormsOf(const MeasuredOp& facts) {
  const flops::ConvolutionSizes& of = facts.shape.convolution;
  std::vector<std::string> forms;
  if (of.groups > 1 && of.channels == 1) {
    forms.push_back("depthwise");
  } else if (of.groups > 1) {
    forms.push_back(fmt::format("grouped ({} groups)", Whole(of.groups)));
  }
  if (of.transposed) forms.push_back("transposed");
  if (AnyOver(of.dilation, 1)) forms.push_back(fmt::format("dilated ({})", SizesText(of.dilation)));
  const double loaded = of.channels * facts.element_bytes;
  if (of.groups <= 1 && loaded > 0 &&
      loaded < static_cast<double>(knowledge::kTraitsFewChannels.value())) {
    forms.push_back(fmt::format("with {} input {} ({} of the {} bytes of a load)",
                                Whole(of.channels), of.channels == 1 ? "channel" : "channels",
                                Whole(loaded), knowledge::kTraitsFewChannels.value()));
  }
  if (of.rows > 0 && knowledge::kTraitsFewRows > std::llround(of.rows)) {
    forms.push_back(fmt::format("of few rows ({} places of the result)", Whole(of.rows)));
  }
  const bool is_point =
      std::all_of(of.filter.begin(), of.filter.end(), [](auto size) { return size == 1; });
  const bool is_square = std::all_of(of.filter.begin(), of.filter.end(),
                                     [&](auto size) { return size == of.filter.front(); });
  if (is_point) forms.push_back("pointwise (1 × 1)");
  if (!is_square) forms.push_back(fmt::format("not square ({})", SizesText(of.filter)));
  if (AnyOver(of.stride, 1)) forms.push_back(fmt::format("strided ({})", SizesText(of.stride)));
  if (forms.empty()) forms.push_back(fmt::format("plain ({})", SizesText(of.filter)));
  return forms;
}

std::string FormText(const MeasuredOp& facts) {
  return fmt::format("{}", fmt::join(FormsOf(facts), ", "));
}

// Whole numbers, and all from 100 on, have no decimals; others have one, or three below 0.1.
std::string TokensPerExpert(const flops::ExpertSizes& sizes) {
  const double tokens = sizes.rows / sizes.experts;
  const bool is_whole = tokens == std::floor(tokens) || tokens >= 100;
  const std::string number = is_whole ? Whole(tokens) : FormatNumber(tokens, tokens < 0.1 ? 3 : 1);
  return fmt::format("{} {} per expert", number, tokens == 1 ? "token" : "tokens");
}

// Text for experts, slow or not: their roofline is hard to interpret without the number of tokens.
// A rate above the roofline is impossible, and shows that an input is wrong.
std::string ExpertsText(const MeasuredOp& facts) {
  const flops::ExpertSizes& sizes = facts.shape.experts;
  std::string text =
      fmt::format("has {} experts and {}", Whole(sizes.experts), TokensPerExpert(sizes));
  if (!facts.has_roof()) return text;
  if (RoofShare(facts) > knowledge::kTraitsAboveRoof.value()) {
    return text + fmt::format(
                      ", and takes less time than its weights need ({} of {} experts, if "
                      "tokens spread evenly): shapes, times or the device are wrong",
                      Whole(sizes.read), Whole(sizes.experts));
  }
  if (facts.is_compute_bound()) {
    return text + fmt::format(": bound by arithmetic, {} of the peak",
                              FormatShare(facts.compute_time / facts.time));
  }
  return text + fmt::format(
                    ": if tokens spread evenly, the weights of {} experts ({}) are read for "
                    "{} rows of tokens",
                    Whole(sizes.read), FormatBytes(sizes.read * sizes.weight_bytes),
                    Whole(sizes.rows));
}

std::string SingleExpertText(const MeasuredOp& facts) {
  return fmt::format(
      "{} is one of {} matmuls of experts that run one by one, with {} rows of tokens",
      ProductText(facts.shape.product), facts.single_experts, Whole(facts.shape.product.m));
}

// Whether each call moves at least 4 MiB, at less than half of the bandwidth.
bool IsSlowElementwise(const MeasuredOp& facts) {
  return facts.bytes / static_cast<double>(facts.calls) >=
             static_cast<double>(knowledge::kTraitsLargeMove.value()) &&
         facts.memory_time / facts.time < knowledge::kTraitsSkinnyBandwidth;
}

std::string ElementwiseText(const MeasuredOp& facts) {
  return fmt::format("moves {} at {}, {} of the memory's bandwidth",
                     FormatBytes(facts.bytes / static_cast<double>(facts.calls)),
                     FormatValue(facts.bytes / facts.time, Unit::kBandwidth),
                     FormatShare(facts.memory_time / facts.time));
}

// Sets the first trait that applies: few tiles, partial tiles, unaligned loads, a skinny matmul. If
// the number of multiprocessors is unknown, so is the trait.
void SetProductTrait(const MeasuredOp& facts, OpVerdict& verdict) {
  if (verdict.tiles.tiles > 0 && facts.multiprocessors <= 0) {
    verdict.trait = Trait::kUnknown;
  } else if (HasFewTiles(facts, verdict.tiles)) {
    verdict.trait = Trait::kFewTiles;
    verdict.text = FewTilesText(facts, verdict.tiles);
  } else if (HasPartialTiles(facts, verdict.tiles)) {
    verdict.trait = Trait::kPartialTiles;
    verdict.text = PartialTilesText(facts, verdict.tiles);
  } else if (facts.shape.kind == flops::OpKind::kProduct && facts.misaligned) {
    verdict.trait = Trait::kUnalignedLoads;
    verdict.text = UnalignedText(facts);
  } else if (facts.shape.kind == flops::OpKind::kProduct && IsSkinny(facts)) {
    verdict.trait = Trait::kSkinny;
    verdict.text = SkinnyText(facts);
  }
}

// REQUIRES: the operator is slow.
void SetTrait(const MeasuredOp& facts, OpVerdict& verdict) {
  switch (facts.shape.kind) {
    case flops::OpKind::kProduct:
      return SetProductTrait(facts, verdict);
    case flops::OpKind::kConvolution:
      SetProductTrait(facts, verdict);
      if (verdict.trait != Trait::kNone) return;
      verdict.trait = Trait::kSlowConvolution;
      verdict.text = fmt::format("is a convolution that is {} and runs at {} of its roof",
                                 verdict.form, FormatShare(RoofShare(facts)));
      return;
    case flops::OpKind::kAttention:
      if (HasFewTiles(facts, verdict.tiles)) return SetProductTrait(facts, verdict);
      return SetAttentionTrait(facts, verdict);
    case flops::OpKind::kElementwise:
      if (!IsSlowElementwise(facts)) return;
      verdict.trait = Trait::kSlowElementwise;
      verdict.text = ElementwiseText(facts);
      return;
    case flops::OpKind::kExperts:
    case flops::OpKind::kReduction:
    case flops::OpKind::kOther:
      return;
  }
}

}  // namespace

std::string_view TraitName(Trait trait) {
  constexpr std::string_view kNames[] = {"",
                                         "none",
                                         "experts",
                                         "few tiles",
                                         "partial tiles",
                                         "unaligned loads",
                                         "skinny",
                                         "short attention",
                                         "padded heads",
                                         "large heads",
                                         "slow attention",
                                         "slow convolution",
                                         "slow elementwise"};
  return kNames[static_cast<std::size_t>(trait)];
}

// Judges experts first, then slow operators by kind. Without a roofline no operator is slow, but
// experts are still recognized.
OpVerdict JudgeOp(const MeasuredOp& facts) {
  OpVerdict verdict;
  verdict.tiles = TilesOf(facts.shape.product, facts.kernel, facts.multiprocessors);
  if (facts.shape.kind == flops::OpKind::kConvolution) verdict.form = FormText(facts);
  if (facts.has_roof()) {
    verdict.target = TargetOf(facts);
    verdict.trait = Trait::kNone;
  }
  if (facts.shape.kind == flops::OpKind::kExperts) {
    verdict.trait = Trait::kExperts;
    verdict.text = ExpertsText(facts);
  } else if (facts.single_experts > 0) {
    verdict.trait = Trait::kExperts;
    verdict.text = SingleExpertText(facts);
  } else if (facts.has_roof() && IsSlow(facts, verdict.target)) {
    SetTrait(facts, verdict);
  }
  return verdict;
}

}  // namespace profgauge::analysis::device
