// Colours and words of the page, with fixed meaning: the Okabe-Ito palette for where time goes, and
// a sign and a word for each status, so that colour is never alone.
#pragma once

#include <array>
#include <string_view>

#include "render/svg/svg.h"

namespace profgauge::render::html {

/// A part of an iteration, in the order of the exclusive breakdown.
struct Category {
  std::string_view id;  ///< "memcpy": metric breakdown.memcpy, column memcpy of `iterations`.
  std::string_view label;
  Paint paint;
  std::string_view meaning;
};

inline constexpr std::array<Category, 9> kCategories = {{
    {"tensor_core_kernel",
     "Kernels on Tensor Cores",
     {"k-tc", "#009E73", "#000"},
     "a kernel that uses Tensor Cores runs"},
    {"other_kernel", "Other kernels", {"k-kn", "#56B4E9", "#000"}, "another kernel runs"},
    {"memcpy", "Memory copies", {"k-cp", "#0072B2", "#fff"}, "only copies run on the GPU"},
    {"memset", "Memory sets", {"k-ms", "#5B5B5B", "#fff"}, "only memory sets run on the GPU"},
    {"communication",
     "Exposed communication",
     {"k-co", "#CC79A7", "#000"},
     "only collectives run: nothing hides them"},
    {"runtime",
     "Runtime calls",
     {"k-rt", "#E69F00", "#000"},
     "the GPU idles while the host is inside runtime calls"},
    {"dataloader",
     "Data loader",
     {"k-dl", "#D55E00", "#000"},
     "the GPU idles while the host waits for data"},
    {"cpu",
     "Other host work",
     {"k-hc", "#F0E442", "#000"},
     "the GPU idles while operators run on the host"},
    {"other",
     "Unattributed",
     {"k-ot", "#B3B3B3", "#000"},
     "nothing that was recorded explains the time"},
}};

inline constexpr Paint kIdlePaint = {"k-id", "#E3E3E3", "#000"};

struct StatusLook {
  std::string_view status, sign, word, name;  ///< `name` is the CSS class.
};
/// How a gate status, a finding's level or a verdict looks.
inline constexpr std::array<StatusLook, 17> kStatusLooks = {{
    {"pass", "✓", "pass", "good"},
    {"fail", "✗", "fail", "bad"},
    {"error", "✗", "error", "bad"},
    {"warn", "▲", "warning", "warn"},
    {"info", "ℹ", "info", "mute"},
    {"low_confidence", "▲", "low confidence", "warn"},
    {"missing", "?", "missing", "warn"},
    {"skipped", "–", "skipped", "mute"},
    {"not_applicable", "–", "not applicable", "mute"},
    {"no_verdict", "?", "no verdict", "warn"},
    {"not_judged", "–", "not judged", "mute"},
    {"waived", "–", "waived", "mute"},
    {"broken", "?", "broken rule", "warn"},
    {"data_loss", "✗", "data loss", "bad"},
    {"repaired", "▲", "repaired", "warn"},
    {"skipped_rows", "▲", "skipped", "warn"},
    {"", "•", "", "mute"},
}};

constexpr const StatusLook& LookOf(std::string_view status) {
  for (const StatusLook& look : kStatusLooks) {
    if (look.status == status) return look;
  }
  return kStatusLooks.back();
}

}  // namespace profgauge::render::html
