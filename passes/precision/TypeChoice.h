// Chooses which values of a graph have a narrow type, at the least total cost
// of casts and bytes (N21).
#ifndef AMPC_PASSES_PRECISION_TYPECHOICE_H
#define AMPC_PASSES_PRECISION_TYPECHOICE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ampc {

/// A graph of ops with one value each that is narrow (16 bits) or wide (32
/// bits). The cost of a choice, in bytes:
/// - 2 or 4 a stored element of each value;
/// - the cast of each value that has both types because a user needs the other
///   one, once however many users need it.
/// A free op takes its operands in the type of its value. An inside op takes
/// them in either type; its value is narrow only where every user takes it
/// narrow, and no other inside op uses it.
class TypeChoice {
public:
  enum class Kind {
    narrow, ///< takes and gives narrow values
    wide,   ///< takes and gives wide values
    free,   ///< whichever costs less
    inside  ///< computes wide whatever its operands are
  };
  enum class Side { wide, tied, narrow };

  /// `stored`: elements that stand in memory, 0 for a view; `castBytes`: what a
  /// cast of the value costs. Returns the op's number.
  unsigned add(Kind kind, int64_t stored, int64_t castBytes);
  /// `user` reads the value of `producer`, an op added before.
  void addUse(unsigned producer, unsigned user);

  unsigned size() const { return ops.size(); }

  /// The cheapest choice; among equals the one with the fewest narrow values.
  /// A tied value is wide and would cost as much narrow. Adds the edges it
  /// looked at to `visits`, where asked.
  std::vector<Side> solve(uint64_t *visits = nullptr) const;

  /// The cost of a choice, one entry an op; -1 where a rule forbids it. Written
  /// from the definition above, so that tests can hold `solve` to it.
  int64_t cost(const std::vector<bool> &narrow) const;

private:
  struct Op {
    Kind kind;
    int64_t stored, castBytes;
    std::vector<unsigned> users;
  };
  std::vector<Op> ops;
};

} // namespace ampc

#endif // AMPC_PASSES_PRECISION_TYPECHOICE_H
