// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's activity API as the profiler uses it: on, off, and what it recorded. Its header needs no
// cupti.h. CUPTI's callbacks carry no user data, so there is one session in a process.
//
//   CuptiSession& cupti = CuptiSession::instance();
//   cupti.enable(options);                // records flow into prepared buffers
//   cupti.disable();
//   ActivityRecords records = cupti.collect();
//
// Call it from one thread. An error inside a callback is kept and thrown by collect().
#pragma once

#include "common/profiler/activity.h"
#include "common/profiler/profiler.h"
#include "common/profiler/record_function.h"

namespace tracebook {

class CuptiSession {
 public:
  static CuptiSession& instance();

  /// Makes a CUDA context if there is none, then turns the records on. CannotJudge if profiling is
  /// not permitted; InputError for anything else that CUPTI refuses, with everything off again.
  void enable(const BufferOptions& buffers, OpLinks links, bool cuda_sync);
  /// Turns them off. What was recorded stays.
  void disable();
  /// Flushes and decodes. Throws the first error of a callback.
  ActivityRecords collect();
  /// Flushes and forgets.
  void discard() noexcept;

  /// What tells CUPTI of ranges (OpLinks::kByCupti).
  static CorrelationHooks correlation_hooks();
  /// Buffers since the last enable().
  [[nodiscard]] BufferStats buffer_stats() const;
  /// 130001; 0 if CUPTI does not say.
  static std::int64_t version();

 private:
  CuptiSession() = default;
};

}  // namespace tracebook
