package io.parley.bench.jxta;

/** JXTA's unicast pipes, which applications of JXTA commonly used. */
public final class JxtaPipeContender extends AbstractJxtaPipeContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public JxtaPipeContender() {
        super(
                "jxta-pipe",
                "JXTA 2.5 unicast pipes (InputPipe, OutputPipe), resolved directly between two peers, plain text; two bugs repaired",
                JxtaPipeType.UNICAST,
                "netty",
                "jxta-endpoint");
    }
}
