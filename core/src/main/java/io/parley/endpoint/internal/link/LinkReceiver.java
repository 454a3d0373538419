package io.parley.endpoint.internal.link;

import io.netty.buffer.ByteBuf;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.common.Scheduler;
import io.parley.encoding.EncodingScheme;
import io.parley.encoding.internal.ChannelPosition;
import io.parley.encoding.internal.ElementDecoder;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.context.ChannelSubscription;
import io.parley.endpoint.internal.context.ServiceRegistry;
import io.parley.endpoint.internal.frame.ChannelProtection;
import io.parley.endpoint.internal.frame.Open;
import io.parley.endpoint.internal.frame.Opened;
import io.parley.endpoint.internal.inbound.ChannelEnd;
import io.parley.endpoint.internal.inbound.InboundChannel;
import io.parley.endpoint.internal.inbound.InboundCreditSender;
import io.parley.endpoint.internal.inbound.InboundElements;
import io.parley.endpoint.internal.inbound.InboundSequence;
import io.parley.endpoint.internal.inbound.InboundSequences;
import io.parley.endpoint.internal.inbound.LinkDecoder;
import io.parley.endpoint.internal.memory.MemoryBudget;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** The receiving half of a link: the channels that the remote peer has opened. Confined to the event loop of the link. */
final class LinkReceiver {

    /** The maximum time that a channel waits for memory before it is refused. */
    private static final Duration MAX_WAIT = Duration.ofSeconds(1);

    private final LinkContext context;
    private final IntSupplier channelsOfLink;
    private final LinkChannels channels;
    private final InboundSequences sequences;
    private final ServiceRegistry services;
    private final EndpointLimits limits;
    private final HandleTable<InboundChannel> byHandle;

    /** The channels that wait until an earlier link has given up their sequences. */
    private final Map<Integer, InboundSequence> resuming = new HashMap<>();

    /** The channels that wait for memory, in the order of their OPEN frames. */
    private final Map<Integer, WaitingOpen> waiting = new LinkedHashMap<>();

    /** The channels whose windows have grown. */
    private final Set<InboundCreditSender> grown = new LinkedHashSet<>();

    private final LinkDecoder linkDecoder;
    private long lastShrinkNanos;
    private Scheduler.@Nullable Timer retryTimer;
    private int highestHandle;

    /** @param sequence what the channel continues; null if it is a new one */
    private record WaitingOpen(Open open, @Nullable InboundSequence sequence, long deadlineNanos) {}

    /** @param channelsOfLink returns the number of channels of the remote peer on the link, in both ways */
    LinkReceiver(
            LinkContext context,
            IntSupplier channelsOfLink,
            LinkChannels channels,
            InboundSequences sequences,
            LinkDecoder linkDecoder) {
        this.context = context;
        this.channelsOfLink = channelsOfLink;
        this.channels = channels;
        this.linkDecoder = linkDecoder;
        this.sequences = sequences;
        this.services = context.endpoint().services();
        this.limits = context.endpoint().limits();
        this.byHandle = new HandleTable<>(context.endpoint().scheduler().random());
        this.lastShrinkNanos = context.nanoTime();
    }

    boolean hasChannels() {
        return !byHandle.isEmpty();
    }

    /** Returns the number of channels that are open or wait for memory. */
    int channelCount() {
        return byHandle.size() + waiting.size();
    }

    void onOpen(int handle, Open open) {
        if (handle <= highestHandle) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "handle of OPEN frame: " + handle + " (expected: > " + highestHandle + ")");
        }
        highestHandle = handle;
        if (open.secure() && channels.protection(true) == ChannelProtection.NONE) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "OPEN of a secure channel on handle " + handle + ": on a connection that is not authenticated");
        }
        start(handle, open);
    }

    private void start(int handle, Open open) {
        InboundSequence known = open.channel().isPresent()
                ? sequences.find(context.remote().instance(), open.channel().getAsLong())
                : null;
        if (known == null) {
            open(handle, open, null);
        } else if (known.protection() != channels.protection(open.secure())) { // before another link gives it up
            waiting.remove(handle);
            channels.respondRefuse(
                    handle,
                    ErrorCode.SECURITY_MISMATCH,
                    "the channel was opened with another protection, and does not continue on this connection",
                    OptionalLong.empty());
        } else {
            resume(handle, open, known);
        }
    }

    /** Continues a channel of an earlier link, after that link has delivered its last message. */
    private void resume(int handle, Open open, InboundSequence sequence) {
        InboundSequence.Holder holder = sequence.holder();
        if (holder != null && byHandle.get(holder.handle()) == holder) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("channel of OPEN frame: " + sequence.channel()
                    + " (expected: one that is not open on this connection)");
        }
        if (resuming.size() >= limits.maxChannels()) {
            waiting.remove(handle);
            refuseTooMany(handle, resuming.size(), "wait for an earlier connection", OptionalLong.empty());
            return;
        }
        resuming.put(handle, sequence);
        sequence.whenFree(context.executor(), () -> {
            if (context.closer().isClosed() || resuming.remove(handle) == null) {
                return; // ended meanwhile
            }
            if (sequence.holder() != null) {
                resume(handle, open, sequence); // another link was first
            } else {
                open(handle, open, sequence);
            }
        });
    }

    private void open(int handle, Open open, @Nullable InboundSequence known) {
        OptionalLong received = known == null ? OptionalLong.empty() : OptionalLong.of(known.received());
        ServiceRegistry.Binding binding = services.find(open.service());
        MessageCodec codec = context.codecs().findForChannel(open.codec()).orElse(null);
        int present = channelsOfLink.getAsInt();
        if (binding == null) {
            channels.respondRefuse(handle, ErrorCode.NO_SUCH_SERVICE, "no such service at this peer", received);
        } else if (binding.isSecure() != open.secure()) {
            channels.respondRefuse(handle, ErrorCode.SECURITY_MISMATCH, describeMismatch(binding), received);
        } else if (codec == null) {
            channels.respondRefuse(
                    handle, ErrorCode.NO_COMMON_CODEC, "the peer has no codec " + open.codec(), received);
        } else if (present >= limits.maxChannels() && !waiting.containsKey(handle)) {
            refuseTooMany(handle, present, "are open or wait for memory", received);
        } else {
            List<EncodingScheme> schemes =
                    binding.select(open.schemes(), open.channel().isPresent());
            long stateBytes = codec.maxStateBytes() + InboundElements.stateBytes(schemes);
            int window = reserveWindow(binding.windowBytes(), stateBytes);
            if (window == 0 && mayWait(handle, open, known)) {
                return;
            }
            waiting.remove(handle); // before the channel opens, because it may have to wait again
            if (window > 0) {
                open(handle, open, binding, codec, schemes, window, known);
                return;
            }
            long smallest = EndpointLimits.MIN_WINDOW_BYTES + stateBytes;
            channels.respondRefuse(
                    handle,
                    ErrorCode.BUSY,
                    "no memory for another channel: " + context.memory().describeShortage(smallest),
                    received);
        }
        waiting.remove(handle);
    }

    private static String describeMismatch(ServiceRegistry.Binding binding) {
        return binding.isSecure()
                ? "the receiver is secure and the sender is not; make the sender secure, for a pipe by Pipes.secure()"
                : "the sender is secure and the receiver is not; make the receiver secure, for a pipe by Pipes.secure()";
    }

    /** Lets a channel wait until other channels have given memory back. Returns false if it has waited long enough. */
    private boolean mayWait(int handle, Open open, @Nullable InboundSequence sequence) {
        long now = context.nanoTime();
        WaitingOpen present = waiting.get(handle);
        if (present != null) {
            return present.deadlineNanos - now > 0;
        }
        waiting.put(handle, new WaitingOpen(open, sequence, now + MAX_WAIT.toNanos()));
        scheduleRetry();
        return true;
    }

    private void scheduleRetry() {
        if (retryTimer == null) {
            retryTimer = context.schedule(MemoryBudget.RECLAIM_INTERVAL, this::onRetryTimer);
        }
    }

    private void onRetryTimer() {
        retryTimer = null;
        retryWaiting();
        if (!waiting.isEmpty()) {
            scheduleRetry();
        }
    }

    /** Opens the channels for which there is memory now, in their order. */
    private void retryWaiting() {
        while (!waiting.isEmpty()) {
            Map.Entry<Integer, WaitingOpen> first =
                    waiting.entrySet().iterator().next();
            int handle = first.getKey();
            start(handle, first.getValue().open);
            if (waiting.containsKey(handle)) {
                return; // the others have waited for a shorter time, and need memory too
            }
        }
    }

    /** @param state what the counted channels do, for the text */
    private void refuseTooMany(int handle, int count, String state, OptionalLong received) {
        channels.respondRefuse(
                handle,
                ErrorCode.BUSY,
                "maxChannels: " + count + " of " + limits.maxChannels() + " channels " + state
                        + "; raise EndpointLimits.maxChannels of the receiving peer or close channels",
                received);
    }

    private void open(
            int handle,
            Open open,
            ServiceRegistry.Binding binding,
            MessageCodec codec,
            List<EncodingScheme> schemes,
            int window,
            @Nullable InboundSequence known) {
        long schemeBytes = InboundElements.stateBytes(schemes);
        long reserved = (long) window + codec.maxStateBytes() + schemeBytes;
        OptionalLong received = known == null ? OptionalLong.empty() : OptionalLong.of(known.received());
        CodecSession session;
        try {
            session = context.codecs().newDecoder(codec);
        } catch (ParleyException e) {
            context.memory().release(reserved);
            channels.respondRefuse(
                    handle, e.code(), "the peer cannot create a session of its codec " + codec.name(), received);
            return;
        }
        InboundSequence sequence = known == null && open.channel().isPresent()
                ? sequences.tryCreate(
                        context.remote().instance(),
                        open.channel().getAsLong(),
                        open.base(),
                        channels.protection(open.secure()))
                : known;
        if (sequence == null && open.channel().isPresent()) {
            context.memory().release(reserved);
            if (sequences.isPresent(context.remote().instance())) {
                start(handle, open); // another link has created it since the search
            } else {
                channels.respondRefuse(
                        handle,
                        ErrorCode.DUPLICATE_CONNECTION,
                        "another run of the peer has connected since",
                        received);
            }
            return;
        }
        InboundChannel channel =
                new InboundChannel(channels, handle, binding, codec, session, linkDecoder, window, sequence, grown);
        if (sequence != null
                && !sequence.tryHold(channel)) { // another link has resumed it since the check, or it was dropped
            context.memory().release(schemeBytes);
            channel.close(ChannelEnd.INTERRUPTED);
            start(handle, open);
            return;
        }
        InboundElements former = sequence == null ? null : sequence.elements();
        boolean stateKept = former != null && former.isContinuedBy(binding, schemes);
        InboundElements elements;
        ChannelSubscription accepted;
        try {
            elements = stateKept ? former : newElements(open, binding, schemes);
            accepted = subscribe(binding, sequence);
        } catch (ParleyException e) {
            context.memory().release(schemeBytes);
            if (sequence != null) {
                sequences.remove(sequence);
            }
            channel.close(ChannelEnd.LOST);
            if (sequence != null) {
                sequence.reportLost(); // to the listener of an earlier link
            }
            channels.respondRefuse(handle, e.code(), String.valueOf(e.getMessage()), received);
            return;
        }
        if (elements != null) {
            elements.charge(context.memory(), schemeBytes);
        }
        if (sequence != null) {
            sequence.setElements(elements);
        }
        byHandle.put(handle, channel);
        // Only the holder may read the number of received messages.
        OptionalLong count =
                sequence == null || known == null ? OptionalLong.empty() : OptionalLong.of(sequence.received());
        channels.respondOpened(
                handle, new Opened(window, count, elements == null ? List.of() : elements.schemeNames(), stateKept));
        channel.start(accepted, elements);
    }

    /**
     * Returns the listener of a channel. A service that was opened again accepts the channel again.
     *
     * @throws ParleyException if the service refuses the channel
     */
    private ChannelSubscription subscribe(ServiceRegistry.Binding binding, @Nullable InboundSequence sequence) {
        ChannelSubscription known = sequence == null ? null : sequence.subscription();
        if (known != null && known.isTo(binding)) {
            return known;
        }
        ChannelSubscription accepted;
        try {
            accepted = binding.subscribe(context.peer());
        } catch (ParleyException e) {
            throw e;
        } catch (RuntimeException | Error e) { // an error too: it would end the link
            context.metrics().increment(Counter.LISTENER_FAILURES);
            binding.failureLog().warn("Acceptor of service {} failed on peer {}", binding.service(), context.peer(), e);
            throw serviceFailed();
        }
        if (sequence != null) {
            sequence.setSubscription(accepted);
        }
        return accepted;
    }

    private static ParleyException serviceFailed() {
        return ErrorCode.SERVICE_FAILED.exception("the service failed");
    }

    /** @throws ParleyException if a scheme fails */
    private @Nullable InboundElements newElements(
            Open open, ServiceRegistry.Binding binding, List<EncodingScheme> schemes) {
        if (schemes.isEmpty()) {
            return null;
        }
        ChannelPosition position = new ChannelPosition(
                context.peer(),
                context.self(),
                open.service().service(),
                open.service().parameter());
        long maxBytes = limits.messages().maxMessageBytes();
        try {
            return new InboundElements(binding, schemes, new ElementDecoder(schemes, position, maxBytes));
        } catch (RuntimeException | Error e) { // of a faulty scheme; it would end the link
            context.metrics().increment(Counter.LISTENER_FAILURES);
            binding.failureLog()
                    .warn("Encoding scheme of service {} failed on peer {}", binding.service(), context.peer(), e);
            throw serviceFailed();
        }
    }

    /**
     * Reserves the state of the codec and of encoding schemes, and the smallest window. A peer of protocol version 1.0 does not know
     * that windows grow, so its window is the largest one, or what can be spared of that.
     *
     * @return the window in bytes; 0 if there is no memory
     */
    private int reserveWindow(int maxWindow, long stateBytes) {
        int smallest = EndpointLimits.MIN_WINDOW_BYTES;
        if (!context.tryReserve(smallest + stateBytes)) {
            return 0;
        }
        return context.isAcknowledging()
                ? smallest
                : smallest + (int) context.memory().reserveSpare(maxWindow - smallest, 4);
    }

    void onBlocked(int handle) {
        InboundChannel channel = find(handle);
        if (channel != null) {
            channel.onBlocked();
        }
    }

    void onShrunk(int handle, long bytes) {
        InboundChannel channel = find(handle);
        if (channel != null) {
            channel.onShrunk(bytes);
            retryWaiting();
        }
    }

    /**
     * Asks for the memory of idle channels at each keep-alive interval. Checks that the remote peer gives it back, and continues the
     * messages that it has begun.
     */
    void onKeepAlive() {
        byHandle.values().forEach(InboundChannel::checkProgress);
        grown.forEach(InboundCreditSender::checkShrinkResponse);
        shrinkIdle();
    }

    /** Asks for the memory of channels without messages since the last call, which must not be too recent. */
    void shrinkIdle() {
        long now = context.nanoTime();
        if (!grown.isEmpty() && now - lastShrinkNanos >= MemoryBudget.RECLAIM_INTERVAL.toNanos()) {
            lastShrinkNanos = now;
            List.copyOf(grown).forEach(InboundCreditSender::shrinkIfIdle);
            channels.flush();
        }
    }

    /** Returns the channel of a handle, or null if this peer closed it while frames for it were in transit. */
    private @Nullable InboundChannel find(int handle) {
        InboundChannel channel = byHandle.get(handle);
        if (channel == null && (handle > highestHandle || handle == 0)) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "handle: " + handle + " (expected: 1 to " + highestHandle + ", the highest opened handle)");
        }
        return channel;
    }

    void onMessage(int handle, ByteBuf encoded) {
        InboundChannel channel = find(handle);
        if (channel != null) {
            channel.onMessage(encoded);
        }
    }

    void onFirst(int handle, long total, ByteBuf fragment) {
        InboundChannel channel = find(handle);
        if (channel != null) {
            channel.onFirst(total, fragment);
        }
    }

    void onMore(int handle, ByteBuf fragment) {
        InboundChannel channel = find(handle);
        if (channel != null) {
            channel.onMore(fragment);
        }
    }

    void onEnd(int handle) {
        WaitingOpen waited = waiting.remove(handle);
        InboundSequence resumed = resuming.remove(handle);
        if (resumed != null) {
            endWhenFree(resumed);
        } else if (waited == null) {
            InboundChannel channel = find(handle);
            if (channel != null) {
                channel.endAfterDecoding(() -> remove(handle, ChannelEnd.ENDED));
            }
        } else if (waited.sequence != null) {
            endWhenFree(waited.sequence);
        }
    }

    /** Ends a channel of an earlier link, which this one has not opened. */
    private void endWhenFree(InboundSequence sequence) {
        sequence.whenFree(context.executor(), () -> {
            if (sequences.remove(sequence)) {
                sequence.reportEnded();
            }
        });
    }

    /** Ends a channel, whose sequence is dropped. */
    void remove(int handle, ChannelEnd reason) {
        InboundChannel channel = byHandle.remove(handle);
        if (channel != null) {
            if (channel.sequence() != null) {
                sequences.remove(channel.sequence());
            }
            channel.close(reason);
        }
    }

    /** Closes a channel, whose sequence another link may continue. */
    void detach(int handle) {
        InboundChannel channel = byHandle.remove(handle);
        if (channel != null) {
            channel.close(ChannelEnd.INTERRUPTED);
        }
    }

    void close() {
        resuming.clear();
        waiting.clear();
        if (retryTimer != null) {
            retryTimer.cancel();
        }
        // A copy, because a listener may close a service, which removes its channels. Listeners learn the loss in the
        // order of opening.
        List<InboundChannel> open = new ArrayList<>(byHandle.values());
        open.sort(Comparator.comparingInt(InboundChannel::handle));
        open.forEach(channel -> channel.close(ChannelEnd.INTERRUPTED));
        byHandle.clear();
    }
}
