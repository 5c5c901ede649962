#include "tests/check.hpp"
namespace svmosaic::test { void test_solvers() {} }
