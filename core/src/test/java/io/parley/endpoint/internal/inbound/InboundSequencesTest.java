package io.parley.endpoint.internal.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.internal.frame.ChannelProtection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Two links that open or resume the same channel at the same time: one of them gets it. */
final class InboundSequencesTest {

    private static final int RUN = 7;

    @Test
    void tryCreate_ofAKnownChannel_keepsTheKnownSequence() {
        InboundSequences sequences = new InboundSequences(10);
        sequences.startInstance(RUN);
        InboundSequence first = Objects.requireNonNull(sequences.tryCreate(RUN, 1, 3, ChannelProtection.NONE));
        first.countReceived();
        assertThat(sequences.tryCreate(RUN, 1, 3, ChannelProtection.NONE)).isNull();
        assertThat(sequences.find(RUN, 1)).isSameAs(first);
        assertThat(first.received()).isEqualTo(4);
    }

    @Test
    void tryCreate_forAnEarlierRun_createsNothing_andKeepsTheSequencesOfTheLaterOne() {
        InboundSequences sequences = new InboundSequences(10);
        sequences.startInstance(RUN);
        sequences.startInstance(RUN + 1);
        InboundSequence later = Objects.requireNonNull(sequences.tryCreate(RUN + 1, 1, 0, ChannelProtection.NONE));
        assertThat(sequences.tryCreate(RUN, 2, 0, ChannelProtection.NONE)).isNull();
        assertThat(sequences.find(RUN + 1, 1)).isSameAs(later);
    }

    @Test
    void twoLinks_thatCreateAndHoldTheSameChannel_oneSucceeds() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int channel = 0; channel < 2000; channel++) {
                InboundSequences sequences = new InboundSequences(10);
                sequences.startInstance(RUN);
                CyclicBarrier start = new CyclicBarrier(2);
                int number = channel;
                Callable<InboundSequence> open = () -> {
                    start.await();
                    InboundSequence created = sequences.tryCreate(RUN, number, 0, ChannelProtection.NONE);
                    InboundSequence found = created != null ? created : sequences.find(RUN, number);
                    return found != null && found.tryHold(new IdleHolder()) ? found : null;
                };
                Set<InboundSequence> held = new HashSet<>();
                for (Future<InboundSequence> result : threads.invokeAll(List.of(open, open))) {
                    if (result.get() != null) {
                        held.add(result.get());
                    }
                }
                assertThat(held).containsExactly(Objects.requireNonNull(sequences.find(RUN, number)));
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
