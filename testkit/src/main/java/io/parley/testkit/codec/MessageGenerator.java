package io.parley.testkit.codec;

import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Generates random messages of different forms from a seed, for tests of codecs and their users. Names contain only
 * characters that XML can represent. Not thread-safe.
 */
public final class MessageGenerator {
    private static final String[] NAMESPACES = {"", "", "jxta", "app", "né", "a b", "名前", "long".repeat(60)};
    private static final String[] NAMES = {
        "", "text", "A", "€", "名前", "ключ", "\uD83D\uDE80", "a:b", "<&>\"'", "x".repeat(300)
    };
    private static final String[] TYPES = {
        "application/octet-stream",
        "text/plain;charset=UTF-8",
        "text/xml;charset=UTF-8",
        "text/xml",
        "text/plain;charset=ISO8859_1",
        "application/vnd.example+json; a=\"b c\"",
        "application/x-jxta-reliable-block"
    };
    private static final String[] TEXTS = {
        "", "hi", "Grüße, 世界 \uD83D\uDE80", "<a>&amp;\r\n\t]]></a>", " \n ", "\u0000\u0001\u001F", "\uFFFE\uFFFF"
    };

    private final Random random;
    private final boolean withSignatures;

    /** Creates a generator. Generators with the same seed generate the same messages. */
    public MessageGenerator(long seed, boolean withSignatures) {
        this.random = new Random(seed);
        this.withSignatures = withSignatures;
    }

    /** Returns a message with 0 to {@code maxElements} elements. */
    public Message next(int maxElements) {
        List<MessageElement> elements = new ArrayList<>();
        for (int left = random.nextInt(maxElements + 1); left > 0; left--) {
            elements.add(nextElement());
        }
        return Message.of(elements);
    }

    private MessageElement nextElement() {
        MessageElement element = content().withNamespace(pick(NAMESPACES));
        return withSignatures && random.nextInt(8) == 0 ? element.withSignature(content()) : element;
    }

    private MessageElement content() {
        String name = pick(NAMES);
        return switch (random.nextInt(4)) {
            case 0 -> MessageElement.ofText(name, pick(TEXTS));
            case 1 ->
                MessageElement.of(name, pick(TEXTS).getBytes(StandardCharsets.UTF_8))
                        .withType(pick(TYPES));
            case 2 -> MessageElement.of(name, randomBytes(random.nextInt(100)), 0, 0);
            default -> rangeOfRandomBytes(name);
        };
    }

    /** Returns an element with a payload of a random order of magnitude; large payloads are rare. */
    private MessageElement rangeOfRandomBytes(String name) {
        int length = random.nextInt(1 + (1 << random.nextInt(random.nextInt(16) == 0 ? 18 : 10)));
        int offset = random.nextInt(4);
        byte[] bytes = randomBytes(offset + length + random.nextInt(4));
        MessageElement element = MessageElement.of(name, bytes, offset, length).withType(pick(TYPES));
        return random.nextInt(4) == 0 ? element.withPayload(inParts(bytes, offset, length)) : element;
    }

    private Payload inParts(byte[] bytes, int offset, int length) {
        int first = random.nextInt(length + 1);
        return Payload.ofParts(
                ByteBuffer.wrap(bytes, offset, first), ByteBuffer.wrap(bytes, offset + first, length - first));
    }

    private byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private String pick(String[] choices) {
        return choices[random.nextInt(choices.length)];
    }
}
