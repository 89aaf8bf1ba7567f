package link

import (
	"context"
	"crypto/subtle"
	"errors"
	"net"
	"os"
	"regexp"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

const (
	plain  = "grpc://"
	secure = "grpcs://"
)

// target returns HOST:PORT of an address, and how to connect there: grpcs:// stands for TLS and grpc:// for none.
// Without either, there is TLS where FAIRPLAY_CA names the authorities to trust; otherwise those of the system are.
func target(address string) (string, credentials.TransportCredentials, error) {
	ca := os.Getenv("FAIRPLAY_CA")
	host, tls := strings.CutPrefix(address, secure)
	if !tls {
		var explicit bool
		host, explicit = strings.CutPrefix(address, plain)
		if explicit || ca == "" {
			return host, insecure.NewCredentials(), nil
		}
	}
	if ca == "" {
		return host, credentials.NewTLS(nil), nil
	}
	trusted, err := credentials.NewClientTLSFromFile(ca, "")
	return host, trusted, err
}

// signedIn adds the token of the player's account to calls of the server, over TLS or on this machine only.
func signedIn(ctx context.Context, host string, transport credentials.TransportCredentials) context.Context {
	token := strings.TrimSpace(os.Getenv("FAIRPLAY_TOKEN"))
	if token == "" || transport.Info().SecurityProtocol == "insecure" && !loopback(host) {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
}

func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// certified returns how a player serves: over TLS with a certificate and its key, or without.
func certified(certificate, key string) (credentials.TransportCredentials, error) {
	switch {
	case certificate == "" && key == "":
		return insecure.NewCredentials(), nil
	case certificate == "" || key == "":
		return nil, errors.New("--tls-cert and --tls-key belong together: the certificate of --listen, and its key")
	}
	return credentials.NewServerTLSFromFile(certificate, key)
}

const secretKey = "fairplay-secret"

var usableSecret = regexp.MustCompile(`^[!-~]{1,256}$`)

// guard refuses calls that do not show the player's secret, FAIRPLAY_SECRET, if there is one.
func guard() (grpc.UnaryServerInterceptor, error) {
	secret, found := os.LookupEnv("FAIRPLAY_SECRET")
	if found && !usableSecret.MatchString(secret) {
		return nil, errors.New("FAIRPLAY_SECRET cannot be used: a secret is 1 to 256 visible characters of ASCII")
	}
	return func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, answer grpc.UnaryHandler) (any, error) {
		shown := strings.Join(metadata.ValueFromIncomingContext(ctx, secretKey), ",")
		if subtle.ConstantTimeCompare([]byte(shown), []byte(secret)) == 0 && found {
			message := "this player answers only calls that show its secret in the metadata " + secretKey
			return nil, status.Error(codes.Unauthenticated, message)
		}
		return answer(ctx, request)
	}, nil
}
