package io.parley.examples.transfer;

import io.parley.examples.conversation.Conversation;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Packs several elements into one message, so that small files need no message each. */
final class ElementWriter {

    private static final int MAX_ELEMENTS = 1024;

    /** The approximate size of an element without its payload, in bytes. */
    private static final int OVERHEAD_BYTES = 32;

    private final Conversation conversation;
    private final @Nullable Duration maxSilence;
    private List<MessageElement> elements = new ArrayList<>();
    private int bytes;

    /** Writes without a limit of time. */
    ElementWriter(Conversation conversation) {
        this(conversation, null);
    }

    /** @param maxSilence the time after which an other peer that reads nothing ends the conversation; {@code null} for no limit */
    ElementWriter(Conversation conversation, @Nullable Duration maxSilence) {
        this.conversation = conversation;
        this.maxSilence = maxSilence;
    }

    void write(String name, String text) {
        write(MessageElement.ofText(name, text));
    }

    /** Writes an element. Takes ownership of {@code array}. */
    void write(String name, byte[] array) {
        write(MessageElement.of(name, array));
    }

    private void write(MessageElement element) {
        elements.add(element);
        bytes += (int) element.size() + OVERHEAD_BYTES;
        if (bytes >= TransferProtocol.MESSAGE_BYTES || elements.size() >= MAX_ELEMENTS) {
            flush();
        }
    }

    /** Returns the size of the next element that fits into the current message, in bytes; at least 1. */
    int bytesLeft() {
        return Math.max(1, TransferProtocol.MESSAGE_BYTES - bytes);
    }

    /** Sends the packed elements. Waits while the queue is full. */
    void flush() {
        if (!elements.isEmpty()) {
            Message message = Message.of(elements);
            if (maxSilence == null) {
                conversation.send(message);
            } else {
                conversation.send(message, maxSilence);
            }
            elements = new ArrayList<>();
            bytes = 0;
        }
    }
}
