#pragma once

#include <map>
#include <memory>
#include <string>

#include "spodnet/models/model.hpp"

namespace spodnet {

/// What an estimator is given: always S and n, and the samples where there are any.
struct Problem {
  Matrix S;                    ///< p x p empirical covariance
  double n = 0;                ///< number of samples behind S
  const Matrix* X = nullptr;   ///< n x p samples, or null when only S is known
  ThreadPool* pool = nullptr;  ///< for methods that are parallel inside; null: stay in this thread
  const Constraints* constraints = nullptr;  ///< prior knowledge of Theta; null: none
};

/// Any way to get a precision matrix, behind one name: a model file or `name:key=value,...`.
class Method {
 public:
  virtual ~Method() = default;
  virtual std::string name() const = 0;
  virtual bool needs_samples() const { return false; }
  /// True: a problem's constraints hold exactly in Theta. Others throw an Error when there are any.
  virtual bool honours_constraints() const { return false; }
  /// Sets the factor of all thresholds of a network of the layer; false: it has none.
  virtual bool scale_thresholds(double /*sparsity*/) { return false; }
  [[nodiscard]] virtual Estimate estimate(const Problem& problem) const = 0;
};

/// scale_thresholds with a word: Error for a method without thresholds or a factor below 0.
void set_sparsity(Method& method, double sparsity);

/// For the estimate of a method that does not honour constraints: Error when the problem has any.
void refuse_constraints(const Problem& problem, const std::string& name);

/// `name:key=value,key=value` taken apart.
struct MethodSpec {
  std::string name;
  std::map<std::string, std::string> settings;
};

MethodSpec parse_method(const std::string& text);

/// Makes the method a user asked for; throws Error that lists the known names or settings.
std::unique_ptr<Method> make_method(const std::string& text, const ModelRegistry& models);

}  // namespace spodnet
