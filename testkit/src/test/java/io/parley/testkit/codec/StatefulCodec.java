package io.parley.testkit.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.error.InvalidCallException;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A stateful codec: the binary format, in which {@code =7} references the eighth string of the session and {@code +name} is
 * a new string. It can be created with faults, which the contract suite must detect.
 */
final class StatefulCodec implements MessageCodec {
    enum Fault {
        UNBOUNDED_STATE,
        STATE_OF_FAILED_MESSAGES,
        STATE_OF_MEASURED_MESSAGES,
        STATE_SHARED_BY_SESSIONS,
        UNDECLARED_STATE
    }

    private static final int MAX_STATE_BYTES = 20_000;

    private final Set<Fault> faults;
    private final List<String> shared = new ArrayList<>();

    StatefulCodec(Fault... faults) {
        this.faults = Set.of(faults);
    }

    @Override
    public String name() {
        return "stateful";
    }

    @Override
    public String contentType() {
        return "application/x-stateful";
    }

    @Override
    public int maxStateBytes() {
        return faults.contains(Fault.UNDECLARED_STATE) ? 0 : MAX_STATE_BYTES;
    }

    @Override
    public CodecSession newSession(MessageLimits limits) {
        return new Session(limits);
    }

    private static int bytesOf(String string) {
        return 3 * string.length() + 8;
    }

    final class Session implements CodecSession {
        private final CodecSession strict;
        private final CodecSession lenient;
        private List<String> known = new ArrayList<>();

        private Session(MessageLimits limits) {
            strict = MessageCodec.binary()
                    .newSession(limits.toBuilder()
                            .maxMessageBytes(Integer.MAX_VALUE - 8)
                            .build());
            lenient = MessageCodec.binary()
                    .newSession(limits.toBuilder()
                            .maxNameBytes(65_535)
                            .maxNamespaces(65_533)
                            .build());
        }

        long stateBytes() {
            return known.stream().mapToLong(StatefulCodec::bytesOf).sum();
        }

        private List<String> known() {
            return faults.contains(Fault.STATE_SHARED_BY_SESSIONS) ? shared : known;
        }

        @Override
        public long encodedSize(Message message) {
            strict.encodedSize(message);
            boolean remember = faults.contains(Fault.STATE_OF_MEASURED_MESSAGES);
            return lenient.encodedSize(shortened(message, remember ? known() : new ArrayList<>(known())));
        }

        @Override
        public ByteBuf encode(Message message, int headroom, ByteBufAllocator allocator) {
            boolean careless = faults.contains(Fault.STATE_OF_FAILED_MESSAGES);
            List<String> next = careless ? known() : new ArrayList<>(known());
            Message shortened = shortened(message, next);
            strict.encodedSize(message);
            ByteBuf encoded = lenient.encode(shortened, headroom, allocator);
            remember(next);
            return encoded;
        }

        @Override
        public Message decode(ByteBuf encoded) {
            List<String> next = new ArrayList<>(known());
            List<MessageElement> elements = new ArrayList<>();
            for (MessageElement element : lenient.decode(encoded)) {
                String namespace = restored(element.namespace(), next);
                elements.add(element.withNamespace(namespace).withName(restored(element.name(), next)));
            }
            Message message = Message.of(elements);
            try {
                strict.encodedSize(message);
            } catch (InvalidCallException e) {
                throw ErrorCode.LIMIT_EXCEEDED.exception(e.getMessage(), e);
            }
            remember(next);
            return message;
        }

        private void remember(List<String> next) {
            if (faults.contains(Fault.STATE_SHARED_BY_SESSIONS)) {
                shared.addAll(next.subList(Math.min(shared.size(), next.size()), next.size()));
            } else {
                known = next;
            }
        }

        private Message shortened(Message message, List<String> strings) {
            List<MessageElement> elements = new ArrayList<>();
            for (MessageElement element : message) {
                String namespace = shortened(element.namespace(), strings);
                elements.add(element.withNamespace(namespace).withName(shortened(element.name(), strings)));
            }
            return Message.of(elements);
        }

        private String shortened(String string, List<String> strings) {
            int index = strings.indexOf(string);
            if (index >= 0) {
                return "=" + index;
            }
            add(string, strings);
            return "+" + string;
        }

        private String restored(String string, List<String> strings) {
            if (string.startsWith("+")) {
                add(string.substring(1), strings);
                return string.substring(1);
            }
            try {
                return strings.get(Integer.parseInt(string.substring(1)));
            } catch (IndexOutOfBoundsException | NumberFormatException e) {
                throw malformed(string);
            }
        }

        private void add(String string, List<String> strings) {
            long bytes = strings.stream().mapToLong(StatefulCodec::bytesOf).sum();
            if (bytes + bytesOf(string) <= MAX_STATE_BYTES || faults.contains(Fault.UNBOUNDED_STATE)) {
                strings.add(string);
            }
        }

        private static ParleyException malformed(String string) {
            return ErrorCode.MALFORMED_MESSAGE.exception(
                    "at byte 0: string " + string + " (expected: a string of an earlier message)");
        }
    }
}
