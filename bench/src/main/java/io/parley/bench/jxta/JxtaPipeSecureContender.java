package io.parley.bench.jxta;

/** JXTA's secure pipes. */
public final class JxtaPipeSecureContender extends AbstractJxtaPipeContender {

    /** Creates the contender. For {@link java.util.ServiceLoader}. */
    public JxtaPipeSecureContender() {
        super(
                "jxta-pipe-secure",
                "JXTA 2.5 secure pipes, as the unicast ones, over JXTA's own TLS; only by name",
                JxtaPipeType.SECURE,
                "jxta-pipe");
    }

    @Override
    public boolean onlyByName() {
        return true;
    }
}
