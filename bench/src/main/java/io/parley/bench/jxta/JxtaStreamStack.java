package io.parley.bench.jxta;

import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamStack;
import java.util.List;

/** JXTA's pipe and socket as streams. Processes of other stacks load this class without JXTA. */
public final class JxtaStreamStack implements StreamStack {

    private static final int SMALL_BUFFER_BYTES = 16 << 10;

    @Override
    public List<StreamContender> contenders() {
        return List.of(
                new JxtaStreamContender(
                        "jxta-stream-pipe",
                        "JXTA 2.5 unicast pipes, a message for each block",
                        JxtaStreamContender.PIPE),
                new JxtaStreamContender(
                        "jxta-socket", "JXTA 2.5 sockets (JxtaSocket), default output buffer, its largest: 64 KB", 0),
                new JxtaStreamContender(
                        "jxta-socket-16k", "JXTA 2.5 sockets with an output buffer of 16 KB", SMALL_BUFFER_BYTES));
    }
}
