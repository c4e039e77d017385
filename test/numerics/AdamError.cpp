// The error of an Adam update, by its formula: propagation through m, v and
// their quotient, with the quotient's known range where a gradient is smaller
// than its error (the quotient then has any sign, but never a large value).
#include "ir/dialect/Dialect.h"
#include "test/numerics/Bounds.h"
#include "test/numerics/ErrorRules.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace ampc::test {

/// Bound on |m_t| / sqrt(v_t), from Cauchy and Schwarz:
/// m_t = sum (1-b1) b1^(t-i) g_i and v_t = sum (1-b2) b2^(t-i) g_i^2, so the
/// ratio is at most (1-b1) / sqrt(1-b2) * sqrt(sum over j < t of (b1^2/b2)^j).
static double largestRatio(double beta1, double beta2, double t) {
  if (beta2 == 0)
    return beta1 == 0 ? 1.0 : std::numeric_limits<double>::infinity();
  double q = beta1 * beta1 / beta2;
  double terms = q == 1 ? t : (std::pow(q, t) - 1) / (q - 1);
  return (1 - beta1) / std::sqrt(1 - beta2) * std::sqrt(terms);
}

void boundAdam(Operation *operation, ArrayRef<SharedBounded> in,
               MutableArrayRef<Bounded> out) {
  auto op = cast<amp::AdamOp>(operation);
  double beta1 = op.getBeta1().convertToDouble(),
         beta2 = op.getBeta2().convertToDouble();
  double eps = op.getEps().convertToDouble(),
         decay = op.getWeightDecay().convertToDouble();
  bool decoupled = op.getDecoupled();
  Type element = out[0].value.elementType();
  // Half a unit in the last place of 1, and of the smallest numbers.
  double unit = roundingBound(1, element), tiny = roundingBound(0, element);

  double t = static_cast<double>(in[4]->value.integers()[0]) + 1;
  bool counted = in[4]->error[0] == 0;
  double lr = in[5]->value.floats()[0], lrError = in[5]->error[0];
  double c1 = 1 - std::pow(beta1, t), c2 = 1 - std::pow(beta2, t);
  double root = std::sqrt(c2), rate = lr / c1;
  double largest = largestRatio(beta1, beta2, t) * root * (1 + 64 * unit);

  for (int64_t i = 0; i < out[0].value.size(); ++i) {
    double p = in[0]->value.floats()[i], pError = in[0]->error[i];
    double g = in[1]->value.floats()[i], gError = in[1]->error[i];
    double m0 = in[2]->value.floats()[i], m0Error = in[2]->error[i];
    double v0 = in[3]->value.floats()[i], v0Error = in[3]->error[i];
    if (decay != 0 &&
        decoupled) { // lr * decay, its product with p, the difference
      pError += lr * decay * pError + lrError * decay * std::fabs(p);
      pError +=
          (4 * lr * decay + 1) * unit * (std::fabs(p) + pError) + 4 * tiny;
      p -= lr * decay * p;
    } else if (decay != 0) { // decay * p, the sum
      gError += decay * pError;
      g += decay * p;
      gError += (3 * decay * (std::fabs(p) + pError) + std::fabs(g)) * unit +
                2 * tiny;
    }
    // Every constant, difference, product and sum in f32, then the reference's
    // own rounding.
    double m = out[1].value.floats()[i], v = out[2].value.floats()[i];
    double spread = std::fabs(g - m0) + gError + m0Error;
    double mError = beta1 * m0Error + (1 - beta1) * gError +
                    4 * unit * (1 - beta1) * spread;
    mError += 2 * unit * (std::fabs(m) + mError) + 4 * tiny;
    double square = (std::fabs(g) + gError) * (std::fabs(g) + gError);
    double vError = beta2 * v0Error + (1 - beta2) * (square - g * g);
    vError += unit * (3 * beta2 * (v0 + v0Error) + 5 * (1 - beta2) * square);
    vError += 2 * unit * (v + vError) + 4 * tiny;
    out[1].error[i] = mError;
    out[2].error[i] = vError;

    // The quotient m / (sqrt(v) / root + eps); v is never negative.
    double high = std::sqrt(v + vError),
           low = std::sqrt(std::max(v - vError, 0.0));
    double center = std::sqrt(v);
    double dError =
        std::max(high - center, center - low) / root + 4 * unit * high / root;
    double d = center / root + eps;
    dError += 2 * unit * (d + dError);
    double q = m / d;
    double qError = d > dError ? (mError + std::fabs(q) * dError) / (d - dError)
                               : std::numeric_limits<double>::infinity();
    qError += 2 * unit * (std::fabs(q) + qError) + 2 * tiny;
    // Two values of one range differ by at most its width.
    qError = std::min(qError, 2 * largest);

    double stepError = rate * qError + (std::fabs(q) + qError) *
                                           (lrError / c1 + 4 * unit * rate);
    double value = out[0].value.floats()[i];
    double error = pError + stepError;
    error += 2 * unit * (std::fabs(value) + error) + 4 * tiny;
    out[0].error[i] = counted ? error : std::numeric_limits<double>::infinity();
  }
}

} // namespace ampc::test
