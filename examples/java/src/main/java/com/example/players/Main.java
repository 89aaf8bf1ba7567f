package com.example.players;

import com.fairplay.v1.GameService;
import com.fairplay.v1.HostedPlayer;
import com.fairplay.v1.PlayerDescription;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.ServerInterceptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.util.TransmitStatusRuntimeExceptionInterceptor;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs a player until the server says goodbye, or for as long as it serves. */
@Command(name = "players", description = "Plays Fish or the Q game.", version = "1", mixinStandardHelpOptions = true)
public final class Main implements Callable<Integer> {
    private enum Game {
        fish,
        q
    }

    @Parameters(index = "0", description = "The game to play: ${COMPLETION-CANDIDATES}.")
    private Game game;

    @Option(names = "--listen", paramLabel = "HOST:PORT", description = "Serve on this address.")
    private String listen;

    @Option(names = "--connect", paramLabel = "HOST:PORT", description = "Dial in to the server on this address.")
    private String connect;

    @Option(names = "--name", defaultValue = "${env:FAIRPLAY_NAME}", description = "The name to dial in under.")
    private String name;

    @Option(names = "--token", description = "A secret of your own, which protects the name.")
    private String token;

    @ArgGroup(exclusive = false)
    private Tls tls = new Tls();

    /** How a player serves over TLS: both or neither. */
    private static final class Tls {
        @Option(names = "--tls-cert", paramLabel = "FILE", required = true, description = "Serve over TLS with this.")
        private File certificate;

        @Option(names = "--tls-key", paramLabel = "FILE", required = true, description = "The key of --tls-cert.")
        private File key;
    }

    @Option(
            names = "--serve",
            description = "Serve where the server that starts this program says, instead of dialling in.")
    private boolean serve;

    @Spec
    private CommandSpec spec;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Main()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (listen == null && connect == null) { // then the server that started the program says where to
            if (serve) {
                listen = System.getenv("FAIRPLAY_LISTEN");
            } else {
                connect = System.getenv("FAIRPLAY_CONNECT");
                token = token != null ? token : System.getenv("FAIRPLAY_TOKEN");
            }
        }
        BindableService player = switch (game) {
            case fish -> new FishPlayer();
            case q -> new QPlayer();
        };
        PlayerDescription description = describe(player);
        List<BindableService> services = List.of(new TournamentPlayer(description), player);
        if (listen != null) {
            serve(services);
            return 0;
        }
        if (connect != null && name != null) {
            HostedPlayer hosted = HostedPlayer.newBuilder()
                    .setName(name)
                    .setToken(token == null ? "" : token)
                    .setDescription(description)
                    .build();
            return new DialIn(connect, hosted, services).run() ? 0 : 1;
        }
        throw new ParameterException(
                spec.commandLine(),
                "Give --listen HOST:PORT to serve, or --connect HOST:PORT and --name NAME to dial in.");
    }

    private PlayerDescription describe(BindableService player) {
        String service = player.bindService().getServiceDescriptor().getName();
        return PlayerDescription.newBuilder()
                .setDisplayName(game + " in Java")
                .setSoftwareVersion("1")
                .addServices(GameService.newBuilder().setName(service).setRevision(1))
                .build();
    }

    /** The first way: the player listens, and the server calls it. */
    private void serve(List<BindableService> services) throws IOException, InterruptedException {
        URI address = URI.create("grpc://" + listen);
        ServerInterceptor guard = guard();
        Server server = NettyServerBuilder.forAddress(
                        new InetSocketAddress(address.getHost(), address.getPort()),
                        Credentials.certified(tls.certificate, tls.key))
                .intercept(TransmitStatusRuntimeExceptionInterceptor.instance())
                .intercept(guard)
                .addServices(services.stream().map(BindableService::bindService).toList())
                .build()
                .start();
        System.out.println("the player serves on " + listen);
        server.awaitTermination();
    }

    private ServerInterceptor guard() {
        try {
            return Credentials.guard();
        } catch (IllegalArgumentException unusable) {
            throw new ParameterException(spec.commandLine(), unusable.getMessage());
        }
    }
}
