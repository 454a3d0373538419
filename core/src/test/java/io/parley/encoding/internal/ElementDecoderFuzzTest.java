package io.parley.encoding.internal;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.parley.encoding.AesGcmEncodingScheme;
import io.parley.encoding.EncodingScheme;
import io.parley.encoding.KeyRing;
import io.parley.error.ErrorCode;
import io.parley.error.InvalidCallException;
import io.parley.error.PeerFaultException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;

/** Decodes elements whose names and contents a fuzzer generates, with a scheme without state, one with state and one with keys. */
@Tag("fuzz")
final class ElementDecoderFuzzTest {

    private static final int MAX_BYTES = 200;
    private static final int MAX_ELEMENTS = 8;
    private static final List<EncodingScheme> SCHEMES = List.of(
            new Base64Encoding(), new CountingEncoding(), new AesGcmEncodingScheme(KeyRing.of("k", new byte[32])));

    /** @param input for each element the length of the name, the name, the length of the content, the content */
    @FuzzTest(maxDuration = "60s")
    void decode(byte[] input) {
        Message received = message(ByteBuffer.wrap(input));
        ElementDecoder decoder = new ElementDecoder(SCHEMES, position(), MAX_BYTES);
        Message decoded = decode(decoder, received, 0);
        decode(decoder, received, 1); // with the state, or after its loss
        if (decoded == null) {
            return;
        }
        if (decoded.size() != received.size() || decoded.payloadBytes() > MAX_BYTES) {
            throw new AssertionError("decoded: " + decoded);
        }
        ElementEncoder encoder = new ElementEncoder(SCHEMES, position());
        Message encoded = encoder.encode(decoded, ElementEncoder.select(decoded, element -> true), 0);
        Message restored =
                new ElementDecoder(SCHEMES, position(), 8 * MAX_BYTES).decode(encoded, 0, new UnlimitedElementMemory());
        if (!restored.equals(decoded)) {
            throw new AssertionError("what was decoded does not survive a round trip: " + decoded + ", " + restored);
        }
    }

    private static ChannelPosition position() {
        PeerId id = PeerId.ofBytes(new byte[32]);
        return new ChannelPosition(id, id, "pipe", "p");
    }

    /** Returns null if the message is refused in one of the permitted ways. */
    private static @Nullable Message decode(ElementDecoder decoder, Message received, long number) {
        try {
            return decoder.decode(received, number, new UnlimitedElementMemory());
        } catch (PeerFaultException e) {
            return null;
        } catch (InvalidCallException e) {
            if (e.code() != ErrorCode.NO_COMMON_CODEC) {
                throw e;
            }
            return null;
        }
    }

    private static Message message(ByteBuffer input) {
        List<MessageElement> elements = new ArrayList<>();
        while (input.hasRemaining() && elements.size() < MAX_ELEMENTS) {
            String name = new String(field(input), StandardCharsets.ISO_8859_1);
            elements.add(MessageElement.of(name, field(input)));
        }
        return Message.of(elements);
    }

    private static byte[] field(ByteBuffer input) {
        int length = input.hasRemaining() ? Math.min(input.get() & 0xFF, input.remaining()) : 0;
        byte[] field = new byte[length];
        input.get(field);
        return field;
    }
}
