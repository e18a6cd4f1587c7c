# SPDX-License-Identifier: Apache-2.0
#
# The checker of exercises is CTest: for each chapter an entry exercises/NN_questions, for each SQL
# exercise an entry exercises/NN_NAME. Labels: exercise, chapterNN. What is not started is skipped
# with its reason, what is wrong fails with the command for the next hint.

if(TRACEBOOK_TESTS)
  file(GLOB lab_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
       "exercises/[0-9][0-9]_*/questions.json" "exercises/[0-9][0-9]_*/*.sql")
  foreach(lab_file IN LISTS lab_files)
    string(REGEX MATCH "[0-9][0-9]" number "${lab_file}")
    cmake_path(GET lab_file STEM name)
    set(test exercises/${number}_${name})
    if(name STREQUAL "questions")
      add_test(NAME ${test} COMMAND tracebook quiz ${number} --check
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    else()
      add_test(NAME ${test} COMMAND tracebook exercise "${lab_file}"
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    endif()
    set_tests_properties(${test} PROPERTIES
      SKIP_RETURN_CODE 77 LABELS "exercise;chapter${number}")
  endforeach()
endif()
