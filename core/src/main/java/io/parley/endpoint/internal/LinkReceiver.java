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

/** The receiving half of a link: the channels that the remote peer has opened. Confined to the event loop of the link. */
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
                    "handle of OPEN frame: " + handle + " (expected: > " + highestHandle + ")");
        }
        highestHandle = handle;
        ServiceRegistry.Binding binding = services.find(service);
        MessageCodec codec = link.codecs().findForChannel(codecName).orElse(null);
        if (binding == null) {
            link.respondRefuse(handle, ErrorCode.NO_SUCH_SERVICE, "no such service at this peer");
        } else if (codec == null) {
            link.respondRefuse(handle, ErrorCode.NO_COMMON_CODEC, "the peer has no codec " + codecName);
        } else if (channels.size() >= limits.maxChannels()) {
            link.respondRefuse(
                    handle,
                    ErrorCode.BUSY,
                    "maxChannels: " + channels.size() + " of " + limits.maxChannels()
                            + " channels are open; raise EndpointLimits.maxChannels of the receiving peer or close"
                            + " channels");
        } else {
            open(handle, binding, codec);
        }
    }

    private void open(int handle, ServiceRegistry.Binding binding, MessageCodec codec) {
        CodecSession decoder;
        try {
            decoder = link.codecs().newDecoder(codec);
        } catch (ParleyException e) {
            link.respondRefuse(handle, e.code(), "the peer cannot create a session of its codec " + codec.name());
            return;
        }
        int window = reserveWindow(binding.windowBytes(), codec.maxStateBytes());
        if (window == 0) {
            long smallest = (long) EndpointLimits.MIN_WINDOW_BYTES + codec.maxStateBytes();
            link.respondRefuse(
                    handle,
                    ErrorCode.BUSY,
                    "no memory for another channel: " + link.memory().describeShortage(smallest));
            return;
        }
        InboundChannel channel = new InboundChannel(link, handle, binding, decoder, codec.maxStateBytes(), window);
        channels.put(handle, channel);
        link.respondOpened(handle, window);
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
