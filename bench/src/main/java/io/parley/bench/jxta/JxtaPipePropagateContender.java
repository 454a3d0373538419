package io.parley.bench.jxta;

/** JXTA's propagate pipes. */
public final class JxtaPipePropagateContender extends AbstractJxtaPipeContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public JxtaPipePropagateContender() {
        super(
                "jxta-pipe-propagate",
                "JXTA 2.5 propagate pipes to one given peer, plain text; only by name",
                JxtaPipeType.PROPAGATE,
                "jxta-pipe");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }
}
