package io.parley.bench.parley;

import io.parley.bench.sockets.JavaStreamStack;
import io.parley.bench.stream.AbstractStreamContender;
import io.parley.bench.stream.StreamSite;

/** Sockets between two peers. */
final class ParleySocketStreamContender extends AbstractStreamContender {

    private final Variant variant;

    ParleySocketStreamContender(String name, String description, Variant variant, String... comparators) {
        super(name, description, comparators);
        this.variant = variant;
    }

    /** Creates one that is compared with plain sockets. */
    static ParleySocketStreamContender besidePlain(String name, String description, Variant variant) {
        return new ParleySocketStreamContender(
                name, description, variant, JavaStreamStack.BLOCKING, "netty-stream-epoll", "jxta-socket");
    }

    @Override
    public boolean hasManyConnections() {
        return true;
    }

    @Override
    public String details() {
        return options().idle().label();
    }

    private ParleyOptions options() {
        ParleyOptions options =
                variant.tls ? ParleyOptions.tls(MeasuredLayer.PIPE) : ParleyOptions.plainText(MeasuredLayer.PIPE);
        return variant.spin ? options : options.withoutSpin();
    }

    @Override
    public Server serve(StreamSite site) throws Exception {
        return ParleySocketStreams.serve(options(), variant.bufferBytes, site.host());
    }

    @Override
    public Client connect(String address, StreamSite site) {
        return ParleySocketStreams.connect(options(), variant.bufferBytes, address);
    }

    /**
     * The differences between the contenders.
     *
     * @param bufferBytes the buffer of each socket; 0 for the default
     */
    record Variant(boolean tls, boolean spin, int bufferBytes) {

        static final Variant PLAIN = new Variant(false, true, 0);

        Variant withTls() {
            return new Variant(true, spin, bufferBytes);
        }

        Variant withoutSpin() {
            return new Variant(tls, false, bufferBytes);
        }

        Variant withBuffer(int bytes) {
            return new Variant(tls, spin, bytes);
        }
    }
}
