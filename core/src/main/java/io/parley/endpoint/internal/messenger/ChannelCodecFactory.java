package io.parley.endpoint.internal.messenger;

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
 * Creates the encoders and decoders of the channels of one link, in the codec of the connection or in another common codec.
 * Each channel has its own sessions, because messages of different channels may overtake each other.
 */
public final class ChannelCodecFactory {

    private final MessageCodec agreed;
    private final List<MessageCodec> own;
    private final Hello remote;
    private final MessageLimits limits;
    private final ByteBufAllocator allocator;

    public ChannelCodecFactory(
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

    public MessageCodec agreed() {
        return agreed;
    }

    /**
     * Returns an encoder in the first of these codecs that both peers have, or in the codec of the connection if the list
     * is empty.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#NO_COMMON_CODEC} if there is none
     */
    public MessageEncoder newEncoder(List<String> preferred) {
        MessageCodec selected = preferred.isEmpty() ? agreed : select(preferred);
        try {
            return new MessageEncoder(selected, limits, remote, allocator);
        } catch (RuntimeException | Error e) { // an error too: it would end the link
            throw noSession(selected, e);
        }
    }

    private MessageCodec select(List<String> preferred) {
        return preferred.stream()
                .filter(remote.codecs()::contains)
                .flatMap(name -> find(name).stream())
                .findFirst()
                .orElseThrow(() -> ErrorCode.NO_COMMON_CODEC.exception("codecs: " + preferred + " (expected: one of "
                        + remote.codecs() + ", the codecs of peer " + remote.peer() + ")"));
    }

    /**
     * Returns the codec of a channel that the remote peer opens: by name, or the codec of the connection if the name is
     * empty.
     */
    public Optional<MessageCodec> findForChannel(String name) {
        return name.isEmpty() ? Optional.of(agreed) : find(name);
    }

    /**
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#NO_COMMON_CODEC} if the codec cannot create a session
     */
    public CodecSession newDecoder(MessageCodec codec) {
        try {
            return codec.newSession(limits);
        } catch (RuntimeException | Error e) { // an error too: it would end the link
            throw noSession(codec, e);
        }
    }

    private static ParleyException noSession(MessageCodec codec, Throwable cause) {
        return ErrorCode.NO_COMMON_CODEC.exception(
                "codec " + codec.name() + ": cannot create a session: " + cause, cause);
    }

    private Optional<MessageCodec> find(String name) {
        return own.stream().filter(codec -> codec.name().equals(name)).findFirst();
    }
}
