package io.parley.codec.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageLimits;
import io.parley.error.PeerFaultException;
import io.parley.message.BorrowScope;
import io.parley.testkit.CollidingNames;
import io.parley.testkit.ProcessorTime;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** The processor time of the binary codec is linear in the size of a message. */
class BinaryProcessorTimeTest {

    private static final int MAGIC = 0x6a786d67;
    private static final int ELEMENT_MAGIC = 0x6a78656c;
    private static final int MAX_ELEMENTS = MessageLimits.DEFAULTS.maxElements();
    private static final int MAX_NAMESPACES = MessageLimits.DEFAULTS.maxNamespaces();

    private final CodecSession session = new BinaryMessageCodec().newSession(MessageLimits.DEFAULTS);

    private static void text(ByteBuf out, String text) {
        out.writeShort(text.length()).writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private static ByteBuf head(int version) {
        return Unpooled.buffer().writeInt(MAGIC).writeByte(version);
    }

    /** Decodes in both ways; the message is valid. */
    private void assertLinear(String subject, int n, IntFunction<ByteBuf> messages) {
        ProcessorTime.assertLinear(subject, n, size -> {
            ByteBuf encoded = messages.apply(size);
            assertThat(session.decode(encoded.duplicate()).size()).isPositive();
            return () -> {
                session.decode(encoded.duplicate());
                session.decodeBorrowed(encoded.duplicate(), new BorrowScope(() -> {}));
            };
        });
    }

    @Test
    void tinyElements() {
        List<String> names = CollidingNames.of(MAX_ELEMENTS);
        assertLinear("elements of one byte", MAX_ELEMENTS / 16, n -> {
            ByteBuf out = head(0).writeShort(0).writeShort(n);
            for (int i = 0; i < n; i++) {
                out.writeInt(ELEMENT_MAGIC).writeByte(0).writeByte(0);
                text(out, names.get(i));
                out.writeInt(1).writeByte(i);
            }
            return out;
        });
    }

    @Test
    void uncountedElementsOfALaterVersion() {
        assertLinear("elements without a count", MAX_ELEMENTS / 16, n -> {
            ByteBuf out = head(1).writeByte(0).writeShort(0).writeShort(0);
            for (int i = 0; i < n; i++) {
                out.writeInt(ELEMENT_MAGIC)
                        .writeByte(0)
                        .writeShort(0)
                        .writeShort(0)
                        .writeInt(0);
            }
            return out;
        });
    }

    @Test
    void tableOfNames() {
        List<String> names = CollidingNames.of(MAX_NAMESPACES);
        for (int version = 0; version <= 1; version++) {
            int written = version;
            assertLinear("table of names of version " + version, MAX_NAMESPACES / 4, n -> {
                ByteBuf out = head(written);
                if (written == 1) {
                    out.writeByte(0);
                }
                out.writeShort(n);
                names.subList(0, n).forEach(name -> text(out, name));
                out.writeShort(1).writeInt(ELEMENT_MAGIC).writeByte(0);
                return written == 0
                        ? out.writeByte(0).writeShort(0).writeInt(0)
                        : out.writeShort(2).writeShort(n + 1).writeInt(0);
            });
        }
    }

    @Test
    void failureAtTheEnd() {
        ProcessorTime.assertLinear("a fault in the last element", MAX_ELEMENTS / 16, n -> {
            ByteBuf out = head(0).writeShort(0).writeShort(n);
            for (int i = 0; i < n; i++) {
                out.writeInt(ELEMENT_MAGIC)
                        .writeByte(0)
                        .writeByte(0)
                        .writeShort(0)
                        .writeInt(i == n - 1 ? 1 : 0);
            }
            return () -> catchThrowableOfType(PeerFaultException.class, () -> session.decode(out.duplicate()));
        });
    }
}
