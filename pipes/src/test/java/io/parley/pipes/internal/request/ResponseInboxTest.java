package io.parley.pipes.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.testkit.ProcessorTime;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ResponseInboxTest {

    /** Returns the inbox of a requester that chooses the number for the hash. */
    private static ResponseInbox withTheHashOfAll(PeerId requester) {
        return new ResponseInbox(requester, -31 * requester.hashCode(), PipeSecurity.PLAIN);
    }

    @Test
    void inboxesOfOneHash_costTheSame() {
        List<ResponseInbox> inboxes = Stream.generate(() -> Identity.generate().peerId())
                .limit(1000)
                .map(ResponseInboxTest::withTheHashOfAll)
                .toList();
        assertThat(inboxes.stream().mapToInt(ResponseInbox::hashCode).distinct())
                .hasSize(1);
        ProcessorTime.assertLinear("inboxes", 250, n -> () -> {
            Set<ResponseInbox> known = new HashSet<>(inboxes.subList(0, n));
            assertThat(known.size()).isEqualTo(n);
        });
    }
}
