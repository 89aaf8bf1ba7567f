package com.example.players;

import com.fairplay.q.v1.Action;
import com.fairplay.q.v1.Extension;
import com.fairplay.q.v1.NewTilesRequest;
import com.fairplay.q.v1.NewTilesResponse;
import com.fairplay.q.v1.Pass;
import com.fairplay.q.v1.Placement;
import com.fairplay.q.v1.QPlayerServiceGrpc.QPlayerServiceImplBase;
import com.fairplay.q.v1.Replace;
import com.fairplay.q.v1.SetupRequest;
import com.fairplay.q.v1.SetupResponse;
import com.fairplay.q.v1.State;
import com.fairplay.q.v1.TakeTurnRequest;
import com.fairplay.q.v1.TakeTurnResponse;
import com.fairplay.q.v1.Tile;
import com.fairplay.q.v1.WinRequest;
import com.fairplay.q.v1.WinResponse;
import io.grpc.stub.StreamObserver;
import java.util.List;

/**
 * Plays the Q game: places tiles, each where it makes the longest lines, for as long as one fits. Remembers nothing, so
 * it can be in many games at once.
 */
final class QPlayer extends QPlayerServiceImplBase {
    @Override
    public void setup(SetupRequest request, StreamObserver<SetupResponse> response) {
        response.onNext(SetupResponse.getDefaultInstance()); // the state of a turn says all of it again
        response.onCompleted();
    }

    @Override
    public void takeTurn(TakeTurnRequest request, StreamObserver<TakeTurnResponse> response) {
        response.onNext(TakeTurnResponse.newBuilder().setAction(choose(request.getState())).build());
        response.onCompleted();
    }

    @Override
    public void newTiles(NewTilesRequest request, StreamObserver<NewTilesResponse> response) {
        response.onNext(NewTilesResponse.getDefaultInstance());
        response.onCompleted();
    }

    @Override
    public void win(WinRequest request, StreamObserver<WinResponse> response) {
        response.onNext(WinResponse.getDefaultInstance());
        response.onCompleted();
    }

    private static Action choose(State state) {
        QBoard board = QBoard.of(state);
        List<Tile> hand = state.getPlayers(0).getHandList();
        List<Placement> placements = board.place(hand);
        if (!placements.isEmpty()) {
            return Action.newBuilder()
                    .setExtension(Extension.newBuilder().addAllPlacements(placements))
                    .build();
        }
        if (state.getPileLeft() >= hand.size()) {
            return Action.newBuilder().setReplace(Replace.getDefaultInstance()).build();
        }
        return Action.newBuilder().setPassTurn(Pass.getDefaultInstance()).build();
    }
}
