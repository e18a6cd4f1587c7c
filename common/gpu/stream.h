// SPDX-License-Identifier: Apache-2.0
//
// Streams and events that free themselves, and the stream that ops go to.
//
//   Event before, after;
//   before.record();
//   Tensor y = matmul(x, w);
//   after.record();
//   after.milliseconds_since(before);
//
// Ops use the current stream of their thread. By default that is the legacy default stream, as in
// PyTorch, which CUPTI numbers 7.
#pragma once

#include <cuda_runtime_api.h>

#include <utility>

namespace tracebook {

/// A stream of its own, which does not wait for the default stream.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  Stream(Stream&&) = delete;
  Stream& operator=(Stream&&) = delete;

  [[nodiscard]] cudaStream_t get() const { return stream_; }
  /// Waits until all its work is done.
  void synchronize() const;

 private:
  cudaStream_t stream_ = nullptr;
};

/// Where this thread's ops go.
cudaStream_t current_stream();

/// Sends this thread's ops to `stream` until the end of the scope.
class StreamGuard {
 public:
  explicit StreamGuard(const Stream& stream);
  ~StreamGuard();
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;
  StreamGuard(StreamGuard&&) = delete;
  StreamGuard& operator=(StreamGuard&&) = delete;

 private:
  cudaStream_t previous_;
};

/// A moment on a stream, timed by the GPU.
class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  Event(Event&&) = delete;
  Event& operator=(Event&&) = delete;

  /// When the work is done that the current stream has so far.
  void record();
  void synchronize() const;
  /// Waits for both. Resolution about half a microsecond.
  [[nodiscard]] float milliseconds_since(const Event& earlier) const;
  [[nodiscard]] cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace tracebook
