package io.parley.examples.cbor;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageLimits;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The quotations in {@code docs/codecs.md} match the sources, and its bytes match the output of the codec. */
final class CodecsDocumentTest {
    private static final Pattern QUOTE = Pattern.compile("```java (\\S+)\\R(.*?)```", Pattern.DOTALL);
    private static final Pattern HEX = Pattern.compile("```hex cbor\\R(.*?)```", Pattern.DOTALL);
    /** Hex digits, separated by one blank; the text after two blanks is a remark. */
    private static final Pattern FIELDS = Pattern.compile("(?m)^((?:[0-9a-f]{2} )*[0-9a-f]{2})(?:  .*)?$");

    @Test
    void quotes_matchTheSources() throws IOException {
        Path project = findProject();
        List<MatchResult> quotes = find(QUOTE, document());
        assertThat(quotes).hasSizeGreaterThanOrEqualTo(5);
        for (MatchResult quote : quotes) {
            assertThat(project.resolve(quote.group(1))).content().contains(quote.group(2));
        }
    }

    @Test
    void bytes_matchTheCodec() throws IOException {
        StringBuilder hex = new StringBuilder();
        find(FIELDS, find(HEX, document()).get(0).group(1))
                .forEach(field -> hex.append(field.group(1).replace(" ", "")));
        Message message = Message.of(MessageElement.ofText("A", "hi").withNamespace("app"));
        CodecSession session = new CborMessageCodec().newSession(MessageLimits.DEFAULTS);
        ByteBuf encoded = session.encode(message, UnpooledByteBufAllocator.DEFAULT);
        try {
            assertThat(ByteBufUtil.hexDump(encoded)).isEqualTo(hex.toString());
            assertThat(session.decode(encoded)).isEqualTo(message);
        } finally {
            encoded.release();
        }
    }

    private static List<MatchResult> find(Pattern pattern, String text) {
        return pattern.matcher(text).results().toList();
    }

    private static String document() throws IOException {
        return Files.readString(findProject().resolve("docs/codecs.md"));
    }

    /** Returns the directory of the project. Tests run in it or in the directory of the module. */
    private static Path findProject() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.exists(folder.resolve("docs/codecs.md"))) {
                return folder;
            }
        }
        throw new AssertionError("no docs/codecs.md above " + Path.of("").toAbsolutePath());
    }
}
