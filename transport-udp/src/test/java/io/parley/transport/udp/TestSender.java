package io.parley.transport.udp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.identity.Identity;
import io.parley.transport.EndpointAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/** Creates the datagrams that a peer sends, without sockets. */
final class TestSender {

    static final EndpointAddress ADDRESS = EndpointAddress.parse("tcp://192.0.2.7:9701");

    private final Identity identity;
    private long number;

    TestSender(Identity identity, long firstNumber) {
        this.identity = identity;
        this.number = firstNumber;
    }

    TestSender() {
        this(Identity.generate(), 1);
    }

    /** Returns the identity whose secret key is the bytes 0 to 31. */
    static Identity wellKnown() {
        return Identity.generate(new SecureRandom() {
            @Override
            public void nextBytes(byte[] bytes) {
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = (byte) i;
                }
            }
        });
    }

    Identity identity() {
        return identity;
    }

    /** Returns the datagrams of a new signed message. */
    List<byte[]> message(int port, long timeMillis, byte[] payload) {
        MessageKey key = nextKey();
        return split(
                key,
                SignedMessage.sign(identity, key.number(), port, timeMillis, List.of(ADDRESS), payload)
                        .bytes());
    }

    MessageKey nextKey() {
        return new MessageKey(identity.peerId(), number++);
    }

    static List<byte[]> split(MessageKey key, byte[] message) {
        List<byte[]> datagrams = new ArrayList<>();
        for (int i = 0; i < Datagram.fragments(message.length); i++) {
            ByteBuf out = Unpooled.buffer();
            Datagram.write(out, key, i, message);
            datagrams.add(ByteBufUtil.getBytes(out));
        }
        return datagrams;
    }
}
