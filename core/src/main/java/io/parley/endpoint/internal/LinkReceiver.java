package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.frame.Open;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The receiving half of a link: the channels that the remote peer has opened. Confined to the event loop of the link. */
final class LinkReceiver {

    private final Link link;
    private final InboundSequences sequences;
    private final ServiceRegistry services;
    private final EndpointLimits limits;
    private final IntObjectMap<InboundChannel> channels = new IntObjectHashMap<>(EndpointContext.LINK_CAPACITY);

    /** The channels that wait until an earlier link has given up their sequences. */
    private final Set<Integer> resuming = new HashSet<>();

    private int highestHandle;

    LinkReceiver(Link link, InboundSequences sequences, ServiceRegistry services, EndpointLimits limits) {
        this.link = link;
        this.sequences = sequences;
        this.services = services;
        this.limits = limits;
    }

    boolean hasChannels() {
        return !channels.isEmpty();
    }

    void onOpen(int handle, Open open) {
        if (handle <= highestHandle) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "handle of OPEN frame: " + handle + " (expected: > " + highestHandle + ")");
        }
        highestHandle = handle;
        InboundSequence known = open.channel().isPresent()
                ? sequences.find(link.remote().instance(), open.channel().getAsLong())
                : null;
        if (known == null) {
            open(handle, open, null);
        } else {
            resume(handle, open, known);
        }
    }

    /** Continues a channel of an earlier link, after that link has delivered its last message. */
    private void resume(int handle, Open open, InboundSequence sequence) {
        InboundSequence.Holder holder = sequence.holder();
        if (holder != null && channels.get(holder.handle()) == holder) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("channel of OPEN frame: " + sequence.channel()
                    + " (expected: one that is not open on this connection)");
        }
        if (resuming.size() >= limits.maxChannels()) {
            refuseTooMany(handle, OptionalLong.empty());
            return;
        }
        resuming.add(handle);
        sequence.whenFree(link.executor(), () -> {
            if (link.isClosed() || !resuming.remove(handle)) {
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
        MessageCodec codec = link.codecs().findForChannel(open.codec()).orElse(null);
        if (binding == null) {
            link.respondRefuse(handle, ErrorCode.NO_SUCH_SERVICE, "no such service at this peer", received);
        } else if (codec == null) {
            link.respondRefuse(handle, ErrorCode.NO_COMMON_CODEC, "the peer has no codec " + open.codec(), received);
        } else if (channels.size() >= limits.maxChannels()) {
            refuseTooMany(handle, received);
        } else {
            open(handle, open, binding, codec, known);
        }
    }

    private void refuseTooMany(int handle, OptionalLong received) {
        link.respondRefuse(
                handle,
                ErrorCode.BUSY,
                "maxChannels: " + channels.size() + " of " + limits.maxChannels()
                        + " channels are open; raise EndpointLimits.maxChannels of the receiving peer or close channels",
                received);
    }

    private void open(
            int handle,
            Open open,
            ServiceRegistry.Binding binding,
            MessageCodec codec,
            @Nullable InboundSequence known) {
        OptionalLong received = known == null ? OptionalLong.empty() : OptionalLong.of(known.received());
        CodecSession decoder;
        try {
            decoder = link.codecs().newDecoder(codec);
        } catch (ParleyException e) {
            link.respondRefuse(
                    handle, e.code(), "the peer cannot create a session of its codec " + codec.name(), received);
            return;
        }
        int window = reserveWindow(binding.windowBytes(), codec.maxStateBytes());
        if (window == 0) {
            long smallest = (long) EndpointLimits.MIN_WINDOW_BYTES + codec.maxStateBytes();
            link.respondRefuse(
                    handle,
                    ErrorCode.BUSY,
                    "no memory for another channel: " + link.memory().describeShortage(smallest),
                    received);
            return;
        }
        InboundSequence sequence = known == null && open.channel().isPresent()
                ? sequences.create(link.remote().instance(), open.channel().getAsLong(), open.base())
                : known;
        InboundChannel channel =
                new InboundChannel(link, handle, binding, decoder, codec.maxStateBytes(), window, sequence);
        if (sequence != null) {
            sequence.tryHold(channel);
        }
        channels.put(handle, channel);
        link.respondOpened(handle, window, received);
        binding.add(channel);
    }

    /**
     * Reserves the window and the state of the codec. If the memory is short, tries smaller windows down to the smallest
     * one.
     *
     * @return the window in bytes; 0 if there is no memory for the smallest one
     */
    private int reserveWindow(int windowBytes, int codecBytes) {
        for (int window = windowBytes; ; window = Math.max(EndpointLimits.MIN_WINDOW_BYTES, window / 4)) {
            if (link.memory().tryReserve((long) window + codecBytes)) {
                return window;
            }
            if (window == EndpointLimits.MIN_WINDOW_BYTES) {
                return 0;
            }
        }
    }

    /** Returns the channel of a handle, or null if this peer closed it while frames for it were in transit. */
    private @Nullable InboundChannel find(int handle) {
        InboundChannel channel = channels.get(handle);
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
        if (!resuming.remove(handle) && find(handle) != null) {
            remove(handle);
        }
    }

    /** Ends a channel, whose sequence is dropped. */
    void remove(int handle) {
        InboundChannel channel = detach(handle);
        if (channel != null && channel.sequence() != null) {
            sequences.remove(channel.sequence());
        }
    }

    /** Closes a channel, whose sequence another link may continue. Returns null if there is none. */
    @Nullable
    InboundChannel detach(int handle) {
        InboundChannel channel = channels.remove(handle);
        if (channel != null) {
            channel.close();
        }
        return channel;
    }

    void close() {
        resuming.clear();
        channels.values().forEach(InboundChannel::close);
        channels.clear();
    }
}
