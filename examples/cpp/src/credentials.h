// Whom a player trusts, who it is, and whose calls it answers.

#ifndef PLAYERS_CREDENTIALS_H_
#define PLAYERS_CREDENTIALS_H_

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

namespace players {

// Returns a variable of the environment; empty if it is not set.
std::string Environment(const char* name);

// Where a server is, how to connect there, and the `authorization` that calls show to it; empty: none. `is_here`: it is
// on this machine, which proxies do not concern.
struct Target {
  std::string host;
  std::shared_ptr<grpc::ChannelCredentials> transport;
  std::string authorization;
  bool is_here;
};

// Reads an address: grpcs:// stands for TLS and grpc:// for none. Without either, there is TLS where FAIRPLAY_CA names
// the authorities to trust; otherwise those of the system are. The token of the player's account, FAIRPLAY_TOKEN, is
// shown over TLS or on this machine only. Throws std::runtime_error if a file cannot be read.
Target ReadTarget(const std::string& address);

// Returns how a player serves: over TLS with the certificate and the key in these files, or without if there are none.
// Throws std::runtime_error if there is one of them only, or one cannot be read.
std::shared_ptr<grpc::ServerCredentials> Certified(const std::string& certificate, const std::string& key);

// Hands calls to the services of a player in this program, and refuses those that do not show the player's secret,
// FAIRPLAY_SECRET, if there is one.
class Guard final : public grpc::CallbackGenericService {
 public:
  // Throws std::runtime_error if the secret cannot be used.
  explicit Guard(const std::shared_ptr<grpc::Channel>& player);

 private:
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override;
  bool Admits(const grpc::GenericCallbackServerContext& context) const;

  const bool guarded_;
  const std::string secret_;
  grpc::GenericStub player_;
};

}  // namespace players

#endif  // PLAYERS_CREDENTIALS_H_
