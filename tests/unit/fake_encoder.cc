// An embedding process for tests: speaks docs/embedding-protocol.md, right by default and wrong on
// request. Its vectors are hashes of what it gets.
//
//   --input tokens|text  --vocabulary FILE  --dimensions N  --max-tokens N  --batch-tokens N
//   --in-flight N  --prefix TEXT  --name TEXT  --ready JSON      what `ready` says, in parts or whole
//
//   --fault KIND --after N   goes wrong instead of answering batch N (from 0), or `ready` with N = -1
//     die       exits with status 3               signal    kills itself
//     wedge     sleeps for ever                   wedge-group  so does a child; the parent waits
//     garbage   prints text                       count     answers with a vector too few
//     unknown   answers a batch nobody sent       nan       answers with a number that is none
//     report    an error for the process, then goes on reading
//     close     closes stdout and sleeps          unread    closes stdin, answers nothing
//   --once FILE              only when FILE does not exist yet, and makes it
//
//   --item-error WORD   texts that hold WORD get an error      --zero WORD   … a vector of zeros
//   --batch-error WORD  a batch of several with such a text fails as a whole
//   --stubborn          and so it does alone
//   --slow MS  before each answer    --noise BYTES  to stderr before each answer    --shuffle  last batch first
//   --held FILE         reads all it can get before it answers; a line each time: batches held
//   --log FILE          a line a batch: items, and the longest in bytes
//   --exit N            its status when stdin ends               --deaf   does not end then
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/fake_encoder.h"

namespace {

using sheaf::ByteReader;
using sheaf::ByteSpan;
using sheaf::ByteWriter;

std::map<std::string, std::string> g_options;

bool Has(const char* name) { return g_options.count(name) > 0; }
std::string Text(const char* name, const std::string& otherwise = "") {
  return Has(name) ? g_options[name] : otherwise;
}
long Number(const char* name, long otherwise) { return Has(name) ? std::atol(g_options[name].c_str()) : otherwise; }

void WriteAll(const uint8_t* bytes, size_t size) {
  while (size > 0) {
    const ssize_t wrote = ::write(STDOUT_FILENO, bytes, size);
    if (wrote <= 0) std::exit(4);
    bytes += wrote;
    size -= size_t(wrote);
  }
}

void Send(uint8_t type, ByteSpan payload) {
  ByteWriter w;
  w.U32(uint32_t(payload.size() + 1));
  w.U8(type);
  w.Bytes(payload);
  WriteAll(w.bytes().data(), w.size());
}

void SendError(uint32_t batch, uint32_t item, const std::string& message) {
  ByteWriter w;
  w.U32(batch);
  w.U32(item);
  w.Bytes(sheaf::AsBytes(message));
  Send(5, w.bytes());
}

// Unbuffered, so that poll tells whether more is there. False at the end.
bool ReadAll(uint8_t* out, size_t size) {
  while (size > 0) {
    const ssize_t got = ::read(STDIN_FILENO, out, size);
    if (got <= 0) return false;
    out += got;
    size -= size_t(got);
  }
  return true;
}

bool ReadFrame(uint8_t* type, std::vector<uint8_t>* payload) {
  uint8_t head[5];
  if (!ReadAll(head, 5)) return false;
  payload->resize(sheaf::LoadU32(head) - 1);
  *type = head[4];
  return ReadAll(payload->data(), payload->size());
}

bool MoreIsThere(int milliseconds) {
  struct pollfd fd = {STDIN_FILENO, POLLIN, 0};
  return ::poll(&fd, 1, milliseconds) > 0 && (fd.revents & POLLIN) != 0;
}

[[noreturn]] void Sleep() {
  for (;;) ::pause();
}

bool FaultIsDue(long number) {
  if (!Has("fault") || Number("after", 0) != number) return false;
  if (!Has("once")) return true;
  if (std::ifstream(Text("once"))) return false;
  std::ofstream(Text("once")) << "done";
  return true;
}

struct Batch {
  uint32_t id = 0;
  std::vector<ByteSpan> items;
  std::vector<uint8_t> payload;
};

Batch Parse(std::vector<uint8_t> payload) {
  Batch batch;
  batch.payload = std::move(payload);
  const size_t width = Text("input") == "tokens" ? 4 : 1;
  ByteReader r(batch.payload);
  batch.id = r.U32();
  const uint32_t count = r.U32();
  for (uint32_t i = 0; i < count; ++i) batch.items.push_back(r.Bytes(r.U32() * width));
  if (!r.ok() || r.remaining() != 0) std::exit(5);
  return batch;
}

bool Holds(ByteSpan item, const char* option) {
  return Has(option) && sheaf::AsText(item).find(Text(option)) != std::string::npos;
}

void Answer(const Batch& batch) {
  const auto dimensions = uint32_t(Number("dimensions", 16));
  bool fails = false;
  for (ByteSpan item : batch.items) fails = fails || Holds(item, "batch-error");
  if (fails && (batch.items.size() > 1 || Has("stubborn")))
    return SendError(batch.id, UINT32_MAX, "this batch is too much");
  ByteWriter w;
  w.U32(batch.id);
  w.U32(uint32_t(batch.items.size()));
  for (uint32_t i = 0; i < batch.items.size(); ++i) {
    const ByteSpan item = batch.items[i];
    if (Holds(item, "item-error")) SendError(batch.id, i, "this passage is unspeakable");
    const std::vector<float> vector = Holds(item, "item-error") || Holds(item, "zero")
                                          ? std::vector<float>(dimensions)
                                          : sheaf::test::FakeVector(item, dimensions);
    for (float component : vector) w.F32(component * 2);  // the packer normalises
  }
  Send(4, w.bytes());
}

// Does what --fault says instead of answering. Returns when the process is to go on.
void Fail(const Batch& batch) {
  const std::string kind = Text("fault");
  const auto dimensions = size_t(Number("dimensions", 16));
  if (kind == "die") std::_Exit(3);
  if (kind == "signal") ::raise(SIGKILL);
  if (kind == "wedge") Sleep();
  if (kind == "wedge-group") {
    if (::fork() == 0) {
      if (Has("child")) std::ofstream(Text("child")) << ::getpid();
      Sleep();
    }
    Sleep();
  }
  if (kind == "close") {
    ::close(STDOUT_FILENO);
    Sleep();
  }
  if (kind == "unread") {
    ::close(STDIN_FILENO);
    Sleep();
  }
  if (kind == "garbage") std::printf("Loading the model, please wait...\n"), std::fflush(stdout);
  if (kind == "report") SendError(UINT32_MAX, UINT32_MAX, "out of memory on the device");
  ByteWriter w;
  w.U32(kind == "unknown" ? 4711 : batch.id);
  const size_t count = batch.items.size() - (kind == "count" ? 1 : 0);
  w.U32(uint32_t(count));
  for (size_t i = 0; i < count * dimensions; ++i) w.F32(kind == "nan" ? std::numeric_limits<float>::quiet_NaN() : 1.0f);
  if (kind == "count" || kind == "unknown" || kind == "nan") Send(4, w.bytes());
}

void SayReady() {
  std::string ready = Text("ready");
  if (ready.empty()) {
    ready = "{\"protocol\":1,\"encoder\":\"" + Text("name", "fake") + "\",\"hash\":\"" + std::string(64, 'a') +
            "\",\"precision\":\"" + Text("precision", "fp32") +
            "\",\"space\":\"fake-16\",\"dimensions\":" + Text("dimensions", "16") + ",\"input\":\"" +
            Text("input", "text") + "\",\"vocabulary\":\"" + Text("vocabulary") +
            "\",\"maxTokens\":" + Text("max-tokens", "64") + ",\"prefix\":\"" + Text("prefix") +
            "\",\"batchTokens\":" + Text("batch-tokens", "256") + ",\"inFlight\":" + Text("in-flight", "2") +
            ",\"unheardOf\":[1]}";
  }
  Send(2, sheaf::AsBytes(ready));
}

void TellAbout(const Batch& batch) {
  size_t longest = 0;
  for (ByteSpan item : batch.items) longest = std::max(longest, item.size());
  if (Has("log")) std::ofstream(Text("log"), std::ios::app) << batch.items.size() << ' ' << longest << '\n';
  const std::string noise(size_t(Number("noise", 0)), 'n');
  if (!noise.empty()) std::fputs(noise.c_str(), stderr);
}

void Serve() {
  uint8_t type;
  std::vector<uint8_t> payload;
  if (!ReadFrame(&type, &payload) || type != 1) std::exit(6);
  if (FaultIsDue(-1)) Fail({});
  SayReady();
  std::vector<Batch> held;
  for (long number = 0; ReadFrame(&type, &payload);) {
    if (type != 3) std::exit(7);
    held.push_back(Parse(std::move(payload)));
    if ((Has("shuffle") || Has("held")) && MoreIsThere(100)) continue;
    if (Has("held")) std::ofstream(Text("held"), std::ios::app) << held.size() << '\n';
    if (Has("shuffle")) std::reverse(held.begin(), held.end());
    for (const Batch& batch : held) {
      TellAbout(batch);
      if (Has("slow")) ::usleep(useconds_t(Number("slow", 0)) * 1000);
      if (FaultIsDue(number++))
        Fail(batch);
      else
        Answer(batch);
    }
    held.clear();
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = std::string(argv[i]).substr(2);
    const bool flag = i + 1 == argc || std::strncmp(argv[i + 1], "--", 2) == 0;
    g_options[name] = flag ? "" : argv[++i];
  }
  Serve();
  if (Has("deaf")) Sleep();
  return int(Number("exit", 0));
}
