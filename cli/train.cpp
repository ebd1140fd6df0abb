#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "cli/output.hpp"

#include <CLI/CLI.hpp>
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "cli/train_command.hpp"
#include "spodnet/devices/choose_device.hpp"
#include "spodnet/devices/devices.hpp"
#include "spodnet/models/model_file.hpp"
#include "spodnet/train/preset.hpp"

namespace spodnet::cli {
namespace {

constexpr const char* kTrainFooter =
    "Examples:\n"
    "  spodnet train --model ubg --p 20 --n 100 --alpha 0.95 --count 1000 -o ubg.safetensors\n"
    "  spodnet train --preset best --p 33 --n 100 --alpha 0.5:0.98 -o best.safetensors\n"
    "  spodnet train --model ubg --scaling clip --init-offset learned --layers 2 \\\n"
    "      --schedule cosine --clip-grad 10 -o mine.safetensors\n"
    "  spodnet train --p 20 --n 10:1000 --alpha 0.5:0.98 --generator mix --loss nmse --fresh \\\n"
    "      -o any-n.safetensors\n"
    "  spodnet train --model ubg-any --p 5:100 --n 5:2000 --alpha 0.5:0.98 --generator mix \\\n"
    "      --loss nmse --fresh -o any.safetensors\n"
    "  spodnet train --data train.safetensors --valid valid.safetensors --history run.csv \\\n"
    "      -o model.safetensors\n"
    "Ctrl-C leaves MODEL.checkpoint; the same command with --resume continues from it and ends\n"
    "with the same model, bit for bit.";

/// A batch must be cut into at least as many parts as there are processes.
void note_idle(std::size_t parts, const Group& group) {
  const auto ranks = std::size_t(group.size());
  if (parts >= ranks) return;
  print_note(
      fmt::format("a batch is cut into {} part{}: {} of the {} processes have nothing to do; use "
                  "a larger --batch or fewer processes",
                  parts, parts == 1 ? "" : "s", ranks - parts, ranks));
}

/// Of `cuda` and `auto`, the processes of a machine share its GPUs in turn.
DeviceChoice choose_training_device(const Model& model, const TrainCommand& command,
                                    const TrainData& data, const ThreadPool& pool) {
  check_device(command.device);
  DeviceChoice choice = choose_device(command.device, model.config(),
                                      {.p = data.p().high,
                                       .least_p = data.p().low,
                                       .matrices = command.train.batch,
                                       .training = true,
                                       .threads = pool.size()});
  const bool any_gpu = command.device == "cuda" || command.device == "auto";
  if (any_gpu && choice.device != "cpu") choice.device = "cuda";
  return choice;
}

TrainResult run_training(Model& model, TrainCommand& command, const TrainData& data,
                         ThreadPool& pool, Group& group) {
  const StopOnSignal signals;
  Progress progress("train", group.size() > 1);
  command.train.group = &group;
  command.train.stop = &signals.flag();
  command.train.progress = [&](const TrainProgress& at) {
    if (group.size() > 1 && at.step == at.resumed_at + 1) note_idle(at.parts, group);
    if (!progress.due()) return;
    const double steps = double(at.steps);
    progress.show(double(at.step) / steps,
                  fmt::format("epoch {}/{}  loss {:.4g}", at.epoch + 1, at.epochs, at.loss),
                  double(at.resumed_at) / steps);
  };
  const DeviceChoice choice = choose_training_device(model, command, data, pool);
  command.computed_by = command.device == "cpu" ? "" : choice.device + " (" + choice.why + ")";
  if (choice.why != "as asked") print_note("device " + choice.device + ": " + choice.why);
  const auto engine = make_engine(
      model,
      {.device = device_of_process(choice.device, group.rank(), gpu_count()), .pool = &pool});
  if (engine->device() != "cpu" && data.p().high > largest_on_gpu())
    print_note(fmt::format("matrices of more than {} variables are computed by the CPU",
                           largest_on_gpu()));
  return train(model, *engine, *data.source, data.split.valid, command.train, pool);
}

void save_history(const TrainCommand& command, const TrainResult& result) {
  if (!command.history.empty()) write_history_csv(command.history, result.history);
}

int finish(Model& model, const TrainCommand& command, const TrainData& data,
           const TrainResult& result, bool writing) {
  if (!writing) return result.status == Status::interrupted ? kInterrupted : kDone;
  if (result.status == Status::interrupted) {
    save_history(command, result);
    print_note(result.message + "; continue with the same command and --resume");
    return kInterrupted;
  }
  describe_data(model, command, data);
  save_model(command.out, model);
  save_history(command, result);
  std::filesystem::remove(command.checkpoint());  // last: until here the training can be resumed
  report(model, command, result);
  if (result.status == Status::ok) return kDone;
  print_note(result.message);
  return kNumericalTrouble;
}

void note_checkpoint(const TrainCommand& command) {
  const bool there = std::filesystem::exists(command.checkpoint());
  if (command.train.resume && !there)
    print_note(command.checkpoint().string() + " does not exist: starting from the beginning");
  if (!command.train.resume && there)
    print_note(command.checkpoint().string() +
               " of an unfinished training is replaced: --resume would have continued it");
}

void check_files(const TrainCommand& command) {
  check_tensor_output(command.out, {command.data, command.valid});
  if (!command.history.empty())
    check_output(command.history,
                 {command.data, command.valid, command.init, command.out, command.checkpoint()});
}

int train_model(TrainCommand& command, const Session& session) {
  const ModelRegistry& models = session.models;
  check_files(command);
  command.train.schedule = schedule_from(command.schedule);
  command.train.loss = session.losses.find(command.loss);
  command.train.checkpoint = command.checkpoint();
  ThreadPool pool(command.threads);
  const std::unique_ptr<Model> init = load_init(command, models);
  TrainData data = read_data(command, init ? init->config().p : 0);
  const std::unique_ptr<Model> model = make_start(command, models, init.get(), data.p());
  fill_data(command, data, pool);
  check_patience(command, data);
  note_checkpoint(command);
  const TrainResult result = run_training(*model, command, data, pool, session.group);
  return finish(*model, command, data, result, session.group.first());
}

void add_data_options(CLI::App& app, TrainCommand& command) {
  CLI::Option* data = app.add_option("--data", command.data, "Data set file with S and Theta_true")
                          ->type_name("FILE");
  data->group("Data");
  for (CLI::Option* option : add_generated_data(app, command.generated, true))
    option->excludes(data)->group("Data");
  app.add_flag("--fresh", command.fresh,
               "New matrices in every epoch, --count of them; none is seen twice")
      ->excludes(data)
      ->group("Data");
  app.add_option(
         "--valid", command.valid,
         "Validation data: a data set FILE, a FRACTION of the data, or none. Default: 0.1 for "
         "generated data, none for a file. The weights of the best epoch are kept")
      ->type_name("FILE|FRACTION|none")
      ->group("Data");
}

void add_model_options(CLI::App& app, TrainCommand& command, const ModelRegistry& models) {
  const std::string known = fmt::format("{}", fmt::join(models.names(), ", "));
  app.add_option(
         "--preset", command.preset,
         "All settings by one name: paper (UBG as published), fast (UBG with three layers, in "
         "seconds) or best (the smallest error). Other options override it")
      ->check(CLI::IsMember(preset_names()))
      ->type_name("NAME")
      ->group("Model");
  app.add_option("--model", command.model, "Which model: " + known)
      ->type_name("NAME")
      ->default_str(ModelConfig{}.model)
      ->group("Model");
  app.add_option("--init", command.init, "Start from the weights and settings of this model file")
      ->type_name("MODEL")
      ->group("Model");
  app.add_option("--layers", command.layers, "Number of layers K")
      ->check(integer_from(1, 10'000))
      ->default_str("1")
      ->group("Model");
  app.add_flag("--tied", command.tied, "One set of weights for all layers")->group(kRare);
  app.add_flag("--standardized", command.standardized,
               "Work on correlations, for tables with units (ubg-any, pnp-any)")
      ->group("Model");
  app.add_flag("--summary", command.summary,
               "Networks also read seven numbers of the whole covariance (ubg-any, pnp-any)")
      ->group(kRare);
  app.add_option("--width", command.widths, "Hidden width of a part of the model, as in lambda=24")
      ->type_name("PART=N")
      ->group(kRare);
  app.add_option("--scaling", command.scaling, "Scaling of the preactivation")
      ->check(CLI::IsMember({"normalize", "clip", "none", "relative"}))
      ->default_str("normalize")
      ->group("Model");
  app.add_option("--zeta", command.zeta, "Radius of the scaling")->default_str("1")->group(kRare);
  app.add_option("--init-offset", command.init_offset,
                 "a in W = S + a I at the input: a number, or learned")
      ->type_name("A|learned")
      ->default_str("1")
      ->group("Model");
  app.add_option("--v-min", command.v_min, "Floor of the Schur margin v")
      ->default_str("1e-8")
      ->group(kRare);
}

void add_optimiser_options(CLI::App& app, TrainCommand& command, const LossRegistry& losses) {
  TrainOptions& train = command.train;
  app.add_option("--epochs", train.epochs, "Passes over the data")
      ->check(integer_from(1))
      ->capture_default_str()
      ->group("Training");
  app.add_option("--batch", train.batch, "Matrices per step")
      ->check(integer_from(1))
      ->capture_default_str()
      ->group("Training");
  app.add_option("--lr", train.lr, "Learning rate of Adam")
      ->check(positive_number())
      ->capture_default_str()
      ->group("Training");
  app.add_option("--schedule", command.schedule, "Learning rate over time")
      ->check(CLI::IsMember({"constant", "cosine"}))
      ->capture_default_str()
      ->group("Training");
  app.add_option(
         "--loss", command.loss,
         "mse: |Theta - Theta_true|^2; nmse: the same over |Theta_true|^2, so that large and "
         "badly conditioned matrices do not dominate; support: nmse plus 0.05 (1 - F1 of the "
         "edges); likelihood: Stein's loss per variable plus 0.05 (1 - F1); balanced: log "
         "nmse plus 0.3 (1 - F1), so that problems with few and many samples count alike")
      ->check(CLI::IsMember(losses.names()))
      ->capture_default_str()
      ->group("Training");
  app.add_option("--clip-grad", train.clip_grad, "Largest norm of a gradient; 0: no limit")
      ->check(number_from(0))
      ->capture_default_str()
      ->group("Training");
  app.add_option(
         "--skip-bad", train.skip_bad,
         "Batches per epoch that may be skipped if their loss or gradient is not finite; one "
         "more ends the training")
      ->check(integer_from(0))
      ->capture_default_str()
      ->group(kRare);
  app.add_option("--patience", train.patience,
                 "Stop after this many epochs without a better validation error; 0: never")
      ->check(integer_from(0))
      ->capture_default_str()
      ->group("Training");
  app.add_flag("--resume", train.resume, "Continue from MODEL.checkpoint, if there is one")
      ->group("Training");
}

}  // namespace

void add_train(CLI::App& app, Session& session) {
  const auto command = std::make_shared<TrainCommand>();
  CLI::App* sub = app.add_subcommand("train", "Train a model on generated or given matrices");
  sub->footer(kTrainFooter);
  add_data_options(*sub, *command);
  add_model_options(*sub, *command, session.models);
  add_optimiser_options(*sub, *command, session.losses);
  sub->add_option("--history", command->history, "CSV with one line per epoch")->type_name("FILE");
  sub->add_option("-o,--output", command->out, "Model file to write (.safetensors)")
      ->type_name("MODEL")
      ->required();
  add_seed(*sub, command->train.seed);
  add_threads(*sub, command->threads);
  add_device(*sub, command->device);
  add_json(*sub, command->json);
  add_quiet(*sub);
  sub->callback([command, sub, &session] {
    apply_preset(*sub, *command);
    session.exit_status = train_model(*command, session);
  });
}

}  // namespace spodnet::cli
