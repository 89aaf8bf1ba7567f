package com.example.players;

import com.fairplay.fish.v1.Action;
import com.fairplay.fish.v1.FishPlayerServiceGrpc.FishPlayerServiceImplBase;
import com.fairplay.fish.v1.PlayAsRequest;
import com.fairplay.fish.v1.PlayAsResponse;
import com.fairplay.fish.v1.PlayWithRequest;
import com.fairplay.fish.v1.PlayWithResponse;
import com.fairplay.fish.v1.SetupRequest;
import com.fairplay.fish.v1.SetupResponse;
import com.fairplay.fish.v1.TakeTurnRequest;
import com.fairplay.fish.v1.TakeTurnResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.Comparator;

/**
 * Plays Fish: goes for tiles with many fish, and stays where it can move far. Remembers nothing, so it can be in many
 * games at once.
 */
final class FishPlayer extends FishPlayerServiceImplBase {
    @Override
    public void playAs(PlayAsRequest request, StreamObserver<PlayAsResponse> response) {
        response.onNext(PlayAsResponse.getDefaultInstance()); // each state says it again: the called player comes first
        response.onCompleted();
    }

    @Override
    public void playWith(PlayWithRequest request, StreamObserver<PlayWithResponse> response) {
        response.onNext(PlayWithResponse.getDefaultInstance());
        response.onCompleted();
    }

    @Override
    public void setup(SetupRequest request, StreamObserver<SetupResponse> response) {
        FishBoard board = FishBoard.of(request.getState());
        int place = board.freeCells()
                .max(Comparator.comparingInt(board::worth))
                .orElseThrow(() -> Status.FAILED_PRECONDITION.withDescription("no tile is free").asRuntimeException());
        response.onNext(SetupResponse.newBuilder().setPlace(place).build());
        response.onCompleted();
    }

    @Override
    public void takeTurn(TakeTurnRequest request, StreamObserver<TakeTurnResponse> response) {
        FishBoard board = FishBoard.of(request.getState());
        Action action = request.getState().getPlayers(0).getPlacesList().stream()
                .flatMap(source -> board.targets(source).map(target -> move(source, target)))
                .max(Comparator.comparingInt(move -> value(move, board)))
                .orElseThrow(() ->
                        Status.FAILED_PRECONDITION.withDescription("no penguin can move").asRuntimeException());
        response.onNext(TakeTurnResponse.newBuilder().setAction(action).build());
        response.onCompleted();
    }

    private static Action move(int source, int target) {
        return Action.newBuilder().setSource(source).setTarget(target).build();
    }

    /** The tile that the penguin leaves is won now; the one that it reaches can be won next. */
    private static int value(Action move, FishBoard board) {
        return 2 * board.fish(move.getSource()) + board.worth(move.getTarget());
    }
}
