// Judges a profile with the library: prints the verdict and the mean utilization of the GPUs.
#include <profgauge/profgauge.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto recording = profgauge::Load({argv[1]}, {});
  if (!recording) {
    std::fprintf(stderr, "%s\n", recording.error().message.c_str());
    return 3;
  }
  const auto judged = profgauge::Evaluate(*recording, {});
  if (!judged) return 2;
  const auto page = profgauge::Render(*judged, profgauge::Format::kHtml);
  const auto utilization = judged->Metric("gpu.utilization.mean");
  std::printf("%s %zu %.3f %s\n", std::string(judged->status()).c_str(), recording->ranks(),
              utilization.value_or(-1), page && page->size() > 1000 ? "page" : "no page");
  return judged->exit_code();
}
