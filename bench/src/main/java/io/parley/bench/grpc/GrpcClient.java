package io.parley.bench.grpc;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.MessageBytes;
import io.parley.bench.contender.ReplyDispatcher;
import io.parley.bench.contender.RequestContenderClient;
import io.parley.bench.contender.Signal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A client with one connection. */
final class GrpcClient implements RequestContenderClient {

    private final ManagedChannel channel;
    private final ReplyDispatcher replies;
    private byte[] echo = new byte[0];

    private GrpcClient(ManagedChannel channel, ReplyDispatcher replies) {
        this.channel = channel;
        this.replies = replies;
    }

    /** Connects, and waits for the response to a first request. */
    static GrpcClient open(int port, ReplyDispatcher replies, boolean direct) throws Exception {
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .sslContext(GrpcTls.client())
                .overrideAuthority("localhost");
        ManagedChannel channel = (direct ? builder.directExecutor() : builder).build();
        ClientCalls.blockingUnaryCall(channel, EchoMethod.DESCRIPTOR, CallOptions.DEFAULT, new byte[1]);
        return new GrpcClient(channel, replies);
    }

    @Override
    public void prepare(int bytes) {
        echo = new Header(Signal.ECHO, 0).message(bytes);
    }

    @Override
    public void send() {
        request((response, failure) -> {
            if (response != null) {
                replies.arrived(response);
            }
        });
    }

    @Override
    public void request(BiConsumer<@Nullable MessageBytes, @Nullable Throwable> done) {
        ClientCalls.asyncUnaryCall(
                channel.newCall(EchoMethod.DESCRIPTOR, CallOptions.DEFAULT), echo, new StreamObserver<byte[]>() {
                    private byte @Nullable [] response;

                    @Override
                    public void onNext(byte[] bytes) {
                        response = bytes;
                    }

                    @Override
                    public void onError(Throwable failure) {
                        done.accept(null, failure);
                    }

                    @Override
                    public void onCompleted() {
                        byte[] bytes = response;
                        done.accept(bytes == null ? null : MessageBytes.of(bytes, 0), null);
                    }
                });
    }

    @Override
    public void flood(long messages, long expected) {
        throw new UnsupportedOperationException("gRPC: each unary request has a response");
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
