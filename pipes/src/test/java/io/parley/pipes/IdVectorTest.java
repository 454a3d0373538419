package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.id.GroupId;
import io.parley.id.Id;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.testkit.WireFormatDocument;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Compares ids, addresses and tickets with the example in {@code docs/wire-format.md}. */
class IdVectorTest {

    private static final HexFormat HEX = HexFormat.of();

    @Test
    void example_isWhatParleyWritesAndReads() throws Exception {
        Map<String, String> documented = example();
        PeerId peer = PeerId.ofBytes(HEX.parseHex(documented.get("peer bytes")));
        GroupId group = GroupId.ofName("weather");
        PipeId pipe = PipeId.ofName(group, "forecast");
        PeerAddress address = PeerAddress.of(
                peer, EndpointAddress.parse("tcp://192.0.2.1:9701"), EndpointAddress.parse("tcp://[2001:db8::1]:9701"));
        PipeTicket ticket = new PipeTicket(pipe, address);

        Map<String, String> written = new HashMap<>();
        written.put("peer bytes", HEX.formatHex(peer.toByteArray()));
        written.put("peer checksum", checksum(1, peer, 3));
        written.put("peer", peer.text());
        written.put("peer urn", peer.urn());
        written.put("group bytes", HEX.formatHex(group.toByteArray()));
        written.put("group checksum", checksum(2, group, 4));
        written.put("group", group.text());
        written.put("pipe bytes", HEX.formatHex(pipe.toByteArray()));
        written.put("pipe checksum", checksum(3, pipe, 3));
        written.put("pipe", pipe.text());
        written.put("net group", GroupId.NET.text());
        written.put("peer address", address.toString());
        written.put("ticket", ticket.toString());
        assertThat(documented).containsExactlyInAnyOrderEntriesOf(written);

        assertThat(PeerId.parse(documented.get("peer urn"))).isEqualTo(peer);
        assertThat(PipeTicket.parse(documented.get("ticket"))).isEqualTo(ticket);
    }

    /** Computes the checksum as the document specifies it. */
    private static String checksum(int kind, Id id, int bytes) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update("parley-id".getBytes(StandardCharsets.US_ASCII));
        digest.update((byte) kind);
        return HEX.formatHex(Arrays.copyOf(digest.digest(id.toByteArray()), bytes));
    }

    private static Map<String, String> example() throws IOException {
        Map<String, String> values = new LinkedHashMap<>();
        WireFormatDocument.block("text", "ids").lines().forEach(line -> {
            String[] parts = line.split(" {2,}", 2);
            values.put(parts[0], parts[1]);
        });
        return values;
    }
}
