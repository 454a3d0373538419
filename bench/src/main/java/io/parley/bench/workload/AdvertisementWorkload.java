package io.parley.bench.workload;

import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Creates discovery responses with a pipe, a peer and a route advertisement, as the JXTA 2.5 library writes them. Each
 * message is from another peer: ids, names and addresses differ.
 */
final class AdvertisementWorkload {

    private static final long SEED = 2002;
    private static final long SEED_STEP = 104_729;
    private static final int PEERS = 500;
    /** The part of an id after the group, in the resource files. */
    private static final String PEER = "5A1C7BD24F3E4D0C9B6A8E2F10345D67";

    private static final String RELAY = "25B0C6D14EA94D7F8C3A1F60E2B7954D";
    private static final String PIPE = "C0E4B1A29D7F4863A5B18E02F6D3C971";
    private static final String ADDRESS = "192.0.2.17";
    private static final String NAME = "harbour-17";

    private final String pipe = text("pipe-advertisement.xml");
    private final String peer = text("peer-advertisement.xml");
    private final String route = text("route-advertisement.xml");

    Message message(int index) {
        int sender = new SplitMix64(SEED + SEED_STEP * index).below(PEERS);
        SplitMix64 random = new SplitMix64(SEED - sender);
        Names names = new Names(
                id(random), id(random), id(random), "192.0." + sender / 250 + "." + (1 + sender % 250), sender);
        return Message.builder()
                .add(element("ResponseCount", MessageElement.TYPE_TEXT, "3"))
                .add(element("Response", MessageElement.TYPE_XML, names.in(pipe)))
                .add(element("Response", MessageElement.TYPE_XML, names.in(peer)))
                .add(element("Response", MessageElement.TYPE_XML, names.in(route)))
                .build();
    }

    private static MessageElement element(String name, String type, String text) {
        return MessageElement.of("jxta", name, type, Payload.of(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String id(SplitMix64 random) {
        StringBuilder id = new StringBuilder();
        for (byte value : random.bytes(PEER.length() / 2)) {
            id.append(String.format(Locale.ROOT, "%02X", value));
        }
        return id.toString();
    }

    private static String text(String resource) {
        try (InputStream in = AdvertisementWorkload.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("resource: " + resource + " not found on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException problem) {
            throw new UncheckedIOException("resource: cannot read " + resource, problem);
        }
    }

    /** The values that differ between peers. */
    private record Names(String peerId, String relayId, String pipeId, String address, int number) {

        String in(String advertisement) {
            return advertisement
                    .replace(PEER, peerId)
                    .replace(RELAY, relayId)
                    .replace(PIPE, pipeId)
                    .replace(ADDRESS, address)
                    .replace(NAME, "harbour-" + number);
        }
    }
}
