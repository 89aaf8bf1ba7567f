#include "credentials.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace players {
namespace {

using grpc::Status;
using grpc::StatusCode;

constexpr char kSecretKey[] = "fairplay-secret";
constexpr size_t kMaxSecret = 256;

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

bool StartsWith(const std::string& text, const std::string& start) { return text.compare(0, start.size(), start) == 0; }

bool IsLoopback(const std::string& host) {
  return StartsWith(host, "localhost:") || StartsWith(host, "127.") || StartsWith(host, "[::1]:");
}

bool IsVisible(char letter) { return '!' <= letter && letter <= '~'; }

// Compares in a time that depends on the length of what is shown only.
bool IsSame(const grpc::string_ref& shown, const std::string& secret) {
  unsigned difference = shown.size() != secret.size();
  for (size_t n = 0; n < shown.size(); ++n) {
    difference |= static_cast<unsigned char>(shown.data()[n]) ^ static_cast<unsigned char>(secret[n % secret.size()]);
  }
  return difference == 0;
}

// A call that is handed to the services of the player, or refused.
class Handed final : public grpc::ServerGenericBidiReactor {
 public:
  Handed(grpc::GenericCallbackServerContext* context, grpc::GenericStub& player)
      : player_(player), method_(context->method()) {
    handed_.set_deadline(context->deadline());
    StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      Finish(Status(StatusCode::INVALID_ARGUMENT, "the call has no request"));
      return;
    }
    player_.UnaryCall(&handed_, method_, {}, &request_, &response_, [this](const Status& status) {
      if (status.ok()) {
        StartWriteAndFinish(&response_, {}, status);
      } else {
        Finish(status);
      }
    });
  }

  void OnCancel() override { handed_.TryCancel(); }
  void OnDone() override { delete this; }

 private:
  grpc::GenericStub& player_;
  const std::string method_;
  grpc::ClientContext handed_;
  grpc::ByteBuffer request_, response_;
};

class Refused final : public grpc::ServerGenericBidiReactor {
 public:
  Refused() {
    const std::string message = "this player answers only calls that show its secret in the metadata ";
    Finish(Status(StatusCode::UNAUTHENTICATED, message + kSecretKey));
  }

  void OnDone() override { delete this; }
};

}  // namespace

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Target ReadTarget(const std::string& address) {
  const std::string ca = Environment("FAIRPLAY_CA"), plain = "grpc://", tls = "grpcs://";
  const bool secure = StartsWith(address, tls) || (!StartsWith(address, plain) && !ca.empty());
  Target target{address, grpc::InsecureChannelCredentials(), "", false};
  for (const std::string& scheme : {plain, tls}) {
    if (StartsWith(address, scheme)) target.host = address.substr(scheme.size());
  }
  if (secure) {
    grpc::SslCredentialsOptions trusted;
    if (!ca.empty()) trusted.pem_root_certs = Read(ca);
    target.transport = grpc::SslCredentials(trusted);
  }
  std::string token = Environment("FAIRPLAY_TOKEN");
  token.erase(std::find_if_not(token.begin(), token.end(), IsVisible), token.end());
  target.is_here = IsLoopback(target.host);
  if (!token.empty() && (secure || target.is_here)) target.authorization = "Bearer " + token;
  return target;
}

std::shared_ptr<grpc::ServerCredentials> Certified(const std::string& certificate, const std::string& key) {
  if (certificate.empty() && key.empty()) return grpc::InsecureServerCredentials();
  if (certificate.empty() || key.empty()) {
    throw std::runtime_error("--tls-cert and --tls-key belong together: the certificate of --listen, and its key");
  }
  grpc::SslServerCredentialsOptions options;
  options.pem_key_cert_pairs.push_back({Read(key), Read(certificate)});
  return grpc::SslServerCredentials(options);
}

Guard::Guard(const std::shared_ptr<grpc::Channel>& player)
    : guarded_(std::getenv("FAIRPLAY_SECRET") != nullptr), secret_(Environment("FAIRPLAY_SECRET")), player_(player) {
  const bool usable = !secret_.empty() && secret_.size() <= kMaxSecret &&
                      std::all_of(secret_.begin(), secret_.end(), IsVisible);
  if (guarded_ && !usable) {
    throw std::runtime_error("FAIRPLAY_SECRET cannot be used: a secret is 1 to 256 visible characters of ASCII");
  }
}

grpc::ServerGenericBidiReactor* Guard::CreateReactor(grpc::GenericCallbackServerContext* context) {
  if (Admits(*context)) return new Handed(context, player_);
  return new Refused();
}

bool Guard::Admits(const grpc::GenericCallbackServerContext& context) const {
  if (!guarded_) return true;
  const auto [first, last] = context.client_metadata().equal_range(kSecretKey);
  return first != last && std::next(first) == last && IsSame(first->second, secret_);
}

}  // namespace players
