#include "link.h"

#include <getopt.h>

#include <cstdlib>
#include <iostream>

#include "fairplay/v1/player.grpc.pb.h"

namespace players {
namespace {

using fairplay::v1::HostedPlayer;
using fairplay::v1::PlayerDescription;
using grpc::ServerContext;
using grpc::Status;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Where to go, and as whom.
struct Options {
  std::string listen, connect;
  std::string name = Environment("FAIRPLAY_NAME");
  std::string token = Environment("FAIRPLAY_TOKEN");
};

// Reads the arguments, and for what they leave open the environment that the server gives to what it starts.
bool Parse(int argc, char** argv, Options& options) {
  const option known[] = {
      {"listen", required_argument, nullptr, 'l'}, {"connect", required_argument, nullptr, 'c'},
      {"name", required_argument, nullptr, 'n'},   {"token", required_argument, nullptr, 't'},
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
      case 's': serve = true; break;
      default: return false;
    }
  }
  if (options.listen.empty() && options.connect.empty()) {
    if (!serve) options.connect = Environment("FAIRPLAY_CONNECT");
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
  if (!options.listen.empty()) {
    builder.AddListeningPort(options.listen, grpc::InsecureServerCredentials());
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // so that a port that is taken is an error
  }
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) {
    std::cerr << "cannot serve on " << options.listen << "\n";
    return EXIT_FAILURE;
  }
  if (!options.listen.empty()) {
    std::cout << "the player serves on " << options.listen << std::endl;
    server->Wait();
    return EXIT_SUCCESS;
  }
  HostedPlayer hosted;
  hosted.set_name(options.name);
  hosted.set_token(options.token);
  *hosted.mutable_description() = description;
  const Status status = DialIn(options.connect, hosted, server->InProcessChannel({}));
  if (status.ok()) return EXIT_SUCCESS;
  std::cerr << options.connect << ": " << status.error_message() << "\n";
  return EXIT_FAILURE;
}

}  // namespace players
