package io.parley.examples.transfer;

import io.parley.examples.conversation.Conversation;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.util.ArrayList;
import java.util.List;

/** Packs elements into messages, so that small files don't cost a message each. */
final class ElementWriter {

    private static final int MAX_ELEMENTS = 1024;

    /** What an element costs besides its bytes, roughly. */
    private static final int OVERHEAD = 32;

    private final Conversation conversation;
    private List<MessageElement> elements = new ArrayList<>();
    private int bytes;

    ElementWriter(Conversation conversation) {
        this.conversation = conversation;
    }

    void write(String name, String text) {
        write(MessageElement.ofText(name, text));
    }

    /** Takes ownership of the array. */
    void write(String name, byte[] array) {
        write(MessageElement.of(name, array));
    }

    private void write(MessageElement element) {
        elements.add(element);
        bytes += (int) element.size() + OVERHEAD;
        if (bytes >= TransferProtocol.MESSAGE_BYTES || elements.size() >= MAX_ELEMENTS) {
            flush();
        }
    }

    /** How many bytes the next element may have to fit into the present message; at least 1. */
    int room() {
        return Math.max(1, TransferProtocol.MESSAGE_BYTES - bytes);
    }

    /** Sends what is packed, waiting for the other side to take it. */
    void flush() {
        if (!elements.isEmpty()) {
            conversation.send(Message.of(elements));
            elements = new ArrayList<>();
            bytes = 0;
        }
    }
}
