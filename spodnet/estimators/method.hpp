#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "spodnet/models/engine.hpp"
#include "spodnet/problem/problem.hpp"

namespace spodnet {

/// The units of the variables that a method is given.
enum class InputUnits { standardized, of_data };

/// Any way to get a precision matrix, Problem in, Estimate out, behind one name: a model file or
/// `name:key=value,...`. Const calls are thread-safe.
class Method {
 public:
  virtual ~Method() = default;
  virtual std::string name() const = 0;
  virtual bool needs_samples() const { return false; }
  /// The data's own for models trained on them, and for those that find out; standard ones for all
  /// others.
  virtual InputUnits input_units() const { return InputUnits::standardized; }
  /// True: a problem's constraints hold exactly in Theta. Others throw an Error when there are any.
  virtual bool honours_constraints() const { return false; }
  /// The trained model that it is; null: it is none.
  virtual std::shared_ptr<const Model> model() const { return nullptr; }
  /// Sets the factor of all thresholds of a network of the layer; false: it has none.
  virtual bool scale_thresholds(double /*sparsity*/) { return false; }

  [[nodiscard]] virtual Estimate estimate(const Problem& problem) const = 0;

  /// One estimate per problem, in their order, on all threads of the pool (null: in this one). The
  /// problems themselves have no pool.
  [[nodiscard]] virtual std::vector<Estimate> estimate_all(std::span<const Problem> problems,
                                                           ThreadPool* pool) const;
};

/// Checked scale_thresholds: Error for a method without thresholds or a factor below 0.
void set_sparsity(Method& method, double sparsity);

/// For the estimate of a method that does not honour constraints: Error when the problem has any.
void refuse_constraints(const Problem& problem, const std::string& name);

/// `name:key=value,key=value` taken apart.
struct MethodSpec {
  std::string name;  ///< of a method, or the path of a model file
  std::map<std::string, std::string> settings;
};

MethodSpec parse_method(const std::string& text);
std::string to_text(const MethodSpec& spec);  ///< its inverse, keys in alphabetical order

/// Makes a method from its settings; throws Error on one it does not know.
using MethodMaker = std::function<std::unique_ptr<Method>(const MethodSpec& spec)>;

/// Methods that need no training, by name: the built-in ones and those a user adds.
class MethodRegistry {
 public:
  void add(const std::string& name, MethodMaker maker);
  /// Error that lists the known names where there is no such method.
  std::unique_ptr<Method> make(const MethodSpec& spec) const;
  std::vector<std::string> names() const;  ///< in the order in which they were added

 private:
  std::vector<std::pair<std::string, MethodMaker>> makers_;
};

/// Every method that comes with the library.
MethodRegistry builtin_methods(const EngineOptions& engine = {});

/// Makes the method a user asked for: a model file (with the setting `sparsity` where wanted), or
/// one of the built-in methods; with `refit=true` its graph, refitted (refit.hpp). Throws Error
/// that lists the known names or settings.
std::unique_ptr<Method> make_method(const MethodSpec& spec, const ModelRegistry& models,
                                    const EngineOptions& engine = {});
std::unique_ptr<Method> make_method(const std::string& text, const ModelRegistry& models,
                                    const EngineOptions& engine = {});
std::unique_ptr<Method> make_method(const std::string& text, const ModelRegistry& models,
                                    const MethodRegistry& methods, const EngineOptions& engine);

}  // namespace spodnet
