package io.parley.rendezvous.internal;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The response of an index to advertisements that were published or replicated.
 *
 * @param refused the number of refused advertisements
 * @param fault   the reason for the first of them
 */
record PublishResponse(int refused, @Nullable ParleyException fault) {

    private static final String REFUSED = "Refused";
    private static final String CODE = "Code";
    private static final String TEXT = "Text";
    private static final int MAX_TEXT_BYTES = 1024;

    /** The maximum number of advertisements in one message. */
    static final int MAX_DOCUMENTS = 100;

    /** The maximum size of the advertisements in one message, in bytes, unless it has one only. */
    static final int MAX_BYTES = 256 << 10;

    /** Returns the message that publishes or replicates advertisements. */
    static Message request(List<byte[]> documents) {
        return RendezvousElements.addAll(Message.builder(), RendezvousElements.DOCUMENT, documents)
                .build();
    }

    /** Returns the advertisements of a request. */
    static List<byte[]> documents(Message request) {
        return RendezvousElements.all(request, RendezvousElements.DOCUMENT, MAX_DOCUMENTS);
    }

    Message write() {
        Message.Builder message = Message.builder().add(RendezvousElements.number(REFUSED, refused));
        if (fault != null) {
            String text = String.valueOf(fault.getMessage());
            message.add(RendezvousElements.number(CODE, fault.code().number()))
                    .add(RendezvousElements.text(TEXT, text.substring(0, Math.min(text.length(), MAX_TEXT_BYTES / 4))));
        }
        return message.build();
    }

    /** @throws io.parley.error.PeerFaultException {@link ErrorCode#MALFORMED_MESSAGE} */
    static PublishResponse read(Message message) {
        int refused = (int) RendezvousElements.number(message, REFUSED, 0, MAX_DOCUMENTS);
        int number = (int) RendezvousElements.number(message, CODE, 0, Integer.MAX_VALUE, 0);
        String text = Optional.ofNullable(RendezvousElements.text(message, TEXT, MAX_TEXT_BYTES))
                .orElse("no reason given");
        ErrorCode code = Optional.ofNullable(ErrorCode.ofNumber(number)).orElse(ErrorCode.SERVICE_FAILED);
        return new PublishResponse(refused, refused == 0 ? null : code.exception(text));
    }
}
