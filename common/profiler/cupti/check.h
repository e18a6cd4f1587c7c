// SPDX-License-Identifier: Apache-2.0
//
// A status of CUPTI, checked where it arises.
//
//   check_cupti(cuptiActivityEnable(kind), "cuptiActivityEnable(RUNTIME)");
#pragma once

#include <cupti.h>

#include <string>

namespace tracebook {

/// One line: the call, CUPTI's words for the status, and what to do about it if we know.
std::string cupti_message(CUptiResult status, const char* call);

/// CannotJudge (77) if profiling is not permitted here, InputError (3) for any other failure.
void check_cupti(CUptiResult status, const char* call);

/// Statuses with which a driver keeps profiling from this user or this kind of machine.
bool is_not_permitted(CUptiResult status);
/// What to do about these.
const char* permission_hint();

/// Tells CUPTI to read clock.h and to call threads by the kernel's ids. CUPTI wants this before any
/// record is turned on; does it once.
CUptiResult cupti_use_our_clock();

}  // namespace tracebook
