// Models made of random functions of the language, the same for one seed on
// every machine.
#ifndef AMPC_TEST_TRAIN_RANDOMMODEL_H
#define AMPC_TEST_TRAIN_RANDOMMODEL_H

#include <cstdint>
#include <string>

namespace ampc::test {

/// The text of a model of `statements` statements, whose loss reaches all of
/// them: inputs x, y (floats) and i (integers below 5), made-up data, SGD.
std::string randomModel(uint64_t seed, int statements);

} // namespace ampc::test

#endif // AMPC_TEST_TRAIN_RANDOMMODEL_H
