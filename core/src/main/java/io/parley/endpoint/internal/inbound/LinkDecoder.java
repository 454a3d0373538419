package io.parley.endpoint.internal.inbound;

import io.parley.common.internal.HostPrefix;
import io.parley.endpoint.internal.context.DecodingExecutor;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.transport.EndpointAddress;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Decodes the large messages of one link on the executor of the endpoint: one at a time, so that no peer uses more than one thread,
 * and the channels of the link in turn. Confined to the event loop of the link.
 */
public final class LinkDecoder {

    /** The link. */
    public interface Owner {

        /**
         * Runs a task on the event loop, later and as if it was a read. Runs the other task on this thread if the event loop has
         * terminated. Thread-safe.
         */
        void execute(Runnable task, Runnable otherwise);

        /** Called when no received message waits to be decoded. */
        void onDecodingDone();
    }

    private final Owner link;
    private final DecodingExecutor executor;
    private final EndpointAddress address;

    /** The channels whose next message must be decoded on the executor. The turn of the first channel is next. */
    private final Set<ChannelDecoder> ready = new LinkedHashSet<>(EndpointContext.LINK_CAPACITY);

    /** The number of open channels with messages that are not decoded. */
    private int busyChannels;

    /** Whether a message of this link is on the executor. */
    private boolean decoding;

    /** @param address the address of the remote peer */
    public LinkDecoder(Owner link, DecodingExecutor executor, EndpointAddress address) {
        this.link = link;
        this.executor = executor;
        this.address = address;
    }

    /** Returns whether messages wait to be decoded. */
    public boolean isBusy() {
        return busyChannels > 0;
    }

    void onBusy() {
        busyChannels++;
    }

    /** Called when a channel has decoded all messages, or is closed. */
    void onIdle(ChannelDecoder channel) {
        ready.remove(channel);
        busyChannels--;
        if (busyChannels == 0) {
            link.onDecodingDone();
        }
    }

    /** Decodes the next message of a channel on the executor when it is the turn of the channel. */
    void add(ChannelDecoder channel) {
        ready.add(channel);
        startNext();
    }

    /** Runs a task later on the event loop, unless that has terminated. */
    void runLater(Runnable task) {
        link.execute(task, () -> {});
    }

    private void startNext() {
        Iterator<ChannelDecoder> channels = ready.iterator();
        if (decoding || !channels.hasNext()) {
            return;
        }
        ChannelDecoder channel = channels.next();
        channels.remove();
        EncodedMessage message = channel.next();
        executor.execute(HostPrefix.of(address.host()), () -> decode(channel, message));
        decoding = true;
        channel.onStarted();
    }

    /** Runs on the executor. */
    private void decode(ChannelDecoder channel, EncodedMessage message) {
        ChannelDecoder.DecodingResult result = channel.decode(message);
        link.execute(() -> onDecoded(channel, result), () -> channel.discard(result));
    }

    private void onDecoded(ChannelDecoder channel, ChannelDecoder.DecodingResult result) {
        decoding = false;
        channel.onDecoded(result);
        startNext();
    }
}
