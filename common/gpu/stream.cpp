// SPDX-License-Identifier: Apache-2.0
#include "common/gpu/stream.h"

#include "common/gpu/status.h"

namespace tracebook {
namespace {

constinit thread_local cudaStream_t stream_of_thread = nullptr;

}  // namespace

Stream::Stream() { TB_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
Stream::~Stream() { cudaStreamDestroy(stream_); }
void Stream::synchronize() const { TB_CUDA(cudaStreamSynchronize(stream_)); }

cudaStream_t current_stream() { return stream_of_thread; }

StreamGuard::StreamGuard(const Stream& stream)
    : previous_(std::exchange(stream_of_thread, stream.get())) {}
StreamGuard::~StreamGuard() { stream_of_thread = previous_; }

Event::Event() { TB_CUDA(cudaEventCreate(&event_)); }
Event::~Event() { cudaEventDestroy(event_); }
void Event::record() { TB_CUDA(cudaEventRecord(event_, current_stream())); }
void Event::synchronize() const { TB_CUDA(cudaEventSynchronize(event_)); }

float Event::milliseconds_since(const Event& earlier) const {
  earlier.synchronize();
  synchronize();
  float milliseconds = 0;
  TB_CUDA(cudaEventElapsedTime(&milliseconds, earlier.event_, event_));
  return milliseconds;
}

}  // namespace tracebook
