// `ampc run`: one forward pass, or one forward and backward, on given tensors.
#include "tools/ampc/Commands.h"
#include "tools/ampc/ModelCommand.h"

#include <cstring>
#include <fmt/format.h>

namespace ampc {

namespace {

/// The options of `run`.
struct RunCommand {
  ModelCommand model;
  std::string grad;
  std::string mode = "infer";
};

/// `--grad OUTPUT=FILE.npy|ones`, taken apart.
struct GradientRequest {
  std::string output, source;
};

rt::Expected<GradientRequest> parseGradient(const std::string &text) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return rt::fail(rt::Code::Usage, "--grad",
                    "expected OUTPUT=FILE.npy or OUTPUT=ones, got '" + text +
                        "'");
  return GradientRequest{text.substr(0, equals), text.substr(equals + 1)};
}

/// A tensor of ones for `port`.
rt::Expected<rt::Tensor> onesFor(const rt::Port &port) {
  AMPC_ASSIGN(rt::Tensor tensor, rt::Tensor::zeros(port.dtype, port.shape));
  std::vector<double> ones(tensor.count(), 1.0);
  AMPC_TRY(rt::convert(rt::DType::F64,
                       reinterpret_cast<const std::byte *>(ones.data()),
                       port.dtype, tensor.bytes().data(), tensor.count()));
  return tensor;
}

/// The upstream gradient for `port`.
rt::Expected<rt::Tensor> upstream(const GradientRequest &request,
                                  const rt::Port &port) {
  if (request.source == "ones")
    return onesFor(port);
  AMPC_ASSIGN(rt::NpyFile file, rt::NpyFile::open(request.source));
  return rt::Tensor::copy_of(file.view());
}

rt::Expected<rt::Code> runGradient(const RunCommand &options,
                                   const GradientRequest &request) {
  AMPC_ASSIGN(OpenCommand open, openModel(options.model, {"gradient"},
                                          request.output, options.mode));
  rt::Stepper &stepper = *open.opened.stepper;
  AMPC_ASSIGN(std::vector<rt::GivenTensor> inputs,
              rt::readInputs(options.model.run));
  std::string seed = "grad." + request.output;
  for (const rt::Port &port : stepper.inputs(rt::EntryKind::Gradient))
    if (port.name == seed) {
      AMPC_ASSIGN(rt::Tensor tensor, upstream(request, port));
      inputs.push_back({seed, std::move(tensor), "--grad " + options.grad});
    }
  return rt::runEntry(stepper, rt::EntryKind::Gradient, std::move(inputs),
                      options.model.run);
}

} // namespace

Action addRun(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "run", "One forward pass, or one forward and backward, on given tensors");
  command->footer("Example: ampc run mlp.amp --input x=x.npy --input y=y.npy "
                  "--grad loss=ones --output-dir out");
  auto options = std::make_shared<RunCommand>();
  addModelOptions(*command, options->model, {});
  rt::addInferOptions(*command, options->model.run);
  command->add_option(
      "--grad", options->grad,
      "OUTPUT=FILE.npy or OUTPUT=ones: also write the gradients of every float "
      "input and parameter for this gradient of OUTPUT");
  command
      ->add_option("--mode", options->mode,
                   "infer, or train: how ops that tell the two apart behave")
      ->check(CLI::IsMember({"infer", "train"}));
  return [options]() -> rt::Expected<rt::Code> {
    if (!options->grad.empty()) {
      AMPC_ASSIGN(GradientRequest request, parseGradient(options->grad));
      return runGradient(*options, request);
    }
    AMPC_ASSIGN(OpenCommand open,
                openModel(options->model, {"infer"}, "", options->mode));
    AMPC_ASSIGN(std::vector<rt::GivenTensor> inputs,
                rt::readInputs(options->model.run));
    rt::Expected<rt::Code> code =
        rt::runEntry(*open.opened.stepper, rt::EntryKind::Infer,
                     std::move(inputs), options->model.run);
    finish(open, "run", options->model.run.json);
    return code;
  };
}

} // namespace ampc
