package io.parley.rendezvous;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What became of documents that were sent to an index.
 *
 * @param refused how many were not taken
 * @param fault   the first reason
 */
record DocumentsReply(int refused, @Nullable ParleyException fault) {

    private static final String REFUSED = "Refused";
    private static final String CODE = "Code";
    private static final String TEXT = "Text";
    private static final int MAX_TEXT_BYTES = 1024;

    /** In one message. */
    static final int MAX_DOCUMENTS = 100;

    /** What a message of documents may have, unless it is one alone. */
    static final int MAX_BYTES = 256 << 10;

    static Message question(List<byte[]> documents) {
        return Elements.addAll(Message.builder(), Elements.DOCUMENT, documents).build();
    }

    static List<byte[]> documents(Message question) {
        return Elements.all(question, Elements.DOCUMENT, MAX_DOCUMENTS);
    }

    Message write() {
        Message.Builder message = Message.builder().add(Elements.number(REFUSED, refused));
        if (fault != null) {
            String text = String.valueOf(fault.getMessage());
            message.add(Elements.number(CODE, fault.code().number()))
                    .add(Elements.text(TEXT, text.substring(0, Math.min(text.length(), MAX_TEXT_BYTES / 4))));
        }
        return message.build();
    }

    /** @throws io.parley.error.PeerFaultException {@link ErrorCode#MALFORMED_MESSAGE} */
    static DocumentsReply read(Message message) {
        int refused = (int) Elements.number(message, REFUSED, 0, MAX_DOCUMENTS);
        int number = (int) Elements.number(message, CODE, 0, Integer.MAX_VALUE, 0);
        String text = Optional.ofNullable(Elements.text(message, TEXT, MAX_TEXT_BYTES))
                .orElse("no reason given");
        ErrorCode code = Optional.ofNullable(ErrorCode.ofNumber(number)).orElse(ErrorCode.SERVICE_FAILED);
        return new DocumentsReply(refused, refused == 0 ? null : code.exception(text));
    }
}
