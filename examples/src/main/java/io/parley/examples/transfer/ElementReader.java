package io.parley.examples.transfer;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.conversation.Conversation;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the elements of a sequence of messages. */
final class ElementReader implements ElementSource {

    private final Conversation conversation;
    private final @Nullable Duration maxSilence;
    private Iterator<MessageElement> elements = Collections.emptyIterator();

    /** Reads without a limit of time. */
    ElementReader(Conversation conversation) {
        this(conversation, null);
    }

    /** @param maxSilence the time after which an other peer that sends nothing ends the conversation; {@code null} for no limit */
    ElementReader(Conversation conversation, @Nullable Duration maxSilence) {
        this.conversation = conversation;
        this.maxSilence = maxSilence;
    }

    /** Returns the next element. Fails if the other peer ends the conversation before that. */
    @Override
    public MessageElement next() throws InterruptedException {
        while (!elements.hasNext()) {
            elements = receive()
                    .orElseThrow(() -> ErrorCode.DISCONNECTED.exception("the other peer has ended the transfer"))
                    .iterator();
        }
        return elements.next();
    }

    private Optional<Message> receive() throws InterruptedException {
        if (maxSilence == null) {
            return conversation.receive();
        }
        try {
            return conversation.receive(maxSilence);
        } catch (ParleyException e) {
            throw e.code() == ErrorCode.TIMEOUT
                    ? ErrorCode.TIMEOUT.exception("the other peer has sent nothing for " + maxSilence, e)
                    : e;
        }
    }
}
