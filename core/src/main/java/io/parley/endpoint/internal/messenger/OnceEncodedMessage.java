package io.parley.endpoint.internal.messenger;

import io.parley.endpoint.SharedMessage;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A message that several messengers send. Keeps the encoded form for each codec, in heap memory that the channels share and never
 * change, or the reason why there is none. Thread-safe.
 */
public final class OnceEncodedMessage implements SharedMessage {

    /** The result of one codec: the bytes, or else the failure. */
    private static final class Form {

        private final String codec;
        private final byte @Nullable [] bytes;
        private final @Nullable ParleyException failure;

        Form(String codec, byte @Nullable [] bytes, @Nullable ParleyException failure) {
            this.codec = codec;
            this.bytes = bytes;
            this.failure = failure;
        }

        byte[] get() {
            if (bytes != null) {
                return bytes;
            }
            if (failure != null) {
                throw failure;
            }
            throw new IllegalStateException("codec " + codec + ": no result");
        }
    }

    private final Message message;
    private final boolean forOneMessenger;
    private volatile List<Form> forms = List.of();

    /**
     * Creates a message. Copies borrowed payloads.
     *
     * @param forOneMessenger whether only one messenger is expected to send it
     */
    public OnceEncodedMessage(Message message, boolean forOneMessenger) {
        this.message = OutboundMessage.isBorrowed(message) ? OutboundMessage.copy(message) : message;
        this.forOneMessenger = forOneMessenger;
    }

    @Override
    public Message message() {
        return message;
    }

    /** Returns whether the message may be encoded straight to its place, because no other messenger needs its form. */
    boolean isDirect() {
        return forOneMessenger && forms.isEmpty();
    }

    /**
     * Returns the form for a codec. Encodes it if this is the first call for that codec; concurrent callers wait for it.
     *
     * @throws ParleyException if it cannot be encoded
     */
    byte[] encoded(String codec, Supplier<byte[]> encoding) {
        Form form = find(codec);
        return (form == null ? encode(codec, encoding) : form).get();
    }

    private @Nullable Form find(String codec) {
        for (Form form : forms) {
            if (form.codec.equals(codec)) {
                return form;
            }
        }
        return null;
    }

    private synchronized Form encode(String codec, Supplier<byte[]> encoding) {
        Form known = find(codec);
        if (known != null) {
            return known;
        }
        Form form;
        try {
            form = new Form(codec, encoding.get(), null);
        } catch (ParleyException e) {
            form = new Form(codec, null, e);
        }
        if (forms.isEmpty()) {
            forms = List.of(form); // most messages have no other
        } else {
            List<Form> all = new ArrayList<>(forms);
            all.add(form);
            forms = List.copyOf(all);
        }
        return form;
    }
}
