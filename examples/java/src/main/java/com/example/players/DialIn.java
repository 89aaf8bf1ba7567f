package com.example.players;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.fairplay.v1.ConnectionServiceGrpc;
import com.fairplay.v1.GoodbyeReason;
import com.fairplay.v1.Hello;
import com.fairplay.v1.HostedPlayer;
import io.grpc.BindableService;
import io.grpc.Channel;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.MetadataUtils;
import io.grpc.util.TransmitStatusRuntimeExceptionInterceptor;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The second way: the player opens a stream and is called through it. It opens another stream when one is lost, until
 * the server says goodbye.
 */
final class DialIn {
    private static final Duration PATIENCE = Duration.ofMinutes(10); // for a server that is not there
    private static final Duration RESUME_WINDOW = Duration.ofSeconds(30); // in which games wait for us
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LAST_PAUSE = Duration.ofSeconds(1);
    private static final int MAX_BYTES = 16 * 1024 * 1024; // of one frame

    /** After these, trying again would not help. */
    private static final Set<Status.Code> REFUSALS = EnumSet.of(
            Status.Code.INVALID_ARGUMENT,
            Status.Code.ALREADY_EXISTS,
            Status.Code.PERMISSION_DENIED,
            Status.Code.UNAUTHENTICATED,
            Status.Code.UNIMPLEMENTED);

    private static final Metadata.Key<byte[]> DETAILS =
            Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

    private final String address;
    private final ManagedChannel server;
    private final Channel player;
    private final Hello.Builder hello;

    DialIn(String address, HostedPlayer hosted, List<BindableService> services) throws IOException {
        this.address = address;
        Credentials.Target target = Credentials.target(address);
        server = Grpc.newChannelBuilder(target.host(), target.transport())
                .intercept(MetadataUtils.newAttachHeadersInterceptor(target.metadata()))
                .keepAliveTime(20, TimeUnit.SECONDS) // the server takes one in 10 s
                .maxInboundMessageSize(MAX_BYTES)
                .build();
        player = inProcess(services);
        hello = Hello.newBuilder()
                .addPlayers(hosted)
                .setResumeWindow(com.google.protobuf.Duration.newBuilder().setSeconds(RESUME_WINDOW.toSeconds()));
    }

    /** Serves without a network, so that a call is the same whichever way it came. */
    private static Channel inProcess(List<BindableService> services) throws IOException {
        String name = InProcessServerBuilder.generateName();
        InProcessServerBuilder.forName(name)
                .intercept(TransmitStatusRuntimeExceptionInterceptor.instance())
                .addServices(services.stream().map(BindableService::bindService).toList())
                .build()
                .start();
        return InProcessChannelBuilder.forName(name).build();
    }

    /** Returns whether the player was no longer needed; otherwise it was refused, or the server is gone. */
    boolean run() throws InterruptedException {
        long lastSeen = System.nanoTime();
        Duration pause = FIRST_PAUSE;
        while (true) {
            server.resetConnectBackoff();
            var conversation = Conversation.open(ConnectionServiceGrpc.newStub(server), player, hello.build());
            StatusException ending = conversation.awaitEnd();
            if (conversation.goodbye() != null) {
                System.err.println("the server says goodbye: " + conversation.goodbye().getMessage());
                if (conversation.goodbye().getReason() != GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN) {
                    return true;
                }
            }
            if (conversation.welcome() != null) {
                hello.setResumeToken(conversation.welcome().getResumeToken());
                lastSeen = System.nanoTime();
                pause = FIRST_PAUSE;
            }
            if (refuses(ending) || System.nanoTime() - lastSeen > PATIENCE.toNanos()) {
                System.err.println(address + ": " + ending.getMessage());
                return false;
            }
            if (pause.equals(FIRST_PAUSE.multipliedBy(2))) { // said once: a stream that ends is no news yet
                System.err.printf(
                        "%s is not there, and is tried again for %d min: %s%n",
                        address, PATIENCE.toMinutes(), ending.getMessage());
            }
            Thread.sleep(pause.toMillis());
            pause = pause.multipliedBy(2).compareTo(LAST_PAUSE) < 0 ? pause.multipliedBy(2) : LAST_PAUSE;
        }
    }

    /**
     * Returns whether the server refuses the hello for good. Libraries say RESOURCE_EXHAUSTED of connections, too,
     * without a reason.
     */
    private static boolean refuses(StatusException ending) {
        byte[] bytes = ending.getTrailers() == null ? null : ending.getTrailers().get(DETAILS);
        String details = bytes == null ? "" : new String(bytes, ISO_8859_1);
        Status.Code code = ending.getStatus().getCode();
        boolean exhausted = code == Status.Code.RESOURCE_EXHAUSTED && details.contains("google.rpc.ErrorInfo");
        return REFUSALS.contains(code) || (exhausted && !details.contains("google.rpc.RetryInfo"));
    }
}
