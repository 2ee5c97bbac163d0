#include <algorithm>
#include <iterator>

#include "readers/nvprof/import.h"

namespace profgauge::readers::nvprof {
namespace {

// Not all of CUPTI's calls are here. The others are "cbid#N" (UnknownCalls in host.cc).
struct Call {
  std::int64_t cbid;
  std::string_view name;
};

// By number. The variants for per-thread default streams (_ptds, _ptsz) have the plain name.
constexpr Call kRuntime[] = {
    {1, "cudaDriverGetVersion"},
    {2, "cudaRuntimeGetVersion"},
    {3, "cudaGetDeviceCount"},
    {4, "cudaGetDeviceProperties"},
    {10, "cudaGetLastError"},
    {11, "cudaPeekAtLastError"},
    {13, "cudaLaunch"},
    {16, "cudaSetDevice"},
    {17, "cudaGetDevice"},
    {20, "cudaMalloc"},
    {22, "cudaFree"},
    {31, "cudaMemcpy"},
    {32, "cudaMemcpy2D"},
    {33, "cudaMemcpyToArray"},
    {34, "cudaMemcpy2DToArray"},
    {35, "cudaMemcpyFromArray"},
    {36, "cudaMemcpy2DFromArray"},
    {37, "cudaMemcpyArrayToArray"},
    {38, "cudaMemcpy2DArrayToArray"},
    {39, "cudaMemcpyToSymbol"},
    {40, "cudaMemcpyFromSymbol"},
    {41, "cudaMemcpyAsync"},
    {42, "cudaMemcpyToArrayAsync"},
    {43, "cudaMemcpyFromArrayAsync"},
    {44, "cudaMemcpy2DAsync"},
    {45, "cudaMemcpy2DToArrayAsync"},
    {46, "cudaMemcpy2DFromArrayAsync"},
    {47, "cudaMemcpyToSymbolAsync"},
    {48, "cudaMemcpyFromSymbolAsync"},
    {49, "cudaMemset"},
    {50, "cudaMemset2D"},
    {51, "cudaMemsetAsync"},
    {52, "cudaMemset2DAsync"},
    {126, "cudaThreadSynchronize"},
    {131, "cudaStreamSynchronize"},
    {135, "cudaEventRecord"},
    {137, "cudaEventSynchronize"},
    {138, "cudaEventQuery"},
    {142, "cudaMemset3D"},
    {143, "cudaMemset3DAsync"},
    {144, "cudaMemcpy3D"},
    {145, "cudaMemcpy3DAsync"},
    {147, "cudaStreamWaitEvent"},
    {160, "cudaMemcpyPeer"},
    {161, "cudaMemcpyPeerAsync"},
    {162, "cudaMemcpy3DPeer"},
    {163, "cudaMemcpy3DPeerAsync"},
    {165, "cudaDeviceSynchronize"},
    {211, "cudaLaunchKernel"},
    {214, "cudaLaunchKernel"},
    {215, "cudaMemcpy"},
    {216, "cudaMemcpy2D"},
    {225, "cudaMemcpyAsync"},
    {228, "cudaMemcpy2DAsync"},
    {233, "cudaMemset"},
    {235, "cudaMemsetAsync"},
    {239, "cudaStreamSynchronize"},
    {247, "cudaStreamWaitEvent"},
    {251, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"},
    {269, "cudaLaunchCooperativeKernel"},
    {270, "cudaLaunchCooperativeKernel"},
    {272, "cudaLaunchCooperativeKernelMultiDevice"},
    {284, "cudaLaunchHostFunc"},
    {285, "cudaLaunchHostFunc"},
    {310, "cudaGraphInstantiate"},
    {311, "cudaGraphLaunch"},
    {312, "cudaGraphLaunch"},
    {317, "cudaStreamIsCapturing"},
    {430, "cudaLaunchKernelExC"},
    {431, "cudaLaunchKernelExC"},
};

constexpr Call kDriver[] = {
    {9, "cuDeviceGetAttribute"},
    {17, "cuCtxSynchronize"},
    {115, "cuLaunch"},
    {116, "cuLaunchGrid"},
    {117, "cuLaunchGridAsync"},
    {121, "cuEventSynchronize"},
    {126, "cuStreamSynchronize"},
    {216, "cuMemsetD8Async"},
    {218, "cuMemsetD16Async"},
    {220, "cuMemsetD32Async"},
    {249, "cuMemsetD8"},
    {250, "cuMemsetD16"},
    {251, "cuMemsetD32"},
    {276, "cuMemcpyHtoD"},
    {277, "cuMemcpyHtoDAsync"},
    {278, "cuMemcpyDtoH"},
    {279, "cuMemcpyDtoHAsync"},
    {280, "cuMemcpyDtoD"},
    {281, "cuMemcpyDtoDAsync"},
    {287, "cuMemcpy2D"},
    {289, "cuMemcpy2DAsync"},
    {290, "cuMemcpy3D"},
    {291, "cuMemcpy3DAsync"},
    {295, "cuStreamWaitEvent"},
    {304, "cuCtxGetCurrent"},
    {305, "cuMemcpy"},
    {306, "cuMemcpyAsync"},
    {307, "cuLaunchKernel"},
    {310, "cuPointerGetAttribute"},
    {318, "cuMemcpyPeer"},
    {319, "cuMemcpyPeerAsync"},
    {440, "cuStreamSynchronize"},
    {442, "cuLaunchKernel"},
    {477, "cuLaunchCooperativeKernel"},
    {514, "cuGraphLaunch"},
    {515, "cuGraphLaunch"},
    {652, "cuLaunchKernelEx"},
    {653, "cuLaunchKernelEx"},
};

template <std::size_t n>
std::string_view Find(const Call (&calls)[n], std::int64_t cbid) {
  const auto* found =
      std::lower_bound(std::begin(calls), std::end(calls), cbid,
                       [](const Call& call, std::int64_t number) { return call.cbid < number; });
  return found != std::end(calls) && found->cbid == cbid ? found->name : std::string_view{};
}

}  // namespace

std::string_view RuntimeCallName(std::int64_t cbid) { return Find(kRuntime, cbid); }
std::string_view DriverCallName(std::int64_t cbid) { return Find(kDriver, cbid); }

}  // namespace profgauge::readers::nvprof
