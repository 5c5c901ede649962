// Runs the tests of the core: all of them, or those named on the command line.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <string_view>

#include "tests/check.hpp"

namespace svmosaic::test {

void test_thread_pool();
void test_column_store();
void test_kernel();
void test_kernel_columns();
void test_blocks();
void test_exp();
void test_canonical();
void test_even_clusters();
void test_decide();
void test_stored_rows();
void test_bag_kernel();
void test_newton_system();
void test_shrinking_system();
void test_free_step();
void test_primal();
void test_active_set_path();
void test_places();
void test_solvers();
void test_solve_counters();
void test_libsvm_text();
void test_real_number();
void test_l2();
void test_nu_svm();
void test_online();
void test_boundary();
void test_tune_regression();

namespace {

struct Test {
    std::string_view name;
    void (*function)();
};

constexpr std::array tests{
    Test{"thread_pool", test_thread_pool},
    Test{"column_store", test_column_store},
    Test{"kernel", test_kernel},
    Test{"kernel_columns", test_kernel_columns},
    Test{"exp", test_exp},
    Test{"blocks", test_blocks},
    Test{"canonical", test_canonical},
    Test{"even_clusters", test_even_clusters},
    Test{"decide", test_decide},
    Test{"stored_rows", test_stored_rows},
    Test{"bag_kernel", test_bag_kernel},
    Test{"newton_system", test_newton_system},
    Test{"shrinking_system", test_shrinking_system},
    Test{"free_step", test_free_step},
    Test{"primal", test_primal},
    Test{"active_set_path", test_active_set_path},
    Test{"places", test_places},
    Test{"solvers", test_solvers},
    Test{"solve_counters", test_solve_counters},
    Test{"libsvm_text", test_libsvm_text},
    Test{"real_number", test_real_number},
    Test{"l2", test_l2},
    Test{"nu_svm", test_nu_svm},
    Test{"online", test_online},
    Test{"boundary", test_boundary},
    Test{"tune_regression", test_tune_regression},
};

void run(const Test& test) {
    const auto checks_before = tally().checks.load();
    const auto began = std::chrono::steady_clock::now();
    try {
        test.function();
    } catch (const std::exception& error) {
        check(false, std::string(test.name) + " threw: " + error.what());
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
    std::printf("%-16.*s %8lld checks %7.2f s\n", static_cast<int>(test.name.size()),
                test.name.data(), static_cast<long long>(tally().checks.load() - checks_before),
                seconds.count());
}

bool is_wanted(const Test& test, std::span<char* const> names) {
    return names.empty() || std::any_of(names.begin(), names.end(),
                                        [&](const char* name) { return test.name == name; });
}

}  // namespace
}  // namespace svmosaic::test

int main(int argc, char** argv) {
    using namespace svmosaic::test;
    const std::span<char* const> names(argv + 1, argc - 1);
    for (const Test& test : tests) {
        if (is_wanted(test, names)) run(test);
    }
    const auto failures = tally().failures.load();
    std::printf("%lld passed, %lld failed\n",
                static_cast<long long>(tally().checks.load() - failures),
                static_cast<long long>(failures));
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
