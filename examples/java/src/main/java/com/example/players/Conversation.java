package com.example.players;

import com.fairplay.v1.Call;
import com.fairplay.v1.ConnectionServiceGrpc.ConnectionServiceStub;
import com.fairplay.v1.DialInRequest;
import com.fairplay.v1.DialInResponse;
import com.fairplay.v1.Failure;
import com.fairplay.v1.Goodbye;
import com.fairplay.v1.Hello;
import com.fairplay.v1.Reply;
import com.fairplay.v1.Welcome;
import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/** One stream: passes the calls of the server on to the player, and its replies back. */
final class Conversation implements StreamObserver<DialInResponse> {
    private static final int MAX_REPLIES = 256; // in one frame

    /** The only one that writes after the hello: a stream does not take writes from two threads at once. */
    private static final ExecutorService SENDER = Executors.newSingleThreadExecutor();

    private final Channel player;
    private final Map<Long, ListenableFuture<ByteString>> underWay = new ConcurrentHashMap<>(); // by the id of the call
    private final BlockingQueue<Reply> outbox = new LinkedBlockingQueue<>();
    private final CompletableFuture<StatusException> end = new CompletableFuture<>();
    private StreamObserver<DialInRequest> requests;
    private Welcome welcome;
    private Goodbye goodbye;

    private Conversation(Channel player) {
        this.player = player;
    }

    static Conversation open(ConnectionServiceStub server, Channel player, Hello hello) {
        var conversation = new Conversation(player);
        conversation.requests = server.dialIn(conversation);
        conversation.requests.onNext(DialInRequest.newBuilder().setHello(hello).build());
        return conversation;
    }

    /** Waits until the stream has ended, and returns why. What the server said is there from then on. */
    StatusException awaitEnd() {
        return end.join();
    }

    /** Returns the server's answer to the hello, or null. */
    Welcome welcome() {
        return welcome;
    }

    /** Returns the server's last word, or null where the stream was lost. */
    Goodbye goodbye() {
        return goodbye;
    }

    @Override
    public void onNext(DialInResponse frame) {
        if (frame.hasWelcome()) {
            welcome = frame.getWelcome();
        }
        frame.getCallsList().forEach(this::answer);
        frame.getCancelledList().forEach(this::cancel);
        if (frame.hasGoodbye()) {
            goodbye = frame.getGoodbye();
        }
    }

    @Override
    public void onError(Throwable problem) {
        underWay.keySet().forEach(this::cancel); // a resumed stream brings these calls again
        end.complete(new StatusException(Status.fromThrowable(problem), Status.trailersFromThrowable(problem)));
    }

    @Override
    public void onCompleted() {
        onError(Status.UNAVAILABLE.withDescription("the server ended the stream").asException());
    }

    /** Calls the player. All calls are for the one player of the hello, so their player does not matter. */
    private void answer(Call call) {
        var limit = Duration.ofSeconds(call.getTimeLimit().getSeconds(), call.getTimeLimit().getNanos());
        var response = ClientCalls.futureUnaryCall(
                player.newCall(method(call.getMethodName()), CallOptions.DEFAULT.withDeadlineAfter(limit)),
                call.getRequest());
        underWay.put(call.getId(), response);
        Futures.addCallback(response, new Replying(call.getId()), MoreExecutors.directExecutor());
    }

    private void cancel(long id) {
        ListenableFuture<ByteString> response = underWay.remove(id);
        if (response != null) {
            response.cancel(true);
        }
    }

    private void reply(Reply reply) {
        if (underWay.remove(reply.getId()) != null) { // otherwise nobody wants it any more
            outbox.add(reply);
            SENDER.execute(this::send);
        }
    }

    /** Sends what waits, in one frame. */
    private void send() {
        List<Reply> replies = new ArrayList<>();
        outbox.drainTo(replies, MAX_REPLIES);
        if (!replies.isEmpty()) {
            requests.onNext(DialInRequest.newBuilder().addAllReplies(replies).build());
        }
    }

    /** Returns a method of which only the name is known: its messages stay bytes. */
    private static MethodDescriptor<ByteString, ByteString> method(String fullName) {
        return MethodDescriptor.newBuilder(Bytes.MARSHALLER, Bytes.MARSHALLER)
                .setType(MethodType.UNARY)
                .setFullMethodName(fullName.replaceFirst("^/", ""))
                .build();
    }

    private final class Replying implements FutureCallback<ByteString> {
        private final Reply.Builder reply;

        Replying(long id) {
            reply = Reply.newBuilder().setId(id);
        }

        @Override
        public void onSuccess(ByteString response) {
            reply(reply.setResponse(response).build());
        }

        @Override
        public void onFailure(Throwable problem) {
            Status status = Status.fromThrowable(problem);
            Failure.Builder failure = Failure.newBuilder().setCode(status.getCode().value());
            if (status.getDescription() != null) {
                failure.setMessage(status.getDescription());
            }
            reply(reply.setFailure(failure).build());
        }
    }

    private enum Bytes implements MethodDescriptor.Marshaller<ByteString> {
        MARSHALLER;

        @Override
        public InputStream stream(ByteString bytes) {
            return bytes.newInput();
        }

        @Override
        public ByteString parse(InputStream stream) {
            try {
                return ByteString.readFrom(stream);
            } catch (IOException problem) {
                throw new UncheckedIOException(problem);
            }
        }
    }
}
