// SPDX-License-Identifier: Apache-2.0
//
// The record structures of this CUPTI. A later toolkit's structure begins with its predecessor's
// fields, so that naming the newest one that a header has is a matter of tidiness; which ones exist
// follows CUPTI_API_VERSION (22: CUDA 12.4 … 28: 12.9 Update 1, then 130000: 13.0).
#pragma once

#include <cupti.h>

static_assert(CUPTI_API_VERSION >= 22, "CUPTI of CUDA 12.4 or newer is expected");

/// CUPTI selects API calls at the source (cuptiActivityEnableDriverApi) since CUDA 12.5.
#define TRACEBOOK_CUPTI_SELECTS_CALLS (CUPTI_API_VERSION >= 23)

namespace tracebook {

#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
using MemcpyRecord = CUpti_ActivityMemcpy6;
using OverheadRecord = CUpti_ActivityOverhead3;
using SyncRecordOfCupti = CUpti_ActivitySynchronization2;
#else
using KernelRecord = CUpti_ActivityKernel9;
using MemcpyRecord = CUpti_ActivityMemcpy5;
using OverheadRecord = CUpti_ActivityOverhead;
using SyncRecordOfCupti = CUpti_ActivitySynchronization;
#endif
using MemcpyPeerRecord = CUpti_ActivityMemcpyPtoP4;
using MemsetRecord = CUpti_ActivityMemset4;
using ApiRecord = CUpti_ActivityAPI;
using ExternalRecord = CUpti_ActivityExternalCorrelation;

}  // namespace tracebook
