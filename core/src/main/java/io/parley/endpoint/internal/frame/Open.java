package io.parley.endpoint.internal.frame;

import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import java.util.List;
import java.util.OptionalLong;

/**
 * The content of an OPEN frame.
 *
 * @param service the service of the receiver
 * @param codec   the name of the codec; empty for the codec of the connection
 * @param channel the number of the channel, which stays the same when the channel is resumed on another connection; empty if
 *                the messages are not acknowledged
 * @param base    the number of messages of the channel that precede the next one: the sender knows that the receiver has
 *                them, or has given them up
 * @param schemes the names of the encoding schemes that the sender offers, in the order in which it applies them
 * @param secure  whether the channel is a secure one, which only a secure service may accept
 */
public record Open(
        ServiceAddress service, String codec, OptionalLong channel, long base, List<String> schemes, boolean secure) {

    /** More schemes, and longer names, are skipped: this peer has no such scheme, and an opening may wait for memory. */
    private static final int MAX_SCHEMES = 16;

    private static final int MAX_SCHEME_LENGTH = 32;

    private static final int MAX_CODEC_LENGTH = 512;

    private static final byte[] PRESENT = {};

    /** Checks the values. */
    public Open {
        if (base < 0) {
            throw new IllegalArgumentException("base: " + base + " (expected: >= 0)");
        }
    }

    /** Creates an opening of a channel that is not secure. */
    public Open(ServiceAddress service, String codec, OptionalLong channel, long base, List<String> schemes) {
        this(service, codec, channel, base, schemes, false);
    }

    /** Creates an opening without encoding schemes. */
    public Open(ServiceAddress service, String codec, OptionalLong channel, long base) {
        this(service, codec, channel, base, List.of());
    }

    /** Returns an opening of a channel whose messages are not acknowledged. */
    public static Open unacknowledged(ServiceAddress service, String codec) {
        return new Open(service, codec, OptionalLong.empty(), 0);
    }

    /** Returns the same opening with other encoding schemes. */
    public Open withSchemes(List<String> names) {
        return new Open(service, codec, channel, base, names, secure);
    }

    /** Returns the same opening of a secure channel, or of one that is not. */
    public Open withSecure(boolean value) {
        return new Open(service, codec, channel, base, schemes, value);
    }

    TaggedFields toFields() {
        TaggedFields fields = new TaggedFields().text(FrameWriter.SERVICE, service.service());
        if (!service.parameter().isEmpty()) {
            fields.text(FrameWriter.PARAMETER, service.parameter());
        }
        if (!codec.isEmpty()) {
            fields.text(FrameWriter.CODEC, codec);
        }
        channel.ifPresent(number -> fields.number(FrameWriter.CHANNEL, number).number(FrameWriter.BASE, base));
        schemes.forEach(name -> fields.text(FrameWriter.OFFERED_SCHEME, name));
        if (secure) {
            fields.bytes(FrameWriter.SECURE, PRESENT);
        }
        return fields;
    }

    static Open of(TaggedFields fields) {
        String codec = fields.text(FrameWriter.CODEC).orElse("");
        if (codec.length() > MAX_CODEC_LENGTH) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "codec of OPEN frame: " + codec.length() + " characters (expected: <= " + MAX_CODEC_LENGTH + ")");
        }
        return new Open(
                new ServiceAddress(
                        fields.requiredText(FrameWriter.SERVICE, "service"),
                        fields.text(FrameWriter.PARAMETER).orElse("")),
                codec,
                fields.optionalNumber(FrameWriter.CHANNEL),
                fields.number(FrameWriter.BASE).orElse(0L),
                fields.texts(FrameWriter.OFFERED_SCHEME).stream()
                        .filter(name -> name.length() <= MAX_SCHEME_LENGTH)
                        .limit(MAX_SCHEMES)
                        .toList(),
                fields.bytes(FrameWriter.SECURE).isPresent());
    }
}
