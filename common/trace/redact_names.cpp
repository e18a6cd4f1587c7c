// SPDX-License-Identifier: Apache-2.0
#include "common/trace/redact_names.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <utility>

#include "common/trace/json_text.h"

namespace tracebook {
namespace {

using Forms = std::span<const std::string_view>;

/// Longer names are somebody's text, whatever they look like (kernels apart).
constexpr std::size_t kLongestName = 300;

bool is_word_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_of_class(char wanted, char c) {
  switch (wanted) {
    case 'd':
      return is_digit(c);
    case 'h':  // base 32, as the compiler's hashes
      return is_digit(c) || (c >= 'a' && c <= 'z');
    case 'w':
      return is_word_character(c);
    case 'q':
      return is_word_character(c) || c == '.' || c == '<' || c == '>';
    default:
      return is_word_character(c) || c == '.' || c == ':';
  }
}

/// A graph's name that is too short for a hash is somebody's word.
bool is_word_for_graph(std::string_view text) {
  constexpr std::size_t kHashed = 60;  // "## Call CompiledFxGraph f… ##" with half of 52 digits
  return text.starts_with("## Call CompiledFxGraph ") && text.size() < kHashed;
}

bool is_one_of(Forms forms, std::string_view text) {
  if (is_word_for_graph(text)) return false;
  return text.size() <= kLongestName && std::ranges::any_of(forms, [text](std::string_view form) {
           return is_of_form(form, text);
         });
}

/// What torch itself opens as ranges, and profilers as steps.
constexpr std::string_view kRanges[] = {
    "ProfilerStep#%d", "ProfilerStep*", "aten::%q", "DistributedDataParallel.forward",
    "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
    "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "Torch-Compiled Region",
    "Torch-Compiled Region: %d/%d", "Torch-Compiled Region: %d/%d_%d",
    "## Call CompiledFxGraph f%h ##", "TorchDynamo Cache Lookup",
    "AOTDispatcher Runtime Wrapper Prologue", "Pregraph bytecode", "CompiledFunction",
    "CompiledFunctionBackward", "nccl:send %d->%d", "nccl:recv %d<-%d",
    // The compiler's phases.
    "%q (dynamo_timed)", "%q_data: compile_id=%d/%d", "%q_data: compile_id=%d/%d_%d",
    "%q_data: fn_name=%q, compile_id=%d/%d", "%q_data: fn_name=%q, compile_id=%d/%d_%d"};

constexpr std::string_view kOps[] = {
    "%w::%o", "%wBackward%d", "[memory]", "[OutOfMemory]", "detach", "detach_",
    "PythonDispatchMode", "record_param_comms", "triton_%w", "torch::%o",
    "autograd::engine::evaluate_function: %wBackward%d",
    "autograd::engine::evaluate_function: torch::autograd::%w",
    "autograd::engine::evaluate_function: CompiledFunctionBackward",
    // The compiler's phases again.
    "dynamo", "gc", "code_gen", "build_guards", "bytecode_tracing", "backend_compile",
    "compile_attempt_%d", "entire_frame_compile", "inductor_compile", "fx_codegen_and_compile",
    "create_aot_dispatcher_function", "insert_deferred_runtime_asserts",
    "additional_fake_tensor_prop", "aot_collect_metadata", "_recursive_%w_grad_passes",
    "_recursive_joint_graph_passes", "async_compile.%w", "pass.%q", "GraphLowering.%w",
    "PyCodeCache.%w", "PythonWrapperCodegen.%w", "Scheduler.%w", "TritonBundler.%w",
    "OutputGraph.%w", "compile_fx.<locals>.%w"};

constexpr std::string_view kCalls[] = {"cu%w", "hip%w",   "hsa_%w", "ze%w",
                                       "ur%w", "aclrt%w", "INVALID"};
constexpr std::string_view kOverheads[] = {"Lazy Function Loading",
                                           "Runtime Triggered Module Loading",
                                           "Activity Buffer Request",
                                           "Buffer Flush",
                                           "Command Buffer Full",
                                           "Instrumentation",
                                           "Resource",
                                           "Driver Compiler",
                                           "CUPTI",
                                           "Unrecognized",
                                           "Unknown"};
constexpr std::string_view kSyncs[] = {"Context Sync",      "Stream Sync",  "Event Sync",
                                       "Stream Wait Event", "Event Record", "Unknown"};
constexpr std::string_view kSpans[] = {"PyTorch Profiler (%d)", "Tracebook Profiler (%d)"};
constexpr std::string_view kEvents[] = {"Record Window End",
                                        "Iteration Start: PyTorch Profiler",
                                        "Iteration Start: Tracebook Profiler",
                                        "SM clock",
                                        "Memory clock",
                                        "Temperature",
                                        "Power",
                                        "Clock event reasons",
                                        "ac2g",
                                        "fwdbwd",
                                        "async_cpu_to_gpu",
                                        "async_gpu",
                                        "sync_cpu_to_gpu",
                                        "forward_backward"};
constexpr std::string_view kCategories[] = {"ac2g",      "fwdbwd",          "async_cpu_to_gpu",
                                            "async_gpu", "sync_cpu_to_gpu", "forward_backward"};
constexpr std::string_view kLanes[] = {"Spans",
                                       "Traces",
                                       "CPU functions",
                                       "CUDA functions",
                                       "PyTorch Profiler",
                                       "Trace PyTorch Profiler",
                                       "Tracebook Profiler",
                                       "Trace Tracebook Profiler",
                                       "stream %d",
                                       "thread %d"};
constexpr std::string_view kProcesses[] = {"python", "python%d", "python%d.%d", "CPU functions",
                                           "CUDA functions"};
constexpr std::string_view kThreads[] = {"stream %d",
                                         "stream %d ",
                                         "thread %d",
                                         "Thread %d",
                                         "thread %d (python)",
                                         "thread %d (python%d)",
                                         "thread %d (python%d.%d)",
                                         "pt_main_thread",
                                         "pt_autograd_%d",
                                         "pt_data_pin"};
constexpr std::string_view kLabels[] = {"CPU", "GPU", "GPU %d", "XPU %d", "NPU %d", "MTIA %d"};
constexpr std::string_view kDeviceWords[] = {
    "NVIDIA",      "AMD",    "Tesla",  "GeForce",   "Quadro", "Radeon",     "Intel",  "Ascend",
    "Graphics",    "Device", "RTX",    "GTX",       "GT",     "TITAN",      "Titan",  "Ti",
    "SUPER",       "Super",  "Ada",    "Blackwell", "Hopper", "Generation", "Laptop", "GPU",
    "Max",         "Q",      "MAX",    "Instinct",  "Pro",    "PRO",        "Server", "Edition",
    "Workstation", "MIG",    "PCIe",   "PCIE",      "SXM",    "NVL",        "OAM",    "Data",
    "Center",      "Arc",    "Orin",   "Xavier",    "Thor",   "Jetson",     "XT",     "XTX",
    "VII",         "Vega",   "Series", "V",         "X",      "Xp",         "D",      "nvgpu"};

constexpr std::string_view kOptimizers[] = {
    "ASGD",  "Adadelta", "Adafactor",  "Adagrad",
    "Adam",  "AdamW",    "Adamax",     "LBFGS",
    "Muon",  "NAdam",    "RAdam",      "RMSprop",
    "Rprop", "SGD",      "SparseAdam", "ZeroRedundancyOptimizer"};

constexpr std::string_view kBeginnings[] = {"Optimizer.step#",
                                            "Optimizer.zero_grad#",
                                            "enumerate(DataLoader)#",
                                            "autograd::engine::evaluate_function: ",
                                            "nccl:",
                                            "Torch-Compiled Region: ",
                                            "## Call CompiledFxGraph "};

constexpr std::string_view kCollectives[] = {"allreduce",
                                             "all_reduce",
                                             "all_reduce_barrier",
                                             "allreduce_coalesced",
                                             "allgather",
                                             "all_gather",
                                             "_allgather_base",
                                             "_all_gather_base",
                                             "all_gather_into_tensor_coalesced",
                                             "allgather_into_tensor_coalesced",
                                             "broadcast",
                                             "_broadcast_oop",
                                             "reduce",
                                             "_reduce_oop",
                                             "reduce_scatter",
                                             "_reduce_scatter_base",
                                             "reduce_scatter_tensor_coalesced",
                                             "all_to_all",
                                             "alltoall",
                                             "all_to_allv",
                                             "alltoall_base",
                                             "gather",
                                             "scatter",
                                             "send",
                                             "recv",
                                             "barrier",
                                             "coalesced",
                                             "wait",
                                             "init"};

bool is_optimizer(std::string_view text) {
  for (const auto& [start, end] :
       {std::pair<std::string_view, std::string_view>{"Optimizer.step#", ".step"},
        {"Optimizer.zero_grad#", ".zero_grad"}}) {
    if (!text.starts_with(start) || !text.ends_with(end)) continue;
    if (text.size() < start.size() + end.size()) return false;
    text = text.substr(start.size(), text.size() - start.size() - end.size());
    return std::ranges::find(kOptimizers, text) != std::end(kOptimizers);
  }
  return false;
}

bool is_range_of_torch(std::string_view text) {
  if (is_one_of(kRanges, text) || is_optimizer(text)) return true;
  for (const std::string_view start : {"nccl:", "gloo:"}) {
    if (text.starts_with(start)) {
      return is_collective(text.substr(start.size()));
    }
  }
  return false;
}

/// cuMemcpy, cudaFree, hipMalloc: behind the library's short name comes a capital.
bool is_call_of(std::string_view library, std::string_view text) {
  return text.starts_with(library) && text.size() > library.size() && text[library.size()] >= 'A' &&
         text[library.size()] <= 'Z';
}

bool is_call(std::string_view text) {
  if (!is_one_of(kCalls, text)) return false;
  for (const std::string_view library : {"cuda", "cu", "hip", "ze", "ur", "aclrt"}) {
    if (is_call_of(library, text)) return true;
  }
  return text.starts_with("hsa_") || text == "INVALID";
}

/// "H200", "MI300X", "40GB", "gfx90a": few letters around digits.
bool is_model(std::string_view piece) {
  constexpr std::size_t kMostLetters = 3;
  constexpr std::size_t kMostDigits = 5;
  std::array<std::size_t, 3> lengths{};
  std::size_t part = 0;
  for (const char c : piece) {
    if (is_digit(c) != (part == 1) && part < 2) ++part;
    if (is_digit(c) != (part == 1)) return false;
    ++lengths.at(part);
  }
  return lengths[0] <= kMostLetters && lengths[1] > 0 && lengths[1] <= kMostDigits &&
         lengths[2] <= kMostLetters;
}

bool is_device_name(std::string_view text) {
  constexpr std::string_view kBetween = " -.()";
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBetween), text.size()));
    if (text.empty()) return true;
    const std::string_view piece = text.substr(0, text.find_first_of(kBetween));
    if (!is_model(piece) && std::ranges::find(kDeviceWords, piece) == std::end(kDeviceWords)) {
      return false;
    }
    text.remove_prefix(piece.size());
  }
}

}  // namespace

bool is_of_form(std::string_view form, std::string_view text) {
  while (!form.empty() && form.front() != '%') {
    if (text.empty() || text.front() != form.front()) return false;
    form.remove_prefix(1);
    text.remove_prefix(1);
  }
  if (form.empty()) return text.empty();
  const char wanted = form[1];
  form.remove_prefix(2);
  std::size_t most = 0;
  while (most < text.size() && is_of_class(wanted, text[most])) ++most;
  for (; most > 0; --most) {
    if (is_of_form(form, text.substr(most))) return true;
  }
  return false;
}

NameRole role_of(Category category) {
  if (is_device_work(category)) return NameRole::kWork;
  if (is_api_call(category)) return NameRole::kCall;
  switch (category) {
    case Category::kCpuOp:
      return NameRole::kOp;
    case Category::kUserAnnotation:
    case Category::kGpuUserAnnotation:
      return NameRole::kAnnotation;
    case Category::kPythonFunction:
      return NameRole::kPython;
    case Category::kOverhead:
      return NameRole::kOverhead;
    case Category::kSync:
      return NameRole::kSync;
    case Category::kTraceSpan:
      return NameRole::kSpan;
    default:
      return NameRole::kEvent;
  }
}

std::string_view noun_of(NameRole role) {
  constexpr std::array<std::string_view, 16> kNouns = {
      "op",    "annotation", "python frame", "call", "overhead", "kernel",       "sync",  "span",
      "event", "mark",       "category",     "lane", "process",  "named thread", "label", "device"};
  return kNouns.at(static_cast<std::size_t>(role));
}

bool is_known_name(NameRole role, std::string_view text) {
  if (text.empty()) return true;
  switch (role) {
    case NameRole::kOp:
      return is_range_of_torch(text) || is_one_of(kOps, text);
    case NameRole::kAnnotation:
      return is_range_of_torch(text);
    case NameRole::kPython:
      return false;
    case NameRole::kCall:
      return is_call(text);
    case NameRole::kOverhead:
      return is_one_of(kOverheads, text);
    case NameRole::kWork:
      return true;
    case NameRole::kSync:
      return is_one_of(kSyncs, text);
    case NameRole::kSpan:
      return is_one_of(kSpans, text);
    case NameRole::kEvent:
      return is_range_of_torch(text) || is_one_of(kOps, text) || is_one_of(kEvents, text) ||
             is_one_of(kSyncs, text);
    case NameRole::kMark:
      return is_one_of(kEvents, text) || text == "[memory]" || text == "[OutOfMemory]";
    case NameRole::kCategory:
      return category_of(text) != Category::kOther || is_one_of(kCategories, text);
    case NameRole::kLane:
      return is_one_of(kLanes, text);
    case NameRole::kProcess:
      return is_one_of(kProcesses, text);
    case NameRole::kThread:
      return is_one_of(kThreads, text);
    case NameRole::kLabel:
      return is_one_of(kLabels, text);
    case NameRole::kDevice:
      return is_device_name(text);
  }
  return false;
}

std::string_view known_beginning(NameRole role, std::string_view text) {
  if (role != NameRole::kOp && role != NameRole::kAnnotation && role != NameRole::kEvent) return {};
  for (const std::string_view start : kBeginnings) {
    if (text.starts_with(start)) return start;
  }
  return {};
}

std::string_view kind_hint(NameRole role, std::string_view text) {
  const auto first_of = [&](std::initializer_list<std::string_view> words, auto fits) {
    const auto found = std::ranges::find_if(words, fits);
    return found == words.end() ? std::string_view() : *found;
  };
  const auto begins = [&](std::string_view word) { return text.starts_with(word); };
  switch (role) {
    case NameRole::kLane:
    case NameRole::kProcess:
    case NameRole::kLabel:
      return first_of({"Ascend Hardware", "GPU", "NPU", "CUDA", "HCCL", "Overlap Analysis"},
                      [&](std::string_view word) { return text.find(word) != text.npos; });
    case NameRole::kCall:
      if (is_call_of("cuda", text)) return "cudaCall";
      if (is_call_of("cu", text)) return "cuCall";
      return is_call_of("hip", text) ? "hipCall" : "";
    case NameRole::kAnnotation:
      return first_of({"ProfilerStep#"}, begins);
    case NameRole::kSpan:
      return first_of({"PyTorch Profiler ("}, begins);
    case NameRole::kEvent:
      return first_of({"EVENT_", "NOTIFY_", "PLACE_HOLDER"}, begins);
    default:
      return {};
  }
}

bool is_collective(std::string_view text) {
  return std::ranges::find(kCollectives, text) != std::end(kCollectives);
}

}  // namespace tracebook
