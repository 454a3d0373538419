package io.parley.bench.netty;

import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamStack;
import java.util.List;

/** Streams over raw Netty. Processes of other stacks load this class without Netty. */
public final class NettyStreamStack implements StreamStack {

    @Override
    public List<StreamContender> contenders() {
        return List.of(
                new NettyStreamContender("netty-stream-nio", "raw Netty with NIO, blocking readers", "NIO", false),
                new NettyStreamContender(
                        "netty-stream-epoll", "raw Netty with epoll, blocking readers", "EPOLL", false),
                new NettyStreamContender(
                        "netty-stream-io-uring", "raw Netty with io_uring, blocking readers", "IO_URING", false),
                new NettyStreamContender(
                        "netty-stream-tls", "raw Netty with epoll and TLS 1.3, blocking readers", "EPOLL", true));
    }
}
