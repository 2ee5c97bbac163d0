#include "analysis/communication/exposed_communication.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/breakdown/host_waits.h"
#include "analysis/classify/device_spans.h"
#include "analysis/classify/kernel_class.h"
#include "analysis/communication/rank_parts.h"

namespace profgauge::analysis::communication {
namespace {

// Used if no GPU communicates: then gloo's ranges on the host are the communication.
void AddHostTimes(const iterations::RankContext& rank, std::span<const CollectiveCall> calls,
                  std::span<const classify::DeviceSpans> devices, RankTimes& times) {
  std::vector<Span> communication, compute;
  for (const CollectiveCall& call : calls) communication.push_back(call.time);
  communication = Clip(Merge(std::move(communication)), rank.window());
  for (const classify::DeviceSpans& device : devices) {
    compute.insert(compute.end(), device.compute.begin(), device.compute.end());
  }
  const std::vector<Span> open =
      Intersect(communication, breakdown::OpenHostCommunication(*rank.profile));
  times.communication = Length(communication);
  times.hidden = times.communication - Length(Subtract(open, Merge(std::move(compute))));
  if (devices.empty()) times.window = rank.window().length();
}

bool IsCompute(const iterations::RankContext& rank, std::uint32_t row) {
  return rank.profile->device.kind[row] == DeviceKind::kKernel && !rank.classes[row].collective;
}

}  // namespace

RankTimes MeasureRank(const iterations::RankContext& rank, std::span<const CollectiveCall> calls) {
  RankTimes times;
  const Span window = rank.window();
  const auto computes = [&rank](std::uint32_t row) { return IsCompute(rank, row); };
  for (const iterations::GpuUse& use : rank.gpus) {
    const DeviceTable& device = rank.profile->device;
    times.window += use.window;
    times.observed += use.observed;
    times.busy += use.busy;
    times.compute +=
        classify::TimeWithin(device, classify::RowsOfGpu(device, use.gpu), window, computes);
  }
  if (calls.empty()) return times;  // Most long profiles: the lists would be as long.
  const auto devices = OwnDeviceSpans(rank);
  if (calls.front().event == catalog::Output::kNoRow) AddHostTimes(rank, calls, devices, times);
  for (const classify::DeviceSpans& spans : devices) {
    const std::vector<Span> communication = Clip(spans.communication, window);
    times.communication += Length(communication);
    times.hidden += OverlapLength(communication, spans.compute);
  }
  return times;
}

}  // namespace profgauge::analysis::communication
