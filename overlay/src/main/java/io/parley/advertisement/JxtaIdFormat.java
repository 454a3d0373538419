package io.parley.advertisement;

import io.parley.common.internal.TextSanitizer;
import io.parley.id.GroupId;
import io.parley.id.Id;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Map.Entry;
import org.jspecify.annotations.Nullable;

/**
 * Converts ids to the texts of documents and back, in JXTA's {@code uuid} format (JXTA Protocols Specification): up to 63
 * bytes without trailing zeros, then one byte for the kind of id.
 */
final class JxtaIdFormat {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private static final String OURS = "urn:parley:";
    private static final String JXTA = "urn:jxta:";
    private static final String UUID_FORMAT = "uuid-";
    private static final int MAX_UUID_BYTES = 63;

    private static final byte GROUP = 2;
    private static final byte PEER = 3;
    private static final byte PIPE = 4;
    private static final byte MODULE_CLASS = 5;
    private static final byte MODULE_SPEC = 6;

    /** The bytes of a module class without a role, with which the ids of its specifications begin. */
    private static final int CLASS_BYTES = GroupId.BYTES;

    private static final String CLASS_NAME = "jxta:MCA ";
    private static final String SPEC_NAME = "jxta:MSA ";

    /** JXTA's peer ids contain a group id, Parley's do not: this prefix marks the rest as a key. */
    private static final byte[] PEER_PREFIX = GroupId.NET.toByteArray();

    /** The groups with a well-known name in JXTA. */
    private static final Map<String, GroupId> NAMED_GROUPS = Map.of(
            JXTA + "jxta-NetGroup",
            asciiGroup("YabadabaNPG P2P3"),
            JXTA + "jxta-WorldGroup",
            asciiGroup("YabadabaJxtaP2P3"));

    private JxtaIdFormat() {}

    static String canonical(String given) {
        String text = given.strip();
        check(
                given,
                text.length() <= AdvertisementId.MAX_CHARS,
                "at most " + AdvertisementId.MAX_CHARS + " characters");
        check(given, text.chars().allMatch(c -> c > ' ' && c <= '~'), "visible ASCII characters");
        if (startsWith(text, OURS)) {
            return of(Id.parse(text));
        }
        if (!startsWith(text, JXTA)) {
            check(given, text.regionMatches(true, 0, "urn:", 0, 4) && text.indexOf(':', 4) > 4, "a URN");
            return text;
        }
        String unique = text.substring(JXTA.length());
        check(given, !unique.isEmpty(), "a URN");
        if (!startsWith(unique, UUID_FORMAT)) {
            return JXTA + unique;
        }
        String hex = unique.substring(UUID_FORMAT.length());
        check(
                given,
                hex.length() % 2 == 0 && hex.length() >= 2 && hex.length() <= 2 * (MAX_UUID_BYTES + 1) && isHex(hex),
                "1 to 64 bytes in hexadecimal digits");
        byte[] bytes = HEX.parseHex(hex);
        return uuid(Arrays.copyOf(bytes, bytes.length - 1), bytes[bytes.length - 1]);
    }

    static String of(Id id) {
        byte[] bytes = id.toByteArray();
        if (id instanceof PeerId) {
            byte[] prefixed = Arrays.copyOf(PEER_PREFIX, PEER_PREFIX.length + bytes.length);
            System.arraycopy(bytes, 0, prefixed, PEER_PREFIX.length, bytes.length);
            return uuid(prefixed, PEER);
        }
        return uuid(bytes, id instanceof GroupId ? GROUP : PIPE);
    }

    static String moduleClass(String name) {
        return uuid(GroupId.ofName(CLASS_NAME + name).toByteArray(), MODULE_CLASS);
    }

    /** @throws IllegalArgumentException if the first text is not the id of a module class without a role */
    static String moduleSpec(String moduleClass, String name) {
        check(moduleClass, moduleClass.equals(moduleClassOf(moduleClass)), "the id of a module class without a role");
        byte[] bytes = Arrays.copyOf(bytes(moduleClass), CLASS_BYTES);
        return uuid(PipeId.ofName(GroupId.ofBytes(bytes), SPEC_NAME + name).toByteArray(), MODULE_SPEC);
    }

    /** Returns the id of the module class in the canonical id of a module class or specification, or {@code null} if it is neither. */
    static @Nullable String moduleClassOf(String urn) {
        if (!urn.startsWith(JXTA + UUID_FORMAT)) {
            return null;
        }
        byte kind = kind(urn);
        return kind == MODULE_CLASS || kind == MODULE_SPEC
                ? uuid(Arrays.copyOf(bytes(urn), CLASS_BYTES), MODULE_CLASS)
                : null;
    }

    private static byte kind(String urn) {
        return (byte) HexFormat.fromHexDigits(urn, urn.length() - 2, urn.length());
    }

    private static byte[] bytes(String urn) {
        return HEX.parseHex(urn, (JXTA + UUID_FORMAT).length(), urn.length() - 2);
    }

    /** Returns the Parley id of a canonical text, or {@code null} if it is none. */
    static @Nullable Id idOf(String urn) {
        GroupId named = NAMED_GROUPS.get(urn);
        if (named != null) {
            return named;
        }
        if (!urn.startsWith(JXTA + UUID_FORMAT)) {
            return null;
        }
        byte[] bytes = bytes(urn);
        return switch (kind(urn)) {
            case GROUP -> bytes.length > GroupId.BYTES ? null : GroupId.ofBytes(Arrays.copyOf(bytes, GroupId.BYTES));
            case PIPE -> bytes.length > PipeId.BYTES ? null : PipeId.ofBytes(Arrays.copyOf(bytes, PipeId.BYTES));
            case PEER -> peerOf(bytes);
            default -> null;
        };
    }

    private static @Nullable PeerId peerOf(byte[] bytes) {
        int prefix = PEER_PREFIX.length;
        if (bytes.length <= prefix
                || bytes.length > prefix + PeerId.BYTES
                || !Arrays.equals(bytes, 0, prefix, PEER_PREFIX, 0, prefix)) {
            return null;
        }
        return PeerId.ofBytes(Arrays.copyOfRange(bytes, prefix, prefix + PeerId.BYTES));
    }

    private static String uuid(byte[] bytes, byte kind) {
        int length = bytes.length;
        while (length > 0 && bytes[length - 1] == 0) {
            length--;
        }
        if (kind == GROUP && length == GroupId.BYTES) {
            byte[] group = Arrays.copyOf(bytes, length);
            for (Entry<String, GroupId> named : NAMED_GROUPS.entrySet()) {
                if (Arrays.equals(group, named.getValue().toByteArray())) {
                    return named.getKey();
                }
            }
        }
        return JXTA + UUID_FORMAT + HEX.formatHex(bytes, 0, length) + HEX.toHexDigits(kind);
    }

    private static boolean isHex(String text) {
        return text.chars().allMatch(HexFormat::isHexDigit);
    }

    private static boolean startsWith(String text, String prefix) {
        return text.regionMatches(true, 0, prefix, 0, prefix.length());
    }

    private static GroupId asciiGroup(String text) {
        return GroupId.ofBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void check(String given, boolean good, String expected) {
        if (!good) {
            throw new IllegalArgumentException("id: " + TextSanitizer.quote(given) + " (expected: " + expected + ")");
        }
    }
}
