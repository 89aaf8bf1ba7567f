package com.example.players;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/** Whom a player trusts, who it is, and whose calls it answers. */
final class Credentials {
    private static final Metadata.Key<String> SECRET =
            Metadata.Key.of("fairplay-secret", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final String LOOPBACK = "(localhost|127\\.\\d+\\.\\d+\\.\\d+|\\[::1]):\\d+";

    private Credentials() {}

    /** Where a server is, how to connect there, and what calls show to it. */
    record Target(String host, ChannelCredentials transport, Metadata metadata) {}

    /**
     * Reads an address: grpcs:// stands for TLS and grpc:// for none. Without either, there is TLS where FAIRPLAY_CA
     * names the authorities to trust; otherwise those of the system are. The token of the player's account,
     * FAIRPLAY_TOKEN, is shown over TLS or on this machine only.
     */
    static Target target(String address) throws IOException {
        String ca = System.getenv().getOrDefault("FAIRPLAY_CA", "");
        boolean secure = address.startsWith("grpcs://") || !address.startsWith("grpc://") && !ca.isEmpty();
        String host = address.replaceFirst("^grpcs?://", "");
        ChannelCredentials transport = InsecureChannelCredentials.create();
        if (secure) {
            transport = ca.isEmpty()
                    ? TlsChannelCredentials.create()
                    : TlsChannelCredentials.newBuilder().trustManager(new File(ca)).build();
        }
        Metadata metadata = new Metadata();
        String token = System.getenv().getOrDefault("FAIRPLAY_TOKEN", "").strip();
        if (!token.isEmpty() && (secure || host.matches(LOOPBACK))) {
            metadata.put(AUTHORIZATION, "Bearer " + token);
        }
        return new Target(host, transport, metadata);
    }

    /** How a player serves: over TLS with a certificate and its key, or without. */
    static ServerCredentials certified(File certificate, File key) throws IOException {
        return certificate == null ? InsecureServerCredentials.create() : TlsServerCredentials.create(certificate, key);
    }

    /** Refuses calls that do not show the player's secret, FAIRPLAY_SECRET, if there is one. */
    static ServerInterceptor guard() {
        Optional<byte[]> secret = Optional.ofNullable(System.getenv("FAIRPLAY_SECRET")).map(Credentials::usable);
        return new ServerInterceptor() {
            @Override
            public <Q, R> Listener<Q> interceptCall(
                    ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
                if (secret.isPresent() && !MessageDigest.isEqual(shown(headers), secret.get())) {
                    String message = "this player answers only calls that show its secret in the metadata "
                            + SECRET.name();
                    call.close(Status.UNAUTHENTICATED.withDescription(message), new Metadata());
                    return new Listener<>() {};
                }
                return next.startCall(call, headers);
            }
        };
    }

    private static byte[] usable(String secret) {
        if (!secret.matches("[!-~]{1,256}")) {
            String rule = "a secret is 1 to 256 visible characters of ASCII";
            throw new IllegalArgumentException("FAIRPLAY_SECRET cannot be used: " + rule);
        }
        return secret.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] shown(Metadata headers) {
        Iterable<String> values = headers.getAll(SECRET);
        List<String> all = values == null ? List.of() : StreamSupport.stream(values.spliterator(), false).toList();
        return String.join(",", all).getBytes(StandardCharsets.UTF_8);
    }
}
