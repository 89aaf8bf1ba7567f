// Package link connects a player with the server of its games, in both ways that there are. It knows no game.
package link

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	fairplay "example.com/players/gen/fairplay/v1"
)

// Main runs a player until the server says goodbye, or for as long as it serves. register is called with whatever the
// services of the player's games are to be registered with; description names them.
func Main(description *fairplay.PlayerDescription, register func(grpc.ServiceRegistrar)) {
	listen := flag.String("listen", "", "serve on this `HOST:PORT`")
	connect := flag.String("connect", "", "dial in to the server on this `HOST:PORT`")
	name := flag.String("name", os.Getenv("FAIRPLAY_NAME"), "the name to dial in under")
	token := flag.String("token", "", "a secret of your own, which protects the name")
	certificate := flag.String("tls-cert", "", "serve over TLS with the certificate in this `FILE`, in PEM")
	key := flag.String("tls-key", "", "the `FILE` of its key, in PEM")
	serves := flag.Bool("serve", false, "serve where the server that starts this program says, instead of dialling in")
	flag.Parse()

	if *listen == "" && *connect == "" { // then the server that started the program says where to
		if *serves {
			*listen = os.Getenv("FAIRPLAY_LISTEN")
		} else {
			*connect = os.Getenv("FAIRPLAY_CONNECT")
			*token = cmp.Or(*token, os.Getenv("FAIRPLAY_TOKEN"))
		}
	}
	all := func(to grpc.ServiceRegistrar) {
		fairplay.RegisterPlayerServiceServer(to, tournaments{description: description})
		register(to)
	}
	var err error
	switch {
	case *listen != "":
		err = serve(*listen, *certificate, *key, all)
	case *connect != "" && *name != "":
		player := &fairplay.HostedPlayer{Name: *name, Token: *token, Description: description}
		err = dialIn(*connect, player, all)
	default:
		err = errors.New("give --listen HOST:PORT to serve, or --connect HOST:PORT and --name NAME to dial in")
	}
	if err != nil {
		log.Fatal(err)
	}
}

// serve is the first way: the player listens, and the server calls it.
func serve(address, certificate, key string, register func(grpc.ServiceRegistrar)) error {
	transport, err := certified(certificate, key)
	if err != nil {
		return err
	}
	guarded, err := guard()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.Creds(transport), grpc.ChainUnaryInterceptor(guarded, survive))
	register(server)
	fmt.Println("the player serves on", listener.Addr())
	return server.Serve(listener)
}

// survive makes a failed call of what would otherwise end the program, and with it all its other games.
func survive(ctx context.Context, request any, method *grpc.UnaryServerInfo, answer grpc.UnaryHandler) (
	response any, err error,
) {
	defer func() {
		if problem := recover(); problem != nil {
			log.Printf("%s panicked: %v", method.FullMethod, problem)
			err = status.Errorf(codes.Internal, "%s panicked: %v", method.FullMethod, problem)
		}
	}()
	return answer(ctx, request)
}

// tournaments is the service that every player has. This one has nothing to prepare and nothing to celebrate.
type tournaments struct {
	fairplay.UnimplementedPlayerServiceServer
	description *fairplay.PlayerDescription
}

func (t tournaments) Describe(context.Context, *fairplay.DescribeRequest) (*fairplay.DescribeResponse, error) {
	return &fairplay.DescribeResponse{Description: t.description}, nil
}

func (tournaments) Start(context.Context, *fairplay.StartRequest) (*fairplay.StartResponse, error) {
	return &fairplay.StartResponse{}, nil
}

func (tournaments) End(context.Context, *fairplay.EndRequest) (*fairplay.EndResponse, error) {
	return &fairplay.EndResponse{}, nil
}
