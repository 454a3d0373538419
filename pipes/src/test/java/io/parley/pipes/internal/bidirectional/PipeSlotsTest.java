package io.parley.pipes.internal.bidirectional;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.id.PeerId;
import io.parley.identity.Identity;
import org.junit.jupiter.api.Test;

class PipeSlotsTest {

    private static final int MAX = 20;

    private final PipeSlots slots = new PipeSlots(MAX, 5);

    /** Acquires as many as the host gets, with as many identities as it needs. Returns their number. */
    private int acquireAll(String host) {
        int acquired = 0;
        for (int i = 0; i < MAX; i++) {
            PeerId peer = Identity.generate().peerId();
            while (slots.tryAcquire(peer, host)) {
                acquired++;
            }
        }
        return acquired;
    }

    @Test
    void hostThatIsAlone_leavesAFifthToOthers() {
        assertThat(acquireAll("c0000201")).isEqualTo(16);
        assertThat(acquireAll("c6336401")).isEqualTo(4);
    }

    @Test
    void peer_getsNoMoreThanItsLimit() {
        PeerId peer = Identity.generate().peerId();
        for (int i = 0; i < 5; i++) {
            assertThat(slots.tryAcquire(peer, "c0000201")).isTrue();
        }
        assertThat(slots.tryAcquire(peer, "c0000201")).isFalse();
        slots.release(peer, "c0000201");
        assertThat(slots.tryAcquire(peer, "c0000201")).isTrue();
    }
}
