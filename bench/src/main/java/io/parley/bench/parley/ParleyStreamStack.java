package io.parley.bench.parley;

import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamStack;
import java.util.List;

/** The layers of Parley as streams. Processes of other stacks load this class without Parley. */
public final class ParleyStreamStack implements StreamStack {

    /** The name of the pipe. */
    public static final String PIPE = "parley-stream-pipe";

    /** The name of the endpoint. */
    public static final String ENDPOINT = "parley-stream-endpoint";

    /** The name of the socket. */
    public static final String SOCKET = "parley-socket";

    @Override
    public List<StreamContender> contenders() {
        return List.of(
                new ParleyMessageStreamContender(
                        ENDPOINT, "Parley's endpoint, a message for each block, plain text", "ENDPOINT"),
                new ParleyMessageStreamContender(
                        PIPE,
                        "Parley's unicast pipes, a message for each block, read with receive, plain text",
                        "PIPE"));
        // The sockets of module sockets are added here: plain text, TLS, without the spin, with two sizes of the output buffer.
    }
}
