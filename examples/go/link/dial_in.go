package link

import (
	"context"
	"fmt"
	"io"
	"log"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	fairplay "example.com/players/gen/fairplay/v1"
)

const (
	patience     = 10 * time.Minute // for a server that is not there: a new start takes a while
	resumeWindow = 30 * time.Second // for which games wait when the server loses us
	firstPause   = 100 * time.Millisecond
	lastPause    = time.Second
	connectLimit = 10 * time.Second // a handshake takes a while on a busy machine
	maxBytes     = 16 << 20
	maxReplies   = 256 // in one frame
)

// refusals are the codes after which trying again would not help.
var refusals = []codes.Code{
	codes.InvalidArgument, codes.AlreadyExists, codes.PermissionDenied, codes.Unauthenticated, codes.Unimplemented,
}

var options = []grpc.DialOption{
	grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxBytes)),
	grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second}), // the server takes one in 10 s
	grpc.WithConnectParams(grpc.ConnectParams{
		Backoff: backoff.Config{BaseDelay: firstPause, Multiplier: 2, MaxDelay: lastPause}, MinConnectTimeout: connectLimit,
	}),
}

// dialIn is the second way: the player opens a stream and is called through it. It ends with the server's goodbye, and
// opens another stream when one is lost.
func dialIn(address string, player *fairplay.HostedPlayer, register func(grpc.ServiceRegistrar)) error {
	host, transport, err := target(address)
	if err != nil {
		return err
	}
	channel, err := grpc.NewClient(host, append(options, grpc.WithTransportCredentials(transport))...)
	if err != nil {
		return err
	}
	defer channel.Close()
	methods := methods{}
	register(methods)
	hello := &fairplay.Hello{Players: []*fairplay.HostedPlayer{player}, ResumeWindow: durationpb.New(resumeWindow)}
	giveUp, pause := time.Now().Add(patience), firstPause
	for {
		ctx := signedIn(context.Background(), host, transport)
		welcome, goodbye, err := converse(ctx, fairplay.NewConnectionServiceClient(channel), hello, methods)
		if goodbye != nil && goodbye.Reason != fairplay.GoodbyeReason_GOODBYE_REASON_SHUTTING_DOWN {
			log.Print(err)
			return nil // this player is no longer needed
		}
		if welcome != nil {
			hello.ResumeToken = welcome.ResumeToken
			giveUp, pause = time.Now().Add(patience), firstPause
		}
		if refused(err) || time.Now().After(giveUp) {
			return fmt.Errorf("%s: %w", address, err)
		}
		if pause == 2*firstPause { // said once: a stream that ends is no news yet
			log.Printf("%s is not there, and is tried again for %s: %s", address, patience, err)
		}
		time.Sleep(pause)
		pause = min(2*pause, lastPause)
	}
}

// refused says whether the server refuses the hello for good. Libraries say ResourceExhausted of connections, too,
// without a reason.
func refused(err error) bool {
	says := func(kind string) bool {
		return slices.ContainsFunc(status.Convert(err).Proto().GetDetails(), func(detail *anypb.Any) bool {
			return strings.HasSuffix(detail.TypeUrl, kind)
		})
	}
	exhausted := status.Code(err) == codes.ResourceExhausted && says("/google.rpc.ErrorInfo")
	return slices.Contains(refusals, status.Code(err)) || exhausted && !says("/google.rpc.RetryInfo")
}

// converse answers the calls of one stream until it ends. What the server said is returned as far as it came.
func converse(
	ctx context.Context, server fairplay.ConnectionServiceClient, hello *fairplay.Hello, methods methods,
) (welcome *fairplay.Welcome, goodbye *fairplay.Goodbye, err error) {
	ctx, end := context.WithCancel(ctx)
	defer end() // also ends the answers that are under way: a resumed stream brings their calls again
	stream, err := server.DialIn(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := stream.Send(&fairplay.DialInRequest{Hello: hello}); err != nil && err != io.EOF {
		return nil, nil, err // of EOF, Recv knows the cause
	}
	outbox := make(chan *fairplay.Reply, maxReplies)
	go send(stream, outbox)
	var underWay sync.Map // what cancels a call, by the call's id
	for {
		frame, err := stream.Recv()
		if err != nil {
			return welcome, nil, err
		}
		if frame.Welcome != nil {
			welcome = frame.Welcome
		}
		for _, call := range frame.Calls { // all for the one player of the hello, so call.Player does not matter
			ctx, cancel := limited(ctx, call)
			underWay.Store(call.Id, cancel)
			go func() {
				defer cancel()
				defer underWay.Delete(call.Id)
				reply := methods.answer(ctx, call)
				select {
				case outbox <- reply:
				case <-ctx.Done(): // nobody wants it any more
				}
			}()
		}
		for _, id := range frame.Cancelled {
			if cancel, found := underWay.Load(id); found {
				cancel.(context.CancelFunc)()
			}
		}
		if frame.Goodbye != nil {
			return welcome, frame.Goodbye, fmt.Errorf("the server says goodbye: %s", frame.Goodbye.Message)
		}
	}
}

// limited gives a call the time that the server gives it.
func limited(ctx context.Context, call *fairplay.Call) (context.Context, context.CancelFunc) {
	if call.TimeLimit == nil {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, call.TimeLimit.AsDuration())
}

// send is the only one that writes after the hello. What waits goes into one frame.
func send(stream fairplay.ConnectionService_DialInClient, outbox <-chan *fairplay.Reply) {
	for {
		var replies []*fairplay.Reply
		select {
		case reply := <-outbox:
			replies = append(replies, reply)
		case <-stream.Context().Done():
			return
		}
		runtime.Gosched() // so that others that are ready can join
		for len(outbox) > 0 && len(replies) < maxReplies {
			replies = append(replies, <-outbox)
		}
		if stream.Send(&fairplay.DialInRequest{Replies: replies}) != nil {
			return // the stream is lost, as Recv says, too
		}
	}
}

// methods are the functions behind the full names of methods, from bytes to bytes. Generated code registers a service
// here as it would with a grpc.Server.
type methods map[string]func(ctx context.Context, request []byte) ([]byte, error)

func (m methods) RegisterService(service *grpc.ServiceDesc, player any) {
	for _, method := range service.Methods {
		m["/"+service.ServiceName+"/"+method.MethodName] = func(ctx context.Context, request []byte) ([]byte, error) {
			decode := func(message any) error {
				if err := proto.Unmarshal(request, message.(proto.Message)); err != nil {
					return status.Error(codes.InvalidArgument, err.Error())
				}
				return nil
			}
			response, err := method.Handler(player, ctx, decode, survive)
			if err != nil {
				return nil, err
			}
			return proto.Marshal(response.(proto.Message))
		}
	}
}

func (m methods) answer(ctx context.Context, call *fairplay.Call) *fairplay.Reply {
	response, err := []byte(nil), status.Errorf(codes.Unimplemented, "this player has no method %s", call.MethodName)
	if method, found := m[call.MethodName]; found {
		response, err = method(ctx, call.Request)
	}
	if err != nil {
		failure := &fairplay.Failure{Code: int32(status.Code(err)), Message: status.Convert(err).Message()}
		return &fairplay.Reply{Id: call.Id, Outcome: &fairplay.Reply_Failure{Failure: failure}}
	}
	return &fairplay.Reply{Id: call.Id, Outcome: &fairplay.Reply_Response{Response: response}}
}
