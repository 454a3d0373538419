package io.parley.group.internal.view;

import io.parley.endpoint.ServiceAddress;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.internal.SignedGroupMessage;
import io.parley.transport.PeerAddress;
import java.nio.ByteBuffer;
import java.util.List;

/** Group messages for a tree, which verifies no signature. */
final class UnsignedGroupMessages {

    private static final GroupId GROUP = GroupId.ofName("weather");
    private static final ServiceAddress SERVICE = ServiceAddress.of("radio");

    private UnsignedGroupMessages() {}

    static PeerId peer(int number) {
        return PeerId.ofBytes(ByteBuffer.allocate(PeerId.BYTES).putInt(number).array());
    }

    static SignedGroupMessage message(PeerId sender, long number, int bytes) {
        return new SignedGroupMessage(
                number, 0, GROUP, SERVICE, new PeerAddress(sender, List.of()), new byte[bytes], new byte[bytes]);
    }

    static SignedGroupMessage message(PeerId sender, long number) {
        return message(sender, number, 100);
    }
}
