package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.transport.EndpointAddress;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SignedGroupMessageTest {

    private static final Identity ALICE = Identity.generate();
    private static final GroupId GROUP = GroupId.ofName("weather");
    private static final ServiceAddress SERVICE = new ServiceAddress("resolver", "x");
    private static final List<EndpointAddress> ADDRESSES =
            List.of(EndpointAddress.parse("mem://a"), EndpointAddress.parse("tcp://192.0.2.1:9701"));

    private static SignedGroupMessage sign(Message message, int maxBodyBytes) {
        return SignedGroupMessage.sign(ALICE, ADDRESSES, 7, 1234, GROUP, SERVICE, message, maxBodyBytes);
    }

    @Test
    void read_ofASignedMessage_returnsItsFields() {
        SignedGroupMessage message =
                SignedGroupMessage.read(sign(Message.of("text", "hail"), 1000).bytes());
        assertThat(message.number()).isEqualTo(7);
        assertThat(message.timeMillis()).isEqualTo(1234);
        assertThat(message.group()).isEqualTo(GROUP);
        assertThat(message.service()).isEqualTo(SERVICE);
        assertThat(message.sender().peer()).isEqualTo(ALICE.peerId());
        assertThat(message.sender().addresses()).isEqualTo(ADDRESSES);
        assertThat(message.message()).isEqualTo(Message.of("text", "hail"));
        assertThat(message.isSigned()).isTrue();
    }

    @Test
    void isSigned_withAnyByteChanged_isFalse() {
        byte[] bytes = sign(Message.of("text", "hail"), 1000).bytes();
        for (int at = 0; at < bytes.length; at++) {
            byte[] changed = bytes.clone();
            changed[at] ^= 1;
            try {
                assertThat(SignedGroupMessage.read(changed).isSigned())
                        .as("byte %d", at)
                        .isFalse();
            } catch (ParleyException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE);
            }
        }
    }

    @Test
    void read_ofAnyPrefix_failsOrIsNotSigned() {
        byte[] bytes = sign(Message.of("text", "hail"), 1000).bytes();
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            try {
                assertThat(SignedGroupMessage.read(cut).isSigned())
                        .as("%d bytes", length)
                        .isFalse();
            } catch (ParleyException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE);
            }
        }
    }

    @Test
    void sign_ofATooLargeMessage_fails() {
        assertThatThrownBy(() -> sign(Message.of("data", new byte[1000]), 1000))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MESSAGE_TOO_LARGE))
                .hasMessageContaining("<= 1000");
    }
}
