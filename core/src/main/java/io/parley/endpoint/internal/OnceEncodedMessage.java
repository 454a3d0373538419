package io.parley.endpoint.internal;

import io.parley.endpoint.SharedMessage;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A message that several messengers send. Keeps the encoded form for each codec, in heap memory that the channels share and never
 * change, or the reason why there is none. Thread-safe.
 */
public final class OnceEncodedMessage implements SharedMessage {

    /** The result of one codec, which returns the bytes or throws. */
    private record Form(String codec, Supplier<byte[]> result) {}

    private final Message message;
    private volatile List<Form> forms = List.of();

    /** Creates a message. Copies borrowed payloads. */
    public OnceEncodedMessage(Message message) {
        this.message = OutboundMessage.isBorrowed(message) ? OutboundMessage.copy(message) : message;
    }

    @Override
    public Message message() {
        return message;
    }

    /**
     * Returns the form for a codec. Encodes it if this is the first call for that codec; concurrent callers wait for it.
     *
     * @throws ParleyException if it cannot be encoded
     */
    byte[] encoded(String codec, Supplier<byte[]> encoding) {
        Form form = find(codec);
        return (form == null ? encode(codec, encoding) : form).result().get();
    }

    private @Nullable Form find(String codec) {
        for (Form form : forms) {
            if (form.codec().equals(codec)) {
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
            byte[] bytes = encoding.get();
            form = new Form(codec, () -> bytes);
        } catch (ParleyException e) {
            form = new Form(codec, () -> {
                throw e;
            });
        }
        forms = Stream.concat(forms.stream(), Stream.of(form)).toList();
        return form;
    }
}
