package io.parley.pipes.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.Messenger;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

/** Which peers have attempts, with a messenger whose peer the test changes. */
class AttemptRegistryTest {

    private static final PeerId HOLDER = Identity.generate().peerId();
    private static final PeerId OTHER = Identity.generate().peerId();

    private PeerId present = HOLDER;
    private final Messenger messenger = (Messenger) Proxy.newProxyInstance(
            Messenger.class.getClassLoader(),
            new Class<?>[] {Messenger.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "peer" -> present;
                case "hashCode" -> System.identityHashCode(proxy);
                case "equals" -> proxy == arguments[0];
                default -> throw new UnsupportedOperationException(method.getName());
            });
    private final AttemptRegistry registry = new AttemptRegistry();

    @Test
    void unacknowledgedAttempt_isOneOfThePresentPeerOfItsMessenger() {
        RequestAttempt attempt = new RequestAttempt(messenger, null, registry);
        assertThat(registry.hasAttempts(HOLDER)).isTrue();
        assertThat(registry.hasAttempts(OTHER)).isFalse();
        present = OTHER;
        assertThat(registry.hasAttempts(HOLDER)).isFalse();
        assertThat(registry.hasAttempts(OTHER)).isTrue();
        attempt.end();
        assertThat(registry.hasAttempts(OTHER)).isFalse();
    }

    @Test
    void acknowledgedAttempt_isOneOfThePeerThatHasIt_untilItEnds() {
        RequestAttempt attempt = new RequestAttempt(messenger, null, registry);
        RequestAttempt second = new RequestAttempt(messenger, null, registry);
        attempt.acknowledge(HOLDER, 1);
        second.acknowledge(HOLDER, 1);
        present = OTHER;
        assertThat(registry.hasAttempts(HOLDER)).isTrue();
        assertThat(registry.hasAttempts(OTHER)).isFalse();
        attempt.end();
        attempt.end();
        assertThat(registry.hasAttempts(HOLDER)).isTrue();
        second.end();
        assertThat(registry.hasAttempts(HOLDER)).isFalse();
    }

    @Test
    void acknowledgementAfterTheEnd_isNotCounted() {
        RequestAttempt attempt = new RequestAttempt(messenger, null, registry);
        attempt.end();
        attempt.acknowledge(HOLDER, 1);
        assertThat(registry.hasAttempts(HOLDER)).isFalse();
    }
}
