// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/kernel_name.h"

namespace tracebook {

DecodedKernel decode_kernel_name(std::string_view name) {
  DecodedKernel out;
  if (detail::decode_product(name, out) || detail::decode_other(name, out)) return out;
  return {};
}

int dtype_bytes(std::string_view dtype) {
  if (dtype == "fp8" || dtype == "int8" || dtype == "bool") return 1;
  if (dtype == "bf16" || dtype == "fp16") return 2;
  if (dtype == "tf32" || dtype == "fp32" || dtype == "int32") return 4;
  if (dtype == "fp64" || dtype == "int64") return 8;
  return 0;
}

bool is_misaligned(const DecodedKernel& kernel) {
  constexpr int kFullLoad = 16;  // bytes: the widest load, and what the copy engines want
  const bool product = kernel.kind == KernelKind::kGemm || kernel.kind == KernelKind::kConv;
  const int bytes = kernel.alignment * dtype_bytes(kernel.dtype);
  return product && kernel.tensor_cores == TensorCores::kYes && bytes > 0 && bytes < kFullLoad;
}

bool is_memory_bound_kind(KernelKind kind) {
  switch (kind) {
    case KernelKind::kElementwise:
    case KernelKind::kReduction:
    case KernelKind::kCopy:
    case KernelKind::kOptimizer:
    case KernelKind::kGemv:
    case KernelKind::kScan:
      return true;
    case KernelKind::kUnknown:
    case KernelKind::kGemm:
    case KernelKind::kConv:
    case KernelKind::kAttention:
    case KernelKind::kCommunication:
      return false;
  }
  return false;
}

std::string_view library_name(KernelLibrary library) {
  switch (library) {
    case KernelLibrary::kUnknown:
      return "unknown";
    case KernelLibrary::kCublas:
      return "cuBLAS";
    case KernelLibrary::kCutlass:
      return "CUTLASS";
    case KernelLibrary::kCudnn:
      return "cuDNN";
    case KernelLibrary::kTriton:
      return "Triton";
    case KernelLibrary::kAten:
      return "ATen";
    case KernelLibrary::kFlashAttention:
      return "FlashAttention";
    case KernelLibrary::kNccl:
      return "NCCL";
    case KernelLibrary::kCub:
      return "CUB";
    case KernelLibrary::kTensile:
      return "Tensile";
    case KernelLibrary::kDriver:
      return "driver";
  }
  return "unknown";
}

std::string_view kind_name(KernelKind kind) {
  switch (kind) {
    case KernelKind::kUnknown:
      return "kernel";
    case KernelKind::kGemm:
      return "GEMM";
    case KernelKind::kGemv:
      return "GEMV";
    case KernelKind::kConv:
      return "convolution";
    case KernelKind::kAttention:
      return "attention";
    case KernelKind::kElementwise:
      return "elementwise";
    case KernelKind::kReduction:
      return "reduction";
    case KernelKind::kCopy:
      return "copy";
    case KernelKind::kOptimizer:
      return "multi-tensor";
    case KernelKind::kCommunication:
      return "communication";
    case KernelKind::kScan:
      return "scan or sort";
  }
  return "kernel";
}

std::string describe(const DecodedKernel& kernel) {
  if (kernel.library == KernelLibrary::kUnknown && kernel.kind == KernelKind::kUnknown) {
    return "unknown kernel";
  }
  std::string out;
  if (kernel.library != KernelLibrary::kUnknown) {
    out.append(library_name(kernel.library)).append(" ");
  }
  out.append(kind_name(kernel.kind));
  if (!kernel.operation.empty()) out.append(" (").append(kernel.operation).append(")");
  const auto add = [&out](std::string_view label, std::string_view value) {
    if (!value.empty()) out.append(", ").append(label).append(value);
  };
  add("", kernel.dtype);
  add("", kernel.architecture);
  add("tile ", kernel.tile);
  add("layout ", kernel.layout);
  if (kernel.alignment > 0) add("align", std::to_string(kernel.alignment));
  add("", kernel.epilogue);
  if (kernel.split_k) out.append(", split-K");
  if (kernel.layout_change) out.append(", changes layout only");
  if (kernel.tensor_cores == TensorCores::kYes) out.append(", on tensor cores");
  if (kernel.tensor_cores == TensorCores::kNo) out.append(", off the tensor cores");
  return out;
}

std::string short_kernel_name(std::string_view name, std::size_t width) {
  if (name.starts_with("Mem")) return std::string(name);
  // An outer name that is only a wrapper says less than its argument.
  for (const std::string_view wrapper :
       {"cutlass::Kernel2<", "cutlass::Kernel<", "_cudnn::Kernel<"}) {
    if (const auto at = name.find(wrapper); at != std::string_view::npos) {
      name.remove_prefix(at + wrapper.size());
      break;
    }
  }
  if (name.starts_with("void ")) name.remove_prefix(5);
  std::string out;
  int depth = 0;
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (depth == 0 && name.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
      continue;
    }
    if (depth == 0 && (name[i] == '(' || name[i] == '>')) break;
    if (name[i] == '<') ++depth;
    if (depth == 0) out += name[i];
    if (name[i] == '>') --depth;
  }
  // What an elementwise kernel computes stands in its argument alone.
  const DecodedKernel decoded = decode_kernel_name(name);
  if (decoded.library == KernelLibrary::kAten) {
    if (const auto at = out.rfind("::"); at != std::string::npos) out.erase(0, at + 2);
    if (!decoded.operation.empty()) out += " (" + decoded.operation + ")";
  }
  if (out.size() > width) {
    out.resize(width > 3 ? width - 3 : 0);
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0U) == 0x80U)
      out.pop_back();
    if (!out.empty() && (static_cast<unsigned char>(out.back()) & 0x80U) != 0) out.pop_back();
    out += "...";
  }
  return out;
}

}  // namespace tracebook
