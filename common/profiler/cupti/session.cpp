// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/cupti/session.h"

#include <cuda_runtime_api.h>
#include <cupti.h>

#include <array>
#include <exception>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "common/profiler/clock.h"
#include "common/profiler/cupti/buffer_pool.h"
#include "common/profiler/cupti/check.h"
#include "common/profiler/cupti/decode.h"
#include "common/profiler/cupti/records.h"
#include "common/trace/error.h"

#define TB_CUPTI(call) check_cupti(call, #call)

namespace tracebook {
namespace {

/// What the callbacks share. Never destroyed: CUPTI may call until the process is gone.
struct State {
  BufferPool pool;
  std::mutex mutex;
  std::exception_ptr first_error;
  std::int64_t dropped = 0;
  bool callbacks_registered = false;
  bool enabled = false;
  OpLinks links = OpLinks::kByTime;
  bool cuda_sync = false;
};

State& state() {
  static auto* instance = new State;
  return *instance;
}

void keep_error() noexcept {
  State& all = state();
  const std::scoped_lock lock(all.mutex);
  if (all.first_error == nullptr) all.first_error = std::current_exception();
}

std::uint64_t CUPTIAPI timestamp() { return static_cast<std::uint64_t>(clock_now_ns()); }

void CUPTIAPI buffer_requested(std::uint8_t** buffer, std::size_t* size,
                               std::size_t* max_records) noexcept {
  *buffer = nullptr;
  *size = 0;
  *max_records = 0;  // as many as fit
  try {
    *buffer = state().pool.take();
    *size = state().pool.buffer_bytes();
  } catch (...) {
    keep_error();  // CUPTI drops records that have no buffer, and counts them
  }
}

void CUPTIAPI buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                               std::size_t /*size*/, std::size_t valid_size) noexcept {
  try {
    if (buffer != nullptr) state().pool.complete(buffer, valid_size);
    std::size_t dropped = 0;
    if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS) {
      const std::scoped_lock lock(state().mutex);
      state().dropped += static_cast<std::int64_t>(dropped);
    }
  } catch (...) {
    keep_error();
  }
}

template <class Value>
void set_attribute(CUpti_ActivityAttribute attribute, Value value, const char* name) {
  std::size_t size = sizeof(value);
  check_cupti(cuptiActivitySetAttribute(attribute, &size, &value), name);
}

void set_kind(CUpti_ActivityKind kind, bool on, const char* name) {
  const std::string call =
      std::string(on ? "cuptiActivityEnable(" : "cuptiActivityDisable(") + name + ")";
  check_cupti(on ? cuptiActivityEnable(kind) : cuptiActivityDisable(kind), call.c_str());
}

/// Switches single calls off within a kind that is on, so that those not wanted cost nothing. (The
/// other way round, switching on a few of a kind that is off, records nothing with CUPTI 13.0.1.)
/// A call that this driver does not know is refused; it cannot be made either, and the decoder
/// looks at each record again.
void set_api_calls(bool on) {
  set_kind(CUPTI_ACTIVITY_KIND_RUNTIME, on, "RUNTIME");
  set_kind(CUPTI_ACTIVITY_KIND_DRIVER, on, "DRIVER");
#if TRACEBOOK_CUPTI_SELECTS_CALLS
  if (!on) return;
  static const std::vector<std::uint32_t> kRuntime = ApiTable().unwanted_runtime_calls();
  static const std::vector<std::uint32_t> kDriver = ApiTable().unwanted_driver_calls();
  for (const std::uint32_t cbid : kRuntime) cuptiActivityEnableRuntimeApi(cbid, 0);
  for (const std::uint32_t cbid : kDriver) cuptiActivityEnableDriverApi(cbid, 0);
#endif
}

void set_all_kinds(bool on) {
  struct Kind {
    CUpti_ActivityKind kind;
    const char* name;
  };
  constexpr std::array kKinds = {
      Kind{CUPTI_ACTIVITY_KIND_OVERHEAD, "OVERHEAD"},
      Kind{CUPTI_ACTIVITY_KIND_MEMCPY, "MEMCPY"},
      Kind{CUPTI_ACTIVITY_KIND_MEMCPY2, "MEMCPY2"},
      Kind{CUPTI_ACTIVITY_KIND_MEMSET, "MEMSET"},
      Kind{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "CONCURRENT_KERNEL"},
  };
  for (const Kind& kind : kKinds) set_kind(kind.kind, on, kind.name);
  if (state().links == OpLinks::kByCupti) {
    set_kind(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, on, "EXTERNAL_CORRELATION");
  }
  if (state().cuda_sync) set_kind(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, on, "SYNCHRONIZATION");
  set_api_calls(on);
}

void push_range(RangeKind kind, std::uint64_t id) noexcept {
  cuptiActivityPushExternalCorrelationId(kind == RangeKind::kCpuOp
                                             ? CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0
                                             : CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1,
                                         id);
}

void pop_range(RangeKind kind) noexcept {
  std::uint64_t id = 0;
  cuptiActivityPopExternalCorrelationId(kind == RangeKind::kCpuOp
                                            ? CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0
                                            : CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1,
                                        &id);
}

}  // namespace

CUptiResult cupti_use_our_clock() {
  static std::mutex mutex;
  static bool done = false;
  const std::scoped_lock lock(mutex);
  if (done) return CUPTI_SUCCESS;
  start_clock();
  CUptiResult status = cuptiActivityRegisterTimestampCallback(timestamp);
  if (status == CUPTI_SUCCESS) status = cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  done = status == CUPTI_SUCCESS;
  return status;
}

CuptiSession& CuptiSession::instance() {
  static CuptiSession session;
  return session;
}

void CuptiSession::enable(const BufferOptions& buffers, OpLinks links, bool cuda_sync) {
  State& all = state();
  all.pool.prepare(buffers);
  all.pool.reset_stats();
  check_cupti(cupti_use_our_clock(), "cuptiActivityRegisterTimestampCallback");
  const cudaError_t context = cudaFree(nullptr);  // CUPTI is configured per context
  if (context != cudaSuccess) {
    throw InputError(std::string("no CUDA context can be made: ") + cudaGetErrorString(context));
  }
  if (buffers.device_bytes != 0) {
    set_attribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, buffers.device_bytes,
                  "cuptiActivitySetAttribute(DEVICE_BUFFER_SIZE)");
  }
  set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER,
                static_cast<std::uint8_t>(buffers.mode == BufferMode::kZeroed ? 1 : 0),
                "cuptiActivitySetAttribute(ZEROED_OUT_ACTIVITY_BUFFER)");
  if (!all.callbacks_registered) {
    TB_CUPTI(cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed));
    all.callbacks_registered = true;
  }
  all.links = links;
  all.cuda_sync = cuda_sync;
  {
    const std::scoped_lock lock(all.mutex);
    all.dropped = 0;
    all.first_error = nullptr;
  }
  all.enabled = true;
  try {
    set_all_kinds(true);
  } catch (...) {
    try {
      disable();
    } catch (const Error&) {  // the first refusal says more
    }
    throw;
  }
}

void CuptiSession::disable() {
  if (!std::exchange(state().enabled, false)) return;
  set_all_kinds(false);
}

ActivityRecords CuptiSession::collect() {
  State& all = state();
  TB_CUPTI(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  ActivityRecords records;
  ActivityDecoder decoder;
  all.pool.for_each_completed(
      [&](std::span<const std::uint8_t> buffer) { decoder.decode(buffer, records); });
  const std::scoped_lock lock(all.mutex);
  records.dropped = all.dropped;
  if (all.first_error != nullptr) std::rethrow_exception(std::exchange(all.first_error, nullptr));
  return records;
}

void CuptiSession::discard() noexcept {
  try {
    disable();
    if (state().callbacks_registered) cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    state().pool.for_each_completed([](std::span<const std::uint8_t>) {});
  } catch (...) {  // nothing is wanted from it any more
    keep_error();
  }
}

CorrelationHooks CuptiSession::correlation_hooks() {
  return {.push = push_range, .pop = pop_range};
}

BufferStats CuptiSession::buffer_stats() const { return state().pool.stats(); }

std::int64_t CuptiSession::version() {
  std::uint32_t version = 0;
  return cuptiGetVersion(&version) == CUPTI_SUCCESS ? version : 0;
}

}  // namespace tracebook
