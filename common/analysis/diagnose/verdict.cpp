// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/diagnose/verdict.h"

#include <algorithm>
#include <array>

#include "common/analysis/diagnose/rule_support.h"

namespace tracebook {
namespace {

constexpr double kLeast = 0.4;   // of the window
constexpr double kAhead = 1.25;  // of the runner-up

struct Class {
  std::string_view verdict;
  std::string_view says;
  std::int64_t ns = 0;
};

/// Busy time by kind. Where pieces overlap, the union is shared out among them by their sums.
struct BusyTime {
  std::int64_t compute = 0;
  std::int64_t unknown = 0;  // kernels whose names tell nothing
  std::int64_t memory = 0;
  std::int64_t transfer = 0;
  // Of these, unlike the others not scaled:
  std::int64_t nccl = 0;
  std::int64_t peer_copies = 0;
};

BusyTime busy_time(const RuleContext& context) {
  BusyTime out;
  for (const SliceId id : context.work) {
    const std::int64_t start = std::max(context.trace.slices.ts_ns[id], context.window.start_ns);
    const std::int64_t end = std::min(context.end_ns(id), context.window.end_ns);
    const std::int64_t ns = end - start;
    const std::string_view name = context.trace.name(id);
    const Category category = context.trace.slices.category[id];
    const KernelKind kind = context.kernel(id).kind;
    const bool within_gpu = contains(name, "DtoD") || contains(name, "DeviceToDevice");
    if ((category == Category::kMemcpy && !within_gpu) || kind == KernelKind::kCommunication) {
      out.transfer += ns;
      if (kind == KernelKind::kCommunication) out.nccl += ns;
      if (contains(name, "PtoP") || contains(name, "PeerToPeer")) out.peer_copies += ns;
    } else if (category != Category::kKernel || is_memory_bound_kind(kind)) {
      out.memory += ns;
    } else if (kind == KernelKind::kUnknown) {
      out.unknown += ns;
    } else {
      out.compute += ns;
    }
  }
  if (context.work_ns > 0) {
    const double scale =
        static_cast<double>(context.busy_ns) / static_cast<double>(context.work_ns);
    for (std::int64_t* each : {&out.compute, &out.unknown, &out.memory, &out.transfer}) {
      *each = static_cast<std::int64_t>(static_cast<double>(*each) * scale);
    }
  }
  return out;
}

/// What moves data between GPUs, and what to try: X1 speaks of copies from and to the host.
std::string transfer_advice(const BusyTime& busy) {
  if (2 * (busy.nccl + busy.peer_copies) < busy.transfer) return {};
  std::string out = " The transfers are between GPUs:";
  if (busy.nccl > 0) out += " NCCL " + time_text(busy.nccl);
  if (busy.peer_copies > 0) {
    out += std::string(busy.nccl > 0 ? "," : "") + " peer copies " + time_text(busy.peer_copies);
  }
  out += ". Next: let them run beside the computing";
  if (busy.nccl > 0) {
    return out +
           " (DDP overlaps buckets with the backward pass: try bucket_cap_mb of 10, 25 and "
           "100), and send less: fewer all-reduces (no_sync() while gradients accumulate), "
           "bf16 gradients. NCCL's time includes waiting for the slowest GPU: compare it "
           "with another rank's trace.";
  }
  return out +
         " (a stream of their own, non_blocking=True), or keep the data on the GPU that "
         "uses it.";
}

/// Why the trace cannot say what held the GPU back; "" where it can.
std::string why_unknown(const RuleContext& context) {
  constexpr double kLostMuch = 0.1;  // of the window
  const Health& health = context.health;
  if (health.timed_events == 0) {
    return "The trace holds no work. " + std::string(why_nothing_was_recorded());
  }
  if (health.device_work == 0 && health.launches > 0) {
    return "The CPU launched " +
           count_text(health.launches, "kernel or graph", "kernels or graphs") +
           ", but the trace holds no device work: its records were lost, or another profiler held "
           "the GPU. Whether the GPU was idle cannot be told.";
  }
  if (health.device_work == 0) {
    return "The trace holds no device work and no launch of any: it was recorded without the GPU "
           "(activities without CUDA, or a CPU-only program), so it cannot say what held a GPU "
           "back.";
  }
  if (context.device < 0 || context.window_ns() <= 0) {
    return "None of the trace's device work has a time within the recorded steps: clocks disagree, "
           "or the records of the steps' work were lost.";
  }
  if (health.clocks_disagree()) {
    return "The clocks of CPU and GPU disagree: device work begins long before its launches, or "
           "seconds after them on a GPU with nothing else to do. When the GPU was idle cannot be "
           "told.";
  }
  if (const std::int64_t waited = total_ns(health.unseen); context.share(waited) >= kLostMuch) {
    return "The CPU waits " + time_text(waited) +
           " for a GPU that shows no work then: records of its work are missing (or another "
           "process held the GPU). What held it back cannot be told.";
  }
  const std::int64_t unseen = context.idle_ns(IdleCause::kNoCpu);
  if (context.share(unseen) >= kLeast) {
    return "The GPU is idle for " + of_window(context, unseen) +
           ", and the trace holds no CPU events that could tell why.";
  }
  const std::int64_t lost = context.idle_ns(IdleCause::kLost);
  if (context.share(lost) < kLostMuch) return "";
  const auto launches = static_cast<std::int64_t>(health.lost_launches.size());
  return "Device records of " + std::to_string(launches) + " of " +
         count_text(health.launches, "launch", "launches") +
         " were lost or have no possible time. The GPU shows no work for " +
         of_window(context, lost) +
         " after these launches, but may have been busy: what held it back cannot be told.";
}

}  // namespace

std::pair<std::string, std::string> judge(const RuleContext& context) {
  if (std::string why = why_unknown(context); !why.empty()) return {"unknown", std::move(why)};
  const BusyTime busy = busy_time(context);
  std::int64_t overhead = 0;
  for (const IdleCause cause : {IdleCause::kLaunch, IdleCause::kGraph, IdleCause::kSwarm,
                                IdleCause::kLeadIn, IdleCause::kFirstStep, IdleCause::kLoading,
                                IdleCause::kProfiler, IdleCause::kAllocator, IdleCause::kCompile}) {
    overhead += context.idle_ns(cause);
  }
  std::array<Class, 7> classes{{
      {"overhead-bound", "waiting for launches, loading, allocation or compiling", overhead},
      {"compute-bound", "in products, convolutions and attention", busy.compute},
      {"unknown", "in kernels whose names do not tell what they do", busy.unknown},
      {"memory-bound", "in elementwise work, reductions and copies on the GPU", busy.memory},
      {"transfer-bound", "in or around transfers",
       busy.transfer + context.idle_ns(IdleCause::kPageable)},
      {"input-bound", "waiting for input or host code", context.idle_ns(IdleCause::kInput)},
      {"sync-bound", "idle because the CPU waited", context.idle_ns(IdleCause::kSync)},
  }};
  std::ranges::stable_sort(classes, std::greater{}, &Class::ns);
  std::string verdict(classes[0].verdict);
  const double first = context.share(classes[0].ns);
  if (first < kLeast || first < kAhead * context.share(classes[1].ns)) verdict = "mixed";
  std::string says = "Of the window's " + time_text(context.window_ns()) + " the GPU is busy " +
                     time_text(context.busy_ns) + " (" +
                     percent_text(context.share(context.busy_ns)) + "). Its time goes:";
  bool more = false;
  for (const Class& each : classes) {
    if (context.share(each.ns) < 0.005) continue;
    says +=
        (more ? ", " : " ") + percent_text(context.share(each.ns)) + " " + std::string(each.says);
    more = true;
  }
  if (const std::int64_t lost = context.idle_ns(IdleCause::kLost); lost > 0) {
    says += "; another " + time_text(lost) +
            " follow launches or lie in waits whose device records were lost, and are left out";
  }
  says += ". The CPU works " + time_text(context.cpu_work_ns) + ", waiting for the GPU left out.";
  if (verdict == "transfer-bound") says += transfer_advice(busy);
  return {verdict, says};
}

}  // namespace tracebook
