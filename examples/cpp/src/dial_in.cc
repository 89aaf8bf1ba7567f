#include <grpcpp/generic/generic_stub.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "credentials.h"
#include "fairplay/v1/connection.grpc.pb.h"
#include "link.h"

namespace players {
namespace {

using fairplay::v1::Call;
using fairplay::v1::ConnectionService;
using fairplay::v1::DialInRequest;
using fairplay::v1::DialInResponse;
using fairplay::v1::Goodbye;
using fairplay::v1::Hello;
using fairplay::v1::HostedPlayer;
using fairplay::v1::Reply;
using grpc::Status;
using grpc::StatusCode;
using std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience(600);  // for a server that is not there
constexpr int kResumeSeconds = 30;             // for which games wait when the server loses us
constexpr std::chrono::milliseconds kFirstPause(100);
constexpr std::chrono::milliseconds kLastPause(1000);
constexpr std::chrono::milliseconds kConnectLimit(10'000);  // a handshake takes a while on a busy machine
constexpr int kKeepaliveMs = 20'000;  // the server takes one in 10 s
constexpr int kMaxBytes = 16 << 20;
constexpr int kMaxReplies = 256;  // in one frame

// The codes after which trying again would not help.
const std::set<StatusCode> kRefusals = {
    StatusCode::INVALID_ARGUMENT, StatusCode::ALREADY_EXISTS, StatusCode::PERMISSION_DENIED,
    StatusCode::UNAUTHENTICATED,  StatusCode::UNIMPLEMENTED,
};

// Returns whether the server refuses the hello for good. Libraries say RESOURCE_EXHAUSTED of connections, too, without
// a reason.
bool Refuses(const Status& status) {
  const std::string details = status.error_details();
  const auto says = [&details](const char* what) { return details.find(what) != std::string::npos; };
  const bool exhausted = status.error_code() == StatusCode::RESOURCE_EXHAUSTED && says("google.rpc.ErrorInfo");
  return kRefusals.count(status.error_code()) > 0 || (exhausted && !says("google.rpc.RetryInfo"));
}

// The calls of one stream, from when they come until their replies are taken. Hands them to the services of the player
// as if each had come over a connection of its own.
class Calls {
 public:
  explicit Calls(const std::shared_ptr<grpc::Channel>& player) : player_(player) {}

  // Cancels what is under way, and waits until it has ended.
  ~Calls() {
    Close();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return under_way_.empty(); });
  }

  void Begin(const Call& call) {
    const auto task = std::make_shared<Task>();
    const grpc::Slice request(call.request());
    task->request = grpc::ByteBuffer(&request, 1);
    const std::chrono::nanoseconds limit =
        std::chrono::seconds(call.time_limit().seconds()) + std::chrono::nanoseconds(call.time_limit().nanos());
    task->context.set_deadline(std::chrono::system_clock::now() +
                               std::chrono::duration_cast<std::chrono::system_clock::duration>(limit));
    {
      const std::lock_guard lock(mutex_);
      under_way_[call.id()] = task;
    }
    player_.UnaryCall(&task->context, call.method_name(), {}, &task->request, &task->response,
                      [this, task, id = call.id()](const Status& status) { End(id, *task, status); });
  }

  void Cancel(uint64_t id) {
    const std::lock_guard lock(mutex_);
    if (const auto found = under_way_.find(id); found != under_way_.end()) found->second->context.TryCancel();
  }

  // Waits for replies and moves all that are there into a frame. Returns false once the calls are closed.
  bool Take(DialInRequest& frame) {
    frame.Clear();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || outbox_.replies_size() > 0; });
    const int count = std::min(outbox_.replies_size(), kMaxReplies);
    for (int n = 0; n < count; ++n) frame.add_replies()->Swap(outbox_.mutable_replies(n));
    outbox_.mutable_replies()->DeleteSubrange(0, count);
    return !closed_;
  }

  // Cancels what is under way. Nothing can be taken any more.
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (const auto& [id, task] : under_way_) task->context.TryCancel();
    changed_.notify_all();
  }

 private:
  struct Task {
    grpc::ClientContext context;
    grpc::ByteBuffer request, response;
  };

  void End(uint64_t id, Task& task, const Status& status) {
    Reply reply;
    reply.set_id(id);
    grpc::Slice response;
    if (status.ok() && task.response.DumpToSingleSlice(&response).ok()) {
      reply.set_response(response.begin(), response.size());
    } else {
      reply.mutable_failure()->set_code(status.error_code());
      reply.mutable_failure()->set_message(status.error_message());
    }
    const std::lock_guard lock(mutex_);
    under_way_.erase(id);
    *outbox_.add_replies() = std::move(reply);
    changed_.notify_all();  // with the lock, since ~Calls may be waiting
  }

  grpc::GenericStub player_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint64_t, std::shared_ptr<Task>> under_way_;
  DialInRequest outbox_;
  bool closed_ = false;
};

// What the server said on a stream, as far as it came.
struct Conversation {
  bool welcome = false;
  Goodbye goodbye;
  bool said_goodbye = false;
  Status status;
};

// Answers the calls of one stream until it ends. Keeps the resume token in the hello.
Conversation Converse(ConnectionService::Stub& server, const std::string& authorization, Hello& hello,
                      const std::shared_ptr<grpc::Channel>& player) {
  Conversation said;
  grpc::ClientContext context;
  if (!authorization.empty()) context.AddMetadata("authorization", authorization);
  const auto stream = server.DialIn(&context);
  DialInRequest first;
  *first.mutable_hello() = hello;
  stream->Write(first);  // if this fails, Read does, too

  Calls calls(player);
  std::thread writer([&] {  // the only one that writes after the hello
    DialInRequest frame;
    while (calls.Take(frame) && stream->Write(frame)) continue;
  });
  DialInResponse frame;
  while (!said.said_goodbye && stream->Read(&frame)) {
    if (frame.has_welcome()) {
      said.welcome = true;
      hello.set_resume_token(frame.welcome().resume_token());
    }
    // All calls are for the one player of the hello, so call.player() does not matter.
    for (const Call& call : frame.calls()) calls.Begin(call);
    for (const uint64_t id : frame.cancelled()) calls.Cancel(id);
    if (frame.has_goodbye()) {
      said.said_goodbye = true;
      said.goodbye = frame.goodbye();
    }
  }
  calls.Close();  // a resumed stream brings the calls that are open again
  if (said.said_goodbye) context.TryCancel();
  writer.join();
  said.status = stream->Finish();
  return said;
}

}  // namespace

Status DialIn(const std::string& address, const HostedPlayer& hosted, const std::shared_ptr<grpc::Channel>& player) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxBytes);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstPause.count());
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectLimit.count());
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLastPause.count());
  const Target target = ReadTarget(address);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, target.is_here ? 0 : 1);
  const auto server = ConnectionService::NewStub(grpc::CreateCustomChannel(target.host, target.transport, arguments));
  Hello hello;
  *hello.add_players() = hosted;
  hello.mutable_resume_window()->set_seconds(kResumeSeconds);
  auto give_up = steady_clock::now() + kPatience;
  auto pause = kFirstPause;
  while (true) {
    const Conversation said = Converse(*server, target.authorization, hello, player);
    if (said.said_goodbye && said.goodbye.reason() != fairplay::v1::GOODBYE_REASON_SHUTTING_DOWN) {
      std::cerr << "the server says goodbye: " << said.goodbye.message() << "\n";
      return Status::OK;  // this player is no longer needed
    }
    if (said.welcome) {
      give_up = steady_clock::now() + kPatience;
      pause = kFirstPause;
    }
    if (!said.said_goodbye && Refuses(said.status)) return said.status;
    if (steady_clock::now() > give_up) return {StatusCode::UNAVAILABLE, "the server is not there"};
    if (pause == 2 * kFirstPause) {  // said once: a stream that ends is no news yet
      std::cerr << address << " is not there, and is tried again for " << kPatience.count() / 60 << " min\n";
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLastPause);
  }
}

}  // namespace players
