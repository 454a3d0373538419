package io.parley.bench.grpc;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ProcessLocation;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A server that returns each request. */
final class GrpcServer implements Contender.Server {

    private final Server server;
    private final ProcessLocation location;

    private GrpcServer(Server server, ProcessLocation location) {
        this.server = server;
        this.location = location;
    }

    static GrpcServer start(ProcessLocation location, boolean direct) throws Exception {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sslContext(GrpcTls.server())
                .addService(ServerServiceDefinition.builder(EchoMethod.SERVICE)
                        .addMethod(EchoMethod.DESCRIPTOR, ServerCalls.asyncUnaryCall(GrpcServer::echo))
                        .build());
        return new GrpcServer(
                (direct ? builder.directExecutor() : builder).build().start(), location);
    }

    private static void echo(byte[] request, StreamObserver<byte[]> response) {
        response.onNext(request);
        response.onCompleted();
    }

    @Override
    public int port() {
        return server.getPort();
    }

    @Override
    public String address() {
        return Integer.toString(location.advertised(port()));
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
