package io.parley.bench.jxta;

import io.parley.bench.sockets.JavaStreamStack;
import io.parley.bench.stream.AbstractStreamContender;
import io.parley.bench.stream.StreamSite;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A stream of JXTA between two directly connected peers. */
final class JxtaStreamContender extends AbstractStreamContender {

    /** Instead of the size of a socket's buffer: the pipe. */
    static final int PIPE = -1;

    private final int outputBufferBytes;

    /** @param outputBufferBytes the output buffer of sockets; 0 for JXTA's default; {@link #PIPE} for the pipe */
    JxtaStreamContender(String name, String description, int outputBufferBytes) {
        super(name, description, JavaStreamStack.BLOCKING);
        this.outputBufferBytes = outputBufferBytes;
    }

    @Override
    public List<Path> ownJars() {
        return JxtaJars.list();
    }

    @Override
    public Optional<String> obstacle() {
        return JxtaJars.obstacle();
    }

    @Override
    public String details() {
        return "JXSE 2.5";
    }

    @Override
    public Server serve(StreamSite site) throws Exception {
        return outputBufferBytes == PIPE
                ? JxtaPipeStreams.serve(site.home())
                : JxtaSocketStreams.serve(site.home(), outputBufferBytes);
    }

    @Override
    public Client connect(String address, StreamSite site) throws Exception {
        return outputBufferBytes == PIPE
                ? JxtaPipeStreams.connect(address, site.home())
                : JxtaSocketStreams.connect(address, site.home(), outputBufferBytes);
    }
}
