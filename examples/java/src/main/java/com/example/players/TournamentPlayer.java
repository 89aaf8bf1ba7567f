package com.example.players;

import com.fairplay.v1.DescribeRequest;
import com.fairplay.v1.DescribeResponse;
import com.fairplay.v1.EndRequest;
import com.fairplay.v1.EndResponse;
import com.fairplay.v1.PlayerDescription;
import com.fairplay.v1.PlayerServiceGrpc.PlayerServiceImplBase;
import com.fairplay.v1.StartRequest;
import com.fairplay.v1.StartResponse;
import io.grpc.stub.StreamObserver;

/** The service that every player has. This one has nothing to prepare and nothing to celebrate. */
final class TournamentPlayer extends PlayerServiceImplBase {
    private final PlayerDescription description;

    TournamentPlayer(PlayerDescription description) {
        this.description = description;
    }

    @Override
    public void describe(DescribeRequest request, StreamObserver<DescribeResponse> response) {
        response.onNext(DescribeResponse.newBuilder().setDescription(description).build());
        response.onCompleted();
    }

    @Override
    public void start(StartRequest request, StreamObserver<StartResponse> response) {
        response.onNext(StartResponse.getDefaultInstance());
        response.onCompleted();
    }

    @Override
    public void end(EndRequest request, StreamObserver<EndResponse> response) {
        response.onNext(EndResponse.getDefaultInstance());
        response.onCompleted();
    }
}
