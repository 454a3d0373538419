package io.parley.encoding.internal;

import io.parley.encoding.EncodingScheme;
import io.parley.error.ErrorCode;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** A minimal stateless scheme, which enlarges every element. */
class Base64Encoding implements EncodingScheme {
    /** Marks the end of an element, because base64 alone does not reveal a truncated element. */
    private static final String END = ".";

    @Override
    public String name() {
        return "base64";
    }

    @Override
    public boolean accepts(MessageElement element) {
        return element.size() > 0;
    }

    @Override
    public Optional<Payload> encode(MessageElement element) {
        String encoded = Base64.getEncoder().encodeToString(element.toByteArray()) + END;
        return Optional.of(Payload.of(encoded.getBytes(StandardCharsets.ISO_8859_1)));
    }

    @Override
    public Payload decode(MessageElement element, long maxBytes) {
        String encoded = element.payload().text(StandardCharsets.ISO_8859_1);
        if (!encoded.endsWith(END)) {
            throw ErrorCode.MALFORMED_MESSAGE.exception("base64: cut short (expected: " + END + " at its end)");
        }
        byte[] decoded;
        try {
            decoded = Base64.getDecoder().decode(encoded.substring(0, encoded.length() - END.length()));
        } catch (IllegalArgumentException e) {
            throw ErrorCode.MALFORMED_MESSAGE.exception("base64: " + e.getMessage(), e);
        }
        if (decoded.length > maxBytes) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "decoded bytes: " + decoded.length + " (expected: <= " + maxBytes + ")");
        }
        return Payload.of(decoded);
    }
}
