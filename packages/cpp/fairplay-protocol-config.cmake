include(CMakeFindDependencyMacro)
find_dependency(Protobuf 3.15)
find_dependency(gRPC CONFIG)
include(${CMAKE_CURRENT_LIST_DIR}/fairplay-protocol-targets.cmake)
