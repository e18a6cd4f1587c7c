// SPDX-License-Identifier: Apache-2.0
#include "common/trace/redact_arg_rules.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "common/trace/json_text.h"
#include "common/trace/redact_names.h"

namespace tracebook {
namespace {

constexpr std::string_view kOtherWords[] = {"default_pg",
                                            "undefined",
                                            "nccl",
                                            "gloo",
                                            "mpi",
                                            "ucc",
                                            "hccl",
                                            "xccl",
                                            "cpu:gloo,cuda:nccl",
                                            "triton",
                                            "ms",
                                            "ns",
                                            "Context Sync",
                                            "Stream Sync",
                                            "Event Sync",
                                            "Stream Wait Event",
                                            "Event Record",
                                            "HtoD",
                                            "DtoH",
                                            "DtoD",
                                            "HostToDevice",
                                            "DeviceToHost",
                                            "DeviceToDevice",
                                            "HostToHost",
                                            "AI_CORE",
                                            "AI_VECTOR_CORE",
                                            "AI_CPU",
                                            "AIV_SQE",
                                            "MIX_AIC",
                                            "MIX_AIV",
                                            "HCCL",
                                            "SDMA_SQE",
                                            "EVENT_RECORD",
                                            "EVENT_WAIT"};

constexpr std::string_view kElementTypes[] = {"float",
                                              "double",
                                              "int",
                                              "long",
                                              "long int",
                                              "long long",
                                              "short",
                                              "short int",
                                              "bool",
                                              "char",
                                              "signed char",
                                              "unsigned char",
                                              "unsigned short",
                                              "unsigned int",
                                              "unsigned long",
                                              "Scalar",
                                              "ScalarList",
                                              "TensorList",
                                              "GenericList",
                                              "OptionalTensorList",
                                              "Tensor",
                                              "Device",
                                              "Int",
                                              "Float",
                                              "Double",
                                              "Bool",
                                              "Long",
                                              "Short",
                                              "Byte",
                                              "Char",
                                              "BFloat16",
                                              "Half",
                                              "bfloat16",
                                              "float16",
                                              "float32",
                                              "float64",
                                              "half",
                                              "int8",
                                              "int16",
                                              "int32",
                                              "int64",
                                              "uint8",
                                              "uint16",
                                              "uint32",
                                              "uint64",
                                              "complex64",
                                              "complex128",
                                              "Float8_e5m2",
                                              "Float8_e4m3fn",
                                              "Float8_e8m0fnu",
                                              "Float8_e5m2fnuz",
                                              "Float8_e4m3fnuz",
                                              "Float4_e2m1fn_x2",
                                              "float8_e5m2",
                                              "float8_e4m3fn",
                                              "quint8",
                                              "qint8",
                                              "qint32",
                                              "nullptr (uninitialized)"};

/// Numbers, however nested in lists, and what Python writes for values without text.
bool is_number_text(std::string_view text) {
  constexpr std::string_view kBetween = " ,[](){}";
  constexpr std::string_view kValues[] = {"True", "False", "None", "true", "false",
                                          "null", "nan",   "inf",  "-inf"};
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBetween), text.size()));
    if (text.empty()) return true;
    const std::string_view token = text.substr(0, text.find_first_of(kBetween));
    const bool hex = token.starts_with("0x") &&
                     token.find_first_not_of("0123456789abcdefABCDEF", 2) == token.npos;
    const bool decimal = is_json_number(token) || is_json_number(std::string(token) + "0");
    // "08": an id to the reader, if no JSON number.
    const bool id = parse_short_integer(token).has_value();
    if (!hex && !decimal && !id && std::ranges::find(kValues, token) == std::end(kValues))
      return false;
    text.remove_prefix(token.size());
  }
}

bool is_element_type(std::string_view text) {
  for (const std::string_view start :
       {std::string_view("c10::"), std::string_view("torch."), std::string_view("complex<")}) {
    if (!text.starts_with(start)) continue;
    text.remove_prefix(start.size());
    if (start.ends_with('<') && text.ends_with('>')) {
      text.remove_suffix(1);
      return is_element_type(text);
    }
  }
  return std::ranges::find(kElementTypes, text) != std::end(kElementTypes);
}

struct KeyRule {
  std::string_view key;
  ArgRule rule;
};

/// Keys whose values are numbers, or lists of them.
constexpr std::string_view kNumberKeys[] = {"External id",
                                            "external id",
                                            "Record function id",
                                            "Ev Idx",
                                            "Sequence number",
                                            "Fwd thread id",
                                            "cbid",
                                            "correlation",
                                            "device",
                                            "context",
                                            "stream",
                                            "bytes",
                                            "memory bandwidth (GB/s)",
                                            "queued",
                                            "registers per thread",
                                            "shared memory",
                                            "blocks per SM",
                                            "warps per SM",
                                            "grid",
                                            "block",
                                            "est. achieved occupancy %",
                                            "Op count",
                                            "Input Dims",
                                            "Input dims",
                                            "Input Strides",
                                            "Concrete Inputs",
                                            "Python id",
                                            "Python parent id",
                                            "Python module id",
                                            "Python thread",
                                            "Total Allocated",
                                            "Total Reserved",
                                            "Addr",
                                            "Bytes",
                                            "Device Type",
                                            "Device Id",
                                            "In msg nelems",
                                            "Out msg nelems",
                                            "Group size",
                                            "In split size",
                                            "Out split size",
                                            "Process Group Ranks",
                                            "Rank",
                                            "Src Rank",
                                            "Dst Rank",
                                            "Input Tensors start",
                                            "Output Tensors start",
                                            "fromDevice",
                                            "inDevice",
                                            "toDevice",
                                            "fromContext",
                                            "inContext",
                                            "toContext",
                                            "wait_on_cuda_event_id",
                                            "wait_on_cuda_event_record_corr_id",
                                            "wait_on_stream",
                                            "ptr",
                                            "src",
                                            "dst",
                                            "size",
                                            "priority",
                                            "graph id",
                                            "graph node id",
                                            "flops",
                                            "sort_index",
                                            "Model Id",
                                            "Physic Stream Id",
                                            "Task Id",
                                            "Batch Id",
                                            "Subtask Id",
                                            "connection_id",
                                            "size(B)",
                                            "bandwidth(GB/s)",
                                            "aicore_time(us)",
                                            "num_warps",
                                            "num_stages",
                                            "numel",
                                            "rank",
                                            "world_size",
                                            "pg_count",
                                            "pg_size",
                                            "ranks",
                                            "group_size",
                                            "group_count",
                                            "schemaVersion",
                                            "cuda_driver_version",
                                            "cuda_runtime_version",
                                            "cupti_version",
                                            "hip_driver_version",
                                            "hip_runtime_version",
                                            "roctracer_version",
                                            "record_shapes",
                                            "profile_memory",
                                            "with_stack",
                                            "with_modules",
                                            "with_flops",
                                            "MHz",
                                            "C",
                                            "W",
                                            "mask"};

/// The others.
constexpr KeyRule kKeys[] = {{"Input type", ArgRule::kTypes},
                             {"Output type", ArgRule::kTypes},
                             {"dtype", ArgRule::kTypes},
                             {"cuda_sync_kind", ArgRule::kWords},
                             {"Collective name", ArgRule::kWords},
                             {"Process Group Name", ArgRule::kWords},
                             {"Process Group Description", ArgRule::kWords},
                             {"kernel_backend", ArgRule::kWords},
                             {"kind", ArgRule::kWords},
                             {"Task Type", ArgRule::kWords},
                             {"displayTimeUnit", ArgRule::kWords},
                             {"backend", ArgRule::kWords},
                             {"backend_config", ArgRule::kWords},
                             {"pg_name", ArgRule::kWords},
                             {"pg_desc", ArgRule::kWords},
                             {"nccl_version", ArgRule::kVersion},
                             {"kernel", ArgRule::kKernel},
                             {"distributedInfo", ArgRule::kObject},
                             {"pg_config", ArgRule::kObject},
                             {"traceName", ArgRule::kNothing},
                             {"Call stack", ArgRule::kNothing},
                             {"Module Hierarchy", ArgRule::kNothing},
                             {"kernel_file", ArgRule::kNothing},
                             {"kernel_hash", ArgRule::kNothing},
                             {"kernel_kwargs", ArgRule::kNothing},
                             {"name", ArgRule::kNothing}};

}  // namespace

ArgRule arg_rule(std::string_view key) {
  if (std::ranges::find(kNumberKeys, key) != std::end(kNumberKeys)) return ArgRule::kNumbers;
  const auto* const found = std::ranges::find(kKeys, key, &KeyRule::key);
  return found == std::end(kKeys) ? ArgRule::kUnknown : found->rule;
}

bool is_known_text(ArgRule rule, std::string_view text) {
  if (text.empty()) return true;
  switch (rule) {
    case ArgRule::kNumbers:
      return is_number_text(text);
    case ArgRule::kTypes:
      return is_number_text(text) || is_element_type(text);
    case ArgRule::kWords:
      return is_number_text(text) || is_collective(text) ||
             std::ranges::find(kOtherWords, text) != std::end(kOtherWords);
    case ArgRule::kVersion:
      return text.size() < 20 && text.find_first_not_of("0123456789.") == text.npos;
    default:
      return false;
  }
}

}  // namespace tracebook
