// SPDX-License-Identifier: Apache-2.0
//
// What CPU-side events are, told by their names: calls that wait, allocate, load or launch, torch's
// compiler, data loaders, optimizer steps.
//
//   event_roles("cudaFree");   // kAllocator | kFreeing
//
// Names are few and events many: a RuleContext asks once for each distinct name. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace tracebook {

/// Bits of `event_roles`.
enum Role : std::uint16_t {
  kWait = 1,             ///< cuda…Synchronize, and hip's
  kAllocator = 2,        ///< cudaMalloc, cudaFree, cuMemCreate …
  kFreeing = 4,          ///< of these, what waits for the GPU
  kLoadingCall = 8,      ///< cuModuleLoad…, cuLibraryLoad…
  kLoadingRecord = 16,   ///< "Lazy Function Loading" …
  kCompiler = 32,        ///< torch.compile at work
  kDataLoader = 64,      ///< enumerate(DataLoader)#…
  kLaunch = 128,         ///< starts kernels
  kGraphLaunch = 256,    ///< replays a CUDA graph
  kOptimizerStep = 512,  ///< Optimizer.step#…
  kCopyForLayout =
      1024,  ///< aten::contiguous, clone, reshape: ops that make a copy in another order
};

std::uint16_t event_roles(std::string_view name);

}  // namespace tracebook
