package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import org.jspecify.annotations.Nullable;

/** The receiving half of a link: the channels that the other peer has opened. Belongs to the link's executor. */
final class LinkReceiver {

    private final Link link;
    private final ServiceRegistry services;
    private final EndpointLimits limits;
    private final IntObjectMap<InboundChannel> channels = new IntObjectHashMap<>();
    private int highestHandle;

    LinkReceiver(Link link, ServiceRegistry services, EndpointLimits limits) {
        this.link = link;
        this.services = services;
        this.limits = limits;
    }

    boolean hasChannels() {
        return !channels.isEmpty();
    }

    void onOpen(int handle, ServiceAddress service, String codecName) {
        if (handle <= highestHandle) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "handle " + handle + " was opened after handle " + highestHandle);
        }
        highestHandle = handle;
        ServiceRegistry.Binding binding = services.find(service);
        MessageCodec codec = link.codecs().named(codecName).orElse(null);
        if (binding == null) {
            link.replyRefuse(handle, ErrorCode.NO_SUCH_SERVICE, "not offered by this peer");
        } else if (codec == null) {
            link.replyRefuse(handle, ErrorCode.NO_COMMON_CODEC, "this peer has no codec " + codecName);
        } else if (channels.size() >= limits.maxChannels()) {
            link.replyRefuse(handle, ErrorCode.BUSY, channels.size() + " channels are open");
        } else {
            open(handle, binding, codec);
        }
    }

    private void open(int handle, ServiceRegistry.Binding binding, MessageCodec codec) {
        CodecSession decoder;
        try {
            decoder = link.codecs().newDecoder(codec);
        } catch (ParleyException e) {
            link.replyRefuse(handle, e.code(), "this peer can't use its codec " + codec.name());
            return;
        }
        int window = reserveWindow(binding.windowBytes(), codec.maxStateBytes());
        if (window == 0) {
            link.replyRefuse(handle, ErrorCode.BUSY, "no memory for another channel now");
            return;
        }
        InboundChannel channel = new InboundChannel(link, handle, binding, decoder, codec.maxStateBytes(), window);
        channels.put(handle, channel);
        link.replyOpened(handle, window);
        binding.add(channel);
    }

    /**
     * The whole window when there is memory for it and for what the codec remembers, else as much as there is, down to
     * the smallest; 0 for none.
     */
    private int reserveWindow(int wholeBytes, int codecBytes) {
        for (int window = wholeBytes; ; window = Math.max(EndpointLimits.MIN_WINDOW_BYTES, window / 4)) {
            if (link.memory().tryReserve((long) window + codecBytes)) {
                return window;
            }
            if (window == EndpointLimits.MIN_WINDOW_BYTES) {
                return 0;
            }
        }
    }

    /** The channel of a handle, or null when it has been closed on this side while frames for it were on their way. */
    private @Nullable InboundChannel find(int handle) {
        InboundChannel channel = channels.get(handle);
        if (channel == null && (handle > highestHandle || handle == 0)) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("handle " + handle + " was never opened");
        }
        return channel;
    }

    void onMessage(int handle, ByteBuf encoded) {
        InboundChannel channel = find(handle);
        if (channel != null) {
            channel.onMessage(encoded);
        }
    }

    void onFirst(int handle, long total, ByteBuf piece) {
        InboundChannel channel = find(handle);
        if (channel != null) {
            channel.onFirst(total, piece);
        }
    }

    void onMore(int handle, ByteBuf piece) {
        InboundChannel channel = find(handle);
        if (channel != null) {
            channel.onMore(piece);
        }
    }

    void onEnd(int handle) {
        if (find(handle) != null) {
            remove(handle);
        }
    }

    void remove(int handle) {
        InboundChannel channel = channels.remove(handle);
        if (channel != null) {
            channel.close();
        }
    }

    void close() {
        channels.values().forEach(InboundChannel::close);
        channels.clear();
    }
}
