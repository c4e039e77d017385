// Trains examples/mlp.amp (or the model named on the command line) in process.
#include <ampc/ampc.h>

#include <cstdio>
#include <vector>

int fail(const ampc::rt::Error &error) {
  std::fprintf(stderr, "%s\n", error.text().c_str());
  return static_cast<int>(error.code);
}

int main(int argc, char **argv) {
  // A small size, set as the command line would: --set batch=32 ...
  auto model =
      ampc::Model::load(argc > 1 ? argv[1] : "mlp.amp",
                        {{{"batch", "32"}, {"width", "16"}, {"hidden", "64"}}});
  if (!model)
    return fail(model.error());
  auto session = ampc::open_session(*model);
  if (!session)
    return fail(session.error());

  // Teach it to double its input; a batch borrows our memory for one call.
  std::vector<int64_t> shape{32, 16};
  std::vector<float> x(32 * 16), y(32 * 16);
  for (int step = 0; step < 20; ++step) {
    for (size_t i = 0; i < x.size(); ++i)
      y[i] = 2 * (x[i] = static_cast<float>((i * 37 + step * 11) % 64) / 64);
    ampc::rt::Batch batch;
    batch.set("x", {ampc::rt::DType::F32, shape, std::as_bytes(std::span(x))});
    batch.set("y", {ampc::rt::DType::F32, shape, std::as_bytes(std::span(y))});
    if (auto done = session->step(batch); !done)
      return fail(done.error());
    if (auto result = session->poll(); result && *result)
      std::printf("step %2d loss %.6f\n", step + 1, (*result)->loss);
  }
}
