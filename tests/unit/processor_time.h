// Processor time, for tests that a careless reader's quadratic time would fail: on a busy machine they wait, and pass.
#ifndef SHEAF_TESTS_UNIT_PROCESSOR_TIME_H_
#define SHEAF_TESTS_UNIT_PROCESSOR_TIME_H_

#include <ctime>

namespace sheaf::test {

// What `work` takes of the process, in seconds.
template <typename Work>
double SecondsOf(Work work) {
  const std::clock_t start = std::clock();
  work();
  return double(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace sheaf::test

#endif  // SHEAF_TESTS_UNIT_PROCESSOR_TIME_H_
