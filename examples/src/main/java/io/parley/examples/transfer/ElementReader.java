package io.parley.examples.transfer;

import io.parley.error.ErrorCode;
import io.parley.examples.conversation.Conversation;
import io.parley.message.MessageElement;
import java.util.Collections;
import java.util.Iterator;

/** Reads the elements of a sequence of messages. */
final class ElementReader {

    private final Conversation conversation;
    private Iterator<MessageElement> elements = Collections.emptyIterator();

    ElementReader(Conversation conversation) {
        this.conversation = conversation;
    }

    /** Returns the next element. Fails if the other peer ends the conversation before that. */
    MessageElement next() throws InterruptedException {
        while (true) {
            while (elements.hasNext()) {
                MessageElement element = elements.next();
                if (Conversation.isOwn(element)) {
                    return element;
                }
            }
            elements = conversation
                    .receive()
                    .orElseThrow(() -> ErrorCode.DISCONNECTED.exception("the other peer has ended the transfer"))
                    .iterator();
        }
    }
}
