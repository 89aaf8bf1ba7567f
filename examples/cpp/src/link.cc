#include "link.h"

#include <getopt.h>

#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "credentials.h"
#include "fairplay/v1/player.grpc.pb.h"

namespace players {
namespace {

using fairplay::v1::HostedPlayer;
using fairplay::v1::PlayerDescription;
using grpc::ServerContext;
using grpc::Status;

// Where to go, and as whom.
struct Options {
  std::string listen, connect, token, certificate, key;
  std::string name = Environment("FAIRPLAY_NAME");
};

// Reads the arguments, and for what they leave open the environment that the server gives to what it starts.
bool Parse(int argc, char** argv, Options& options) {
  const option known[] = {
      {"listen", required_argument, nullptr, 'l'}, {"connect", required_argument, nullptr, 'c'},
      {"name", required_argument, nullptr, 'n'},   {"token", required_argument, nullptr, 't'},
      {"tls-cert", required_argument, nullptr, 'C'}, {"tls-key", required_argument, nullptr, 'K'},
      {"serve", no_argument, nullptr, 's'},        {},
  };
  bool serve = false;
  int found;
  while ((found = getopt_long(argc, argv, "", known, nullptr)) != -1) {
    switch (found) {
      case 'l': options.listen = optarg; break;
      case 'c': options.connect = optarg; break;
      case 'n': options.name = optarg; break;
      case 't': options.token = optarg; break;
      case 'C': options.certificate = optarg; break;
      case 'K': options.key = optarg; break;
      case 's': serve = true; break;
      default: return false;
    }
  }
  if (options.listen.empty() && options.connect.empty()) {
    if (!serve) options.connect = Environment("FAIRPLAY_CONNECT");
    if (options.token.empty()) options.token = Environment("FAIRPLAY_TOKEN");
    if (options.connect.empty()) options.listen = Environment("FAIRPLAY_LISTEN");
  }
  return optind == argc && (!options.listen.empty() || (!options.connect.empty() && !options.name.empty()));
}

// The service that every player has. This one has nothing to prepare and nothing to celebrate.
class Tournaments final : public fairplay::v1::PlayerService::Service {
 public:
  explicit Tournaments(const PlayerDescription& description) : description_(description) {}

 private:
  Status Describe(ServerContext*, const fairplay::v1::DescribeRequest*,
                  fairplay::v1::DescribeResponse* response) override {
    *response->mutable_description() = description_;
    return Status::OK;
  }

  Status Start(ServerContext*, const fairplay::v1::StartRequest*, fairplay::v1::StartResponse*) override {
    return Status::OK;
  }

  Status End(ServerContext*, const fairplay::v1::EndRequest*, fairplay::v1::EndResponse*) override {
    return Status::OK;
  }

  const PlayerDescription description_;
};

}  // namespace

PlayerDescription Describe(const std::string& display_name, const std::string& service) {
  PlayerDescription description;
  description.set_display_name(display_name);
  description.set_software_version("1");
  fairplay::v1::GameService* game = description.add_services();
  game->set_name(service);
  game->set_revision(1);
  return description;
}

namespace {

// Serves: the player listens, and the server calls it. `player` leads to its services, in this program.
int Serve(const Options& options, const std::shared_ptr<grpc::Channel>& player) {
  Guard guard(player);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(options.listen, Certified(options.certificate, options.key));
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // so that a port that is taken is an error
  builder.RegisterCallbackGenericService(&guard);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) throw std::runtime_error("cannot serve on " + options.listen);
  std::cout << "the player serves on " << options.listen << std::endl;
  server->Wait();
  return EXIT_SUCCESS;
}

int Run(const Options& options, const PlayerDescription& description, const std::shared_ptr<grpc::Channel>& player) {
  if (!options.listen.empty()) return Serve(options, player);
  HostedPlayer hosted;
  hosted.set_name(options.name);
  hosted.set_token(options.token);
  *hosted.mutable_description() = description;
  const Status status = DialIn(options.connect, hosted, player);
  if (status.ok()) return EXIT_SUCCESS;
  throw std::runtime_error(options.connect + ": " + status.error_message());
}

}  // namespace

int Run(int argc, char** argv, const PlayerDescription& description, grpc::Service& game) {
  Options options;
  if (!Parse(argc, argv, options)) {
    std::cerr << "give --listen HOST:PORT to serve, or --connect HOST:PORT and --name NAME to dial in\n";
    return EXIT_FAILURE;
  }
  Tournaments tournaments(description);
  grpc::ServerBuilder builder;
  builder.RegisterService(&tournaments);
  builder.RegisterService(&game);
  const std::unique_ptr<grpc::Server> services = builder.BuildAndStart();
  try {
    return Run(options, description, services->InProcessChannel({}));
  } catch (const std::runtime_error& problem) {
    std::cerr << problem.what() << "\n";
    return EXIT_FAILURE;
  }
}

}  // namespace players
