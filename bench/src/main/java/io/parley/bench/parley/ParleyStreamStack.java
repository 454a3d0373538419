package io.parley.bench.parley;

import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamStack;
import java.util.List;

/** The layers of Parley as streams. Processes of other stacks load this class without Parley. */
public final class ParleyStreamStack implements StreamStack {

    /** The name of the endpoint. */
    public static final String ENDPOINT = "parley-stream-endpoint";

    /** The name of the pipe. */
    public static final String PIPE = "parley-stream-pipe";

    /** The name of the socket, and the start of that of its variants. */
    public static final String SOCKET = "parley-socket";

    private static final int SMALL_BUFFER_BYTES = 16 << 10;
    private static final int LARGE_BUFFER_BYTES = 512 << 10;

    @Override
    public List<StreamContender> contenders() {
        ParleySocketStreamContender.Variant plain = ParleySocketStreamContender.Variant.PLAIN;
        return List.of(
                new ParleyMessageStreamContender(
                        ENDPOINT, "Parley's endpoint, a message for each block, plain text", "ENDPOINT"),
                new ParleyMessageStreamContender(
                        PIPE,
                        "Parley's unicast pipes, a message for each block, read with receive, plain text",
                        "PIPE"),
                ParleySocketStreamContender.besidePlain(SOCKET, "Parley's sockets (PeerSocket), plain text", plain),
                ParleySocketStreamContender.besidePlain(
                        SOCKET + "-no-spin",
                        "Parley's sockets, but event loops without work sleep at once, plain text",
                        plain.withoutSpin()),
                ParleySocketStreamContender.besidePlain(
                        SOCKET + "-16k",
                        "Parley's sockets with buffers of 16 KB",
                        plain.withBuffer(SMALL_BUFFER_BYTES)),
                ParleySocketStreamContender.besidePlain(
                        SOCKET + "-512k",
                        "Parley's sockets with buffers of 512 KB",
                        plain.withBuffer(LARGE_BUFFER_BYTES)),
                new ParleySocketStreamContender(
                        SOCKET + "-tls", "Parley's sockets, TLS 1.3", plain.withTls(), "netty-stream-tls", SOCKET));
    }
}
