package io.parley.pipes.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.Messenger;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

/** Which run of a peer has a request, with a messenger whose peer the test changes. */
class RequestAttemptTest {

    private static final PeerId HOLDER = Identity.generate().peerId();
    private static final PeerId OTHER = Identity.generate().peerId();

    private PeerId present = HOLDER;
    private final RequestAttempt attempt = new RequestAttempt(
            (Messenger) Proxy.newProxyInstance(
                    Messenger.class.getClassLoader(),
                    new Class<?>[] {Messenger.class},
                    (proxy, method, arguments) -> switch (method.getName()) {
                        case "hashCode" -> System.identityHashCode(proxy);
                        case "equals" -> proxy == arguments[0];
                        default -> present;
                    }),
            null,
            new AttemptRegistry());

    @Test
    void connectionIsLostAtTheAcknowledgement_theLastRunCounts() {
        attempt.onConnected(HOLDER, 1);
        attempt.onConnected(HOLDER, 2);
        attempt.onConnected(OTHER, 3);
        attempt.acknowledge(HOLDER, 0);
        attempt.onConnected(HOLDER, 4);
        assertThat(attempt.wasDeliveredToOther(HOLDER, 2)).isFalse();
        assertThat(attempt.wasDeliveredToOther(HOLDER, 4)).isTrue();
    }

    @Test
    void messengerHasMovedToAnotherPeer_theRunOfTheFirstDoesNotCount() {
        attempt.onConnected(HOLDER, 1);
        present = OTHER;
        attempt.acknowledge(OTHER, 0);
        assertThat(attempt.wasDeliveredToOther(OTHER, 2)).isFalse();
    }
}
