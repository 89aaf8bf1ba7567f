// Plays Fish. Goes for tiles with many fish, and stays where it can move far.

#include "fish_player.h"
#include "link.h"

int main(int argc, char** argv) {
  players::FishPlayer player;
  const auto description = players::Describe("Fish in C++", players::fish::FishPlayerService::service_full_name());
  return players::Run(argc, argv, description, player);
}
