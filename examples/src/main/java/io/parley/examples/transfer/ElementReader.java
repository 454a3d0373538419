package io.parley.examples.transfer;

import io.parley.error.ErrorCode;
import io.parley.examples.conversation.Conversation;
import io.parley.message.MessageElement;
import java.util.Collections;
import java.util.Iterator;

/** Takes elements out of messages, however they were packed. */
final class ElementReader {

    private final Conversation conversation;
    private Iterator<MessageElement> elements = Collections.emptyIterator();

    ElementReader(Conversation conversation) {
        this.conversation = conversation;
    }

    /** The next element; fails when the other side ends the conversation before there is one. */
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
                    .orElseThrow(() -> ErrorCode.DISCONNECTED.exception("the other side has given up"))
                    .iterator();
        }
    }
}
