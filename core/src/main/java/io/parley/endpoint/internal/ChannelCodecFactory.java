package io.parley.endpoint.internal;

import io.netty.buffer.ByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.List;
import java.util.Optional;

/**
 * The codecs of one link: the one that both sides have agreed on, and the others that a channel may be opened with. Each
 * channel has its own sessions, since messages of different channels pass each other on the way.
 */
final class ChannelCodecFactory {

    private final MessageCodec agreed;
    private final List<MessageCodec> own;
    private final Hello remote;
    private final MessageLimits limits;
    private final ByteBufAllocator allocator;

    ChannelCodecFactory(
            MessageCodec agreed,
            List<MessageCodec> own,
            Hello remote,
            MessageLimits limits,
            ByteBufAllocator allocator) {
        this.agreed = agreed;
        this.own = own;
        this.remote = remote;
        this.limits = limits;
        this.allocator = allocator;
    }

    MessageCodec agreed() {
        return agreed;
    }

    /**
     * Encodes a channel's messages in the first of these codecs that both sides have, or in the agreed one where none is
     * named.
     *
     * @throws io.parley.error.InvalidCallException NO_COMMON_CODEC
     */
    MessageEncoder newEncoder(List<String> preferred) {
        MessageCodec chosen = preferred.isEmpty() ? agreed : choose(preferred);
        try {
            return new MessageEncoder(chosen, limits, remote, allocator);
        } catch (RuntimeException e) {
            throw noSession(chosen, e);
        }
    }

    private MessageCodec choose(List<String> preferred) {
        return preferred.stream()
                .filter(remote.codecs()::contains)
                .flatMap(name -> find(name).stream())
                .findFirst()
                .orElseThrow(() -> ErrorCode.NO_COMMON_CODEC.exception("no message codec in common: of " + preferred
                        + " peer " + remote.peer() + " has none, but " + remote.codecs()));
    }

    /** The codec of a channel that the other side opens: that of the name, or the agreed one for an empty name. */
    Optional<MessageCodec> named(String name) {
        return name.isEmpty() ? Optional.of(agreed) : find(name);
    }

    /** @throws io.parley.error.InvalidCallException NO_COMMON_CODEC when the codec makes none */
    CodecSession newDecoder(MessageCodec codec) {
        try {
            return codec.newSession(limits);
        } catch (RuntimeException e) {
            throw noSession(codec, e);
        }
    }

    private static ParleyException noSession(MessageCodec codec, RuntimeException cause) {
        return ErrorCode.NO_COMMON_CODEC.exception("codec " + codec.name() + " makes no session: " + cause, cause);
    }

    private Optional<MessageCodec> find(String name) {
        return own.stream().filter(codec -> codec.name().equals(name)).findFirst();
    }
}
