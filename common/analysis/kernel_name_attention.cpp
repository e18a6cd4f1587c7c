// SPDX-License-Identifier: Apache-2.0
//
// Names of attention kernels, and of products that are known by their whole name.
#include "common/analysis/kernel_name.h"
#include "common/analysis/kernel_name_tokens.h"

namespace tracebook::detail {
namespace {

void attention_details(std::string_view name, DecodedKernel& out) {
  out.kind = KernelKind::kAttention;
  out.tensor_cores = TensorCores::kYes;
  const bool backward = has(name, "bwd") || has(name, "Bwd") || has(name, "bprop") ||
                        has(name, "cutlassB") || has(name, "Backward");
  out.operation = backward ? "backward" : "forward";
  if (has(name, "bf16") || has(name, "bfloat16"))
    out.dtype = "bf16";
  else if (has(name, "half_t") || has(name, "_f16") || has(name, "half"))
    out.dtype = "fp16";
  for (const std::string_view architecture :
       {"sm80", "sm86", "sm89", "sm90", "sm100", "Sm80", "Sm90"}) {
    if (has(name, architecture)) out.architecture = "sm" + std::string(architecture.substr(2));
  }
}

bool starts_or_scoped(std::string_view name, std::string_view word) {
  const auto at = name.find(word);
  return at != std::string_view::npos &&
         (at == 0 || name[at - 1] == ' ' || name[at - 1] == ':' || name[at - 1] == '<');
}

}  // namespace

bool decode_attention(std::string_view name, DecodedKernel& out) {
  if (name.starts_with("cudnn_generated_") && has(name, "sdpa")) {
    out.library = KernelLibrary::kCudnn;
    attention_details(name, out);
    // Its f16 stands for either 16-bit type.
    out.dtype.clear();
    for (const std::string_view token : split(name)) {
      if (is_size(token) && out.tile.empty()) out.tile = token;
    }
    return true;
  }
  const bool known = has(name, "flash_fwd") || has(name, "flash_bwd") || has(name, "FlashAttn") ||
                     has(name, "fmha_cutlass") || has(name, "pytorch_flash") ||
                     has(name, "flash::FlashAttention");
  const bool other = has(name, "fmha") || has(name, "BatchPrefillWith") ||
                     has(name, "BatchDecodeWith") || has(name, "paged_attention") ||
                     has(name, "triton_tem_fused_flex_attention");
  if (!known && !other) return false;
  if (known) out.library = KernelLibrary::kFlashAttention;
  if (name.starts_with("triton_")) out.library = KernelLibrary::kTriton;
  attention_details(name, out);
  return true;
}

/// cuBLAS's smaller kernels and cuDNN's direct convolutions, known by their names alone.
bool decode_named(std::string_view name, DecodedKernel& out) {
  const auto set = [&out](KernelLibrary library, KernelKind kind, std::string_view operation,
                          TensorCores cores) {
    out.library = library;
    out.kind = kind;
    out.operation = operation;
    out.tensor_cores = cores;
    return true;
  };
  if (has(name, "splitKreduce_kernel")) {
    set(KernelLibrary::kCublas, KernelKind::kReduction, "split-K reduce", TensorCores::kNo);
    out.split_k = true;
    return true;
  }
  if (starts_or_scoped(name, "gemv") || has(name, "gemvx::kernel") || has(name, "gemvNSP") ||
      has(name, "gemv2") || starts_or_scoped(name, "dot_kernel") ||
      starts_or_scoped(name, "reduce_1Block_kernel")) {
    set(KernelLibrary::kCublas, KernelKind::kGemv, "", TensorCores::kNo);
    if (has(name, "bfloat16"))
      out.dtype = "bf16";
    else if (has(name, "half"))
      out.dtype = "fp16";
    else if (has(name, "float"))
      out.dtype = "fp32";
    else if (has(name, "double"))
      out.dtype = "fp64";
    return true;
  }
  if (starts_or_scoped(name, "gemmSN_") || starts_or_scoped(name, "gemmk1_kernel") ||
      starts_or_scoped(name, "gemm_kernel1x1_core")) {
    set(KernelLibrary::kCublas, KernelKind::kGemm, "", TensorCores::kNo);
    if (has(name, "<float")) out.dtype = "fp32";
    return true;
  }
  if (starts_or_scoped(name, "magma_sgemmEx") || starts_or_scoped(name, "sgemm_largek")) {
    set(KernelLibrary::kCublas, KernelKind::kGemm, "", TensorCores::kNo);
    out.dtype = "fp32";
    return true;
  }
  if (has(name, "convolve_sgemm") || has(name, "winograd") || has(name, "conv2d_c1_k1")) {
    set(KernelLibrary::kCudnn, KernelKind::kConv, "", TensorCores::kNo);
    out.dtype = "fp32";
    if (has(name, "half")) {
      out.dtype = "fp16";
      out.tensor_cores = TensorCores::kUnknown;
    }
    return true;
  }
  if (has(name, "conv2d_grouped_direct") || has(name, "grouped_direct_kernel") ||
      has(name, "conv_depthwise2d")) {
    return set(has(name, "at::native") ? KernelLibrary::kAten : KernelLibrary::kCudnn,
               KernelKind::kConv, "direct", TensorCores::kNo);
  }
  return false;
}

}  // namespace tracebook::detail
